// The gate's thread: it answers, is ended when a change takes too long, and holds neither the loop nor the process.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GateRules, Verdict } from '../../src/fix/gate/rules.ts';
import { judge } from '../../src/io/gate/gate.ts';
import { factsOf } from '../../src/repository/repository.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';

const GATE = resolve(import.meta.dirname, '../../src/io/gate');

const rulesFor = (path: string): GateRules => ({
  allow: ['**'],
  protect: ['infra/danger.sh'],
  untouchable: [],
  maxFiles: 1,
  maxLines: 100,
  unattended: 'repairs',
  tree: { files: [path] },
});

/** A repository that defines nothing. */
const NOTHING = factsOf(new Map());

const judged = (path: string, before: string, after: string): Promise<Verdict> =>
  judge([{ path, before, after }], rulesFor(path), NOTHING);

test('the grammar is the one that grammar.json says', () => {
  const record = JSON.parse(readFileSync(join(GATE, 'grammar.json'), 'utf8'));
  const wasm = readFileSync(join(GATE, record.file));
  assert.equal(record, {
    package: 'tree-sitter-bash',
    version: '0.25.1',
    license: 'MIT',
    file: 'tree-sitter-bash.wasm',
    sha256: createHash('sha256').update(wasm).digest('hex'),
  });
  assert.match(readFileSync(join(GATE, 'LICENSE-tree-sitter-bash'), 'utf8'), 'The MIT License (MIT)');
});

test('the thread answers, also several questions at once, each with its own answer', async () => {
  const [good, bad, asked] = await Promise.all([
    judged('run.sh', 'echo a\n', 'echo  a\n'),
    judged('run.sh', 'echo a\n', 'echo a\nzpool destroy tank\n'),
    judged('run.sh', 'echo a\n', 'echo a\nfrobnicate\n'),
  ]);
  assert.is(good.ok && good.ask, undefined);
  assert.is(!bad.ok && bad.code, 'destroys');
  assert.is(asked.ok && asked.ask?.code, 'command');
});

test('what a repository defines goes to the thread once, and again when it is another', async () => {
  const change = [{ path: 'compose.yaml', before: COMPOSE, after: COMPOSE.replace('wbe', 'web') }];
  const facts = factsOf(new Map([['compose.yaml', COMPOSE]]));
  for (const [known, expected] of [
    [facts, undefined],
    [facts, undefined],
    [NOTHING, 'value'],
    [facts, undefined],
  ] as const) {
    const verdict = await judge(change, rulesFor('compose.yaml'), known);
    assert.is(verdict.ok && verdict.ask?.code, expected);
  }
});

const COMPOSE = 'services:\n  web:\n    image: a\n  proxy:\n    image: b\n    depends_on: [wbe]\n';

const TASKS = '/proc/self/task';
const MAIN = String(process.pid);
/** Threads that Node starts for itself: they compile and collect for all others. */
const HELPERS = new Set(readdirSync(TASKS));

