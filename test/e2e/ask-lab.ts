// A repository whose one stage fails, and for which a program proposes a change that its owner is asked about.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { afterTest } from '../environment.ts';
import { cases } from './escalate-lab.ts';
import {
  contextMap,
  ENTRY,
  environment,
  folder,
  jsonLines,
  namesIn,
  type Scenario,
  scenario,
  until,
} from './scenario.ts';

const STAGE = `#!/usr/bin/env bash
grep -q 'replicas: 3' apps/values.yaml && exit 0
echo 'Error: spec.replicas: Invalid value: 2: quorum needs 3' >&2
exit 1
`;

export const answerOf = (from: number, to: number): string =>
  `Fix: Give loki ${to} replicas\nReason: a quorum needs them\n\n--- a/apps/values.yaml\n+++ b/apps/values.yaml\n@@ -1,2 +1,2 @@\n loki:\n-  replicas: ${from}\n+  replicas: ${to}\n`;

export const FIXED = answerOf(2, 3);
export const USELESS = answerOf(2, 4);

export interface AskLab extends Scenario {
  readonly env: Record<string, string>;
  /** The only case there is. */
  theCase(): ReturnType<typeof cases>[string];
  stage(): string | undefined;
  /** Every event of every run and of what people did between runs, in order of their names. */
  all(): { type: string; data: Record<string, unknown> }[];
}

/** The change that is proposed is `answer`. */
export function askLab(loop: Record<string, unknown> = {}, answer = FIXED): AskLab {
  const proposed = join(folder(), 'answer');
  writeFileSync(proposed, answer);
  const { plugins = {}, ...settings } = loop;
  const s = scenario({
    'ai/context_map.yaml': contextMap({ apps: { command: 'bash stages/apps.sh', files: ['apps/'] }, web: 'true' }),
    'ai/loop.yaml': JSON.stringify({
      ...{ executors: ['command'], escalations: [], ...settings },
      plugins: { command: { argv: ['cat', proposed] }, ...(plugins as object) },
    }),
    'stages/apps.sh': STAGE,
    'apps/values.yaml': 'loki:\n  replicas: 2\n',
  });
  const journals = () => [
    ...namesIn(s.path('ai/state/actions')).map((name) => s.path('ai/state/actions', name)),
    ...s.runs().map((run) => s.path('ai/state/runs', run, 'events.jsonl')),
  ];
  return {
    ...s,
    env: {},
    theCase: () => Object.values(cases(s))[0] as ReturnType<AskLab['theCase']>,
    stage: () => s.stages().apps?.status,
    all: () => journals().flatMap((path) => jsonLines(readFileSync(path, 'utf8'))) as never,
  };
}

/** The run in which it fails and asks. */
export async function failing(lab: AskLab): Promise<void> {
  const done = await lab.run([], { env: lab.env });
  assert.is(done.exit, 3, done.stdout + done.stderr);
  assert.is(lab.theCase().state, 'open');
}

export interface Served {
  readonly url: string;
  readonly cookie: string;
  readonly output: () => string;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; body: string }>;
  /** Presses the button that the page `on` has for `path`, as a browser would; `change` what is sent. */
  press(
    on: string,
    path: string,
    change?: { once?: string; headers?: Record<string, string> },
  ): Promise<{ status: number; body: string }>;
  onceOn(on: string, path: string): Promise<string>;
}

/** `mendloop serve --act` until the test ends. */
export async function serving(lab: AskLab, ...more: string[]): Promise<Served> {
  const child = spawn(process.execPath, [ENTRY, 'serve', '--port', '0', '--json', ...more], {
    ...{ cwd: lab.home, env: environment(lab.env), stdio: ['ignore', 'pipe', 'pipe'] as const },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  afterTest(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  await until('the page is there', () => output.includes('\n'));
  const { url: link } = JSON.parse(output.split('\n')[0] as string) as { url: string };
  const signedIn = await fetch(link, { redirect: 'manual' });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const url = new URL('/', link).href.replace(/\/$/, '');
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { headers: { cookie, ...headers } });
    return { status: answer.status, body: await answer.text() };
  };
  const onceOn = async (on: string, path: string) => {
    const { body } = await get(on);
    const [, once = ''] =
      new RegExp(`action="${path}"><input type="hidden" name="once" value="([^"]+)"`).exec(body) ?? [];
    return once;
  };
  return {
    ...{ url, cookie, get, onceOn },
    output: () => output,
    async press(on, path, { once, headers = {} } = {}) {
      const value = once ?? (await onceOn(on, path));
      const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, cookie };
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { ...form, ...headers },
        body: `once=${value}`,
      });
      return { status: answer.status, body: await answer.text() };
    },
  };
}
