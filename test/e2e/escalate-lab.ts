// A repository whose failing stage goes straight to an escalation: a hosted model on loopback that answers as a test tells it.
// The loop runs as a child process; its key is in the environment and nowhere else.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { CaseSummary } from '../../src/outbound/case-summary.ts';
import { type ApiKind, type ApiReply, type ApiServer, startApiServer } from '../../src/testing/api-server.ts';
import type { ServedRequest } from '../../src/testing/loopback.ts';
import { copyRepository } from '../this-repository.ts';
import { diff, FILE, type Lab, type LabOptions, modelLab, type Ran, stageOn } from './model-lab.ts';
import { type Done, type Files, folder, git, namesIn, type Scenario, write } from './scenario.ts';

export const KEY = 'sk-test-9b2c4d6e8f1a3b5c7d9e0f';

export type Reply = string | ApiReply | ((request: ServedRequest) => string | ApiReply);

export interface Host extends ApiServer {
  /** What it says from now on, one after the other, the last one again and again. */
  says(...replies: Reply[]): void;
  /** The case, or whatever else was asked last, of each request. */
  asked(): string[];
}

export interface EscalateOptions extends LabOptions {
  kind?: ApiKind;
  /** More settings of `api`. */
  api?: Record<string, unknown>;
}

export interface EscalateLab extends Lab {
  host: Host;
}

/** A host of models that answers as it is told to. */
export async function apiHost(tls?: { key: string; cert: string }): Promise<Host> {
  let [replies, from]: [Reply[], number] = [[], 0];
  const server = await startApiServer({
    ...(tls ? { tls } : {}),
    script: (request, before) => {
      const reply = replies[Math.min(before - from, replies.length - 1)] ?? { status: 500, error: 'nothing to say' };
      const said = typeof reply === 'function' ? reply(request) : reply;
      return typeof said === 'string' ? { text: said } : said;
    },
  });
  return {
    ...server,
    says(...said) {
      from = server.requests.length;
      replies = said;
    },
    asked: () => server.requests.map(({ body }) => String(body.messages?.at(-1)?.content)),
  };
}

/** Where the host is, for `plugins.api`. */
export const apiSettings = (url: string, kind: ApiKind = 'openai', more: object = {}) => ({
  ...{ kind, model: 'large', base_url: kind === 'openai' ? `${url}/v1` : url, retries: 0, timeout: '20s' },
  // To a host of this network no key is sent that is not named.
  key_env: kind === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY',
  ...more,
});

/** No executor, unless `loop` says so: the first failure is escalated. */
export async function escalateLab(options: EscalateOptions = {}): Promise<EscalateLab> {
  const { kind, api, loop = {}, ...rest } = options;
  const host = await apiHost();
  const { plugins = {}, ...settings } = loop as { plugins?: object };
  const lab = await modelLab({
    ...rest,
    loop: {
      ...{ executors: [], escalations: ['api', 'case-file'] },
      ...settings,
      plugins: { api: apiSettings(host.url, kind, api), ...plugins },
    },
  });
  Object.assign(lab.env, { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY });
  return { ...lab, host };
}

/** A patch as a hosted model gives it. */
export const patch = (word: string, from = 'bad', path = FILE): string =>
  diff(path, `-${from}`, `+${word}`).replace(/^Fix: .*$/m, `Fix: Say ${word}`);

export const handOver = (text: string): string => JSON.stringify({ hand_over: text });
export const wish = (...diagnostics: string[][]): string => JSON.stringify({ diagnostics });

/** Every case, by name. */
export const cases = (s: Pick<Scenario, 'path'>): Record<string, CaseSummary> =>
  Object.fromEntries(
    namesIn(s.path('ai/escalations'))
      .filter((name) => existsSync(s.path('ai/escalations', name, 'summary.json')))
      .map((name) => [name, JSON.parse(readFileSync(s.path('ai/escalations', name, 'summary.json'), 'utf8'))]),
  );

export const caseText = (s: Pick<Scenario, 'path'>, name: string, version: 1 | 2): string =>
  readFileSync(s.path('ai/escalations', name, `case_v${version}.md`), 'utf8');

/** The only case that there is. */
export function onlyCase(s: Pick<Scenario, 'path'>): CaseSummary {
  const all = Object.values(cases(s));
  assert.is(all.length, 1, 'there is one case');
  return all[0] as CaseSummary;
}

/** A person answers a case. */
export const answerCase = (lab: EscalateLab, name: string, text: string): Promise<Done> =>
  lab.run(['cases', 'answer', name, '-'], { env: lab.env, stdin: text });

export const attempts = ({ events }: Ran): number => events.filter(({ type }) => type === 'attempt.started').length;

const NOTICED = { given: 'conf/g.txt', handed: 'conf/h.txt', outside: 'conf/x.txt' };

/** The files of `noticeLab`, as they fail or as they are good. */
export const noticeFiles = (good: boolean): Files =>
  Object.fromEntries(Object.entries(NOTICED).map(([name, path]) => [path, `${good ? 'good' : name}\nsecond\n`]));

/** One stage that is given up, one that is handed over, one that fails for what is outside of the repository. */
export async function noticeLab(notifiers: readonly string[], plugins: Record<string, object>): Promise<EscalateLab> {
  const stages = Object.entries(NOTICED).map(([name, path]) => [name, stageOn(path, { on_failure: 'skip' })]);
  const lab = await escalateLab({
    stages: Object.fromEntries(stages),
    files: noticeFiles(false),
    loop: {
      ...{ notifiers, limits: { escalation_calls: 1 }, plugins },
      classify: [{ match: 'unexpected word outside', class: 'permission_denied', external: true }],
    },
  });
  lab.host.says(({ body }) =>
    String(body.messages.at(-1).content).startsWith('# handed')
      ? handOver('only you know the word')
      : diff(NOTICED.given, ' given', '-second', '+third'),
  );
  return lab;
}

/** What `noticeLab` tells of first. */
export const TOLD = ['given give_up', 'handed hand_over', 'outside external'];

/** Stage and reason of every notice that a webhook got. */
export const toldTo = (host: Host): string[] => host.requests.map(({ body }) => `${body.stage} ${body.reason}`).sort();

/** A copy of this repository with its dependencies and its simulated lab, `files` changed, committed on main. */
export function labClone(files: Record<string, string | ((text: string) => string)>): string {
  const home = copyRepository(folder());
  for (const [path, text] of Object.entries(files)) {
    write(home, { [path]: typeof text === 'string' ? text : text(readFileSync(join(home, path), 'utf8')) });
  }
  git(home, 'commit', '-qam', 'changed');
  return home;
}
