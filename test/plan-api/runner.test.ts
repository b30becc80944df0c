import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { mendError } from '../../src/errors.ts';
import type { NewEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import type { ExecutionCode, ExecutionError } from '../../src/plan/codes.ts';
import type { PlanResult, PlanStep } from '../../src/plan/contract.ts';
import { blindRetry } from '../../src/plan/stage-end.ts';
import { Stop } from '../../src/plan/stop.ts';
import { action, type Outcome } from '../../src/plan-api/action.ts';
import { createPlanRunner } from '../../src/plan-api/runner.ts';
import { checkedPlan, context, id, plan, step } from '../plan/builders.ts';
import { fakeClock } from '../run/builders.ts';
import { fc } from '../sweep.ts';
import { act, after, type Behaviour, done, execute, failed, untilStopped } from './builders.ts';

const ok: Behaviour = () => done;

/** The error of a result that must be a failure with this code. */
function failure(result: PlanResult, code: ExecutionCode): ExecutionError {
  if (result.error === null) throw new Error('it succeeded');
  assert.equal([result.status, result.error.error_code], ['failure', code], result.error.message);
  return result.error;
}

const boom =
  (error: unknown): Behaviour =>
  () => {
    throw error;
  };

test('a plan of real actions runs in order and succeeds without error', async () => {
  const clock = fakeClock(5000);
  const { result, trail } = await execute(
    plan([step(2, [1]), step(1)]),
    async ({ step: at, attempt }) => {
      await clock.sleep(10);
      return { kind: 'done', result: { of: at.payload.step, attempt } };
    },
    { clock },
  );
  assert.equal(trail, ['step.started s1', 'step.done s1', 'step.started s2', 'step.done s2']);
  assert.equal(result, {
    ...{ plan_id: id(9000), execution_id: id(9001), status: 'success', completed_at: 5020, duration_ms: 20 },
    ...{ steps_executed: 2, steps_total: 2, error: null },
    result_payload: { [id(1)]: { of: 's1', attempt: 1 }, [id(2)]: { of: 's2', attempt: 1 } },
  });
});

test('INVALID_PAYLOAD: a broken plan runs nothing and lists every violation', async () => {
  const { result, trail } = await execute(plan([step(1)], { version: 0, name: '' }), ok);
  const error = failure(result, 'INVALID_PAYLOAD');
  assert.is((error.context.violations as string[]).length, 2);
  assert.equal([error.severity, error.recoverable, trail], ['fatal', false, []]);
  assert.equal([result.steps_executed, result.steps_total], [0, 1]);
});

test('INVALID_PAYLOAD: a broken context', async () => {
  const { result } = await execute(plan(), ok, {}, { execution_id: 'x', user_id: 5 as unknown as string });
  assert.match(failure(result, 'INVALID_PAYLOAD').message, /execution_id: .*; user_id: /);
});

test('INVALID_PAYLOAD: something that is no plan at all is a result, not an exception', async () => {
  const executor = createPlanRunner({ actions: new Map() });
  for (const odd of [null, undefined, 5, 'text', [], {}]) {
    const result = await executor.execute(odd as never, odd as never);
    failure(result, 'INVALID_PAYLOAD');
    assert.equal([result.plan_id, result.execution_id, result.steps_total], ['', '', 0]);
  }
});

test('INVALID_PAYLOAD: every step whose payload its action does not take is named before the first one runs', async () => {
  const strict = action({ payload: z.strictObject({ n: z.int() }), run: async () => done });
  const steps = [step(1), step(2, [], { action: 'strict', payload: { n: 1.5 } }), step(3, [], { action: 'strict' })];
  const ran: string[] = [];
  const actions = new Map([
    ['act', act(({ step: at }) => after(ran.push(at.id), done))],
    ['strict', strict],
  ]);
  const { result } = await execute(plan(steps), ok, { actions });
  const { message } = failure(result, 'INVALID_PAYLOAD');
  assert.match(message, `step ${id(2)}: payload.n: `);
  assert.match(message, 'step s3: payload.n: ');
  assert.equal(ran, []);
});

test('INVALID_PAYLOAD: a finished execution_id cannot run again, here or where it is remembered', async () => {
  let runs = 0;
  const executor = createPlanRunner({ actions: new Map([['act', act(() => after(runs++, done))]]) });
  assert.is((await executor.execute(plan(), context(plan()))).status, 'success');
  const again = await executor.execute(plan(), context(plan()));
  assert.match(
    failure(again, 'INVALID_PAYLOAD').message,
    `execution_id: ${id(9001)} has ended before and cannot run again`,
  );
  assert.is((await executor.execute(plan(), context(plan(), { execution_id: id(5) }))).status, 'success');
  const { result } = await execute(plan(), ok, { finished: (executionId) => executionId === id(9001) });
  failure(result, 'INVALID_PAYLOAD');
  assert.is(runs, 2);
});

test('a refused execution_id was never used and may run once the plan is mended', async () => {
  const executor = createPlanRunner({ actions: new Map([['act', act(ok)]]) });
  failure(await executor.execute(plan([step(1, [2])]), context(plan())), 'DEPENDENCY_UNRESOLVED');
  assert.is((await executor.execute(plan(), context(plan()))).status, 'success');
});

test('whatever is wrong with plan, context, payloads and dependencies is told at once', async () => {
  const strict = action({ payload: z.strictObject({ n: z.int() }), run: async () => done });
  const actions = new Map([
    ['act', act(ok)],
    ['strict', strict],
  ]);
  const steps = [
    step(1, [7]),
    step(2, [3]),
    step(3, [2], { action: 'strict', payload: { n: 1.5 } }),
    step(4, [], { action: 'nobody', timeout_ms: 0 }),
  ];
  const broken = plan(steps, { version: 0, context_requirements: ['REGION', 'TOKEN'], timeout_ms: 1000 });
  const wrong = { user_id: 5 as never, environment: { TOKEN: '' }, started_at: 500, deadline_ms: 600 };
  const { result, trail } = await execute(broken, ok, { actions }, wrong);
  const error = failure(result, 'INVALID_PAYLOAD');
  assert.equal(
    (error.context.violations as string[]).map((line) => line.replace(/: (?:Too|Invalid).*/, ': …')),
    [
      'version: …',
      'steps.3.timeout_ms: …',
      `step ${id(3)}: payload.n: …`,
      'user_id: …',
      `step ${id(1)} depends on ${id(7)}, which is not in the plan`,
      `the steps depend on each other in a circle: s2 → ${id(3)} → s2`,
      'no such action is registered: nobody',
      'the context lacks REGION',
      'the window to the deadline is 100 ms, the plan may take 1000 ms',
    ],
  );
  assert.equal([...new Set(error.context.codes as string[])].length, 5);
  for (const line of error.context.violations as string[]) assert.ok(error.message.includes(line), line);
  assert.equal([trail, result.steps_total], [[], 4]);
});

test('a plan that is no plan does not hide what is wrong with its context', async () => {
  const runner = createPlanRunner({ actions: new Map() });
  const { message } = failure(await runner.execute(null as never, { user_id: 5 } as never), 'INVALID_PAYLOAD');
  for (const word of ['execution_id', 'started_at', 'deadline_ms', 'user_id']) assert.match(message, `${word}: `);
});

test('CONTEXT_MISSING: a requirement that is absent', async () => {
  const { result, trail } = await execute(plan([step(1)], { context_requirements: ['REGION'] }), ok);
  assert.is(failure(result, 'CONTEXT_MISSING').message, 'the context lacks REGION');
  assert.equal(trail, []);
});

test('DEPENDENCY_UNRESOLVED: an unknown dependency, and a circle', async () => {
  assert.match(failure((await execute(plan([step(1, [2])]), ok)).result, 'DEPENDENCY_UNRESOLVED').message, id(2));
  const circle = await execute(plan([step(1, [2]), step(2, [1])]), ok);
  assert.match(failure(circle.result, 'DEPENDENCY_UNRESOLVED').message, 's1 → s2 → s1');
});

test('DEPENDENCY_UNRESOLVED: a scheduler that starts nothing stalls, and the stall names its steps', async () => {
  const lazy = { name: 'lazy', ready: () => [] };
  const { result } = await execute(plan([step(1), step(2, [1])]), ok, { scheduler: lazy });
  const error = failure(result, 'DEPENDENCY_UNRESOLVED');
  assert.is(error.message, 'nothing runs and nothing may start: s1, s2 cannot start');
  assert.equal(error.context.stalled, ['s1', 's2']);
});

test('a scheduler that names steps which may not start cannot make them start, or start twice', async () => {
  const greedy = { name: 'greedy', ready: (_: unknown, of: { steps: readonly never[] }) => [...of.steps, ...of.steps] };
  const started: string[] = [];
  const { result } = await execute(plan([step(2, [1]), step(1)]), ({ step: at }) => after(started.push(at.id), done), {
    scheduler: greedy as never,
    workers: 4,
  });
  assert.equal(started, [id(1), id(2)]);
  assert.is(result.status, 'success');
});

test('ACTION_NOT_FOUND: all unknown actions are named, with those there are', async () => {
  const steps = [step(1), step(2, [], { action: 'b' }), step(3, [], { action: 'c' }), step(4, [], { action: 'b' })];
  const { result, trail } = await execute(plan(steps), ok);
  const error = failure(result, 'ACTION_NOT_FOUND');
  assert.is(error.message, 'no such action is registered: b, c');
  assert.equal([error.step_id, trail], [id(2), []]);
  assert.equal([error.context.actions, error.context.registered], [['b', 'c'], ['act']]);
});

test('DEADLINE_EXCEEDED: a window too small for the plan', async () => {
  const { result } = await execute(plan(), ok, {}, { started_at: 0, deadline_ms: 1000 });
  assert.match(failure(result, 'DEADLINE_EXCEEDED').message, 'the window to the deadline is 1000 ms');
});

test('DEADLINE_EXCEEDED: a deadline that has passed', async () => {
  const clock = fakeClock(1_000_001);
  const { result } = await execute(plan(), ok, { clock }, { started_at: 0, deadline_ms: 1_000_000 });
  assert.is(failure(result, 'DEADLINE_EXCEEDED').message, 'the deadline 1970-01-01T00:16:40.000Z has passed');
});

test('DEADLINE_EXCEEDED: a deadline that passes while a step runs stops it, and starts nothing more', async () => {
  const now = Date.now();
  const { result, trail, events } = await execute(
    plan([step(1), step(2, [1])], { timeout_ms: 10_000 }),
    untilStopped,
    {},
    { started_at: now - 20_000, deadline_ms: now + 60 },
  );
  const error = failure(result, 'DEADLINE_EXCEEDED');
  assert.is(error.step_id, id(1));
  assert.match(error.message, / passed$/);
  assert.equal(trail, ['step.started s1', 'step.interrupted s1']);
  assert.is(events[1]?.status, 'idle');
});

test('PLAN_TIMEOUT: a plan that runs past its time is stopped', async () => {
  const { result } = await execute(
    plan([step(1)], { timeout_ms: 50 }),
    untilStopped,
    {},
    { deadline_ms: Date.now() + 9e6 },
  );
  // The step inherits the plan's limit, so that one may be the first to say so.
  assert.ok(['PLAN_TIMEOUT', 'STEP_TIMEOUT'].includes(result.error?.error_code ?? ''));
  const slow = plan([step(1, [], { timeout_ms: 5000 })], { timeout_ms: 50 });
  const stopped = await execute(slow, untilStopped, {}, { deadline_ms: Date.now() + 9e6 });
  assert.is(failure(stopped.result, 'PLAN_TIMEOUT').message, 'the plan ran past its 50 ms');
});

test('PLAN_TIMEOUT: time spent by an earlier process counts, and time between two steps too', async () => {
  const resume = { done: new Set<string>(), attempts: new Map(), spentMs: 999_950 };
  const long = plan([step(1)], { timeout_ms: 1_000_000 });
  const { result } = await execute(long, untilStopped, { resume });
  assert.is(failure(result, 'PLAN_TIMEOUT').step_id, id(1));
  const over = { ...resume, spentMs: 2_000_000 };
  const settled = await execute(plan([step(1), step(2)]), async () => new Promise((r) => setTimeout(r, 5, done)), {
    resume: over,
  });
  failure(settled.result, 'PLAN_TIMEOUT');
  assert.ok(settled.result.steps_executed < 2);
});

test('RESOURCE_EXHAUSTED: events that cannot be recorded stop the plan, fatally', async () => {
  let started = 0;
  const { result } = await execute(plan([step(1), step(2)]), () => after(started++, done), {
    record: (...happenings) => {
      if (happenings[0]?.type === 'step.done') throw mendError('E_DISK_FULL', { path: 'events.jsonl' });
    },
  });
  const error = failure(result, 'RESOURCE_EXHAUSTED');
  assert.equal([error.severity, error.message], ['fatal', 'the disk is full: events.jsonl could not be written']);
  assert.is(started, 1);
});

test('RESOURCE_EXHAUSTED: an action that meets a full disk', async () => {
  const { result, trail } = await execute(
    plan([step(1, [], { on_failure: 'skip' }), step(2)]),
    boom(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
  );
  const error = failure(result, 'RESOURCE_EXHAUSTED');
  assert.equal([error.severity, error.step_id, error.context], ['fatal', id(1), { code: 'ENOSPC' }]);
  assert.equal(trail, ['step.started s1', 'step.failed s1']);
  const ours = await execute(plan([step(1)]), boom(mendError('E_DISK_FULL', { path: 'x.log' })));
  assert.is(
    failure(ours.result, 'RESOURCE_EXHAUSTED').context.next,
    'free some space; the next start finishes this run',
  );
});

test('RESOURCE_EXHAUSTED: twenty attempts are all a step gets, whatever its policy says', async () => {
  let attempts = 0;
  const retry = { on_failure: 'retry' as const, retry_policy: { max_attempts: 1000 } };
  const { result } = await execute(plan([step(1, [], retry)]), () => after(attempts++, failed()), {
    clock: fakeClock(),
  });
  const error = failure(result, 'RESOURCE_EXHAUSTED');
  assert.is(attempts, 20);
  assert.equal([error.severity, error.message, error.step_id], ['error', 'used up its 20 attempts of this run', id(1)]);
});

test('attempts of an earlier process count among the twenty, and among those of the policy', async () => {
  let attempts: number[] = [];
  const note: Behaviour = ({ attempt }) => after(attempts.push(attempt), failed());
  const resume = (n: number) => ({ done: new Set<string>(), attempts: new Map([[id(1), n]]), spentMs: 0 });
  const stubborn = plan([step(1, [], { on_failure: 'retry', retry_policy: { max_attempts: 1000 } })]);
  await execute(stubborn, note, { clock: fakeClock(), resume: resume(18) });
  assert.equal(attempts, [19, 20]);
  attempts = [];
  const modest = plan([step(1, [], { on_failure: 'retry', retry_policy: { max_attempts: 3 } })]);
  await execute(modest, note, { clock: fakeClock(), resume: resume(2) });
  assert.equal(attempts, [3]);
});

test('a pause that an earlier process began is waited out, not begun anew and not forgotten', async () => {
  const clock = fakeClock();
  const began = clock.now();
  const at: number[] = [];
  const note: Behaviour = () => after(at.push(clock.now() - began), done);
  const waits = new Map([[id(1), began + 700]]);
  await execute(plan([step(1)]), note, {
    clock,
    resume: { done: new Set(), attempts: new Map(), waits, spentMs: 0 },
  });
  assert.equal(at, [700]);
});

test('STEP_TIMEOUT: a step that runs past its time is stopped; an error when it could be retried', async () => {
  const { result, trail } = await execute(
    plan([step(1, [], { timeout_ms: 30, on_failure: 'skip' }), step(2)]),
    (call) => (call.step.id === id(1) ? untilStopped(call) : done),
  );
  assert.equal([result.status, result.error?.error_code, result.error?.severity], ['partial', 'STEP_TIMEOUT', 'error']);
  assert.is(result.error?.message, 'ran past its 30 ms and was stopped');
  assert.equal(trail, ['step.started s1', 'step.failed s1', 'step.started s2', 'step.done s2']);
});

test('STEP_TIMEOUT: fatal when it may not be retried, even with skip', async () => {
  const policy = { retryable_error_codes: ['EXECUTION_HALTED' as const] };
  const { result, trail } = await execute(
    plan([step(1, [], { timeout_ms: 30, on_failure: 'skip', retry_policy: policy }), step(2)]),
    untilStopped,
  );
  assert.is(failure(result, 'STEP_TIMEOUT').severity, 'fatal');
  assert.equal(trail, ['step.started s1', 'step.failed s1']);
});

test('STEP_TIMEOUT: an action that throws what its signal aborted with was stopped, too', async () => {
  const { setTimeout: sleep } = await import('node:timers/promises');
  const ways: Behaviour[] = [
    async ({ signal }) => sleep(10_000, done, { signal }),
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ];
  for (const way of ways) {
    const { result } = await execute(plan([step(1, [], { timeout_ms: 30 })]), way);
    assert.is(failure(result, 'STEP_TIMEOUT').severity, 'error');
  }
});

test('STEP_TIMEOUT: an action that does not listen is given up on after a grace', async () => {
  const deafForEver: Behaviour = () => new Promise(() => {});
  for (const [graceMs, waited] of [
    [undefined, 5000],
    [30, 30],
  ] as const) {
    const clock = fakeClock();
    const options = { clock, ...(graceMs === undefined ? {} : { graceMs }) };
    const { result } = await execute(plan([step(1, [], { timeout_ms: 20 })]), deafForEver, options);
    failure(result, 'STEP_TIMEOUT');
    assert.equal(clock.slept, [waited]);
  }
});

test('DEADLINE_EXCEEDED and PLAN_TIMEOUT end the wait for an action that does not listen', async () => {
  const deafForEver: Behaviour = () => new Promise(() => {});
  const now = Date.now();
  const late = plan([step(1, [], { timeout_ms: 9000 })], { timeout_ms: 9000 });
  const deadline = await execute(
    late,
    deafForEver,
    { graceMs: 20 },
    { started_at: now - 20_000, deadline_ms: now + 40 },
  );
  failure(deadline.result, 'DEADLINE_EXCEEDED');
  const short = plan([step(1, [], { timeout_ms: 9000 })], { timeout_ms: 40 });
  const far = { deadline_ms: Date.now() + 9e6 };
  failure((await execute(short, deafForEver, { graceMs: 20 }, far)).result, 'PLAN_TIMEOUT');
});

test('an answer that comes after the stop is ignored, during the grace and after it', async () => {
  for (const [graceMs, tookMs] of [
    [5000, 60],
    [20, 120],
  ] as const) {
    for (const answer of [done, failed('too late')]) {
      const slow: Behaviour = () => new Promise((resolve) => setTimeout(resolve, tookMs, answer));
      const { result, trail } = await execute(plan([step(1, [], { timeout_ms: 20 })]), slow, { graceMs });
      assert.is(failure(result, 'STEP_TIMEOUT').message, 'ran past its 20 ms and was stopped');
      await new Promise((resolve) => setTimeout(resolve, tookMs));
      assert.equal([trail, result.steps_executed], [['step.started s1', 'step.failed s1'], 0]);
    }
  }
});

test('an action that halts the run is heard also after the stop', async () => {
  const slow: Behaviour = () =>
    new Promise((resolve) => setTimeout(resolve, 60, { kind: 'halt', message: 'HEAD moved' }));
  const { result } = await execute(plan([step(1, [], { timeout_ms: 20 })]), slow);
  assert.is(failure(result, 'EXECUTION_HALTED').message, 'HEAD moved');
});

test('EXECUTION_HALTED: a failed action, with what it tells of it', async () => {
  const { result, events } = await execute(plan([step(1), step(2), step(3, [1])]), () =>
    failed('exit code 7', { context: { exit_code: 7, fingerprint: 'abc' } }),
  );
  const error = failure(result, 'EXECUTION_HALTED');
  assert.equal(
    [error.message, error.severity, error.recoverable, error.step_id, error.context],
    ['exit code 7', 'error', true, id(1), { exit_code: 7, fingerprint: 'abc' }],
  );
  assert.equal(events[1]?.data, {
    ...{ code: 'EXECUTION_HALTED', reason: 'exit code 7', severity: 'error', exit_code: 7, fingerprint: 'abc' },
  });
});

test('EXECUTION_HALTED: an interruption stops what runs, and is told from a failure', async () => {
  const controller = new AbortController();
  const stop: Behaviour = (call) => {
    setTimeout(() => controller.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT')), 10);
    return untilStopped(call);
  };
  const { result, trail } = await execute(plan([step(1), step(2)]), stop, { signal: controller.signal });
  const error = failure(result, 'EXECUTION_HALTED');
  assert.equal([error.message, error.context], ['interrupted by SIGINT', { interrupted: true }]);
  assert.equal(trail, ['step.started s1', 'step.interrupted s1']);
});

test('a plan whose signal was aborted before starts nothing', async () => {
  const { result, trail } = await execute(plan(), ok, { signal: AbortSignal.abort() });
  assert.equal(failure(result, 'EXECUTION_HALTED').context, { interrupted: true });
  assert.equal(trail, []);
});

test('an action can halt the run whatever its on_failure says', async () => {
  const halt: Behaviour = () => ({ kind: 'halt', message: 'HEAD moved', context: { human: true } });
  const { result, trail } = await execute(plan([step(1, [], { on_failure: 'skip' }), step(2)]), halt);
  assert.is(failure(result, 'EXECUTION_HALTED').message, 'HEAD moved');
  assert.equal(trail, ['step.started s1', 'step.failed s1']);
});

test('STEP_SKIPPED: skip goes on without what depended on the failed step, and warns of each', async () => {
  const steps = [step(1, [], { on_failure: 'skip' }), step(2, [1]), step(3, [2]), step(4)];
  const { result, trail, events } = await execute(plan(steps), ({ step: at }) => (at.id === id(1) ? failed() : done));
  assert.is(result.status, 'partial');
  assert.equal([result.error?.error_code, result.steps_executed], ['EXECUTION_HALTED', 1]);
  assert.equal(trail.slice(1, 4), ['step.failed s1', 'step.skipped s2', 'step.skipped s3']);
  assert.equal(events[2]?.data, { code: 'STEP_SKIPPED', reason: 'needs s1, which failed' });
});

test('UNKNOWN_ERROR: whatever else an action throws is a bug in it, told with its stack', async () => {
  const { result, trail } = await execute(
    plan([step(1, [], { on_failure: 'retry', retry_policy: { max_attempts: 5 } }), step(2)]),
    boom(new TypeError('x is not a function')),
  );
  const error = failure(result, 'UNKNOWN_ERROR');
  assert.equal([error.message, error.severity, error.step_id], ['x is not a function', 'fatal', id(1)]);
  assert.match(error.cause ?? '', 'plan-api/runner.test');
  assert.equal(trail, ['step.started s1', 'step.failed s1']);
});

test('the cause of an error is told with all that caused it, also when they go round in a circle', async () => {
  const socket = new Error('socket hang up');
  const request = new Error('the request failed', { cause: socket });
  const thrown = new TypeError('no nodes', { cause: request });
  const { cause } = failure((await execute(plan(), boom(thrown))).result, 'UNKNOWN_ERROR');
  assert.match(
    cause ?? '',
    /^TypeError: no nodes\n[\s\S]+\ncaused by: Error: the request failed\n[\s\S]+\ncaused by: Error: socket/,
  );
  socket.cause = thrown;
  failure((await execute(plan(), boom(thrown))).result, 'UNKNOWN_ERROR');
  const full = Object.assign(new Error('no space left', { cause: 'a text' }), { code: 'ENOSPC' });
  assert.match(
    failure((await execute(plan(), boom(full))).result, 'RESOURCE_EXHAUSTED').cause ?? '',
    /caused by: a text$/,
  );
});

test('UNKNOWN_ERROR: also for what is no error, and for an answer that is no outcome', async () => {
  for (const thrown of [null, undefined, 5, 'text', Object.create(null), { message: 5 }]) {
    failure((await execute(plan(), boom(thrown))).result, 'UNKNOWN_ERROR');
  }
  for (const answer of [undefined, null, 5, {}, { kind: 'fine' }, { kind: 'failed' }, { kind: 'halt', message: 5 }]) {
    failure((await execute(plan(), () => answer as unknown as Outcome)).result, 'UNKNOWN_ERROR');
  }
  const settled = act(ok, async () => ({ kind: 'fine' }) as unknown as Outcome);
  failure((await execute(plan(), ok, { actions: new Map([['act', settled]]) })).result, 'UNKNOWN_ERROR');
});

test('an action gets its payload as its schema reads it', async () => {
  let got: unknown;
  const typed = action({
    payload: z.object({ n: z.int().default(3), list: z.string().transform((text) => text.split(',')) }),
    run: async ({ payload }) => {
      got = payload;
      return done;
    },
  });
  const input = plan([step(1, [], { payload: { list: 'a,b' } })]);
  assert.is((await execute(input, ok, { actions: new Map([['act', typed]]) })).result.status, 'success');
  assert.equal(got, { n: 3, list: ['a', 'b'] });
});

test('what is settled needs no attempt: fresh is not done again, and a settled failure is not retried', async () => {
  let runs = 0;
  const outcomes = new Map<string, Outcome>([
    [id(1), { kind: 'done', fresh: true }],
    [id(2), failed('not run again by itself')],
  ]);
  const careful = act(
    () => after(runs++, done),
    async ({ step: at }) => outcomes.get(at.id),
  );
  const retry = { on_failure: 'retry' as const, retry_policy: { max_attempts: 5 } };
  const { trail, result } = await execute(plan([step(1), step(2, [], retry)]), ok, {
    actions: new Map([['act', careful]]),
  });
  assert.equal(trail, ['step.fresh s1', 'step.failed s2']);
  assert.equal([runs, result.status], [0, 'failure']);
});

test('status: nothing done is a failure even where all was skipped', async () => {
  const { result } = await execute(plan([step(1, [], { on_failure: 'skip' })]), () => failed());
  assert.is(result.status, 'failure');
});

test('retries back off by the multiplier up to the cap, and say so', async () => {
  const clock = fakeClock();
  const policy = { max_attempts: 6, backoff_ms: 100, backoff_multiplier: 3, max_backoff_ms: 2000 };
  const input = plan([step(1, [], { on_failure: 'retry', retry_policy: policy })]);
  const { result, events } = await execute(input, () => failed('flaky'), { clock });
  assert.equal(clock.slept, [100, 300, 900, 2000, 2000]);
  const retries = events.filter((e) => e.type === 'step.retry');
  assert.equal(
    retries.map((e) => e.attempt),
    [1, 2, 3, 4, 5],
  );
  assert.equal(retries[2]?.data, { pause_ms: 900, reason: 'flaky' });
  assert.is(failure(result, 'EXECUTION_HALTED').message, 'flaky');
});

test('a retry that helps is a success with no error', async () => {
  const input = plan([step(1, [], { on_failure: 'retry', retry_policy: { max_attempts: 3 } })]);
  const { result } = await execute(input, ({ attempt }) => (attempt < 3 ? failed() : done), { clock: fakeClock() });
  assert.equal([result.status, result.error], ['success', null]);
});

test('a dozen steps that wait at once are no leak to warn of', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  const retry = { on_failure: 'retry' as const, retry_policy: { max_attempts: 2, backoff_ms: 30 } };
  const input = plan(Array.from({ length: 12 }, (_, at) => step(at + 1, [], retry)));
  const { signal } = new AbortController();
  const { result } = await execute(input, ({ attempt }) => (attempt === 1 ? failed() : done), {
    ...{ clock: systemClock, workers: 12, signal },
  });
  process.off('warning', listen);
  assert.equal([result.status, warnings], ['success', []]);
});

test('only on_failure: retry retries, by the step’s policy before the plan’s, and not what says that again is pointless', async () => {
  const own = { max_attempts: 3 };
  const none = { ...own, retryable_error_codes: [] };
  const late = { ...own, retryable_error_codes: ['STEP_TIMEOUT' as const] };
  const rows: [tries: number, step: object, behaviour?: Behaviour][] = [
    [2, { on_failure: 'retry' }],
    [3, { on_failure: 'retry', retry_policy: own }],
    [1, { on_failure: 'halt', retry_policy: own }],
    [1, { on_failure: 'skip', retry_policy: own }],
    [1, { on_failure: 'retry', retry_policy: own }, () => failed('no', { again: false })],
    [1, { on_failure: 'retry', retry_policy: own }, () => ({ kind: 'halt', message: 'no' })],
    [1, { on_failure: 'retry', retry_policy: none }],
    [1, { on_failure: 'retry', retry_policy: late }],
    [3, { on_failure: 'retry', retry_policy: late, timeout_ms: 5 }, untilStopped],
  ];
  for (const [expected, of, behaviour = () => failed()] of rows) {
    let tries = 0;
    const input = plan([step(1, [], of)], { retry_policy: { max_attempts: 2 } });
    await execute(
      input,
      (call) => {
        tries += 1;
        return behaviour(call);
      },
      { clock: fakeClock() },
    );
    assert.is(tries, expected, JSON.stringify(of));
  }
});

test('property: a pause before a retry is a number from 0 to the cap, whatever the policy', () => {
  const numbers = { max: Number.MAX_SAFE_INTEGER, min: 0 };
  const multipliers = fc.double({ min: 1, noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(
      fc.integer(numbers),
      multipliers,
      fc.integer(numbers),
      fc.integer({ min: 1, max: 30 }),
      (backoff_ms, backoff_multiplier, max_backoff_ms, attempt) => {
        const policy = { max_attempts: 31, backoff_ms, backoff_multiplier, max_backoff_ms };
        const of = checkedPlan(plan([step(1, [], { on_failure: 'retry', retry_policy: policy })]));
        const end = { kind: 'failed', message: 'it broke' } as const;
        const pause = blindRetry(end, attempt, of.steps[0] as PlanStep, of) ?? Number.NaN;
        assert.ok(pause >= 0 && pause <= max_backoff_ms, String(pause));
      },
    ),
  );
});

test('an interruption ends a pause between two attempts', async () => {
  const controller = new AbortController();
  const policy = { max_attempts: 2, backoff_ms: 60_000 };
  const input = plan([step(1, [], { on_failure: 'retry', retry_policy: policy })]);
  const began = performance.now();
  const { result, trail } = await execute(
    input,
    () => {
      setTimeout(() => controller.abort(), 20);
      return failed();
    },
    { signal: controller.signal },
  );
  assert.ok(performance.now() - began < 5000);
  assert.equal(trail, ['step.started s1', 'step.retry s1', 'step.interrupted s1']);
  assert.equal(failure(result, 'EXECUTION_HALTED').context, { interrupted: true });
});

test('what an earlier process did is not done again; what it met otherwise is', async () => {
  const ran: string[] = [];
  const { result } = await execute(
    plan([step(1), step(2, [1]), step(3), step(4, [2])]),
    ({ step: at }) => after(ran.push(String(at.payload.step)), done),
    { resume: { done: new Set([id(1)]), attempts: new Map(), spentMs: 0 } },
  );
  assert.equal(ran, ['s2', 's3', 's4']);
  assert.equal([result.status, result.steps_executed], ['success', 4]);
});

test('executePlan and runPlan do what execute does', async () => {
  const events: NewEvent[] = [];
  const make = () =>
    createPlanRunner({ actions: new Map([['act', act(ok)]]), record: (...e) => void events.push(...e) });
  const clean = ({ completed_at, duration_ms, ...rest }: PlanResult) => rest;
  const expected = clean(await make().execute(plan(), context(plan())));
  assert.equal(clean(await make().executePlan(context(plan()))), expected);
  assert.equal(clean(await make().runPlan(plan(), context(plan()))), expected);
  assert.is(events.length, 6);
});

test('whatever is given, each of the three calls is a result and never an exception', async () => {
  const runner = createPlanRunner({ actions: new Map() });
  const hostile = {
    get plan() {
      throw new Error('no');
    },
    get execution_id() {
      throw new Error('no');
    },
    get id() {
      throw new Error('no');
    },
  };
  for (const odd of [
    undefined,
    null,
    5,
    'text',
    [],
    {},
    { plan: 5 },
    hostile,
    new Proxy({}, { get: boom(1) as never }),
  ]) {
    for (const call of [runner.executePlan, runner.execute, runner.runPlan] as ((...args: unknown[]) => unknown)[]) {
      const result = (await call(odd, odd)) as PlanResult;
      failure(result, 'INVALID_PAYLOAD');
      assert.equal([result.execution_id, result.steps_executed], ['', 0]);
    }
  }
});

test('a runner that is not enabled checks everything, runs nothing and says so', async () => {
  let ran = 0;
  const actions = new Map([['act', act(() => after(ran++, done))]]);
  const off = createPlanRunner({ actions, enabled: false });
  const error = failure(await off.execute(plan(), context(plan())), 'EXECUTION_HALTED');
  assert.equal([error.context, error.step_id], [{ disabled: true }, null]);
  const again = await off.executePlan(context(plan()));
  assert.equal([again.steps_executed, again.steps_total, again.error?.context], [0, 1, { disabled: true }]);
  failure(await off.runPlan(plan([], {}), context(plan())), 'INVALID_PAYLOAD');
  assert.is(ran, 0);
  assert.is((await createPlanRunner({ actions, enabled: true }).execute(plan(), context(plan()))).status, 'success');
});

test('a finished execution_id stays finished where results are kept in a folder, for other processes too', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'plan-results-')), 'results');
  let ran = 0;
  const runner = () => createPlanRunner({ actions: new Map([['act', act(() => after(ran++, done))]]), folder });
  const one = context(plan(), { execution_id: 'aaaaaaaa-0000-4000-8000-000000000001' });
  const first = await runner().execute(plan(), one);
  assert.is(first.status, 'success');
  const upper = { ...one, execution_id: one.execution_id.toUpperCase() };
  for (const same of [one, upper]) {
    assert.match(failure(await runner().execute(plan(), same), 'INVALID_PAYLOAD').message, 'has ended before');
  }
  const [kept] = readdirSync(folder).filter((name) => name.endsWith('.json'));
  assert.equal(JSON.parse(readFileSync(join(folder, kept as string), 'utf8')), JSON.parse(JSON.stringify(first)));
  assert.is(ran, 1);
  // Refused, or not even begun, is not finished.
  const two = context(plan());
  failure(await runner().execute(plan([step(1, [9])]), two), 'DEPENDENCY_UNRESOLVED');
  assert.is((await runner().execute(plan(), two)).status, 'success');
});

