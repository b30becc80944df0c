// How an attempt ended: one type from the attempt, wherever it was made, through the loop to the schedule; the event that
// records it, and the error that it is for the plan. Pure.
import { inspect } from 'node:util';
import { MendError } from '../errors.ts';
import { type DataOf, EVENTS, type NewEvent } from '../events.ts';
import { CODES, type ExecutionCode, type ExecutionError, executionError, type Severity } from './codes.ts';
import type { PlanStep, RetryPolicy } from './contract.ts';
import { eventLabel } from './matrix.ts';
import { stopReason } from './stop.ts';

/** What a green step returned; `inputs` and `head` are a stage's. */
export type StepResult = DataOf<'step.done'> & Record<string, unknown>;

/** Why a step is not green. */
interface Why {
  readonly message: string;
  /** Default: EXECUTION_HALTED. */
  readonly code?: ExecutionCode | undefined;
  readonly cause?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Why the end of an attempt is unknown. */
export interface Loss {
  /** What the backend calls it: NODE_FAIL, PREEMPTED, no result. */
  readonly code: string;
  /** What a person can do. */
  readonly next: string;
  /** A retry may end otherwise; else a person has to change something first. */
  readonly transient: boolean;
  /** Its command may have run. */
  readonly began: boolean;
  /** What happened, in words that are the same for all attempts that it happened to, and where. */
  readonly what?: string;
  readonly host?: string;
}

export type StageEnd =
  /** `fresh`: it was green before and still holds. */
  | { readonly kind: 'green'; readonly fresh?: boolean; readonly result?: StepResult | undefined }
  /** `again: false`: trying the same once more is pointless or not allowed. */
  | ({ readonly kind: 'failed'; readonly again?: boolean } & Why)
  /** Stopped together with the whole plan, and still to do; `left`: only this step, the others go on. */
  | ({ readonly kind: 'stopped'; readonly left?: true } & Why)
  /** The plan cannot go on, whatever the step's `on_failure`. */
  | ({ readonly kind: 'halted' } & Why)
  | ({ readonly kind: 'lost'; readonly loss: Loss; readonly again?: boolean } & Why)
  /** It did not begin, and counts as no attempt: it is asked for again. */
  | { readonly kind: 'unbegun'; readonly message: string };

export type EndOf<K extends StageEnd['kind']> = Extract<StageEnd, { kind: K }>;

/** What follows an attempt: the step's end, or another attempt after a pause. */
export type Next = { end: StageEnd } | { again: DataOf<'step.retry'> };

export const again = (pause_ms: number, reason: string, tier?: 'wait' | 'fix'): Next => ({
  again: { pause_ms, reason, ...(tier && { tier }) },
});

/** The end that the reason of `signal` means: its own time limit fails a step, anything else stops it. */
export function stopEnd(signal: AbortSignal): EndOf<'failed' | 'stopped'> {
  const { code, message } = stopReason(signal) ?? { code: 'INTERRUPTED', message: 'stopped without a reason' };
  if (code === 'STEP_TIMEOUT') return { kind: 'failed', code, message };
  if (code === 'INTERRUPTED') return { kind: 'stopped', message, context: { interrupted: true } };
  return { kind: 'stopped', code, message };
}

/** The end of a step that has had all its attempts. */
export const usedUp = (most: number): StageEnd => ({
  kind: 'failed',
  code: 'RESOURCE_EXHAUSTED',
  message: `used up its ${most} attempts of this run`,
  again: false,
});

/** Whether an error code means that a resource of the machine is used up. */
const isExhausted = (code: string | undefined): boolean => ['E_DISK_FULL', 'E_LOG_LOST', 'ENOSPC'].includes(code ?? '');

/** Halts the run until a person has mended what the error names. */
export function haltFor({ code, next, problems, message }: MendError): EndOf<'halted'> {
  return { kind: 'halted', message: `${code} ${message}`, context: { human: true, error: code, next, problems } };
}

/** What is thrown where nothing should be: a MendError is for a person, unless a resource is used up. */
export const haltedBy = (error: unknown): EndOf<'halted'> =>
  error instanceof MendError && !isExhausted(error.code) ? haltFor(error) : thrownEnd(error);

/** A full disk is a resource; anything else that an action throws is a bug in it. */
export function thrownEnd(error: unknown): EndOf<'halted'> {
  const { code, message } = (error ?? {}) as { code?: string; message?: unknown };
  return {
    kind: 'halted',
    code: isExhausted(code) ? 'RESOURCE_EXHAUSTED' : 'UNKNOWN_ERROR',
    message: typeof message === 'string' ? message : `threw ${inspect(error)}`,
    cause: causes(error),
    context: { ...(code && { code }), ...(error instanceof MendError && { next: error.next }) },
  };
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

/** As much of a plan as says what an end of its steps means. */
export type Policies = { readonly retry_policy: RetryPolicy };

/** How often and after which codes a step is retried: its own policy, else the plan's. */
export const policyOf = (step: PlanStep, plan: Policies): RetryPolicy => step.retry_policy ?? plan.retry_policy;

/** The error an end is for the plan; undefined where it is none. Without a step: of the plan itself. */
export function errorOf(
  end: EndOf<'failed' | 'stopped' | 'halted' | 'lost'>,
  step?: PlanStep,
  plan?: Policies,
): ExecutionError;
export function errorOf(end: StageEnd, step?: PlanStep, plan?: Policies): ExecutionError | undefined;
export function errorOf(end: StageEnd, step?: PlanStep, plan?: Policies): ExecutionError | undefined {
  if (end.kind === 'green' || end.kind === 'unbegun') return undefined;
  const { code = 'EXECUTION_HALTED', message, cause, context = {} } = end;
  const severity = end.kind === 'failed' ? severityOf(code, step, plan) : CODES[code];
  return executionError(code, message, { step_id: step?.id, severity, cause, context });
}

/** A failed step is an error, unless it ran out of time and may not be retried for that. */
function severityOf(code: ExecutionCode, step: PlanStep | undefined, plan: Policies | undefined): Severity {
  const isFinal = step && plan && !policyOf(step, plan).retryable_error_codes.includes(code);
  return code === 'STEP_TIMEOUT' && isFinal ? 'fatal' : 'error';
}

/** The event that records the end of a step; undefined where nothing began. */
export function endEvent(end: StageEnd, step: PlanStep, plan: Policies): NewEvent | undefined {
  const label = eventLabel(step);
  if (end.kind === 'unbegun') return undefined;
  if (end.kind === 'green')
    return { type: end.fresh ? 'step.fresh' : 'step.done', ...label, status: 'green', data: end.result ?? {} };
  if (end.kind === 'stopped')
    return { type: 'step.interrupted', ...label, status: 'idle', data: { reason: end.message } };
  const { error_code: code, message: reason, severity, context } = errorOf(end, step, plan);
  const facts = { code, reason, severity };
  const data = { ...facts, ...context };
  const status = context.gave_up === undefined ? 'failed' : 'give_up';
  // The context of a caller's own action may be anything.
  return { type: 'step.failed', ...label, status, data: EVENTS['step.failed'].isData(data) ? data : facts };
}

/** Milliseconds to wait before a failed attempt is repeated by the policy of its step; undefined when it is not. */
export function blindRetry(end: StageEnd, attempt: number, step: PlanStep, plan: Policies): number | undefined {
  if (end.kind !== 'failed' || end.again === false || step.on_failure !== 'retry') return undefined;
  const policy = policyOf(step, plan);
  const isAllowed = policy.retryable_error_codes.includes(end.code ?? 'EXECUTION_HALTED');
  if (!isAllowed || attempt >= policy.max_attempts) return undefined;
  if (policy.backoff_ms === 0) return 0;
  return Math.min(policy.backoff_ms * policy.backoff_multiplier ** (attempt - 1), policy.max_backoff_ms);
}

/** Whether no more steps start after this end. */
export function haltsPlan(end: StageEnd, step: PlanStep, plan: Policies): boolean {
  if (end.kind === 'stopped') return end.left !== true;
  const error = errorOf(end, step, plan);
  if (!error) return false;
  // What waits for a person's answer keeps nothing else from going on.
  const goesOn = step.on_failure === 'skip' || error.context.why === 'open_case';
  return end.kind === 'halted' || error.severity === 'fatal' || !goesOn;
}
