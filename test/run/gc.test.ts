// What gc does to a home: everything that is old and needed by nobody goes, whenever it is killed, and nothing that is counted does.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesBelow } from '../../src/io/files.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { openLedger, readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { listRuns } from '../../src/journal/runs.ts';
import { type Collected, collect } from '../../src/run/gc.ts';
import { folder, write } from '../environment.ts';
import { EXAMPLES, type Line } from '../events.ts';
import { cases } from '../sweep.ts';
import { fakeClock } from './builders.ts';

const NOW = Date.UTC(2026, 5, 1);
const POLICY = { days: 30, keep_runs: null, max_mb: null };
const idOf = (day: number) => `202601${String(day).padStart(2, '0')}-000000-abcd`;

/** A home with 24 runs of January, each with a log and a prompt, and one of everything else that is old. */
function home(): Layout {
  const layout = layoutOf(folder());
  for (let day = 1; day <= 24; day++) {
    const run = idOf(day);
    const log = `ai/logs/often/${run}-1.log`;
    const once: Line[] =
      day === 2
        ? [
            ['attempt.ended', 'once', { duration_ms: 3 }, 1],
            ['step.done', 'once'],
            ['stage.green', 'once'],
          ]
        : [];
    const failure: Line[] =
      day % 3 === 0
        ? [
            ['failure.seen', 'often', { fingerprint: `f${day % 6}`, log }, 1],
            ...Array.from({ length: 9 }, (): Line => ['model.used', 'often', { tokens: day }]),
            ['step.failed', 'often'],
          ]
        : [['step.done', 'often']];
    record(layout, run, [
      ['run.started'],
      ...once,
      ['step.started', 'often'],
      ['attempt.started', 'often', { log }, 1],
      ['attempt.ended', 'often', { duration_ms: 9 }, 1],
      ...failure,
      ['run.ended'],
    ]);
    write(layout.home, {
      [log]: 'x'.repeat(100),
      [`ai/logs/executor/${run}-often-1-ollama-1.md`]: 'prompt',
      [`ai/patches/${run}-often-1.stage.diff`]: 'diff',
    });
  }
  const closed = {
    version: 1,
    stage: 'often',
    fingerprint: 'f3',
    class: 'unknown',
    run: idOf(3),
    opened: '2026-01-03T00:00:00.000Z',
    state: 'closed',
    versions: [1],
    calls: 0,
    answers: [],
    closed: { time: '2026-01-04T00:00:00.000Z', why: 'green' },
  };
  const { closed: _, ...open } = { ...closed, case: 'often-open', state: 'open' };
  write(layout.home, {
    'ai/escalations/often-over/summary.json': JSON.stringify({ ...closed, case: 'often-over' }),
    'ai/escalations/often-open/summary.json': JSON.stringify(open),
    'ai/escalations/often-broken/summary.json': '{',
    'ai/patches/h-over.fix.diff': 'diff',
    'ai/patches/h-over.fix.json': '{}',
    'ai/patches/h-branch.fix.diff': 'diff',
    'ai/state/plugins/c0/plugins/a.mjs': '',
    'ai/state/plugins/c9/plugins/a.mjs': '',
    [`ai/state/actions/${idOf(1).replace('abcd', 'ffff')}.jsonl`]: '',
  });
  const old = new Date(NOW - 100 * 86_400_000);
  for (const path of [
    'ai/patches/h-over.fix.diff',
    'ai/patches/h-over.fix.json',
    'ai/patches/h-branch.fix.diff',
    'ai/state/plugins/c0',
    'ai/state/plugins/c9',
  ])
    fs.utimesSync(join(layout.home, path), old, old);
  return layout;
}

function record(layout: Layout, run: string, lines: Line[]): void {
  const at = Date.UTC(2026, 0, Number(run.slice(6, 8)));
  const journal = openJournal({ run, layout, stages: loadStages(layout).state, clock: fakeClock(at) });
  for (const [type, step, data, attempt] of lines)
    journal.append({
      type,
      ...(step && { stage: step }),
      ...(step && !type.startsWith('stage.') && { step }),
      ...(attempt && { attempt }),
      data: { ...EXAMPLES[type], ...data },
    } as Parameters<typeof journal.append>[0]);
  journal.close();
}

