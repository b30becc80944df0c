// Past runs at a glance: a fold of their journals, whatever became of run.json.
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { readHistory, recordEnd, summaryOf } from '../../src/journal/history.ts';
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

const loseJournals = (layout: Layout, ...runs: number[]) => {
  for (const n of runs) writeFileSync(layout.journal(id(n)), '');
};

test('no journal is read for a run that has ended', () => {
  const layout = home(3);
  const before = readHistory(layout);
  loseJournals(layout, 1, 2, 3);
  assert.equal(readHistory(layout), before);
  assert.equal(
    readHistory(layout, id(2)).map(({ run }) => run),
    [id(2), id(3)],
  );
});

test('run.json is what the journal folds to, and whatever became of it the runs are the same', () => {
  const expected = readHistory(home(3));
  const faults: Record<string, (path: string, text: string) => void> = {
    missing: (path) => rmSync(path),
    empty: (path) => truncateSync(path),
    torn: (path, text) => truncateSync(path, text.length - 20),
    garbage: (path) => writeFileSync(path, 'no json at all'),
    'of a later version': (path, text) => writeFileSync(path, text.replaceAll('"v": 1', '"v": 2')),
    'that of another run': (path, text) => writeFileSync(path, text.replaceAll(id(2), id(9))),
  };
  for (const [what, damage] of Object.entries(faults)) {
    const layout = home(3);
    const path = layout.runFile(id(2));
    const before = readFileSync(path, 'utf8');
    damage(path, before);
    assert.equal(readHistory(layout), expected, what);
    recordEnd(layout, id(2));
    assert.is(readFileSync(path, 'utf8'), before, what);
  }
});

test('looking writes nothing; a run that has not ended is open, and has no run.json', () => {
  const layout = home(1);
  addRun(layout, 2);
  addRun(layout, 3, GREEN.slice(0, 2));
  const runs = readHistory(layout);
  recordEnd(layout, id(3));
  assert.equal(
    [2, 3].map((n) => existsSync(layout.runFile(id(n)))),
    [false, false],
  );
  assert.equal(
    runs.map(({ outcome }) => outcome),
    ['failure', 'failure', 'open'],
  );
  assert.equal(runs[2]?.stages, [{ stage: 'a', end: 'open', attempts: 0, spent_ms: 0 }]);
});

test('a journal that lost its end ends as run.json says; what cannot be read of it is said', () => {
  const layout = home(1);
  writeFileSync(layout.journal(id(1)), `${lines(journalOf(GREEN.slice(0, 3), { run: id(1) }))}{"v":2}\n`);
  const run = summaryOf(layout, id(1));
  assert.ok(run.ended);
  assert.match(run.damage ?? '', 'newer version');
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
