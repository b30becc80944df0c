// One step of a plan around its attempts: what ends it before one, one attempt, blind retries, and recording its end.
import { isItemStage } from '../backlog/stage-of-item.ts';
import { MendError } from '../errors.ts';
import { EVENTS } from '../events.ts';
import type { FailedAttempt } from '../mend/failed-cell.ts';
import { settleDropped } from '../mend/item-fault.ts';
import { type OtherSteps, settleSuspicion, settleTrial } from '../mend/judge-trial.ts';
import type { Ended, StepResult } from '../plan/action.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import { needsOf } from '../plan/compile.ts';
import type { PlanStep, RetryPolicy } from '../plan/contract.ts';
import { eventLabel, stagePayload, stepLabel } from '../plan/matrix.ts';
import { Stop, stopError, stopReason } from '../plan/stop.ts';
import { haltFor } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';
import { callAction, type Execution, isExhausted, thrownError } from './call-action.ts';

/** How a step ended, for the schedule. */
export type StepEnd =
  | { state: 'DONE'; result?: StepResult | undefined }
  | { state: 'FAILED'; error: ExecutionError; halt: boolean }
  /** Stopped from outside: still to do. */
  | { state: 'TODO'; error: ExecutionError }
  | { state: 'SUSPENDED' }
  | { state: 'SKIPPED'; error: ExecutionError };

/** The end of a step that is up to date, or that the plan's stop leaves as it was; undefined when it needs an attempt. */
export async function endIfUpToDate(step: PlanStep, execution: Execution): Promise<Ended | undefined> {
  const { signal, fleets } = execution;
  if (!signal.aborted) fleets.started(step);
  const ended: Ended | undefined = signal.aborted ? { kind: 'stopped' } : await callAction(step, execution, 'upToDate');
  const stop = ended?.kind === 'stopped' ? stopReason(signal) : undefined;
  return stop ? { kind: 'unbegun', error: stopError(stop, step.id) } : ended;
}

/** How often one stage is made again in one run because fixes made it stale. */
const MAX_REMADE = 10;

/** The end of a step that must not begin an attempt: the plan was stopped, or what it needs is stale and is made again first. */
export function endBeforeAttempt(step: PlanStep, { signal, run }: Execution): Ended | undefined {
  if (signal.aborted) return { kind: 'stopped' };
  if (!run) return undefined;
  const { stages } = run.journal.stages;
  if (!Object.values(stages).some((record) => record.stale)) return undefined;
  const stale = needsOf(run.config.map, stagePayload(step).stage).filter((name) => stages[name]?.stale);
  if (stale.length === 0) return undefined;
  const often = stale.find((name) => run.journal.failures.timesGreen(name) > MAX_REMADE);
  if (!often) return { kind: 'suspended' };
  const message = `${often}, which it needs, was made again ${MAX_REMADE} times in this run`;
  return { kind: 'failed', message, context: {} };
}

/** Waits for what is left of a pause that an earlier process began. */
export async function finishWait(step: PlanStep, { waits, clock, signal }: Execution): Promise<void> {
  const leftMs = (waits.get(step.id) ?? 0) - clock.now();
  if (leftMs > 0) await clock.sleep(leftMs, signal);
}

/** Makes one attempt, unless all are used up. One that did not begin does not count; `returned`: it may begin at once. */
export async function runAttempt(step: PlanStep, execution: Execution): Promise<{ attempt: number; ended: Ended }> {
  const { attempts, maxAttempts, fleets } = execution;
  const used = attempts.get(step.id) ?? 0;
  if (used >= maxAttempts) {
    const message = `used up its ${maxAttempts} attempts of this run`;
    const error = executionError('RESOURCE_EXHAUSTED', message, { step_id: step.id, severity: 'error' });
    return { attempt: used, ended: { kind: 'error', error } };
  }
  attempts.set(step.id, used + 1);
  fleets.started(step);
  const ended = await callAction(step, execution, 'run');
  if (ended.kind !== 'returned') return { attempt: used + 1, ended };
  attempts.set(step.id, used);
  if (execution.halted) return { attempt: used, ended: { kind: 'left', reason: 'the run halted before it began' } };
  return { attempt: used, ended: fleets.isHeld(step) ? { kind: 'suspended' } : ended };
}

/** The attempt if it failed. `isMendable`: a command failed or ran out of time; it is no bug and no halt. */
export function failedAttempt(step: PlanStep, { plan, context, clock, run }: Execution, attempt: number, ended: Ended) {
  const error = errorOf(step, ended);
  if (!error) return undefined;
  // Tests of an item that fail before anything was changed for it are its owner's to mend.
  const isItemTest = error.context.phase === 'command' && isItemStage(stepLabel(step));
  const isForOwner = isItemTest && run?.journal.failures.trialOf(stepLabel(step)) === undefined;
  const until = Math.min(context.deadline_ms, context.started_at + plan.timeout_ms);
  return {
    step,
    attempt,
    error,
    mayRunAgain: ended.kind === 'failed' ? ended.again !== false : ended.kind === 'error' && error.severity === 'error',
    isMendable:
      (ended.kind === 'failed' && !isForOwner) || (ended.kind === 'error' && error.error_code === 'STEP_TIMEOUT'),
    timeLeftMs: () => until - clock.now(),
  };
}