test('where the result cannot be kept nothing runs, or the result says that it is not kept', async () => {
  const root = mkdtempSync(join(tmpdir(), 'plan-results-'));
  writeFileSync(join(root, 'file'), '');
  let ran = 0;
  const actions = new Map([['act', act(() => after(ran++, done))]]);
  const blocked = createPlanRunner({ actions, folder: join(root, 'file', 'results') });
  assert.equal(
    failure(await blocked.execute(plan(), context(plan())), 'UNKNOWN_ERROR').context.code,
    'E_STATE_UNWRITABLE',
  );
  assert.is(ran, 0);
  const folder = join(root, 'results');
  const blockIt: Behaviour = () => {
    rmSync(folder, { recursive: true });
    return after(writeFileSync(folder, ''), done);
  };
  const lost = new Map([['act', act(blockIt)]]);
  const result = await createPlanRunner({ actions: lost, folder }).execute(plan(), context(plan()));
  assert.equal([result.steps_executed, failure(result, 'UNKNOWN_ERROR').context.code], [1, 'E_STATE_UNWRITABLE']);
});

const deaf = () => {
  throw new Error('listener');
};

test('a listener that fails changes nothing, and the others hear everything', async () => {
  const heard: string[] = [];
  const { result, trail } = await execute(plan([step(1), step(2)]), ok, {
    subscribe: [deaf, (event) => void heard.push(`${event.type} ${event.step}`)],
  });
  assert.is(result.status, 'success');
  assert.equal(heard, trail);
});

test('nothing is left waiting when a plan is over', async () => {
  const script = `
    import { createPlanRunner, action } from './src/index.ts';
    import { z } from 'zod';
    const plan = { id: '${id(1)}', version: 1, created_at: 0, name: 'x', steps: [{ id: '${id(2)}', action: 'a' }] };
    const actions = new Map([['a', action({ payload: z.any(), run: async () => ({ kind: 'done' }) })]]);
    const now = Date.now();
    const result = await createPlanRunner({ actions }).execute(plan, { plan, execution_id: '${id(3)}', started_at: now, deadline_ms: now + 300000 });
    console.log(result.status);
  `;
  const { execFileSync } = await import('node:child_process');
  const began = performance.now();
  const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  assert.is(text, 'success\n');
  assert.ok(performance.now() - began < 30_000);
});

test.run();
