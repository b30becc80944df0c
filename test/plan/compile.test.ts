import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePlan, stepId, withNeeds } from '../../src/plan/compile.ts';
import { validatePlan } from '../../src/plan-api/validate.ts';
import { fc } from '../sweep.ts';
import { checkedPlan, labelOf, mapOf } from './builders.ts';

const RUN = '20260101-000000-abcd';
const MAP = mapOf({
  vms: { command: 'vms.sh' },
  talos: {
    ...{ command: 'talos.sh', needs: ['vms'], matrix: { host: ['a', 'b'] }, timeout: '90s', priority: 2 },
    ...{ on_failure: 'retry', retry: { max_attempts: 4, backoff_ms: 10, backoff_multiplier: 2, max_backoff_ms: 50 } },
  },
  infra: { command: 'infra.sh', needs: ['talos'], rerun: false, on_failure: 'skip' },
});
const compile = (stages: readonly string[], run = RUN) =>
  compilePlan({ run, map: MAP, stages, createdAt: 5, timeoutMs: 60_000 });

test('ids are UUIDs of version 4 that run and name decide', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (run, name) => {
      const found = stepId(run, name);
      assert.match(found, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.is(found, stepId(run, name));
    }),
  );
  assert.is.not(stepId('a', 'b'), stepId('a', 'c'));
  assert.is.not(stepId('a', 'b'), stepId('c', 'b'));
});

test('the same run compiles to the same plan, another run to other ids', () => {
  assert.equal(compile(['vms', 'talos']), compile(['talos', 'vms']));
  assert.is.not(compile(['vms']).id, compile(['vms'], 'other').id);
  assert.is.not(compile(['vms']).steps[0]?.id, compile(['vms'], 'other').steps[0]?.id);
});

test('a compiled plan keeps the contract, its steps in the map’s order, a step for each cell', () => {
  const plan = checkedPlan(compile(['infra', 'talos', 'vms']));
  assert.equal(plan.steps.map(labelOf), ['vms', 'talos[host=a]', 'talos[host=b]', 'infra']);
  assert.is(plan.name, 'vms talos infra');
  assert.equal([plan.timeout_ms, plan.created_at], [60_000, 5]);
  assert.equal(plan.steps[1]?.payload, { stage: 'talos', step: 'talos[host=a]', cell: { host: 'a' } });
});

test('a stage waits for every cell of what it needs, and every cell waits for what the stage needs', () => {
  const [vms, a, b, infra] = compile(['vms', 'talos', 'infra']).steps;
  assert.equal(infra?.depends_on, [a?.id, b?.id]);
  assert.equal([a?.depends_on, b?.depends_on], [[vms?.id], [vms?.id]]);
});

test('needs that are not part of the plan are no dependencies of it', () => {
  assert.equal(compile(['infra']).steps[0]?.depends_on, []);
  assert.ok(validatePlan(compile(['infra'])).ok);
});

test('timeout, priority, failure mode and retry come from the stage', () => {
  const step = checkedPlan(compile(['talos'])).steps[0];
  assert.equal([step?.timeout_ms, step?.priority, step?.on_failure], [90_000, 2, 'retry']);
  assert.equal(step?.retry_policy, {
    ...{ max_attempts: 4, backoff_ms: 10, backoff_multiplier: 2, max_backoff_ms: 50 },
    retryable_error_codes: ['EXECUTION_HALTED', 'STEP_TIMEOUT'],
  });
});

test('a stage that may not be rerun retries nothing', () => {
  assert.equal(compile(['infra']).steps[0]?.retry_policy?.retryable_error_codes, []);
});

test('many long names still make a plan with a name', () => {
  const names = Array.from({ length: 40 }, (_, i) => `stage-with-a-long-name-${i}`);
  const map = mapOf(Object.fromEntries(names.map((name) => [name, { command: 'x' }])));
  const plan = compilePlan({ run: RUN, map, stages: names, createdAt: 0, timeoutMs: 1 });
  assert.is(plan.name.length, 255);
  assert.ok(validatePlan(plan).ok);
});

test('stages with all they need, directly or not, in the map’s order', () => {
  assert.equal(withNeeds(MAP, ['infra']), ['vms', 'talos', 'infra']);
  assert.equal(withNeeds(MAP, ['talos', 'vms']), ['vms', 'talos']);
  assert.equal(withNeeds(MAP, ['nothing', 'constructor']), []);
});

test.run();