/** As `mendloop gc` does it. */
function gc(layout: Layout, policy = POLICY): Collected {
  const { ledger, compact, close } = openLedger(layout, NOW);
  try {
    return collect(layout, { policy, now: NOW, ledger, unpromoted: [{ run: idOf(4), hash: 'h-branch' }], compact });
  } finally {
    close();
  }
}

const known = (layout: Layout) => ({
  state: loadStages(layout, { look: true }).state,
  ledger: readLedger(layout).ledger,
});
const filesOf = ({ home }: Layout) =>
  filesBelow(home)
    .map((path) => relative(home, path))
    // Half-made files are swept by whoever takes the lock.
    .filter((path) => !/^ai\/state\/ledger|\.tmp$/.test(path))
    .sort();
/** Everything that must be whole: each run that is listed has its journal and all that is of it. */
function brokenRuns(layout: Layout): string[] {
  const files = filesOf(layout);
  return listRuns(layout).filter((id) => files.filter((path) => path.includes(id)).length < 4);
}

test('what is old and needed by nobody goes; what is needed stays, and what is counted is, even without stages.json and ledger.json', () => {
  const layout = home();
  const before = known(layout);
  const dry = collect(layout, {
    policy: POLICY,
    now: NOW,
    ledger: before.ledger,
    unpromoted: [{ run: idOf(4), hash: 'h-branch' }],
  });
  assert.equal(known(layout), before, 'only looked at');
  const done = gc(layout);
  assert.equal({ ...done, ledger: 0 }, { ...dry, ledger: 0 });
  assert.ok(done.ledger > 0 && done.ledger === dry.ledger);
  // Of the first fourteen: the one that made a stage green that never ran again, and the one of a fix that waits to be promoted.
  assert.equal(listRuns(layout), [2, 4, ...Array.from({ length: 10 }, (_, i) => 15 + i)].map(idOf));
  const files = filesOf(layout);
  assert.equal(
    files.filter((path) => path.startsWith('ai/patches/h-')),
    ['ai/patches/h-branch.fix.diff'],
  );
  assert.equal(fs.readdirSync(layout.escalations), ['often-broken', 'often-open']);
  assert.equal([fs.readdirSync(join(layout.state, 'plugins')), fs.readdirSync(layout.actions)], [['c0'], []]);
  assert.not.ok(
    files.some((path) => path.includes(idOf(3))),
    'logs and prompts, too',
  );
  for (const gone of [[], [layout.stages], [layout.ledger]]) {
    for (const path of gone) fs.rmSync(path);
    assert.equal(known(layout).state, before.state, String(gone));
    assert.equal({ ...known(layout).ledger, as_of: 0 }, { ...before.ledger, as_of: 0 }, String(gone));
  }
  record(layout, idOf(25), [
    ['run.started'],
    ['step.started', 'often'],
    ['failure.seen', 'often', { fingerprint: 'f3' }, 1],
  ]);
  assert.is(readLedger(layout).ledger.entries['often/f3']?.times_seen, 5, 'it is known again');
  assert.equal(
    gc(layout).gone.map(({ name }) => name),
    [idOf(15)],
    'nothing goes twice',
  );
});

test('folders of logs that hold nothing go, and files that were set aside for damage when they are old', () => {
  const layout = home();
  const aside = (day: string) => `ai/state/ledger.json.corrupt-2026-${day}T00-00-00-000Z`;
  write(layout.home, {
    [`ai/logs/over/host=a/${idOf(1)}-1.log`]: 'x',
    'ai/logs/often/mine.txt': 'x',
    [aside('01-01')]: '{',
    [aside('05-31')]: '{',
    'ai/patches/h-over.fix.json.corrupt-2026-01-01T00-00-00-000Z': '{',
  });
  const old = new Date(NOW - 100 * 86_400_000);
  fs.utimesSync(join(layout.home, 'ai/patches/h-over.fix.json.corrupt-2026-01-01T00-00-00-000Z'), old, old);
  const { gone } = gc(layout);
  assert.equal(
    gone.filter(({ kind }) => kind === 'damaged').map(({ name }) => name),
    ['ledger.json.corrupt-2026-01-01T00-00-00-000Z'],
  );
  assert.equal(
    filesOf(layout).filter((path) => /h-over/.test(path)),
    [],
  );
  assert.ok(fs.existsSync(join(layout.home, aside('05-31'))));
  assert.equal(fs.readdirSync(layout.logs), ['executor', 'often']);
});

