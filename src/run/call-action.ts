// One call of an action under the step's time limit: what it answers, throws or ignores becomes a typed end.
import { inspect } from 'node:util';
import { durationText } from '../config/duration.ts';
import { MendError } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { stopAfter } from '../io/signals.ts';
import type { Action, ActionCall, ActionRegistry, Ended, Outcome } from '../plan/action.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { ExecutionContext, Plan, PlanStep } from '../plan/contract.ts';
import type { RunFacts } from '../plan/run-state.ts';
import { Stop, stopReason } from '../plan/stop.ts';
import type { Run } from '../stage/run.ts';
import type { Fleets } from './fleet.ts';

/** One execution of a plan, as its steps see it. */
export interface Execution {
  plan: Plan;
  context: ExecutionContext;
  actions: ActionRegistry;
  /** The run of stages, whose failures are mended; undefined for a caller's own plan. */
  run: Run | undefined;
  clock: Clock;
  /** Aborts when the whole plan must stop. */
  signal: AbortSignal;
  /** How long to wait for an action that was told to stop. */
  graceMs: number;
  /** Attempts of this execution by step id, those of earlier processes included. */
  attempts: Map<string, number>;
  /** When a pause that an earlier process began is over, by step id, in epoch milliseconds. */
  waits: ReadonlyMap<string, number>;
  maxAttempts: number;
  emit: (...events: NewEvent[]) => void;
  /** How often a backend lost an attempt of a step, by step id. */
  losses: Map<string, number>;
  /** No more steps are started. */
  halted: boolean;
  fleets: Fleets;
  /** How its steps stand, once it runs. */
  facts?: RunFacts;
}

/** Makes one attempt, or asks whether one is needed: undefined when it is. Never rejects. */
export async function callAction(step: PlanStep, execution: Execution, hook: 'run'): Promise<Ended>;
export async function callAction(step: PlanStep, execution: Execution, hook: 'upToDate'): Promise<Ended | undefined>;
export async function callAction(
  step: PlanStep,
  execution: Execution,
  hook: 'run' | 'upToDate',
): Promise<Ended | undefined> {
  const { plan, context } = execution;
  const limit = step.timeout_ms ?? plan.timeout_ms;
  const action = execution.actions.get(step.action) as Action;
  const stop = new Stop('STEP_TIMEOUT', `ran past its ${durationText(limit)} and was stopped`);
  const timeout = stopAfter(hook === 'run' && action.keepsTime ? Number.POSITIVE_INFINITY : limit, () => stop);
  const signal = AbortSignal.any([execution.signal, timeout.signal]);
  const attempt = execution.attempts.get(step.id) ?? 0;
  const raceOver = new AbortController();
  try {
    const call = { step, payload: action.payload.parse(step.payload), plan, context, attempt, signal };
    const ran = answerOf(action, hook, call).then(
      (outcome) => (signal.aborted && outcome && isIgnoredLate(outcome, execution) ? STOPPED : outcome),
      (error) => stoppedBy(signal, error),
    );
    const ended = await Promise.race([ran, afterGrace(signal, execution, raceOver.signal)]);
    if (ended?.kind !== 'stopped' || !(ended.late || stopReason(signal) === stop)) return ended;
    const { retryable_error_codes } = step.retry_policy ?? plan.retry_policy;
    const severity = retryable_error_codes.includes('STEP_TIMEOUT') ? 'error' : 'fatal';
    return { kind: 'error', error: executionError('STEP_TIMEOUT', stop.message, { step_id: step.id, severity }) };
  } catch (error) {
    return { kind: 'error', error: thrownError(error, step.id) };
  } finally {
    timeout.cancel();
    raceOver.abort('over');
  }
}

/** What the action answers. Throws when that is no outcome. */
async function answerOf(action: Action, hook: 'run' | 'upToDate', call: ActionCall): Promise<Outcome | undefined> {
  const outcome = await action[hook]?.(call);
  return outcome || hook === 'run' ? checkedOutcome(outcome) : undefined;
}

const STOPPED: Outcome = { kind: 'stopped' };

/** Whether an answer is dropped because it came after the stop. A stage checks its signal itself until the end. */
const isIgnoredLate = ({ kind }: Outcome, { run }: Execution): boolean =>
  !run && (kind === 'done' || kind === 'failed');

function checkedOutcome(outcome: Outcome | undefined): Outcome {
  const { kind, message } = (outcome ?? {}) as Partial<Extract<Outcome, { kind: 'failed' }>> & { kind?: string };
  const silent = ['failed', 'halt', 'lost'].includes(kind ?? '') && typeof message !== 'string';
  if (!['done', 'failed', 'stopped', 'halt', 'lost', 'returned'].includes(kind ?? '') || silent) {
    throw new TypeError(`the action answered with no outcome: ${JSON.stringify(outcome)}`);
  }
  return outcome as Outcome;
}

/** An action may also stop by throwing what its signal aborted with, as everything that takes a signal does. */
function stoppedBy(signal: AbortSignal, error: unknown): Outcome {
  const isAbort = error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
  if (signal.aborted && isAbort) return STOPPED;
  throw error;
}

/** Resolves `stopped` when the signal was ignored for too long; `off` ends the wait. */
function afterGrace(signal: AbortSignal, { clock, graceMs }: Execution, off: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const wait = () => clock.sleep(graceMs, off).then(() => resolve(STOPPED));
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}

/** Whether an error code means that a resource of the machine is used up. */
export const isExhausted = (code: string | undefined) => ['E_DISK_FULL', 'E_LOG_LOST', 'ENOSPC'].includes(code ?? '');

/** A full disk is a resource; anything else an action throws is a bug in it. */
export function thrownError(error: unknown, step_id?: string): ExecutionError {
  const { code, message } = (error ?? {}) as { code?: string; message?: unknown };
  const what = typeof message === 'string' ? message : `threw ${inspect(error)}`;
  const context = { ...(code && { code }), ...(error instanceof MendError && { next: error.next }) };
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
