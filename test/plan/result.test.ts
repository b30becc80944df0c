import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExecutionCode, executionError } from '../../src/plan/codes.ts';
import { planResult, planStatus } from '../../src/plan/result.ts';
import { fc } from '../sweep.ts';

const errors = (...codes: ExecutionCode[]) => codes.map((code) => executionError(code, code));
const end = { steps_total: 3, steps_executed: 3, errors: errors(), halted: false };

test('success is every step done and no error', () => {
  assert.is(planStatus(end), 'success');
  assert.is(planStatus({ ...end, errors: errors('STEP_SKIPPED') }), 'partial');
  assert.is.not(planStatus({ ...end, steps_executed: 2 }), 'success');
});

test('partial went on past errors that are not fatal, and something is done', () => {
  assert.is(planStatus({ ...end, steps_executed: 1, errors: errors('EXECUTION_HALTED', 'STEP_SKIPPED') }), 'partial');
});

test('failure is fatal, or halted, or nothing done', () => {
  assert.is(planStatus({ ...end, steps_executed: 2, errors: errors('EXECUTION_HALTED', 'UNKNOWN_ERROR') }), 'failure');
  assert.is(planStatus({ ...end, steps_executed: 2, errors: errors('EXECUTION_HALTED'), halted: true }), 'failure');
  assert.is(planStatus({ ...end, steps_executed: 0, errors: errors('EXECUTION_HALTED') }), 'failure');
});

test('property: a result without error is a success, and a success has none', () => {
  const codes = fc.array(fc.constantFrom<ExecutionCode>('EXECUTION_HALTED', 'STEP_SKIPPED', 'UNKNOWN_ERROR'));
  fc.assert(
    fc.property(fc.nat(3), codes, fc.boolean(), (done, found, stopped) => {
      // A plan that did not do everything has an error that says why.
      const list = errors(...(found.length === 0 && (done < 3 || stopped) ? (['EXECUTION_HALTED'] as const) : found));
      const result = planResult({
        plan_id: 'p',
        execution_id: 'e',
        completed_at: 5,
        duration_ms: 7,
        steps_executed: done,
        steps_total: 3,
        result_payload: {},
        errors: list,
        halted: stopped,
      });
      assert.is(result.error === null, result.status === 'success');
      assert.ok(result.steps_executed <= result.steps_total && Object.isFrozen(result));
    }),
  );
});

test.run();
