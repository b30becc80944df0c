import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { otherReasons, rowsOf } from '../../src/console/rows.ts';
import { newTally, note } from '../../src/console/tally.ts';
import type { LoopEvent } from '../../src/events.ts';

test('cells that were lost alike are told together, with their nodes; those that were made again, in the line of the stage', () => {
  const tally = newTally();
  const add = (type: string, step: string, data: object) =>
    note(tally, { v: 1, seq: 1, time: '2026-01-01T00:00:00Z', run: 'r', type, stage: 'm', step, data } as LoopEvent);
  const lost = (step: string, host: string) => {
    add('step.started', step, {});
    const what = 'ran into its time limit';
    add('attempt.lost', step, { code: 'JOB_TIMEOUT', reason: `job of ${step} ${what}`, began: true, what, host });
  };
  for (const [step, host] of Object.entries({ 'm[h=a]': 'n2', 'm[h=b]': 'n1', 'm[h=c]': 'n2' })) {
    lost(step, host);
    add('step.failed', step, {
      code: 'EXECUTION_HALTED',
      reason: `job of ${step} ran into its time limit`,
      severity: 'error',
    });
  }
  lost('m[h=d]', 'n3');
  add('step.done', 'm[h=d]', {});
  const [row] = rowsOf(tally);
  assert.equal(row && otherReasons(row), [
    'a b c: ran into its time limit, on n1 n2; the first: job of m[h=a] ran into its time limit',
  ]);
  assert.match(row?.reason ?? '', /1 green.*; made again: d: ran into its time limit, on n3/);
});

test.run();
