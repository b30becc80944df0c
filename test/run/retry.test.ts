import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { executionError } from '../../src/plan/codes.ts';
import type { Plan, PlanStep } from '../../src/plan/contract.ts';
import { blindRetry } from '../../src/run/step.ts';
import { checkedPlan, plan, step } from '../plan/builders.ts';
import { fc } from '../sweep.ts';

const planWith = (policy: object, of: object = { on_failure: 'retry' }) =>
  checkedPlan(plan([step(1, [], { ...of, retry_policy: policy })]));

/** The pause before the next attempt of a plan's only step. */
const pauseAfter = (plan: Plan, attempt: number, more: { mayRunAgain?: boolean; code?: 'STEP_TIMEOUT' } = {}) =>
  blindRetry(plan, {
    step: plan.steps[0] as PlanStep,
    attempt,
    error: executionError(more.code ?? 'EXECUTION_HALTED', 'it broke'),
    mayRunAgain: more.mayRunAgain ?? true,
  });

test('the pauses grow by the multiplier up to the cap, and end with the attempts', () => {
  const of = planWith({ max_attempts: 5, backoff_ms: 100, backoff_multiplier: 2, max_backoff_ms: 300 });
  assert.equal(
    [1, 2, 3, 4, 5, 6].map((tries) => pauseAfter(of, tries)),
    [100, 200, 300, 300, undefined, undefined],
  );
});

test('a step’s own policy goes before the plan’s', () => {
  const retry = { on_failure: 'retry' } as const;
  const of = checkedPlan(
    plan([step(1, [], retry), step(2, [], { ...retry, retry_policy: { max_attempts: 7 } })], {
      retry_policy: { max_attempts: 3 },
    }),
  );
  const error = executionError('EXECUTION_HALTED', 'it broke');
  const attempts = (step: PlanStep) =>
    [1, 2, 3, 4, 5, 6, 7, 8].find(
      (attempt) => blindRetry(of, { step, attempt, error, mayRunAgain: true }) === undefined,
    );
  assert.equal(of.steps.map(attempts), [3, 7]);
});

test('nothing is retried blindly that may not run again, is no `retry` step, or ended with another code', () => {
  const policy = { max_attempts: 5 };
  assert.is(pauseAfter(planWith(policy), 1), 0);
  assert.is(pauseAfter(planWith(policy), 1, { mayRunAgain: false }), undefined);
  assert.is(pauseAfter(planWith(policy, { on_failure: 'halt' }), 1), undefined);
  assert.is(pauseAfter(planWith({ ...policy, retryable_error_codes: ['STEP_TIMEOUT'] }), 1), undefined);
  assert.is(
    pauseAfter(planWith({ ...policy, retryable_error_codes: ['STEP_TIMEOUT'] }), 1, { code: 'STEP_TIMEOUT' }),
    0,
  );
});

test('property: a pause is a number from 0 to the cap, whatever the policy', () => {
  const numbers = { max: Number.MAX_SAFE_INTEGER, min: 0 };
  fc.assert(
    fc.property(
      fc.integer(numbers),
      fc.double({ min: 1, noNaN: true, noDefaultInfinity: true }),
      fc.integer(numbers),
      fc.integer({ min: 1, max: 30 }),
      (backoff_ms, backoff_multiplier, max_backoff_ms, tries) => {
        const of = planWith({ max_attempts: 31, backoff_ms, backoff_multiplier, max_backoff_ms });
        const pause = pauseAfter(of, tries) ?? Number.NaN;
        assert.ok(pause >= 0 && pause <= max_backoff_ms, String(pause));
      },
    ),
  );
});

test.run();
