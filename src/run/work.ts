// Work on one step until it ended: settled already, or attempts until done, failed, capped or stopped.
import { inspect } from 'node:util';
import { MendError } from '../errors.ts';
import type { Happening } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Mender } from '../mend/failed-attempt.ts';
import type { Action, ActionCall, ActionRegistry, Outcome } from '../plan/action.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { ExecutionContext, Plan, PlanStep } from '../plan/contract.ts';
import { eventLabel } from '../plan/step-label.ts';
import { Stop, stopError, stopReason } from '../plan/stop.ts';
import type { StepEnd } from './drive.ts';
import { nextTry, policyOf } from './retry.ts';
import { stopAfter } from './stop-after.ts';

export interface WorkScope {
  plan: Plan;
  context: ExecutionContext;
  actions: ActionRegistry;
  /** Attempts of this execution by step id, those of earlier processes included. */
  attempts: Map<string, number>;
  /** When a pause that an earlier process began is over, by step id, in epoch milliseconds. */
  waits: ReadonlyMap<string, number>;
  maxAttempts: number;
  /** Aborts when the whole plan must stop. */
  signal: AbortSignal;
  clock: Clock;
  emit: (...happenings: Happening[]) => void;
  /** Asked about a failed attempt once blind retries are spent. Without it a failure is the step's end. */
  mender?: Mender | undefined;
}

/** What a call came to: what the action said, or what kept it from saying anything. */
type Ended = Outcome | { kind: 'error'; error: ExecutionError };

/** An action that ignores its signal is given up on after this long. */
const DEAF_MS = 60_000;

/** Never rejects, unless an event cannot be recorded. */
export async function workOnStep(step: PlanStep, scope: WorkScope): Promise<StepEnd> {
  const stop = stopReason(scope.signal);
  if (stop) return { state: 'TODO', error: stopError(stop, step.id) };
  const action = scope.actions.get(step.action) as Action;
  const settled = await guarded(step, scope, async (call) => {
    const outcome = await action.settled?.(call);
    return outcome && sound(outcome);
  });
  const stopped = settled?.kind === 'stopped' ? stopReason(scope.signal) : undefined;
  // Only a look was stopped: the step is what it was before.
  if (stopped) return { state: 'TODO', error: stopError(stopped, step.id) };
  if (settled) return finish(step, scope, settled);
  scope.emit({ type: 'step.started', ...eventLabel(step), status: 'running', data: {} });
  const wait = (scope.waits.get(step.id) ?? 0) - scope.clock.now();
  if (wait > 0) await scope.clock.sleep(wait, scope.signal);
  if (scope.signal.aborted) return finish(step, scope, { kind: 'stopped' });
  for (;;) {
    const used = scope.attempts.get(step.id) ?? 0;
    if (used >= scope.maxAttempts) return finish(step, scope, { kind: 'error', error: capped(step, scope) });
    scope.attempts.set(step.id, used + 1);
    const ended = (await guarded(step, scope, async (call) => sound(await action.run(call)))) as Ended;
    const next = await afterFailure(step, scope, ended, used + 1);
    if ('end' in next) return finish(step, scope, await overWith(step, scope, next.end));
    scope.emit({ type: 'step.retry', ...eventLabel(step), attempt: used + 1, data: next.data });
    await scope.clock.sleep(next.data.pause_ms, scope.signal);
    if (scope.signal.aborted) return finish(step, scope, await overWith(step, scope, { kind: 'stopped' }));
  }
}

type AfterFailure = { end: Ended } | { data: { pause_ms: number; reason: string; tier?: 'wait' | 'fix' } };

/** Blind retries first, then triage; `end` when the step is not run again. */
async function afterFailure(step: PlanStep, scope: WorkScope, ended: Ended, attempt: number): Promise<AfterFailure> {
  const error = asError(step, ended);
  if (!error) return { end: ended };
  const again = mayTryAgain(ended);
  const pause = again ? nextTry(scope.plan, step, error.error_code, attempt) : undefined;
  if (pause !== undefined) return { data: { pause_ms: pause, reason: error.message } };
  if (!scope.mender || !isFailure(ended)) return { end: ended };
  try {
    const timeLeftMs = () => timeLeft(scope);
    const triaged = await scope.mender.failed({ step, attempt, error, mayRunAgain: again, timeLeftMs });
    const { pauseMs, reason, context, tier } = triaged;
    if (pauseMs !== undefined) return { data: { pause_ms: pauseMs, reason, ...(tier ? { tier } : {}) } };
    return { end: { kind: 'error', error: { ...error, context: { ...error.context, ...context } } } };
  } catch (thrown) {
    return { end: halted(thrown, step) };
  }
}

/** What the step came to, once whoever mends has settled its fixes. */
async function overWith(step: PlanStep, scope: WorkScope, ended: Ended): Promise<Ended> {
  try {
    await scope.mender?.ended(step, ended.kind === 'done');
    return ended;
  } catch (thrown) {
    return halted(thrown, step);
  }
}

/** A person can mend what a MendError tells; the run cannot go on. Anything else is a bug. */
function halted(thrown: unknown, step: PlanStep): Ended {
  if (!(thrown instanceof MendError) || thrown.code === 'E_DISK_FULL') {
    return { kind: 'error', error: thrownError(thrown, step.id) };
  }
  const { code, next, problems, message } = thrown;
  return { kind: 'halt', message: `${code} ${message}`, context: { human: true, error: code, next, problems } };
}

/** A command that failed or ran out of time; not a bug of an action, and not a run that must halt. */
const isFailure = (ended: Ended): boolean =>
  ended.kind === 'failed' || (ended.kind === 'error' && ended.error.error_code === 'STEP_TIMEOUT');

