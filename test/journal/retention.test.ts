import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { expired, neededBy, type Stored } from '../../src/journal/retention.ts';
import { emptyState, foldStages } from '../../src/journal/stages.ts';
import { foldLedger, isStory } from '../../src/triage/fold.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { journalOf, type Line } from '../events.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1000 * DAY;
const MB = 1024 * 1024;
/** One a day, the last one today. */
const days = (kind: Stored['kind'], letter: string, isNeeded: readonly string[] = []): Stored[] =>
  Array.from({ length: 30 }, (_, i) => `${letter}${i}`).map((name, i) => ({
    ...{ kind, name, time: NOW - (29 - i) * DAY, bytes: MB, isNeeded: isNeeded.includes(name) },
  }));
const gone = (policy: object, stored = days('run', 'r')) =>
  expired(stored, { days: null, keep_runs: null, max_mb: null, ...policy }, NOW).map(({ name }) => name);

test('runs go by age, number and size, the oldest first; the last ten stay', () => {
  assert.equal(gone({}), []);
  assert.equal(gone({ days: 26 }), ['r0', 'r1', 'r2']);
  assert.equal(gone({ keep_runs: 28 }), ['r0', 'r1']);
  assert.equal(gone({ keep_runs: 40 }), []);
  assert.equal(gone({ max_mb: 27 }), ['r0', 'r1', 'r2']);
  assert.is(gone({ days: 1, keep_runs: 1, max_mb: 1 }).length, 20);
  const needed = days('run', 'r', ['r0', 'r2']);
  assert.equal(gone({ max_mb: 27 }, needed), ['r1', 'r3', 'r4'], 'what is needed stays, and others go instead');
});

test('cases, patches and plugins go by age and size, not by the number of runs, and to the last one', () => {
  const cases = days('case', 'c', ['c0']);
  assert.equal(gone({ days: 27 }, cases), ['c1']);
  assert.equal(gone({ keep_runs: 1 }, cases), []);
  assert.is(gone({ max_mb: 1 }, cases).length, 29);
  assert.equal(gone({ max_mb: 57 }, [...days('fix', 'f'), ...days('run', 'r')]), ['f0', 'r0', 'f1']);
});

const RUNS = ['20260101-000000-aaaa', '20260102-000000-aaaa', '20260103-000000-aaaa', '20260104-000000-aaaa'] as const;

/** What is needed after these runs. */
function neededAfter(runs: readonly Line[][], unpromoted: { run: string; hash: string }[] = []) {
  const [state, ledger] = [emptyState(), emptyLedger()];
  runs.forEach((lines, i) => {
    for (const event of journalOf(lines, { run: RUNS[i] as string, from: Date.UTC(2026, 0, i + 1) })) {
      foldStages(state, event);
      if (isStory(event)) foldLedger(ledger, event);
    }
  });
  const { runs: names, fixes, cases } = neededBy(state, ledger, unpromoted);
  return { runs: RUNS.filter((run) => names.has(run)), fixes: [...fixes], cases: [...cases] };
}

const made = (run: number): Line[] => [
  ['step.started', 'a'],
  ['attempt.started', 'a', { log: `ai/logs/a/${RUNS[run]}-1.log` }, 1],
  ['attempt.ended', 'a', { outcome: 'done' }, 1],
  ['step.done', 'a'],
  ['stage.green', 'a'],
];
const failed = (run: number, fingerprint: string): Line[] => [
  ['step.started', 'a'],
  ['attempt.started', 'a', { log: `ai/logs/a/${RUNS[run]}-1.log` }, 1],
  ['failure.seen', 'a', { fingerprint, log: `ai/logs/a/${RUNS[run]}-1.log` }, 1],
  ['step.failed', 'a'],
];
const nothing: Line[] = [['run.started'], ['notice'], ['run.ended']];

test('the run that last made a stage green is needed, and the last failed log, and none before them', () => {
  assert.equal(neededAfter([made(0), made(1), nothing, nothing]).runs, [RUNS[1], RUNS[3]]);
  assert.equal(neededAfter([failed(0, 'f1'), failed(1, 'f2'), made(2), nothing]).runs, RUNS.slice(1));
  const seen = neededAfter([failed(0, 'f1'), failed(1, 'f2'), made(2), failed(3, 'f2')]);
  assert.equal(seen.runs, RUNS.slice(2), 'an older failure is in the ledger');
});

test('what an open case, a failure that was given up, a fix that may come back or is not promoted needs stays', () => {
  const then = [failed(1, 'f2'), nothing, nothing];
  const about = (...lines: Line[]) => neededAfter([[...failed(0, 'f1'), ...lines], ...then]);
  assert.equal(about().runs, [RUNS[1], RUNS[3]]);
  const open = about(['case.opened', 'a', { hash: 'h9' }]);
  assert.equal(open, { runs: [RUNS[0], RUNS[1], RUNS[3]], fixes: ['h9'], cases: ['c-7'] });
  const prepared = about(['fix.prepared', 'a', { hash: 'h8' }]);
  assert.equal([prepared.runs[0], prepared.fixes], [RUNS[0], ['h8']], 'proposed first when its failure returns');
  assert.is(about(['failure.given_up', 'a']).runs[0], RUNS[0]);
  assert.equal(about(['escalation.called', 'a', { case: 'c-8' }]).cases, ['c-8']);
  const fix = (...more: Line[]) => about(['fix.committed', 'a'], ...more);
  const kept = ({ runs, fixes }: ReturnType<typeof about>) => [runs[0], fixes];
  assert.equal(kept(fix()), [RUNS[0], ['h1']], 'a trial that is open');
  assert.equal(kept(fix(['fix.judged', 'a', { outcome: 'undone' }])), [RUNS[0], ['h1']]);
  for (const outcome of ['no_effect', 'kept'])
    assert.equal(kept(fix(['fix.judged', 'a', { outcome }])), [RUNS[1], []], outcome);
  assert.equal(neededAfter([nothing, ...then], [{ run: RUNS[0], hash: 'h3' }]).runs[0], RUNS[0]);
  assert.equal(neededAfter([nothing, ...then], [{ run: RUNS[0], hash: 'h3' }]).fixes, ['h3']);
});

test.run();
