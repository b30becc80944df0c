// One run, top to bottom: lock, prepare, record, drive, result.
import { EXIT } from '../errors.ts';
import { type NewEvent, noticeEvent } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { ownFolder } from '../io/store.ts';
import { recordEnd } from '../journal/history.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { closeCases } from '../mend/case-store.ts';
import { notifyOfStages } from '../mend/conclude.ts';
import { tickAccepted } from '../mend/item.ts';
import { settleTrial } from '../mend/judge-trial.ts';
import { finishNotifying } from '../mend/notify.ts';
import { stepsAhead } from '../plan/ahead.ts';
import { compilePlan, stepId } from '../plan/compile.ts';
import type { PlanResult, PlanStep } from '../plan/contract.ts';
import { stagePayload, stepLabel, stepNames } from '../plan/matrix.ts';
import type { TaskAhead } from '../stage/backend.ts';
import type { Lab, Run, RunPorts } from '../stage/run.ts';
import { surelyToDo, taskOf } from '../stage/stage-action.ts';
import { missedIgnored, uncarriedNotice } from '../stage/uncarried.ts';
import { begin } from './begin.ts';
import { executeRun, type GraphView, type ResumeFacts } from './execution.ts';
import { collectByRetention } from './gc.ts';
import { withLockForWork } from './lock-for-work.ts';
import { type Prepared, prepare } from './prepare.ts';
import { readStart } from './read-base.ts';
import type { ResumeState } from './resume.ts';
import type { RunRequest } from './select.ts';

export interface RunReport {
  run: string;
  exit: number;
  lab: Lab;
  result: PlanResult;
  stages: StageState;
  /** How many items of the work queue may follow, when it is green. */
  afterGreen: number;
}

/** Runs what was asked for to its end. Throws MendError when it could not begin, or when the disk refused. */
export async function runStages(request: RunRequest, ports: RunPorts): Promise<RunReport> {
  const layout = layoutOf(request.home);
  return withObjects(request.home, async (objects) => {
    // Where no run was yet, one whose configuration cannot be used leaves nothing behind.
    const start = fileFacts(layout.state) ? undefined : await readStart(request, objects);
    const work = async (notices: readonly string[]) => {
      for (const folder of [layout.logs, layout.patches]) ownFolder(folder);
      const prepared = await prepare(request, objects, ports, start);
      prepared.notices.unshift(...notices);
      return perform(prepared, request, objects);
    };
    return withLockForWork(layout, ports.clock, request.command, work, 'run').catch(async (error) => {
      const { notifyOfLock } = await import('./notify-of-lock.ts');
      await notifyOfLock(error, request, objects, ports);
      throw error;
    });
  });
}

async function perform(prepared: Prepared, request: RunRequest, objects: GitObjects): Promise<RunReport> {
  const { run } = prepared;
  const { id, journal, layout, lab } = run;
  try {
    await begin(prepared, request, objects);
    const { result, isOver } = await execute(prepared, request);
    await tickAccepted(run);
    journal.append(...(await missedNotices(prepared)), ...(await collectByRetention(run)));
    const exit = exitCode(result, run);
    const { status, duration_ms, error } = result;
    const stale = staleNotRun(journal.stages, Object.keys(run.config.map.stages));
    const data = { exit, lab, duration_ms, error, result: { ...result }, ...(stale.length > 0 && { stale }) };
    journal.append({ type: isOver ? 'run.ended' : 'run.left', status, data });
    if (isOver) recordEnd(layout, id);
    const { after_green: afterGreen } = run.config.loop.backlog;
    return { run: id, exit, lab, result, stages: journal.stages, afterGreen };
  } finally {
    journal.close();
  }
}

/** Stages that are stale and did not run, and why; one that failed since counts as failed. */
function staleNotRun({ stages }: StageState, names: readonly string[]): { stage: string; why: string }[] {
  return names.flatMap((stage) => {
    const { stale, status } = stages[stage] ?? {};
    return stale && status === 'idle' ? [{ stage, why: stale.why ?? '' }] : [];
  });
}