/** Processor time of a thread, in ms: other work on the machine does not count. */
function threadMs(task: string): number {
  try {
    return Number(readFileSync(join(TASKS, task, 'schedstat'), 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // It was ended meanwhile.
    return 0;
  }
}

const judgingTasks = () => readdirSync(TASKS).filter((task) => !HELPERS.has(task));

/** What a verdict cost: processor time of the threads that judged, and the longest that this one was held at once. */
async function cost(work: () => Promise<Verdict>): Promise<{ verdict: Verdict; ms: number; heldMs: number }> {
  const before = new Map(judgingTasks().map((task) => [task, threadMs(task)]));
  const spent = new Map<string, number>();
  let last = threadMs(MAIN);
  let heldMs = 0;
  const look = () => {
    const now = threadMs(MAIN);
    heldMs = Math.max(heldMs, now - last);
    for (const task of judgingTasks())
      spent.set(task, Math.max(spent.get(task) ?? 0, threadMs(task) - (before.get(task) ?? 0)));
    last = threadMs(MAIN);
  };
  const timer = setInterval(look, 5);
  try {
    const verdict = await work();
    look();
    return { verdict, ms: [...spent.values()].reduce((a, b) => a + b, 0), heldMs };
  } finally {
    clearInterval(timer);
  }
}

const LINE = 3_900;
const LINES = 16;
/** 64 KB of a piece, in lines that are short enough to be read. */
const filled = (piece: string) => `${piece.repeat(Math.floor(LINE / piece.length))}\n`.repeat(LINES);
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}a${close.repeat(depth)}\n`;

const SHELL = [
  '|',
  '(',
  '$(',
  '`',
  '"$(',
  '{a,b}',
  'a|',
  '<(',
  'if ',
  '$((',
  "$'",
  'a ',
  '\\',
  'xargs ',
  'eval "',
  '{{',
];
const CRAFTED: [what: string, path: string, after: string][] = [
  ...SHELL.map((piece): [string, string, string] => [`64 KB of ${piece}`, 'run.sh', filled(piece)]),
  ['nested substitutions', 'run.sh', nested('$(', ')', 1_000).repeat(16)],
  ['nested groups', 'run.sh', nested('{ ', '; }', 700).repeat(16)],
  ['nested quotes', 'run.sh', nested('"$(echo ', ')"', 350).repeat(16)],
  ['here-documents', 'run.sh', 'cat <<E\n'.repeat(90)],
  ['commands in texts in texts', 'run.sh', `${'bash -c "'.repeat(400)}\n`.repeat(16)],
  ['many commands', 'run.sh', `${'rm -rf /a;'.repeat(390)}\n`.repeat(16)],
  ['long words', 'run.sh', `${'a'.repeat(LINE)}\n`.repeat(16)],
  ['an expression for a pattern', 'run.sh', `curl https://${'a.'.repeat(1_900)}\n`.repeat(16)],
  ['deep flow lists', 'a.yaml', `a: ${'['.repeat(3_800)}\n`.repeat(16)],
  ['deep flow maps', 'a.yaml', `${'{a: '.repeat(900)}\n`.repeat(16)],
  ['deep lists', 'a.yaml', `${'- '.repeat(1_900)}a\n`.repeat(16)],
  [
    'anchors',
    'a.yaml',
    `a0: &a0 [x]\n${Array.from({ length: 90 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
  ],
  ['shell in data', 'a.yaml', `args: ["sh", "-c", "${'('.repeat(3_800)}"]\n`],
  ['a text of bars in data', 'a.yaml', `command: |\n${`  ${'|'.repeat(3_800)}\n`.repeat(16)}`],
  ['lists in TOML', 'a.toml', `a = ${'['.repeat(3_800)}\n`],
  ['a recipe', 'Makefile', `all:\n${`\t${'$('.repeat(1_900)}\n`.repeat(16)}`],
];
/** The limit and the start of a thread. */
const MOST_MS = 2_600;

test('crafted changes are answered in time, and the loop goes on meanwhile', async () => {
  await judged('run.sh', 'echo a\n', 'echo b\n');
  const slow: string[] = [];
  for (const [what, path, after] of cases(
    CRAFTED.filter((_, i) => i % 9 === 0),
    CRAFTED,
  )) {
    const { verdict, ms, heldMs } = await cost(() => judged(path, 'a: b\n', after));
    const code = verdict.ok ? 'ok' : verdict.code;
    if (ms > MOST_MS || heldMs > 50)
      slow.push(`${what}: ${code} after ${Math.round(ms)} ms, held ${Math.round(heldMs)} ms`);
  }
  assert.equal(slow, []);
});

test('a change that cannot be read in time is asked about, unless its form is refused; the next one is read all the same', async () => {
  const bars = await judged('run.sh', 'echo a\n', filled('|'));
  assert.is(bars.ok && bars.ask?.code, 'unread');
  const edits = [{ path: 'a.sh', before: 'a\n', after: filled('|') }];
  const outside = await judge(edits, { ...rulesFor('a.sh'), allow: ['b'] }, NOTHING);
  assert.is(!outside.ok && outside.code, 'outside');
  assert.is((await judged('run.sh', 'echo a\n', 'echo  a\n')).ok, true);
});

test('a usual answer takes under 30 ms once the grammar is loaded', async () => {
  const before = `set -e\n${'kubectl apply -f a.yaml\nif [ -n "$A" ]; then\n  log "$A"\nfi\n'.repeat(20)}`;
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    const { ms } = await cost(() => judged('run.sh', before, before.replace('a.yaml', `b${i}.yaml`)));
    times.push(ms);
  }
  // Of the better ones: processor time, too, is longer where another process shares the core.
  const usual = times.sort((a, b) => a - b)[3] as number;
  assert.ok(usual < 30, `${usual} ms`);
});

test('the process ends by itself, after an answer and after a thread that was ended', async () => {
  for (const after of ['echo b\n', filled('|')]) {
    const { stdout } = await promisify(execFile)(process.execPath, [...program('judge-once'), 'echo a\n', after], {
      timeout: 60_000,
    });
    assert.type(JSON.parse(stdout).ok, 'boolean');
  }
});

test.run();