/** Milliseconds to wait before the step is retried by its policy; undefined when it is not. */
export function blindRetry(plan: { retry_policy: RetryPolicy }, failed: Omit<FailedAttempt, 'timeLeftMs'>) {
  const { step, attempt, error, mayRunAgain } = failed;
  const policy = step.retry_policy ?? plan.retry_policy;
  const allowed = step.on_failure === 'retry' && policy.retryable_error_codes.includes(error.error_code);
  if (!mayRunAgain || !allowed || attempt >= policy.max_attempts) return undefined;
  if (policy.backoff_ms === 0) return 0;
  return Math.min(policy.backoff_ms * policy.backoff_multiplier ** (attempt - 1), policy.max_backoff_ms);
}

/** A MendError is for a person, and halts the run; anything else is a bug. */
export function haltedBy(error: unknown, step: PlanStep): Ended {
  const isForPerson = error instanceof MendError && !isExhausted(error.code);
  return isForPerson ? haltFor(error) : { kind: 'error', error: thrownError(error, step.id) };
}

/** Whether an attempt that a backend lost is repeated. Losses have a limit of their own and spend no tries. */
export function mayRetryLoss(step: PlanStep, { losses, run }: Execution, again: boolean | undefined): boolean {
  const times = (losses.get(step.id) ?? 0) + 1;
  losses.set(step.id, times);
  const loop = run?.config.loop;
  return again !== false && loop?.retry_failed === true && times <= loop.limits.max_compute_retries;
}

/**
 * Ends a step, and the trial with it where that is over. Of a step that is not green the trial is undone before its end is recorded,
 * so that it fails with what it was made from; a step that is suspended, or was stopped before it began, records nothing.
 */
export async function endStep(step: PlanStep, execution: Execution, ended: Ended): Promise<StepEnd> {
  const { run, fleets } = execution;
  if (ended.kind === 'suspended' || ended.kind === 'unbegun') {
    fleets.markIdle(step);
    return ended.kind === 'suspended' ? { state: 'SUSPENDED' } : { state: 'TODO', error: ended.error };
  }
  if (!run) return recordStepEnd(step, execution, ended);
  // Of several cells that end at the same time, the last one settles their trial.
  fleets.markSettling(step);
  const settled = async () => settleTrial(run, otherSteps(execution, run));
  const halted = (error: unknown) => recordStepEnd(step, execution, haltedBy(error, step));
  let end: StepEnd;
  try {
    if (ended.kind === 'done') {
      settleSuspicion(run, stepLabel(step));
      await settleDropped(run, stepLabel(step));
    } else await settled();
    end = recordStepEnd(step, execution, ended);
    if (ended.kind === 'done') await settled();
  } catch (error) {
    end = halted(error);
  }
  fleets.ended(step, run);
  return end;
}

/** How the other steps stand, for the trial that is open. */
export function otherSteps({ facts, fleets, halted, plan }: Execution, run: Run): OtherSteps {
  const ids = new Map(plan.steps.map((step) => [stepLabel(step), step.id]));
  const isOut = (id: string) => /FAILED|SKIPPED/.test(facts?.states.get(id) ?? '');
  const stages = new Map(plan.steps.map((step) => [step.id, stagePayload(step).stage]));
  const { trial } = run.journal.failures;
  const waits = (stage: string) => fleets.isMending(stage) && stage !== trial?.stage && !trial?.stale.has(stage);
  return {
    isMending: fleets.isMending,
    canRun(label) {
      const id = ids.get(label);
      if (id === undefined || !facts || halted || fleets.isSettling(label)) return false;
      return [id, ...facts.needsOf(id)].every((each) => !isOut(each) && !waits(stages.get(each) as string));
    },
  };
}

function recordStepEnd(step: PlanStep, { emit, signal }: Execution, ended: Ended): StepEnd {
  const label = eventLabel(step);
  if (ended.kind === 'done') {
    const type = ended.fresh ? 'step.fresh' : 'step.done';
    emit({ type, ...label, status: 'green', data: ended.result ?? {} });
    return { state: 'DONE', result: ended.result };
  }
  if (ended.kind === 'stopped') {
    const stop = stopReason(signal) ?? new Stop('INTERRUPTED', 'stopped without a reason');
    emit({ type: 'step.interrupted', ...label, status: 'idle', data: { reason: stop.message } });
    return { state: 'TODO', error: stopError(stop, step.id) };
  }
  if (ended.kind === 'left') {
    emit({ type: 'step.interrupted', ...label, status: 'idle', data: { reason: ended.reason } });
    return { state: 'SKIPPED', error: executionError('EXECUTION_HALTED', ended.reason, { step_id: step.id }) };
  }
  const error = errorOf(step, ended) as ExecutionError;
  const facts = { code: error.error_code, reason: error.message, severity: error.severity };
  const data = { ...facts, ...error.context };
  const status = error.context.gave_up === undefined ? 'failed' : 'give_up';
  // The context of a caller's own action may be anything.
  emit({ type: 'step.failed', ...label, status, data: EVENTS['step.failed'].isData(data) ? data : facts });
  // What waits for a person's answer keeps nothing else from going on.
  const goesOn = step.on_failure === 'skip' || error.context.why === 'open_case';
  const halt = ended.kind === 'halt' || error.severity === 'fatal' || !goesOn;
  return { state: 'FAILED', error, halt };
}

function errorOf(step: PlanStep, ended: Ended): ExecutionError | undefined {
  if (ended.kind === 'error') return ended.error;
  if (ended.kind !== 'failed' && ended.kind !== 'halt' && ended.kind !== 'lost') return undefined;
  return executionError('EXECUTION_HALTED', ended.message, { step_id: step.id, context: ended.context ?? {} });
}
