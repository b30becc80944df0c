// A repository with a stage that fails as its file says, and a model host that answers as a test tells it; the loop runs as
// a child process. After every run the owner's checkout must be what it was, byte for byte, and the worktree clean.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import {
  type OllamaServer,
  type ServedModel,
  type ServedReply,
  startOllamaServer,
} from '../../src/testing/ollama-server.ts';
import type { Ledger, LedgerEntry } from '../../src/triage/ledger.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import {
  AI,
  contextMap,
  type Done,
  ENTRY,
  type Files,
  folder,
  namesIn,
  type RunOptions,
  type Scenario,
  scenario,
  tree,
  until,
} from './scenario.ts';

export const FILE = 'conf/a.txt';

/** Green when its file begins with `good`; else it fails with the word in its error. */
export const CHECK = `#!/usr/bin/env bash
set -eu
read -r word < "$1"
[ "$word" = good ] || { echo "error: unexpected word $word in $1"; exit 1; }
`;

export const stageOn = (file = FILE, more: object = {}) => ({
  command: ['bash', 'check.sh', file],
  files: [file],
  ...more,
});

/** Answers to the prompt of its try. */
export type Answering = (prompt: string) => string;

export interface LabOptions {
  word?: string;
  stages?: Record<string, unknown>;
  /** More of ai/context_map.yaml, and of ai/loop.yaml. */
  top?: Record<string, unknown>;
  loop?: Record<string, unknown>;
  files?: Files;
  models?: readonly ServedModel[];
}

/** A run that is over, and what it left. */
export interface Ran extends Done {
  said: string;
  events: AnyEvent[];
  /** `type outcome-or-code` of everything that became of answers, and who failed. */
  trail: string[];
  /** Tier, or why nothing was done, of each decision. */
  decided: unknown[];
}