test('killed at any change of a file, it leaves all runs whole and all counts as they were, and the next one ends it', () => {
  const model = home();
  const before = known(model);
  const copy = (): Layout => {
    const layout = layoutOf(folder());
    fs.cpSync(model.home, layout.home, { recursive: true, preserveTimestamps: true });
    return layout;
  };
  const whole = copy();
  const changes = dyingAt(Number.POSITIVE_INFINITY, () => gc(whole));
  assert.ok(changes > 20, String(changes));
  for (let at = 1; at <= changes; at += cases(7, 1)) {
    const layout = copy();
    dyingAt(at, () => gc(layout));
    assert.equal(known(layout).state, before.state, `at ${at}`);
    assert.equal(known(layout).ledger, before.ledger, `at ${at}`);
    assert.equal(
      brokenRuns(layout).filter((id) => !isGone(layout, id)),
      [],
      `at ${at}`,
    );
    gc(layout);
    assert.equal([filesOf(layout), known(layout).ledger], [filesOf(whole), known(whole).ledger], `at ${at}`);
  }
});

const isGone = (layout: Layout, id: string) => !fs.existsSync(join(layout.runs, id));

const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR;

/** What is left on disk when the process ends at the n-th change of it: that one and all behind it are not made. */
function dyingAt(n: number, work: () => void): number {
  const names = ['renameSync', 'rmSync', 'mkdirSync', 'openSync', 'writeFileSync', 'ftruncateSync'] as const;
  const real = Object.fromEntries(names.map((name) => [name, fs[name]]));
  let changes = 0;
  for (const name of names) {
    (fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
      const [, flags] = args;
      const isRead = name === 'openSync' && typeof flags === 'number' && (flags & WRITING) === 0;
      if (!isRead && ++changes >= n) throw new Error('killed');
      return (real[name] as (...given: unknown[]) => unknown)(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    work();
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error;
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return changes;
}

test('a link in the place of a run or a log is neither followed nor removed, and what cannot be removed is told and keeps nothing else', () => {
  const layout = home();
  const elsewhere = folder();
  write(elsewhere, { 'precious.txt': 'x' });
  fs.rmSync(join(layout.runs, idOf(1)), { recursive: true });
  fs.symlinkSync(elsewhere, join(layout.runs, idOf(1)));
  fs.rmSync(join(layout.logs, `often/${idOf(3)}-1.log`));
  fs.symlinkSync(join(elsewhere, 'precious.txt'), join(layout.logs, `often/${idOf(3)}-1.log`));
  fs.symlinkSync(elsewhere, join(layout.runs, idOf(5), 'jobs'));
  const real = fs.renameSync;
  // As for a folder in which a disk is mounted.
  fs.renameSync = (from, to) => {
    if (String(from).endsWith(idOf(6))) throw Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' });
    real(from, to);
  };
  syncBuiltinESMExports();
  const { gone, left } = gc(layout);
  fs.renameSync = real;
  syncBuiltinESMExports();
  assert.equal(left, [{ name: idOf(6), reason: 'EBUSY: resource busy' }]);
  assert.equal(gone.filter(({ kind }) => kind === 'run').length, 11);
  assert.equal(fs.readdirSync(elsewhere), ['precious.txt']);
  assert.ok(fs.lstatSync(join(layout.runs, idOf(1))).isSymbolicLink());
  assert.equal(
    gc(layout).gone.map(({ name }) => name),
    [idOf(6)],
    'the next time it goes',
  );
});

test.run();
