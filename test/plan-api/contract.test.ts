import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExecutionError } from '../../src/plan/codes.ts';
import { validateContext, validatePlan } from '../../src/plan-api/validate.ts';
import { checkedPlan, context, id, plan, step } from '../plan/builders.ts';
import { fc, runs } from '../sweep.ts';

function refusal(input: unknown, maxSteps?: number): ExecutionError {
  const checked = validatePlan(input, maxSteps);
  if (checked.ok) throw new Error('the plan was accepted');
  return checked.error;
}

function contextRefusal(input: unknown, of = plan()): ExecutionError {
  const checked = validateContext(checkedPlan(of), input);
  if (checked.ok) throw new Error('the context was accepted');
  return checked.error;
}

const violationsOf = (error: ExecutionError) => error.context.violations as string[];
const planWith = (more: object) => ({ ...plan(), ...more });
const stepWith = (more: object) => plan([{ ...step(1), ...more }]);

test('a plan with only what it must have gets every default', () => {
  assert.equal(checkedPlan({ id: id(1), version: 1, created_at: 0, name: 'x', steps: [{ id: id(2), action: 'a' }] }), {
    id: id(1),
    version: 1,
    created_at: 0,
    name: 'x',
    steps: [
      {
        id: id(2),
        action: 'a',
        payload: {},
        depends_on: [],
        on_failure: 'halt',
        timeout_ms: null,
        retry_policy: null,
        priority: 0,
      },
    ],
    context_requirements: [],
    priority: 0,
    timeout_ms: 300_000,
    retry_policy: {
      max_attempts: 1,
      backoff_ms: 0,
      backoff_multiplier: 1,
      max_backoff_ms: 60_000,
      retryable_error_codes: ['EXECUTION_HALTED', 'STEP_TIMEOUT'],
    },
    metadata: {},
    tags: [],
    estimated_duration_ms: null,
  });
});

test('an id must be a UUID of version 4, truly', () => {
  const wrong = [
    '00000000-0000-1000-8000-000000000001',
    '00000000-0000-5000-8000-000000000001',
    '00000000-0000-7000-8000-000000000001',
    '00000000-0000-4000-0000-000000000001',
    '00000000-0000-4000-c000-000000000001',
    '00000000-0000-0000-0000-000000000000',
    '00000000000040008000000000000001',
    '{00000000-0000-4000-8000-000000000001}',
    ' 00000000-0000-4000-8000-000000000001',
    '00000000-0000-4000-8000-00000000000g',
    '',
    1,
    null,
  ];
  for (const bad of wrong) {
    assert.is(refusal(planWith({ id: bad })).error_code, 'INVALID_PAYLOAD', String(bad));
    assert.match(violationsOf(refusal(planWith({ id: bad })))[0] ?? '', /^id: Invalid/);
    assert.match(violationsOf(refusal(stepWith({ id: bad })))[0] ?? '', /^steps\.0\.id: Invalid/);
    assert.match(violationsOf(refusal(stepWith({ depends_on: [bad] })))[0] ?? '', /^steps\.0\.depends_on\.0: Invalid/);
    assert.match(
      violationsOf(contextRefusal(context(plan(), { execution_id: bad as string })))[0] ?? '',
      /^execution_id: Invalid/,
    );
  }
  for (const variant of ['8', '9', 'a', 'b']) {
    assert.ok(validatePlan(planWith({ id: `00000000-0000-4000-${variant}000-000000000001` })).ok);
  }
});