export interface Lab extends Scenario {
  server: OllamaServer;
  /** What the model says from now on, one answer after the other, the last one again and again. */
  answers(...replies: (string | ServedReply | Answering)[]): void;
  mend(args?: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The same for a run that a test starts in another way. */
  guarded(work: () => Promise<Done>): Promise<Ran>;
  ledger(): Ledger;
  /** The only failure that the ledger knows. */
  entry(): LedgerEntry;
  /** Subjects of the AI branch's own commits, oldest first. */
  subjects(): string[];
  /** A file of the worktree as it is on disk. */
  inTree(path?: string): string;
  /** How often it was asked for a change of its own. */
  written(): number;
  /** What the model was told: the messages of each request to it. */
  told(): string[][];
  env: Record<string, string>;
}

/** Whether a request offers changes by number, and the answer that takes none of them. */
export const offersChoice = (body: { format?: { properties?: object } }): boolean =>
  'choice' in (body.format?.properties ?? {});
export const TAKE_NONE = '{"reason": "none mends it", "choice": 0}';

/** The repository holds `conf/a.txt`, whose first word decides whether stage `a` is green. */
export async function modelLab({
  word = 'bad',
  stages,
  top,
  loop = {},
  files = {},
  models,
}: LabOptions = {}): Promise<Lab> {
  let [replies, asked]: [(ServedReply | Answering)[], number] = [[], 0];
  const server = await startOllamaServer({
    ...(models ? { models } : {}),
    script: ({ body }) => {
      // Offered changes are never taken: a test says what the model writes itself.
      if (offersChoice(body)) return { text: TAKE_NONE };
      const reply = replies[Math.min(asked++, replies.length - 1)] ?? { status: 500, error: 'nothing to say' };
      return typeof reply === 'function' ? { text: reply(String(body.messages[0].content)) } : reply;
    },
  });
  const s = scenario({
    'ai/context_map.yaml': contextMap(stages ?? { a: stageOn() }, top),
    'ai/loop.yaml': JSON.stringify({ unattended: 'all', escalations: [], ...loop }),
    'check.sh': CHECK,
    [FILE]: `${word}\nsecond\n`,
    ...files,
  });
  const env: Record<string, string> = { OLLAMA_HOST: server.url };
  const checkout = () => [
    s.git('rev-parse', 'HEAD', 'main'),
    s.git('status', '--porcelain'),
    tree(s.home, ['.git', 'ai']),
  ];
  const ledger = () => JSON.parse(s.read('ai/state/ledger.json')) as Ledger;
  const guarded = async (work: () => Promise<Done>): Promise<Ran> => {
    const before = checkout();
    const done = await work();
    assert.equal(checkout(), before, 'the checkout of the owner is untouched');
    if (existsSync(s.path('ai/worktree'))) {
      assert.is(s.git('-C', 'ai/worktree', 'status', '--porcelain'), '', 'the worktree is clean');
    }
    return ran(done, s.events());
  };
  return {
    ...{ ...s, server, env, ledger },
    answers(...said) {
      asked = 0;
      replies = said.map((reply) => (typeof reply === 'string' ? { text: reply } : reply));
    },
    guarded,
    mend: (args = [], options = {}) => guarded(() => s.run(args, { ...options, env: { ...env, ...options.env } })),
    entry() {
      const entries = Object.values(ledger().entries);
      assert.is(entries.length, 1, `one failure is known: ${JSON.stringify(entries)}`);
      return entries[0] as LedgerEntry;
    },
    subjects: () => s.git('log', '--reverse', '--format=%s', `main..${AI}`).split('\n').filter(Boolean),
    inTree: (path = FILE) => readFileSync(s.path('ai/worktree', path), 'utf8'),
    written: () => server.chats.filter(({ body }) => !offersChoice(body)).length,
    told: () => server.chats.map(({ body }) => body.messages.map(({ content }: { content: string }) => content)),
  };
}

const TOLD = /^(fix\.|plugin\.failed|prompt\.saved|case\.|safe_mode)/;

export const ran = (done: Done, events: AnyEvent[]): Ran => ({
  ...done,
  said: done.stdout + done.stderr,
  events,
  trail: events
    .filter(({ type }) => TOLD.test(type))
    .map(({ type, data }) => [type, data.outcome ?? data.code].filter(Boolean).join(' ')),
  decided: events.filter(({ type }) => type === 'failure.decided').map(({ data }) => data.why ?? data.tier),
});

/** What the events of a type tell under `key`. */
export const dataOf = ({ events }: Ran, type: string, key: string): unknown[] =>
  events.filter((event) => event.type === type).map(({ data }) => data[key]);

/** The whole file as a small model writes it. */
export const whole = (text: string, path = FILE, fix = 'Write another word'): string =>
  `${path}\n\`\`\`\n${text}\`\`\`\n\nFix: ${fix}\nReason: the check wants it\n`;

export const saying = (word: string, second = 'second', path = FILE): string =>
  whole(`${word}\n${second}\n`, path, `Say ${word}`);

/** A diff of one hunk; `lines` with their markers. */
export const diff = (path: string, ...lines: string[]): string =>
  `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@\n${lines.join('\n')}\n\`\`\`\n\nFix: Change ${path}\nReason: the check wants it\n`;

/** Everything below a folder, as one text. */
export function allText(s: Scenario, folder: string): string {
  const read = (at: string): string =>
    namesIn(s.path(at))
      .map((name) => {
        const path = `${at}/${name}`;
        try {
          return `${path}\n${readFileSync(s.path(path), 'utf8')}`;
        } catch {
          return read(path);
        }
      })
      .join('\n');
  return read(folder);
}

/** Two answers that are refused, then one that is applied and changes nothing; never the same. */
export function alwaysWrong(): () => string {
  let asked = 0;
  return () => {
    asked += 1;
    return asked % 3 === 0 ? saying('bad', `other-${asked}`) : whole('x\n', `elsewhere-${asked}.txt`);
  };
}

/** Different fixes that were tried, whoever counted them. */
export function applied(lab: Lab): number {
  const events = lab.runs().flatMap((run) => lab.events(run));
  return new Set(events.flatMap(({ type, data }) => (type === 'fix.committed' ? [data.hash] : []))).size;
}

const QUESTION = 'apply it? [y]es, [n]o, [l]ater';

/** The loop in this process, where somebody types `keys` as soon as it asks. */
export const answering = (lab: Lab, keys: string): Promise<Ran> =>
  lab.mend([], { tty: 'here', typed: { question: QUESTION, keys } });

/** The loop at a real terminal, where `keys` are typed as soon as it asks. */
export function atTerminal(lab: Lab, keys: string): Promise<Ran> {
  const fifo = join(folder(), 'keys');
  execFileSync('mkfifo', [fifo]);
  // For reading as well: it must not wait for the other end, and the other end not see an early end.
  const typed = openSync(fifo, 'r+');
  const line = `exec script -qec "stty rows 40 cols 120; '${process.execPath}' '${ENTRY}'" /dev/null < '${fifo}'`;
  return lab.guarded(async () => {
    const started = lab.start([], { command: ['bash', '-c', line], env: { ...lab.env, TERM: 'xterm-256color' } });
    let over = false;
    const done = started.done.finally(() => {
      over = true;
    });
    await until('it asks', () => over || started.output().includes(QUESTION), 50_000);
    writeSync(typed, keys);
    return done.finally(() => closeSync(typed));
  });
}