/** `isOver`: nothing that it handed on runs any more. */
async function execute(
  { run, head, open, backend: reached }: Prepared,
  request: RunRequest,
): Promise<{ result: PlanResult; isOver: boolean }> {
  const { config, clock } = run;
  const startedAt = clock.now() - (open?.state.spentMs ?? 0);
  const deadlineMs = request.deadline ?? head.deadline_ms ?? startedAt + head.timeout_ms;
  const timeoutMs = Math.max(1, Math.min(head.timeout_ms, deadlineMs - startedAt));
  let graph: GraphView | undefined;
  const ahead = () => (graph ? tasksAhead(run, graph) : []);
  const backend = await reached.open(run, { ahead, earlier: open?.events ?? [] });
  run.barrier.onWriting(async () => backend.withdraw?.());
  let result: PlanResult;
  let isOver = true;
  try {
    result = await executeRun(run, {
      plan: compilePlan({ run: run.id, map: config.map, stages: run.requested, createdAt: startedAt, timeoutMs }),
      executionId: head.execution_id,
      startedAt,
      deadlineMs,
      resume: resumeFacts(run, head.stages, open?.state),
      backend,
      workers: request.workers ?? config.loop.workers,
      watch: (view) => {
        graph = view;
      },
    });
    await finishMending(run);
  } finally {
    isOver = (await backend.close?.()) ?? true;
    // Stop notifiers and drop what is pending.
    await finishNotifying(run, 0);
  }
  return { result, isOver };
}

/** The tasks that will surely run, each with the steps that must end well before it; none while the tree is written. */
function tasksAhead(run: Run, { plan, states, attempts, isHeld }: GraphView): TaskAhead[] {
  if (run.barrier.isClosed) return [];
  const isSure = (step: PlanStep) => !isHeld(step) && surelyToDo(run, stagePayload(step));
  return stepsAhead(plan, states, isSure).map(({ step, after }) => ({
    ...taskOf({ payload: stagePayload(step), attempt: (attempts.get(step.id) ?? 0) + 1 }, run),
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

/** Ignored files that green stages name and that were not in the worktree, unless the run's start reported them. */
async function missedNotices({ run, head, notices }: Prepared): Promise<NewEvent[]> {
  const { config, journal, layout } = run;
  const green = head.stages.filter((name) => journal.stages.stages[name]?.status === 'green');
  const stages = green.flatMap((name) => config.map.stages[name] ?? []);
  const texts = (await missedIgnored(layout, stages, config.map.carry)).map(uncarriedNotice);
  return texts.filter((text) => !notices.includes(text)).map(noticeEvent);
}

/** What is done already, by the ids of the plan: by the cut-off run, and green stages that are needed and not asked for. */
function resumeFacts(
  { id, requested, config, journal }: Run,
  asked: readonly string[],
  state?: ResumeState,
): ResumeFacts {
  const needed = requested.filter((name) => !asked.includes(name));
  const steps = needed.flatMap((name) => stepNames(name, config.map.stages[name]));
  const green = steps.filter((step) => recordOf(journal.stages, step)?.status === 'green');
  const byId = (facts: ReadonlyMap<string, number> = new Map()) =>
    new Map([...facts].map(([step, value]) => [stepId(id, step), value]));
  return {
    done: new Set([...(state?.done ?? []), ...green].map((step) => stepId(id, step))),
    attempts: byId(state?.attempts),
    waits: byId(state?.waits),
    losses: byId(state?.losses),
    spentMs: state?.spentMs ?? 0,
  };
}

/** As much of a run as its exit code depends on. */
type RunEnd = Pick<Run, 'requested' | 'signal'> & {
  journal: { stages: Run['journal']['stages']; failures: Pick<Run['journal']['failures'], 'needsPerson'> };
};

export function exitCode(result: PlanResult, { requested, signal, journal }: RunEnd): number {
  // Even when a step failed before the interruption.
  if (signal.aborted && result.status !== 'success') return EXIT.interrupted;
  // Stages may be green from an earlier run though this one stopped before it looked at them.
  if (result.status === 'success' && requested.every((stage) => journal.stages.stages[stage]?.status === 'green'))
    return EXIT.ok;
  if (journal.failures.needsPerson) return EXIT.human;
  if (result.error?.error_code === 'INVALID_PAYLOAD') return EXIT.usage;
  return result.error?.error_code === 'UNKNOWN_ERROR' ? EXIT.bug : EXIT.failed;
}
