// One step of a plan around its attempts: what ends it before one, one attempt, and recording its end.
import { isItemStage } from '../backlog/stage-of-item.ts';
import type { NewEvent } from '../events.ts';
import type { FailedAttempt } from '../mend/failed-cell.ts';
import { settleDropped } from '../mend/item-fault.ts';
import { type OtherSteps, settleSuspicion, settleTrial } from '../mend/judge-trial.ts';
import { needsOf } from '../plan/compile.ts';
import type { Plan, PlanStep } from '../plan/contract.ts';
import { stagePayload, stepLabel } from '../plan/matrix.ts';
import type { RunFacts } from '../plan/run-state.ts';
import { type EndOf, endEvent, haltedBy, type StageEnd, stopEnd, usedUp } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { StageAction } from '../stage/stage-action.ts';
import type { Fleets } from './fleet.ts';
import { endWithin } from './within-limits.ts';

/** An execution, as its steps see it. */
export interface Execution {
  readonly plan: Plan;
  readonly run: Run;
  readonly action: StageAction;
  /** Aborts when the whole run must stop. */
  readonly signal: AbortSignal;
  /** When the time of the run is up, in epoch milliseconds. */
  readonly endsAt: number;
  readonly emit: (...events: NewEvent[]) => void;
  readonly fleets: Fleets;
  /** How its steps stand. */
  readonly facts: RunFacts;
  /** No more steps are started. */
  halted: boolean;
}

/** The end of a step that is up to date, or that the run's stop leaves as it was; undefined when it needs an attempt. */
export async function endIfUpToDate(step: PlanStep, execution: Execution): Promise<StageEnd | undefined> {
  const { signal, fleets } = execution;
  if (signal.aborted) return stopEnd(signal);
  fleets.started(step);
  return lookAtStep(step, execution);
}

/** How often one stage is made again in one run because fixes made it stale. */
const MAX_REMADE = 10;

/** The end of a step that must not begin an attempt: the run was stopped, or what it needs is stale and is made again first. */
export function endBeforeAttempt(step: PlanStep, { signal, run }: Execution): StageEnd | undefined {
  if (signal.aborted) return stopEnd(signal);
  const { stages } = run.journal.stages;
  if (!Object.values(stages).some((record) => record.stale)) return undefined;
  const stale = needsOf(run.config.map, stagePayload(step).stage).filter((name) => stages[name]?.stale);
  if (stale.length === 0) return undefined;
  const often = stale.find((name) => run.journal.failures.timesGreen(name) > MAX_REMADE);
  if (!often) return { kind: 'unbegun', message: `${stale.join(', ')}, which it needs, is made again first` };
  return { kind: 'failed', message: `${often}, which it needs, was made again ${MAX_REMADE} times in this run` };
}

/** Waits for what is left of a pause that an earlier process began. */
export async function finishWait(step: PlanStep, { run: { clock, journal }, signal }: Execution): Promise<void> {
  const leftMs = journal.steps.pauseLeftMs(stepLabel(step), clock.now());
  if (leftMs > 0) await clock.sleep(leftMs, signal);
}

/** Makes one attempt, unless all are used up. One that did not begin does not count. */
export async function runAttempt(step: PlanStep, execution: Execution): Promise<{ attempt: number; end: StageEnd }> {
  const { run, fleets } = execution;
  const used = run.journal.steps.attempts(stepLabel(step));
  const most = run.config.loop.limits.stage_attempts;
  if (used >= most) return { attempt: used, end: usedUp(most) };
  fleets.started(step);
  return { attempt: used + 1, end: await attemptStep(step, used + 1, execution) };
}

/** A stage ends its own processes: only a bug makes it take this long. */
const GRACE_MS = 60_000;

/** Makes one attempt of a step. Never rejects. */
function attemptStep(step: PlanStep, attempt: number, execution: Execution): Promise<StageEnd> {
  const { action } = execution;
  const limits = limitsOf(step, execution);
  const limitMs = action.keepsTime ? Number.POSITIVE_INFINITY : limits.limitMs;
  const payload = stagePayload(step);
  return endWithin((signal) => action.attempt({ payload, attempt, signal }), { ...limits, limitMs });
}

