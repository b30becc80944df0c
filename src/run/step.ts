// One step of a plan: the look before it, one attempt under its time limit, blind retries, and how it ended.
import { inspect } from 'node:util';
import { itemNumber } from '../backlog/stage-of-item.ts';
import { MendError } from '../errors.ts';
import { EVENTS, type NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { stopAfter } from '../io/signals.ts';
import type { FailedAttempt } from '../mend/identify.ts';
import type { Action, ActionCall, ActionRegistry, Ended, Outcome, StepResult } from '../plan/action.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { ExecutionContext, Plan, PlanStep } from '../plan/contract.ts';
import { eventLabel, stepLabel } from '../plan/matrix.ts';
import { Stop, stopError, stopReason } from '../plan/stop.ts';
import { haltFor } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';
import type { Fleets } from './fleet.ts';

/** One execution of a plan, as its steps need to know it. */
export interface PlanRun {
  plan: Plan;
  context: ExecutionContext;
  actions: ActionRegistry;
  /** Attempts of this execution by step id, those of earlier processes included. */
  attempts: Map<string, number>;
  /** When a pause that an earlier process began is over, by step id, in epoch milliseconds. */
  waits: ReadonlyMap<string, number>;
  maxAttempts: number;
  /** How long an action that was told to stop is waited for. */
  graceMs: number;
  /** Aborts when the whole plan must stop. */
  signal: AbortSignal;
  clock: Clock;
  emit: (...events: NewEvent[]) => void;
  /** Steps that made way for what they need, by id. */
  begun: Set<string>;
  /** How often a backend lost an attempt of a step, by step id. */
  losses: Map<string, number>;
  /** Nothing more is started. */
  halted: boolean;
  fleets: Fleets;
  /** The run of stages that this is, if it is one: its failures are mended. */
  run: Run | undefined;
}

/** How a step ended, as the schedule needs to know it. */
export type StepEnd =
  | { state: 'DONE'; result?: StepResult | undefined }
  | { state: 'FAILED'; error: ExecutionError; halt: boolean }
  /** Stopped from outside; the step is still to do. */
  | { state: 'TODO'; error: ExecutionError }
  /** It goes on when what it needs was made again. */
  | { state: 'TODO'; begun: true }
  /** It could not be said whether it stands; it waits for the next run. */
  | { state: 'SKIPPED'; error: ExecutionError };

/** The end of a step that needs no attempt: the plan has stopped, which changes nothing, or the step is up to date. */
export async function endIfUpToDate(step: PlanStep, plan: PlanRun): Promise<StepEnd | Ended | undefined> {
  const toDo = (stop: Stop): StepEnd => ({ state: 'TODO', error: stopError(stop, step.id) });
  const stop = stopReason(plan.signal);
  if (stop) return toDo(stop);
  plan.fleets.began(step);
  const upToDate = await guarded(step, plan, async (action, call) => {
    const outcome = await action.upToDate?.(call);
    return outcome && checkedOutcome(outcome);
  });
  const stopped = upToDate?.kind === 'stopped' ? stopReason(plan.signal) : undefined;
  // Only a look was stopped: the step is what it was before.
  if (stopped) return toDo(stopped);
  return upToDate;
}

/** Waits for what is left of a pause that an earlier process began. */
export async function finishWait(step: PlanStep, { waits, clock, signal }: PlanRun): Promise<void> {
  const left = (waits.get(step.id) ?? 0) - clock.now();
  if (left > 0) await clock.sleep(left, signal);
}

/** One attempt, unless they are spent. */
export async function runAttempt(step: PlanStep, plan: PlanRun): Promise<{ attempt: number; ended: Ended }> {
  const used = plan.attempts.get(step.id) ?? 0;
  if (used >= plan.maxAttempts) {
    const message = `used up its ${plan.maxAttempts} attempts of this run`;
    const error = executionError('RESOURCE_EXHAUSTED', message, { step_id: step.id, severity: 'error' });
    return { attempt: used, ended: { kind: 'error', error } };
  }
  plan.attempts.set(step.id, used + 1);
  plan.fleets.began(step);
  const ended = await guarded(step, plan, async (action, call) => checkedOutcome(await action.run(call)), true);
  if (ended?.kind === 'returned') plan.attempts.set(step.id, used);
  return { attempt: used + 1, ended: ended as Ended };
}

/** An attempt that failed, or undefined when it did not. `isMendable`: a command failed or ran out of time; no bug, no halt. */
export function failedAttempt(step: PlanStep, { plan, context, clock, run }: PlanRun, attempt: number, ended: Ended) {
  const error = errorOf(step, ended);
  if (!error) return undefined;
  // Nobody's change is to blame for tests of an item that fail before there is one.
  const isUnready = error.context.phase === 'command' && itemNumber(stepLabel(step)) !== undefined;
  const isStartable = !isUnready || (run?.journal.failures.openFixes(stepLabel(step)).length ?? 0) > 0;
  const until = Math.min(context.deadline_ms, context.started_at + plan.timeout_ms);
  return {
    step,
    attempt,
    error,
    mayRunAgain: ended.kind === 'failed' ? ended.again !== false : ended.kind === 'error' && error.severity === 'error',
    isMendable:
      (isStartable && ended.kind === 'failed') || (ended.kind === 'error' && error.error_code === 'STEP_TIMEOUT'),
    timeLeftMs: () => until - clock.now(),
  };
}

/** Milliseconds to wait before the same step is simply tried again, or undefined when it is not. */
export function blindRetry({ plan }: Pick<PlanRun, 'plan'>, failed: Omit<FailedAttempt, 'timeLeftMs'>) {
  const { step, attempt, error, mayRunAgain } = failed;
  const policy = step.retry_policy ?? plan.retry_policy;
  const allowed = step.on_failure === 'retry' && policy.retryable_error_codes.includes(error.error_code);
  if (!mayRunAgain || !allowed || attempt >= policy.max_attempts) return undefined;
  if (policy.backoff_ms === 0) return 0;
  return Math.min(policy.backoff_ms * policy.backoff_multiplier ** (attempt - 1), policy.max_backoff_ms);
}

/** A person can mend what a MendError tells; the run cannot go on. Anything else is a bug. */
export function haltedBy(error: unknown, step: PlanStep): Ended {
  const isForPerson = error instanceof MendError && !isExhausted(error.code);
  return isForPerson ? haltFor(error) : { kind: 'error', error: thrownError(error, step.id) };
}

/** What a backend lost is tried again, within a limit of its own that spends nobody's tries. */
export function mayRetryLoss(step: PlanStep, { losses, run }: PlanRun, again: boolean | undefined): boolean {
  const times = (losses.get(step.id) ?? 0) + 1;
  losses.set(step.id, times);
  const loop = run?.config.loop;
  return again !== false && loop?.retry_failed === true && times <= loop.limits.max_compute_retries;
}

/** Records how a step ended. */
export function endStep(step: PlanStep, plan: PlanRun, ended: Ended): StepEnd {
  const label = eventLabel(step);
  if (ended.kind === 'done') {
    const type = ended.fresh ? 'step.fresh' : 'step.done';
    plan.emit({ type, ...label, status: 'green', data: ended.result ?? {} });
    return { state: 'DONE', result: ended.result };
  }
  if (ended.kind === 'stopped') {
    const stop = stopReason(plan.signal) ?? new Stop('INTERRUPTED', 'stopped without a reason');
    plan.emit({ type: 'step.interrupted', ...label, status: 'idle', data: { reason: stop.message } });
    return { state: 'TODO', error: stopError(stop, step.id) };
  }
  if (ended.kind === 'left') {
    plan.emit({ type: 'step.interrupted', ...label, status: 'idle', data: { reason: ended.reason } });
    return { state: 'SKIPPED', error: executionError('EXECUTION_HALTED', ended.reason, { step_id: step.id }) };
  }
  const error = errorOf(step, ended) as ExecutionError;
  const facts = { code: error.error_code, reason: error.message, severity: error.severity };
  const data = { ...facts, ...error.context };
  const status = error.context.gave_up === undefined ? 'failed' : 'give_up';
  // The context of an action of the caller's own may be anything.
  plan.emit({ type: 'step.failed', ...label, status, data: EVENTS['step.failed'].isData(data) ? data : facts });
  const halt = ended.kind === 'halt' || error.severity === 'fatal' || step.on_failure !== 'skip';
  return { state: 'FAILED', error, halt };
}

function errorOf(step: PlanStep, ended: Ended): ExecutionError | undefined {
  if (ended.kind === 'error') return ended.error;
  if (ended.kind !== 'failed' && ended.kind !== 'halt' && ended.kind !== 'lost') return undefined;
  return executionError('EXECUTION_HALTED', ended.message, { step_id: step.id, context: ended.context ?? {} });
}

/** Runs one call under the step's time limit; what it throws, and time running out, become an error. */
async function guarded(
  step: PlanStep,
  scope: PlanRun,
  run: (action: Action, call: ActionCall) => Promise<Outcome | undefined>,
  isAttempt = false,
): Promise<Ended | undefined> {
  const { plan, context } = scope;
  const limit = step.timeout_ms ?? plan.timeout_ms;
  const action = scope.actions.get(step.action) as Action;
  const stop = new Stop('STEP_TIMEOUT', `ran past its ${limit} ms and was stopped`);
  const timeout = stopAfter(isAttempt && action.keepsTime ? Number.POSITIVE_INFINITY : limit, () => stop);
  const signal = AbortSignal.any([scope.signal, timeout.signal]);
  const attempt = scope.attempts.get(step.id) ?? 0;
  const over = new AbortController();
  try {
    const call = { step, payload: action.payload.parse(step.payload), plan, context, attempt, signal };
    const ran = run(action, call).then(
      (outcome) => (signal.aborted && outcome && isIgnoredLate(outcome, scope) ? STOPPED : outcome),
      (error) => stoppedBy(signal, error),
    );
    const ended = await Promise.race([ran, afterGrace(signal, scope, over.signal)]);
    if (ended?.kind !== 'stopped' || !(ended.late || stopReason(signal) === stop)) return ended;
    const { retryable_error_codes } = step.retry_policy ?? plan.retry_policy;
    const severity = retryable_error_codes.includes('STEP_TIMEOUT') ? 'error' : 'fatal';
    return { kind: 'error', error: executionError('STEP_TIMEOUT', stop.message, { step_id: step.id, severity }) };
  } catch (error) {
    return { kind: 'error', error: thrownError(error, step.id) };
  } finally {
    timeout.cancel();
    over.abort();
  }
}

const STOPPED: Outcome = { kind: 'stopped' };

/** Whether an answer says nothing once its action was told to stop. A stage looks at its signal itself, to the last. */
const isIgnoredLate = ({ kind }: Outcome, { run }: PlanRun): boolean => !run && (kind === 'done' || kind === 'failed');

/** The outcome, if it is one. Throws when an action answered with anything else. */
function checkedOutcome(outcome: Outcome): Outcome {
  const { kind, message } = (outcome ?? {}) as Partial<Extract<Outcome, { kind: 'failed' }>> & { kind?: string };
  const silent = ['failed', 'halt', 'lost'].includes(kind ?? '') && typeof message !== 'string';
  if (!['done', 'failed', 'stopped', 'halt', 'lost', 'returned'].includes(kind ?? '') || silent) {
    throw new TypeError(`the action answered with no outcome: ${JSON.stringify(outcome)}`);
  }
  return outcome;
}

/** An action may also stop by throwing what its signal aborted with, as everything that takes a signal does. */
function stoppedBy(signal: AbortSignal, error: unknown): Outcome {
  const isAbort = error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
  if (signal.aborted && isAbort) return STOPPED;
  throw error;
}

/** Resolves `stopped` when the signal was ignored for too long; `off` ends the wait. */
function afterGrace(signal: AbortSignal, { clock, graceMs }: PlanRun, off: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const wait = () => clock.sleep(graceMs, off).then(() => resolve(STOPPED));
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}

const isExhausted = (code: string | undefined) => ['E_DISK_FULL', 'E_LOG_LOST', 'ENOSPC'].includes(code ?? '');

/** A full disk is a resource; anything else an action throws is a bug in it. */
export function thrownError(error: unknown, step_id?: string): ExecutionError {
  const { code, message } = (error ?? {}) as { code?: string; message?: unknown };
  const what = typeof message === 'string' ? message : `threw ${inspect(error)}`;
  const context = code ? { code } : {};
  return executionError(isExhausted(code) ? 'RESOURCE_EXHAUSTED' : 'UNKNOWN_ERROR', what, {
    step_id,
    cause: causes(error),
    context,
  });
}

const MAX_CAUSES = 10;

/** The stack of an error and of what caused it, down to the first; undefined for what has none. */
function causes(error: unknown): string | undefined {
  const parts: string[] = [];
  for (let at = error; parts.length < MAX_CAUSES && at !== undefined && at !== null; ) {
    const { stack, cause } = at as { stack?: unknown; cause?: unknown };
    if (typeof stack === 'string') parts.push(stack);
    else if (parts.length > 0) parts.push(typeof at === 'string' ? at : inspect(at));
    at = cause;
  }
  return parts.length > 0 ? parts.join('\ncaused by: ') : undefined;
}
