import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { expiredRuns, neededRuns } from '../../src/journal/retention.ts';
import { emptyState } from '../../src/journal/stages.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1000 * DAY;
const MB = 1024 * 1024;
/** One a day, the last one today. */
const runs = Array.from({ length: 30 }, (_, i) => ({ id: `r${i}`, time: NOW - (29 - i) * DAY, bytes: MB }));
const gone = (policy: object, needed: string[] = []) =>
  expiredRuns(runs, new Set(needed), { days: null, keep_runs: null, max_mb: null, ...policy }, NOW).map(({ id }) => id);

test('runs go by age, number and size, the oldest first; the last ten stay', () => {
  assert.equal(gone({}), []);
  assert.equal(gone({ days: 26 }), ['r0', 'r1', 'r2']);
  assert.equal(gone({ keep_runs: 28 }), ['r0', 'r1']);
  assert.equal(gone({ max_mb: 27 }), ['r0', 'r1', 'r2']);
  assert.is(gone({ days: 1, keep_runs: 1, max_mb: 1 }).length, 20);
  assert.equal(gone({ max_mb: 27 }, ['r0', 'r2']), ['r1', 'r3', 'r4'], 'what is needed stays, and others go instead');
});

test('what a stage, a failure or a fix refers to is needed', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const state = emptyState();
  state.stages.a = {
    status: 'green',
    run: 'r1',
    attempts: 1,
    since: at,
    green_log: 'ai/logs/a/20260101-000000-aaaa-1.log',
  };
  state.stages.m = {
    status: 'green',
    run: 'r2',
    attempts: 1,
    since: at,
    cells: { x: { status: 'failed', run: 'r3', attempts: 1, since: at } },
  };
  const ledger = emptyLedger();
  ledger.entries['a/f'] = {
    ...{ stage: 'a', fingerprint: 'f', class: 'unknown', transient: false, external: false, excerpt: '' },
    ...{ first_seen: at, last_seen: at, times_seen: 1, run: 'r4', log: 'ai/logs/a/20260102-000000-bbbb-2.log' },
    ...{
      ended: { exit_code: 1, signal: null, timed_out: false },
      executor_tries: 0,
      escalation_calls: 0,
      fruitless: 0,
    },
    ...{
      try_fixes: [],
      patches: [{ hash: 'h', outcome: 'verified', tier: 'executor', plugin: 'p', run: 'r5', time: at }],
    },
  };
  const needed = neededRuns(state, ledger);
  for (const run of ['r1', 'r2', 'r3', 'r4', 'r5', '20260101-000000-aaaa', '20260102-000000-bbbb'])
    assert.ok(needed.has(run), run);
});

test.run();