test('integers are integers: no boolean, no text, no fraction, nothing below the least', () => {
  const cases: [string, (value: unknown) => unknown, number][] = [
    ['version', (v) => planWith({ version: v }), 1],
    ['created_at', (v) => planWith({ created_at: v }), 0],
    ['timeout_ms', (v) => planWith({ timeout_ms: v }), 1],
    ['estimated_duration_ms', (v) => planWith({ estimated_duration_ms: v }), 0],
    ['steps.0.timeout_ms', (v) => stepWith({ timeout_ms: v }), 1],
    ['retry_policy.max_attempts', (v) => planWith({ retry_policy: { max_attempts: v } }), 1],
    ['retry_policy.backoff_ms', (v) => planWith({ retry_policy: { backoff_ms: v } }), 0],
    ['retry_policy.max_backoff_ms', (v) => planWith({ retry_policy: { max_backoff_ms: v } }), 0],
    ['steps.0.retry_policy.max_attempts', (v) => stepWith({ retry_policy: { max_attempts: v } }), 1],
  ];
  for (const [path, build, least] of cases) {
    assert.ok(validatePlan(build(least)).ok, `${path} may be ${least}`);
    for (const bad of [true, '1', 1.5, least - 1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      const error = refusal(build(bad));
      assert.is(error.error_code, 'INVALID_PAYLOAD');
      assert.ok(violationsOf(error)[0]?.startsWith(`${path}: `), `${path} = ${bad}: ${error.message}`);
    }
  }
});

test('a multiplier is a number of 1 or more, also a fraction', () => {
  assert.ok(validatePlan(planWith({ retry_policy: { backoff_multiplier: 1.5 } })).ok);
  for (const bad of [0.5, '2', true]) {
    assert.match(refusal(planWith({ retry_policy: { backoff_multiplier: bad } })).message, /backoff_multiplier/);
  }
});

test('names have 1 to 255 characters, actions 1 to 100', () => {
  for (const good of ['x', 'x'.repeat(255)]) assert.ok(validatePlan(planWith({ name: good })).ok);
  for (const bad of ['', 'x'.repeat(256), 5]) assert.match(refusal(planWith({ name: bad })).message, /: name: /);
  for (const good of ['x', 'x'.repeat(100)]) assert.ok(validatePlan(stepWith({ action: good })).ok);
  for (const bad of ['', 'x'.repeat(101), 5])
    assert.match(refusal(stepWith({ action: bad })).message, /steps\.0\.action/);
});

test('a plan has 1 to 1024 steps, more only when max_steps allows them', () => {
  const many = (n: number) => plan(Array.from({ length: n }, (_, i) => step(i)));
  assert.is(violationsOf(refusal(plan([])))[0]?.startsWith('steps: '), true);
  assert.ok(validatePlan(many(1024)).ok);
  assert.is(refusal(many(1025)).message, 'the plan breaks the contract: steps: 1025 steps, at most 1024 are allowed');
  assert.ok(validatePlan(many(1025), 2000).ok);
  assert.match(refusal(many(3), 2).message, '3 steps, at most 2 are allowed');
});

test('a step id may occur once', () => {
  assert.is(
    refusal(plan([step(1), step(2), step(1), step(1)])).message,
    `the plan breaks the contract: steps: id ${id(1)} occurs more than once`,
  );
});

test('unknown keys, unknown failure modes and unknown retry codes are refused', () => {
  assert.match(refusal(planWith({ extra: 1 })).message, /extra/);
  assert.match(refusal(stepWith({ extra: 1 })).message, /extra/);
  assert.match(refusal(stepWith({ on_failure: 'ignore' })).message, /steps\.0\.on_failure/);
  assert.match(
    refusal(planWith({ retry_policy: { retryable_error_codes: ['OOPS'] } })).message,
    /retryable_error_codes/,
  );
});

test('every violation is listed at once, of whatever kind', () => {
  const error = refusal({ ...plan([step(1), step(1), { ...step(2), action: '' }]), version: 0, name: '', tags: 'x' });
  assert.equal(
    violationsOf(error).map((v) => v.slice(0, v.indexOf(':'))),
    ['version', 'name', 'steps.2.action', 'tags', 'steps'],
  );
  for (const violation of violationsOf(error)) assert.ok(error.message.includes(violation));
  assert.is(error.severity, 'fatal');
});

test('steps may depend on later ones', () => {
  assert.ok(validatePlan(plan([step(1, [2, 3]), step(2, [3]), step(3)])).ok);
});

test('an unknown dependency is unresolved, all of them named', () => {
  const error = refusal(plan([step(1, [7]), step(2, [1, 8])]));
  assert.is(error.error_code, 'DEPENDENCY_UNRESOLVED');
  assert.is(
    error.message,
    `step ${id(1)} depends on ${id(7)}, which is not in the plan; step ${id(2)} depends on ${id(8)}, which is not in the plan`,
  );
  assert.is(violationsOf(error).length, 2);
});

test('a circle is printed as a path in the words people use', () => {
  const error = refusal(plan([step(1, [3]), step(2, [1]), step(3, [2]), step(4, [1])]));
  assert.is(error.error_code, 'DEPENDENCY_UNRESOLVED');
  assert.is(error.message, 'the steps depend on each other in a circle: s1 → s3 → s2 → s1');
  assert.equal(error.context.cycle, [id(1), id(3), id(2), id(1)]);
  assert.match(refusal(plan([step(1, [1])])).message, 's1 → s1');
  assert.match(refusal(plan([step(1, [1], { payload: {} })])).message, `${id(1)} → ${id(1)}`);
});

test('a circle of the longest plan is found without running out of stack', () => {
  const ring = Array.from({ length: 1024 }, (_, i) => step(i, [(i + 1) % 1024]));
  assert.match(refusal(plan(ring)).message, /^the steps depend on each other in a circle: s0 → s1 → /);
});

test('a context must be that of the plan', () => {
  const error = contextRefusal({ ...context(plan()), plan: { ...plan(), id: id(5) } });
  assert.is(error.message, `the context breaks the contract: plan: is ${id(5)}, expected ${id(9000)}`);
  for (const odd of [undefined, null, 5, 'text', { id: { toString: 1, valueOf: 1 } }]) {
    assert.is(contextRefusal({ ...context(plan()), plan: odd }).error_code, 'INVALID_PAYLOAD');
  }
});

test('the fields of a context are checked, all at once', () => {
  const error = contextRefusal({
    ...context(plan()),
    execution_id: 'x',
    started_at: true,
    deadline_ms: -1,
    environment: { A: 1 },
    parent_execution_id: 'y',
    user_id: 5,
    request_id: 6,
    correlation_context: [],
    extra: 1,
  });
  assert.is(error.error_code, 'INVALID_PAYLOAD');
  const paths = violationsOf(error).map((v) => v.slice(0, v.indexOf(':')));
  assert.equal(paths.slice(0, 8), [
    'execution_id',
    'started_at',
    'deadline_ms',
    'environment.A',
    'parent_execution_id',
    'user_id',
    'request_id',
    'correlation_context',
  ]);
  assert.match(error.message, /extra/);
});

test('the window to the deadline must be as long as the plan may take', () => {
  const short = plan([step(1)], { timeout_ms: 1000 });
  const window = (ms: number) => context(short, { started_at: 5000, deadline_ms: 5000 + ms });
  assert.ok(validateContext(checkedPlan(short), window(1000)).ok);
  const error = contextRefusal(window(999), short);
  assert.is(error.error_code, 'DEADLINE_EXCEEDED');
  assert.is(error.message, 'the window to the deadline is 999 ms, the plan may take 1000 ms');
});

test('every context requirement must be present in the environment, and only what is really there counts', () => {
  const needy = plan([step(1)], { context_requirements: ['REGION', 'TOKEN', 'toString'] });
  const error = contextRefusal(context(needy, { environment: { TOKEN: '' } }), needy);
  assert.is(error.error_code, 'CONTEXT_MISSING');
  assert.is(error.message, 'the context lacks REGION, toString');
  assert.equal(error.context.missing, ['REGION', 'toString']);
  const environment = { REGION: 'eu', TOKEN: '', toString: 'x' };
  assert.ok(validateContext(checkedPlan(needy), context(needy, { environment })).ok);
});

test('plans and contexts are frozen all the way down, and what was given stays as it was', () => {
  const payload = { deep: { list: [{ x: 1 }] } };
  const given = plan([step(1, [], { payload })], { metadata: { a: { b: 1 } } });
  const before = structuredClone(given);
  const checked = checkedPlan(given);
  const given2 = context(given, { environment: { A: 'b' }, correlation_context: { c: { d: 1 } } });
  const before2 = structuredClone(given2);
  const checked2 = validateContext(checked, given2);
  assert.ok(checked2.ok && everythingFrozen(checked2.value));
  assert.ok(everythingFrozen(checked));
  assert.equal(given, before);
  assert.equal(given2, before2);
  assert.not(Object.isFrozen(given) || Object.isFrozen(payload.deep) || Object.isFrozen(given2.environment));
  payload.deep.list[0] = { x: 2 };
  assert.equal(checked.steps[0]?.payload, { deep: { list: [{ x: 1 }] } });
});

function everythingFrozen(value: unknown): boolean {
  return typeof value !== 'object' || value === null
    ? true
    : Object.isFrozen(value) && Object.values(value).every(everythingFrozen);
}

test('what is no plain data is refused like anything else', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const cases: [unknown, string][] = [
    [() => 1, 'it holds a function'],
    [new Uint8Array(3), 'it holds a Uint8Array'],
    [new Map(), 'it holds a Map'],
    [10n, 'it holds a bigint'],
    [circular, 'it goes too deep, or round in a circle'],
    [JSON.parse('{"__proto__": 1}'), 'it has a key __proto__'],
  ];
  for (const [value, reason] of cases) {
    const { error_code, message } = refusal(stepWith({ payload: { value } }));
    assert.is(error_code, 'INVALID_PAYLOAD');
    assert.is(message, `the input breaks the contract: it cannot be copied: ${reason}`);
  }
});

test('property: whatever is given, checking never throws, and either freezes or lists why not', () => {
  const anything = fc.anything({
    withNullPrototype: true,
    withMap: true,
    withTypedArray: true,
    withDate: true,
    withBigInt: true,
  });
  const nearly = fc.record({ ...constants(plan()), steps: fc.array(fc.oneof(fc.constant(step(1)), anything)) });
  const checked = checkedPlan(plan());
  fc.assert(
    fc.property(fc.oneof(anything, nearly), anything, (input, value) => {
      const result = validatePlan(input);
      assert.ok(result.ok ? Object.isFrozen(result.value) : result.error.severity === 'fatal');
      const inStep = validatePlan(stepWith({ payload: { value } }));
      assert.ok(inStep.ok || inStep.error.error_code === 'INVALID_PAYLOAD');
      const asContext = validateContext(checked, { ...context(plan()), plan: { id: value }, user_id: input });
      assert.ok(!asContext.ok);
    }),
    runs(100, 3000),
  );
});

function constants(of: object): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, fc.constant(value)]));
}

test.run();