/** The end of a step that needs no attempt; undefined when it needs one. Never rejects. */
function lookAtStep(step: PlanStep, execution: Execution): Promise<StageEnd | undefined> {
  const { action, run } = execution;
  const attempt = run.journal.steps.attempts(stepLabel(step));
  const payload = stagePayload(step);
  return endWithin((signal) => action.upToDate({ payload, attempt, signal }), limitsOf(step, execution));
}

const limitsOf = (step: PlanStep, { plan, signal, run: { clock } }: Execution) => ({
  limitMs: step.timeout_ms ?? plan.timeout_ms,
  signal,
  graceMs: GRACE_MS,
  clock,
});

/** The attempt if its failure is to be mended: a command failed or ran out of time; it is no bug and no halt. */
export function failedAttempt(step: PlanStep, execution: Execution, attempt: number, end: EndOf<'failed'>) {
  const { run, endsAt } = execution;
  // Tests of an item that fail before anything was changed for it are its owner's to mend.
  const isItemTest = end.context?.phase === 'command' && isItemStage(stepLabel(step));
  const isForOwner = isItemTest && run.journal.failures.trialOf(stepLabel(step)) === undefined;
  if (isForOwner || end.code === 'RESOURCE_EXHAUSTED') return undefined;
  const failed: FailedAttempt = { step, attempt, end, timeLeftMs: () => endsAt - run.clock.now() };
  return failed;
}

/** Whether an attempt that a backend lost is repeated. Losses have a limit of their own and spend no tries. */
export function mayRetryLoss(step: PlanStep, { run }: Execution, end: EndOf<'lost'>): boolean {
  const { retry_failed, limits } = run.config.loop;
  const times = run.journal.steps.losses(stepLabel(step));
  return end.again !== false && retry_failed && times <= limits.max_compute_retries;
}

/**
 * Ends a step, and the trial with it where that is over. Of a step that is not green the trial is undone before its end is recorded,
 * so that it fails with what it was made from; one that did not begin is suspended, and records nothing.
 */
export async function endStep(step: PlanStep, execution: Execution, end: StageEnd): Promise<StageEnd> {
  const { fleets } = execution;
  if (end.kind === 'unbegun') {
    fleets.markIdle(step);
    return end;
  }
  // Of several cells that end at the same time, the last one ends their trial.
  fleets.markEnding(step);
  const recorded = await recordEnd(step, execution, end).catch((error) => {
    const halt = haltedBy(error);
    record(step, execution, halt);
    return halt;
  });
  fleets.ended(step);
  return recorded;
}

async function recordEnd(step: PlanStep, execution: Execution, end: StageEnd): Promise<StageEnd> {
  const { run } = execution;
  const endTrial = () => settleTrial(run, otherSteps(execution));
  if (end.kind !== 'green') await endTrial();
  else {
    settleSuspicion(run, stepLabel(step));
    await settleDropped(run, stepLabel(step));
  }
  record(step, execution, end);
  if (end.kind === 'green') await endTrial();
  return end;
}

function record(step: PlanStep, { emit, plan }: Execution, end: StageEnd): void {
  const event = endEvent(end, step, plan);
  if (event) emit(event);
}

/** How the other steps stand, as of each call. */
export function otherSteps(execution: Execution): OtherSteps {
  const { facts, fleets, plan, run } = execution;
  const byLabel = new Map(plan.steps.map((step) => [stepLabel(step), step]));
  const stages = new Map(plan.steps.map((step) => [step.id, stagePayload(step).stage]));
  const isOut = (id: string) => /FAILED|SKIPPED/.test(facts.states.get(id) ?? '');
  const waits = (stage: string) => {
    const { trial } = run.journal.failures;
    return fleets.isMending(stage) && stage !== trial?.stage && !trial?.stale.has(stage);
  };
  return {
    isMending: (stage) => fleets.isMending(stage),
    canRun(label) {
      const step = byLabel.get(label);
      if (!step || execution.halted || fleets.isEnding(label)) return false;
      return [step.id, ...facts.needsOf(step.id)].every((id) => !isOut(id) && !waits(stages.get(id) as string));
    },
  };
}