const timeLeft = ({ plan, context, clock }: WorkScope): number =>
  Math.min(context.deadline_ms, context.started_at + plan.timeout_ms) - clock.now();

/** Runs one call under the step's time limit; what it throws, and time running out, become an error. */
async function guarded(
  step: PlanStep,
  scope: WorkScope,
  run: (call: ActionCall) => Promise<Outcome | undefined>,
): Promise<Ended | undefined> {
  const limit = step.timeout_ms ?? scope.plan.timeout_ms;
  const stop = new Stop('STEP_TIMEOUT', `ran past its ${limit} ms and was stopped`);
  const timeout = stopAfter(limit, () => stop);
  const signal = AbortSignal.any([scope.signal, timeout.signal]);
  const { plan, context } = scope;
  const attempt = scope.attempts.get(step.id) ?? 0;
  const deaf = new AbortController();
  try {
    const payload = scope.actions.get(step.action)?.payload.parse(step.payload);
    const call = { step, payload, plan, context, attempt, signal };
    const ran = run(call).catch((error) => stoppedBy(signal, error));
    const ended = await Promise.race([ran, givenUp(signal, scope.clock, deaf.signal)]);
    const late = ended?.kind === 'stopped' && stopReason(signal) === stop;
    return late ? { kind: 'error', error: timeoutError(step, scope, stop) } : ended;
  } catch (error) {
    return { kind: 'error', error: thrownError(error, step.id) };
  } finally {
    timeout.cancel();
    deaf.abort();
  }
}

/** The outcome, if it is one. Throws when an action answered with anything else. */
function sound(outcome: Outcome): Outcome {
  const { kind, message } = (outcome ?? {}) as Partial<Extract<Outcome, { kind: 'failed' }>> & { kind?: string };
  const silent = (kind === 'failed' || kind === 'halt') && typeof message !== 'string';
  if (!['done', 'failed', 'stopped', 'halt'].includes(kind ?? '') || silent) {
    throw new TypeError(`the action answered with no outcome: ${JSON.stringify(outcome)}`);
  }
  return outcome;
}

/** An action may also stop by throwing what its signal aborted with, as everything that takes a signal does. */
function stoppedBy(signal: AbortSignal, error: unknown): Outcome {
  const isAbort = error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
  if (signal.aborted && isAbort) return { kind: 'stopped' };
  throw error;
}

function finish(step: PlanStep, scope: WorkScope, ended: Ended): StepEnd {
  if (ended.kind === 'done') {
    const type = ended.fresh ? 'step.fresh' : 'step.done';
    scope.emit({ type, ...eventLabel(step), status: 'green', data: ended.result ?? {} });
    return { state: 'DONE', result: ended.result };
  }
  if (ended.kind === 'stopped') {
    const stop = stopReason(scope.signal) ?? new Stop('INTERRUPTED', 'stopped without a reason');
    scope.emit({ type: 'step.interrupted', ...eventLabel(step), status: 'idle', data: { reason: stop.message } });
    return { state: 'TODO', error: stopError(stop, step.id) };
  }
  const error = asError(step, ended) as ExecutionError;
  const data = { code: error.error_code, reason: error.message, severity: error.severity, ...error.context };
  const status = error.context.gave_up === undefined ? 'failed' : 'give_up';
  scope.emit({ type: 'step.failed', ...eventLabel(step), status, data });
  const halt = ended.kind === 'halt' || error.severity === 'fatal' || step.on_failure !== 'skip';
  return { state: 'FAILED', error, halt };
}

function asError(step: PlanStep, ended: Ended): ExecutionError | undefined {
  if (ended.kind === 'error') return ended.error;
  if (ended.kind !== 'failed' && ended.kind !== 'halt') return undefined;
  return executionError('EXECUTION_HALTED', ended.message, { step_id: step.id, context: ended.context ?? {} });
}

function mayTryAgain(ended: Ended): boolean {
  return ended.kind === 'failed' ? ended.again !== false : ended.kind === 'error' && ended.error.severity === 'error';
}

function capped(step: PlanStep, scope: WorkScope): ExecutionError {
  return executionError('RESOURCE_EXHAUSTED', `used up its ${scope.maxAttempts} attempts of this run`, {
    step_id: step.id,
    severity: 'error',
  });
}

function timeoutError(step: PlanStep, scope: WorkScope, stop: Stop): ExecutionError {
  const retryable = policyOf(scope.plan, step).retryable_error_codes.includes('STEP_TIMEOUT');
  return executionError('STEP_TIMEOUT', stop.message, { step_id: step.id, severity: retryable ? 'error' : 'fatal' });
}

/** A full disk is a resource; anything else an action throws is a bug in it. */
export function thrownError(error: unknown, step_id?: string): ExecutionError {
  const { code, message, stack } = (error ?? {}) as { code?: string; message?: unknown; stack?: string };
  const full = code === 'E_DISK_FULL' || code === 'ENOSPC';
  const what = typeof message === 'string' ? message : `threw ${inspect(error)}`;
  return executionError(full ? 'RESOURCE_EXHAUSTED' : 'UNKNOWN_ERROR', what, {
    ...(step_id ? { step_id } : {}),
    ...(stack && !full ? { cause: stack } : {}),
    context: code ? { code } : {},
  });
}

/** Resolves `stopped` when the signal was ignored for too long; `off` ends the wait. */
function givenUp(signal: AbortSignal, clock: Clock, off: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const wait = () => clock.sleep(DEAF_MS, off).then(() => resolve({ kind: 'stopped' }));
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}
