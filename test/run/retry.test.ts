import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanStep } from '../../src/plan/contract.ts';
import { nextTry, policyOf } from '../../src/run/retry.ts';
import { checkedPlan, plan, step } from '../plan/builders.ts';
import { fc } from '../sweep.ts';

const planWith = (policy: object, of: object = { on_failure: 'retry' }) =>
  checkedPlan(plan([step(1, [], { ...of, retry_policy: policy })]));
const only = (of: { steps: readonly PlanStep[] }) => of.steps[0] as PlanStep;

test('the pauses grow by the multiplier up to the cap, and end with the attempts', () => {
  const of = planWith({ max_attempts: 5, backoff_ms: 100, backoff_multiplier: 2, max_backoff_ms: 300 });
  assert.equal(
    [1, 2, 3, 4, 5, 6].map((tries) => nextTry(of, only(of), 'EXECUTION_HALTED', tries)),
    [100, 200, 300, 300, undefined, undefined],
  );
});

test('a step’s own policy goes before the plan’s', () => {
  const of = checkedPlan(
    plan([step(1), step(2, [], { retry_policy: { max_attempts: 7 } })], { retry_policy: { max_attempts: 3 } }),
  );
  assert.equal(
    of.steps.map((s) => policyOf(of, s).max_attempts),
    [3, 7],
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
        const pause = nextTry(of, only(of), 'EXECUTION_HALTED', tries) ?? Number.NaN;
        assert.ok(pause >= 0 && pause <= max_backoff_ms, String(pause));
      },
    ),
  );
});

test.run();
