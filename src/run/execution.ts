// One execution of a run's plan: each step driven and mended, in the order of the schedule, within the limits of the run.
import { recordOf } from '../journal/stages.ts';
import { closeCases } from '../mend/case-store.ts';
import { notifyOfStages } from '../mend/conclude.ts';
import { settleTrial } from '../mend/judge-trial.ts';
import { finishNotifying } from '../mend/notify.ts';
import { staleBy } from '../mend/trial.ts';
import { stepsAhead } from '../plan/ahead.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import { compilePlan, stepId } from '../plan/compile.ts';
import type { Plan, PlanResult, PlanStep } from '../plan/contract.ts';
import { eventLabel, stagePayload, stepLabel, stepNames } from '../plan/matrix.ts';
import { planResult } from '../plan/result.ts';
import { RunFacts } from '../plan/run-state.ts';
import { linear, parallel } from '../plan/scheduler.ts';
import { type StageEnd, stopEnd } from '../plan/stage-end.ts';
import type { Backend, TaskAhead } from '../stage/backend.ts';
import type { Run } from '../stage/run.ts';
import { stageAction, surelyToDo, taskOf } from '../stage/stage-action.ts';
import { answeredSteps } from './answered.ts';
import { answerCells, driveStep } from './drive.ts';
import { Fleets } from './fleet.ts';
import type { Prepared } from './prepare.ts';
import { runSchedule, type ScheduleEnd } from './schedule.ts';
import type { RunRequest } from './select.ts';
import { type Execution, endStep, otherSteps } from './step.ts';
import { withinPlanLimits } from './within-limits.ts';

/** Drives a run to its end. `isOver`: nothing that it handed on runs any more. Rejects for no fault of its stages. */
export async function executeRun(
  { run, head, open, backend: reached }: Prepared,
  request: Pick<RunRequest, 'deadline' | 'workers'>,
): Promise<{ result: PlanResult; isOver: boolean }> {
  const { config, clock, journal } = run;
  const began = clock.monotonic();
  const workers = request.workers ?? config.loop.workers;
  const { spentMs } = journal.steps;
  const createdAt = clock.now() - spentMs;
  const deadlineMs = request.deadline ?? head.deadline_ms ?? createdAt + head.timeout_ms;
  const timeoutMs = Math.max(1, Math.min(head.timeout_ms, deadlineMs - createdAt));
  const plan = compilePlan({ run: run.id, map: config.map, stages: run.requested, createdAt, timeoutMs });
  const facts = new RunFacts(plan, doneBefore(run, head.stages));
  let execution: Execution | undefined;
  const ahead = () => (execution ? tasksAhead(execution) : []);
  const backend = await reached.open(run, { ahead, earlier: open?.events ?? [] });
  run.barrier.onWriting(async () => backend.withdraw?.());
  let result: PlanResult;
  let isOver = true;
  try {
    const limits = { plan, deadlineMs, spentMs, clock, signal: run.signal };
    const drive = (signal: AbortSignal, emit: Execution['emit']) => {
      const endsAt = Math.min(deadlineMs, createdAt + timeoutMs);
      const action = stageAction(run, backend, workers);
      execution = openExecution({ plan, run, action, signal, endsAt, emit, facts, halted: false }, backend);
      return driveSteps(execution, backend, workers);
    };
    const end = tooLong(plan, config.loop.limits) ?? (await withinPlanLimits(limits, journal.append, drive));
    result = planResult({
      plan_id: plan.id,
      execution_id: head.execution_id,
      completed_at: clock.now(),
      duration_ms: Math.round(clock.monotonic() - began),
      steps_total: plan.steps.length,
      ...end,
    });
    await finishMending(run);
  } finally {
    isOver = (await backend.close?.()) ?? true;
    // Stop notifiers and drop what is pending.
    await finishNotifying(run, 0);
  }
  return { result, isOver };
}

function openExecution(given: Omit<Execution, 'fleets'>, backend: Backend): Execution {
  const { run, plan, signal } = given;
  const fleets = new Fleets(run, plan.steps, {
    signal,
    hold: (stage) => backend.hold?.(stage),
    answer: (cells) => answerCells(run, cells, others),
    endTrial: () => settleTrial(run, others),
  });
  const execution = { ...given, fleets };
  const others = otherSteps(execution);
  return execution;
}

function driveSteps(execution: Execution, backend: Backend, workers: number): Promise<ScheduleEnd> {
  const { plan, run, emit, fleets, facts } = execution;
  const width = backend.width ?? workers;
  return runSchedule(plan, facts, {
    scheduler: width > 1 ? parallel : linear,
    workers: width,
    driveStep: (step, isResumed) => driveStep(step, execution, isResumed),
    endSuspended: (step, because) => endStep(step, execution, endWithoutTurn(step, execution, because)),
    skipped(step, { error_code: code, message: reason }) {
      emit({ type: 'step.skipped', ...eventLabel(step), status: 'skipped', data: { code, reason } });
      fleets.ended(step);
    },
    halted() {
      execution.halted = true;
      backend.hold?.();
      // What a trial waits for will not run any more.
      fleets.proceed();
    },
    stale: staleSteps(run),
    wanted: () => (fleets.someWaitForTrial() ? trialWaitsFor(run) : []),
    fleets,
    ...(!backend.hold && { answered: answeredSteps(execution) }),
  });
}

/** What is done already, by the ids of the plan: by the cut-off run, and green stages that are needed and not asked for. */
function doneBefore({ id, requested, config, journal }: Run, asked: readonly string[]): Set<string> {
  const needed = requested.filter((name) => !asked.includes(name));
  const steps = needed.flatMap((name) => stepNames(name, config.map.stages[name]));
  const green = steps.filter((step) => recordOf(journal.stages, step)?.status === 'green');
  return new Set([...journal.steps.done, ...green].map((step) => stepId(id, step)));
}

/** The tasks that will surely run, each with the steps that must end well before it; none while the tree is written. */
function tasksAhead({ run, plan, facts: { states }, fleets }: Execution): TaskAhead[] {
  if (run.barrier.isClosed) return [];
  const isSure = (step: PlanStep) => !fleets.isHeld(step) && surelyToDo(run, stagePayload(step));
  return stepsAhead(plan, states, isSure).map(({ step, after }) => ({
    ...taskOf({ payload: stagePayload(step), attempt: run.journal.steps.attempts(stepLabel(step)) + 1 }, run),
    after: after.map(stepLabel),
  }));
}

/** Verifies fixes, closes the cases of green stages and waits until people are notified, before the run's end is recorded. */
async function finishMending(run: Run): Promise<void> {
  const { config, journal, layout, clock } = run;
  await settleTrial(run, { canRun: () => false, isMending: () => false }, true);
  const green = Object.keys(config.map.stages).filter((name) => journal.stages.stages[name]?.status === 'green');
  notifyOfStages(run, green);
  journal.append(...closeCases(layout, journal.ledger, green, 'green', clock.now()));
  await finishNotifying(run);
}

/** The end of a plan with more steps than are allowed. */
function tooLong({ steps }: Plan, { max_steps: most }: { max_steps: number }): ScheduleEnd | undefined {
  if (steps.length <= most) return undefined;
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
