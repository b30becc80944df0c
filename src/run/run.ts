// One run, top to bottom: lock, prepare, record, drive, result.
import { EXIT } from '../errors.ts';
import { type NewEvent, noticeEvent } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { ownFolder } from '../io/store.ts';
import { recordEnd } from '../journal/history.ts';
import type { StageState } from '../journal/stages.ts';
import { tickAccepted } from '../mend/item.ts';
import type { PlanResult } from '../plan/contract.ts';
import type { Lab, Run, RunPorts } from '../stage/run.ts';
import { missedIgnored, uncarriedNotice } from '../stage/uncarried.ts';
import { begin } from './begin.ts';
import { executeRun } from './execution.ts';
import { collectByRetention } from './gc.ts';
import { withLockForWork } from './lock-for-work.ts';
import { type Prepared, prepare } from './prepare.ts';
import { readStart } from './read-base.ts';
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
    if (!fileFacts(layout.state)) await readStart(request, objects);
    const work = async (notices: readonly string[]) => {
      for (const folder of [layout.logs, layout.patches]) ownFolder(folder);
      const prepared = await prepare(request, objects, ports);
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
    const { result, isOver } = await executeRun(prepared, request);
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

/** Ignored files that green stages name and that were not in the worktree, unless the run's start reported them. */
async function missedNotices({ run, head, notices }: Prepared): Promise<NewEvent[]> {
  const { config, journal, layout } = run;
  const green = head.stages.filter((name) => journal.stages.stages[name]?.status === 'green');
  const stages = green.flatMap((name) => config.map.stages[name] ?? []);
  const texts = (await missedIgnored(layout, stages, config.map.carry)).map(uncarriedNotice);
  return texts.filter((text) => !notices.includes(text)).map(noticeEvent);
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
