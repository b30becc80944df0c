// The index of past runs: a fold of their journals, whatever became of its file.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { readHistory, recordEnd, startedBases } from '../../src/journal/history.ts';
import { runFacts, summarize } from '../../src/journal/summary.ts';
import { folder, write } from '../environment.ts';
import { journalOf, type Line } from '../events.ts';

const id = (n: number) => `202601${String(n).padStart(2, '0')}-000000-abcd`;
const GREEN: Line[] = [
  ['run.started'],
  ['step.started', 'a'],
  ['step.done', 'a'],
  ['run.ended', undefined, { exit: 0 }],
];

const lines = (events: readonly LoopEvent[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

function addRun(layout: Layout, n: number, journal: readonly Line[] = GREEN): void {
  write(layout.home, { [`ai/state/runs/${id(n)}/events.jsonl`]: lines(journalOf(journal, { run: id(n) })) });
}

/** A home with `count` runs, each recorded at its end. */
function home(count: number): Layout {
  const layout = layoutOf(folder());
  for (let n = 1; n <= count; n++) {
    addRun(layout, n);
    recordEnd(layout, id(n));
  }
  return layout;
}

const indexed = (layout: Layout) =>
  readFileSync(layout.history, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).run);
const names = (count: number) => Array.from({ length: count }, (_, i) => id(i + 1));
/** Only the index tells of them. */
const loseJournals = (layout: Layout, ...runs: number[]) => {
  for (const n of runs) writeFileSync(layout.journal(id(n)), '');
};

test('a run that ends adds its line, and no journal is read for it again', () => {
  const layout = home(3);
  assert.equal(indexed(layout), names(3));
  const before = readHistory(layout);
  loseJournals(layout, 1, 2, 3);
  assert.equal(readHistory(layout), before);
  assert.equal(
    readHistory(layout, id(2)).map(({ run }) => run),
    [id(2), id(3)],
  );
  assert.equal(startedBases(layout), ['c0', 'c0', 'c0']);
});

test('whatever became of the index, the runs are the same, and the next end makes it whole again', () => {
  const expected = readHistory(home(4)).slice(0, 3);
  const faults: Record<string, (path: string) => void> = {
    missing: (path) => rmSync(path),
    empty: (path) => truncateSync(path),
    torn: (path) => truncateSync(path, readFileSync(path).length - 20),
    'a line lost': (path) => writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*\n/, '')),
    garbage: (path) => writeFileSync(path, 'no\njson\nat all\n'),
    'of a later version': (path) => writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"v":1', '"v":2')),
    'a run too many': (path) =>
      appendFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]?.replaceAll(id(1), id(9))}\n`),
  };
  for (const [what, damage] of Object.entries(faults)) {
    const layout = home(3);
    damage(layout.history);
    assert.equal(readHistory(layout), expected, what);
    addRun(layout, 4);
    recordEnd(layout, id(4));
    assert.equal(indexed(layout), names(4), what);
    loseJournals(layout, 1, 2, 3, 4);
    assert.equal(readHistory(layout).slice(0, 3), expected, what);
  }
});

test('an index that cannot be written costs the run nothing; whoever reads it is told', () => {
  const layout = home(1);
  rmSync(layout.history);
  mkdirSync(layout.history);
  addRun(layout, 2);
  recordEnd(layout, id(2));
  assert.ok(existsSync(layout.runFile(id(2))));
  assert.throws(() => readHistory(layout), /runs\.jsonl is a folder, where a file belongs/);
});

test('looking writes nothing; a run that goes on is read from its journal, and one that never ended is open', () => {
  const layout = home(2);
  rmSync(layout.history);
  addRun(layout, 3, GREEN.slice(0, 2));
  const runs = readHistory(layout);
  assert.not(existsSync(layout.history));
  assert.equal(
    runs.map(({ outcome }) => outcome),
    ['failure', 'failure', 'open'],
  );
  assert.equal(runs[2]?.stages, [{ stage: 'a', end: 'open', attempts: 0, spent_ms: 0 }]);
  addRun(layout, 4);
  recordEnd(layout, id(4));
  assert.equal(indexed(layout), names(4));
});

test('a journal that lost its end ends as run.json says; what cannot be read of it is said', () => {
  const layout = home(1);
  writeFileSync(layout.journal(id(1)), `${lines(journalOf(GREEN.slice(0, 3), { run: id(1) }))}{"v":2}\n`);
  rmSync(layout.history);
  const [run] = readHistory(layout);
  assert.ok(run?.ended);
  assert.match(run?.damage ?? '', 'newer version');
});

test('a run that was interrupted did not fail, unless it was given up later', () => {
  const ended = (status: string, exit: number) =>
    summarize(id(1), '', [
      ...journalOf([['run.started']]),
      { ...(journalOf([['run.ended', undefined, { exit }]])[0] as LoopEvent), status },
    ]).outcome;
  assert.equal([ended('failure', 130), ended('partial', 130)], ['interrupted', 'interrupted']);
  assert.equal([ended('abandoned', 130), ended('failure', 1)], ['abandoned', 'failure']);
});

test('a line of an older version that calls an interrupted run a failure is read as interrupted', () => {
  const layout = home(1);
  const older = { ...readHistory(layout)[0], outcome: 'failure', exit: 130 };
  writeFileSync(layout.history, `${JSON.stringify(older)}\n`);
  assert.equal(readHistory(layout), [{ ...older, outcome: 'interrupted' }]);
});

test('the summary of a run folds what ran, failed, was mended, waits and cost; cells are one stage', () => {
  const seen = { fingerprint: 'f1', excerpt: 'first line\nsecond' };
  const run = summarize(
    id(1),
    '',
    journalOf([
      ['run.started'],
      ['step.drift', 'a', { problems: ['port closed'] }],
      ['step.started', 'a'],
      ['attempt.ended', 'a', { outcome: 'failed', duration_ms: 100 }],
      ['failure.seen', 'a', seen],
      ['model.used', 'a', { tokens: 7, dollars: 0.5 }],
      ['fix.refused', 'a'],
      ['fix.committed', 'a', { commit: 'c1' }],
      ['attempt.ended', 'a', { duration_ms: 300 }],
      ['step.done', 'a'],
      ['fix.judged', 'a'],
      ['step.started', 'm[h=1]'],
      ['step.started', 'm[h=2]'],
      ['attempt.ended', 'm[h=1]', { duration_ms: 10 }],
      ['step.done', 'm[h=1]'],
      ['attempt.ended', 'm[h=2]', { outcome: 'failed', duration_ms: 20 }],
      ['failure.seen', 'm[h=2]', { ...seen, fingerprint: 'f2' }],
      ['attempt.ended', 'm[h=2]', { outcome: 'failed', duration_ms: 20 }],
      ['failure.seen', 'm[h=2]', { ...seen, fingerprint: 'f2' }],
      ['case.opened', 'm[h=2]', { fingerprint: 'f2' }],
      ['step.failed', 'm[h=2]', { reason: 'exit code 1' }],
      ['item.accepted', 'item-03'],
      ['run.ended', undefined, { exit: 3, duration_ms: 22_000 }],
    ]),
  );
  assert.equal(run.stages, [
    { stage: 'a', end: 'green', attempts: 2, spent_ms: 400, green_ms: 300, drift: 'port closed' },
    {
      ...{ stage: 'm', end: 'failed', attempts: 3, spent_ms: 50, green_ms: 10, reason: 'exit code 1' },
      failed_cells: ['m[h=2]'],
    },
  ]);
  assert.equal(runFacts(run).failed, ['m[h=2]'], 'a list of runs names the cell, not all of its stage');
  assert.equal(
    run.failures.map(({ stage, fingerprint, times, excerpt }) => [stage, fingerprint, times, excerpt]),
    [
      ['a', 'f1', 1, 'first line'],
      ['m', 'f2', 2, 'first line'],
    ],
  );
  assert.equal(
    run.fixes.map(({ hash, outcome, commit, fix }) => [hash, outcome, commit, fix]),
    [['h1', 'kept', 'c1', 'say good']],
  );
  assert.equal([run.refused, run.prompts, run.tokens, run.dollars, run.items], [1, 1, 7, 0.5, ['03']]);
  assert.equal(run.cases, [{ stage: 'm', fingerprint: 'f2', case: 'c-7', is: 'opened' }]);
  assert.equal([run.exit, run.duration_ms, run.outcome, run.base], [3, 22_000, 'failure', 'c0']);
});

test.run();
