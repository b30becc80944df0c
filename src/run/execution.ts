// One execution of a run's plan: each step driven and mended, in the order of the schedule, within the limits of the run.
import { recordOf } from '../journal/stages.ts';
import { staleBy } from '../mend/trial.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import { stepId } from '../plan/compile.ts';
import type { Plan, PlanResult, PlanStep } from '../plan/contract.ts';
import { eventLabel, stepLabel } from '../plan/matrix.ts';
import { planResult } from '../plan/result.ts';
import { RunFacts, type StepState } from '../plan/run-state.ts';
import { linear, parallel } from '../plan/scheduler.ts';
import { type StageEnd, stopEnd } from '../plan/stage-end.ts';
import type { Backend } from '../stage/backend.ts';
import type { Run } from '../stage/run.ts';
import { stageAction } from '../stage/stage-action.ts';
import { answeredSteps } from './answered.ts';
import { driveStep } from './drive.ts';
import { openFleets } from './fleet.ts';
import { runSchedule } from './schedule.ts';
import { type Execution, endStep } from './step.ts';
import { withinPlanLimits } from './within-limits.ts';

/** How the steps of an execution stand, up to date. */
export interface GraphView {
  readonly plan: Plan;
  readonly states: ReadonlyMap<string, StepState>;
  /** By step id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Whether a step must not start yet. */
  isHeld(step: PlanStep): boolean;
}

/** What an earlier process already did of an execution, by step id. */
export interface ResumeFacts {
  /** Whatever else it had begun is to do again. */
  readonly done: ReadonlySet<string>;
  readonly attempts: ReadonlyMap<string, number>;
  /** When a pause between two attempts is over, in epoch milliseconds. */
  readonly waits: ReadonlyMap<string, number>;
  /** How often attempts of a step were lost. */
  readonly losses: ReadonlyMap<string, number>;
  /** Running time already spent, dead time not counted. */
  readonly spentMs: number;
}

export interface ExecutionRequest {
  readonly plan: Plan;
  readonly executionId: string;
  /** In epoch milliseconds; dead time of earlier processes not counted. */
  readonly startedAt: number;
  readonly deadlineMs: number;
  readonly resume: ResumeFacts;
  readonly backend: Backend;
  readonly workers: number;
  /** Called once, before the first step. */
  watch(graph: GraphView): void;
}

/** Drives a run to its end. Never rejects for anything that its stages do. */
export async function executeRun(run: Run, request: ExecutionRequest): Promise<PlanResult> {
  const { plan, executionId, startedAt, deadlineMs, resume, backend } = request;
  const { clock, journal, signal: outer } = run;
  const began = clock.monotonic();
  const workers = backend.width ?? request.workers;
  const limits = { plan, deadlineMs, spentMs: resume.spentMs, clock, signal: outer };
  const drive = async (signal: AbortSignal, emit: Execution['emit']) => {
    const fleets = openFleets(plan.steps, (stage) => backend.hold?.(stage));
    const facts = new RunFacts(plan, resume.done);
    const execution: Execution = {
      plan,
      run,
      action: stageAction(run, backend, request.workers),
      signal,
      endsAt: Math.min(deadlineMs, startedAt + plan.timeout_ms),
      attempts: new Map(resume.attempts),
      waits: resume.waits,
      losses: new Map(resume.losses),
      emit,
      fleets,
      facts,
      halted: false,
    };
    request.watch({ plan, states: facts.states, attempts: execution.attempts, isHeld: fleets.isHeld });
    return runSchedule(plan, facts, {
      scheduler: workers > 1 ? parallel : linear,
      workers,
      driveStep: (step, isResumed) => driveStep(step, execution, isResumed),
      endSuspended: (step, because) => endStep(step, execution, endWithoutTurn(step, execution, because)),
      skipped(step, { error_code: code, message: reason }) {
        emit({ type: 'step.skipped', ...eventLabel(step), status: 'skipped', data: { code, reason } });
        fleets.ended(step);
      },
      halted() {
        execution.halted = true;
        backend.hold?.();
      },
      stale: staleSteps(run),
      wanted: () => (fleets.someWaitsForTurn() ? trialWaitsFor(run) : []),
      fleets,
      ...(!backend.hold && { answered: answeredSteps(execution) }),
    });
  };
  const { max_steps } = run.config.loop.limits;
  const isTooLong = plan.steps.length > max_steps;
  const end = isTooLong ? tooLong(plan, max_steps) : await withinPlanLimits(limits, journal.append, drive);
  return planResult({
    plan_id: plan.id,
    execution_id: executionId,
    completed_at: clock.now(),
    duration_ms: Math.round(clock.monotonic() - began),
    steps_total: plan.steps.length,
    ...end,
  });
}

function tooLong({ steps }: Plan, most: number) {
  const message = `the plan has ${steps.length} steps, at most ${most} are allowed (limits.max_steps in ai/loop.yaml)`;
  const errors = [executionError('INVALID_PAYLOAD', message)];
  return { steps_executed: 0, errors, halted: true, result_payload: {} };
}

/** The end of a suspended step that is not resumed. */
function endWithoutTurn(step: PlanStep, { run, signal }: Execution, because: ExecutionError | undefined): StageEnd {
  if (because) {
    const { message } = because;
    // A step that a fix made stale stays to do: it has not failed itself.
    const isStale = recordOf(run.journal.stages, stepLabel(step))?.stale;
    return isStale ? { kind: 'stopped', left: true, message } : { kind: 'failed', message };
  }
  if (signal.aborted) return stopEnd(signal);
  return { kind: 'stopped', left: true, message: 'the run halted before it came to run again' };
}

/** The steps that the open trial made stale. */
function trialWaitsFor(run: Run): string[] {
  const { trial } = run.journal.failures;
  return trial ? staleBy(run, trial).map(({ step }) => stepId(run.id, step)) : [];
}

/** Which steps are stale; undefined while there are no new ones. */
function staleSteps({ journal }: Run) {
  let lastCount = 0;
  return () => {
    const { staleCount } = journal.failures;
    if (staleCount === lastCount) return undefined;
    lastCount = staleCount;
    return (step: PlanStep) => recordOf(journal.stages, stepLabel(step))?.stale !== undefined;
  };
}
