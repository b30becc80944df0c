// Closing the run before this one: the processes that it left are ended, or the next run does not begin.
import { closeJobs } from '../backend/close-jobs.ts';
import { openJobs } from '../backend/jobs.ts';
import { fail } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import { openGit } from '../io/git.ts';
import { identify, type ProcessIdentity } from '../io/identity.ts';
import type { Layout } from '../io/layout.ts';
import { endLeftovers, openedBy } from '../io/process-group.ts';
import { recordEnd } from '../journal/history.ts';
import { openJournal } from '../journal/journal.ts';
import { type LoadedStages, openRun } from '../journal/load-stages.ts';
import { RunSteps } from '../journal/run-steps.ts';
import { listRuns } from '../journal/runs.ts';
import type { StageState } from '../journal/stages.ts';
import { stepMarks, strayProcesses } from '../stage/env.ts';
import type { Run } from '../stage/run.ts';
import { markUnwatched } from '../worktree/after-attempt.ts';
import { type OpenRun, recordCutOff, unwatchedHead } from './resume.ts';

export type ClosePorts = Pick<Run, 'layout' | 'clock' | 'graceMs'> & Partial<Pick<Run, 'env'>>;

/**
 * Ends what the run before this one left running, named by its journal or found by its marks. Throws E_LEFTOVER when some of
 * it may still run, unless a person gave their `word`, and E_LOCKED when the process that runs it lives. Returns what it ended,
 * a line each.
 */
export async function endLeft(loaded: LoadedStages, ports: ClosePorts, word = false): Promise<string[]> {
  const notices: string[] = [];
  if (!loaded.isUnsure) return notices;
  const { layout, clock, graceMs } = ports;
  const open = openRun(loaded);
  const strays = strayProcesses(layout.home);
  if (!open && strays?.length === 0) return notices;
  refuseIfAtWork(layout);
  const steps = open && new RunSteps(open.events).complete(open.run, loaded.state);
  // Jobs are followed or ended by their backend.
  const elsewhere = stepsElsewhere(open?.events);
  const cutOff = steps?.cutOff.filter(({ step }) => !elsewhere.has(step)) ?? [];
  for (const { step, leader } of cutOff) await end(open?.run ?? '', step, leader);
  // Processes cannot be listed here: a lost line may have named one that still runs.
  if (strays === undefined && open?.isDamaged && !word) leftover(`a step of run ${open.run}`);
  for (const { pid, run, step, attempt } of strays ?? []) {
    const runs = listRuns(layout);
    const isListed = runs.includes(run);
    // A run that ended, or that is not the latest, left it running on purpose.
    if (isListed && (run !== runs.at(-1) || (run === loaded.latest?.run && !open))) continue;
    const isChecked = attempt === 0 && open?.isDamaged;
    const isService = isListed && attempt <= (steps?.attempts(step) ?? 0) && !isChecked;
    if (isService) continue;
    // Checks may be ended; a stage of an unlisted run may be at work for another home.
    if (isListed || attempt === 0) await end(run, step, undefined, [`MENDLOOP_ATTEMPT=${attempt}`]);
    else if (word) close(run, 'a person says that what it left may stay', [], loaded.state, ports);
    else leftover(step, identify(pid));
  }
  return notices;

  async function end(run: string, step: string, leader: ProcessIdentity | undefined, more: string[] = []) {
    const marks = [...stepMarks(layout.home, run, step), ...more];
    const ended = await endLeftovers(leader, marks, graceMs, clock);
    if (ended === 'unproven' && !word) leftover(step, leader);
    const group = leader ? `, process group ${leader.pid}` : '';
    if (ended === 'ended') notices.push(`ended what run ${run} had left running: ${step}${group}`);
  }
}

/** The steps that a run gave to a scheduler and that have no recorded end. */
export const stepsElsewhere = (events: readonly LoopEvent[] = []): Set<string> =>
  new Set(openJobs(events).jobs.flatMap(({ open }) => [...open.values()].map(({ step }) => step)));

function leftover(step: string, leader?: ProcessIdentity): never {
  fail('E_LEFTOVER', { step, pid: leader?.pid ?? 0, host: leader?.host ?? 'this host' });
}

/** A process that has the lock file open is at work, even if the file was removed meanwhile. */
function refuseIfAtWork({ lock }: Layout): void {
  const [pid] = openedBy(lock) ?? [];
  if (pid === undefined) return;
  fail('E_LOCKED', { ...identify(pid), since: 'before', command: 'its lock was taken away' });
}

/**
 * Marks what a stage of the cut-off run may have committed; whether there is any. After `endLeft`: until then it may commit more.
 */
export async function markCutOff({ home }: Layout, events: readonly LoopEvent[]): Promise<boolean> {
  const unwatched = unwatchedHead(events);
  return unwatched !== undefined && markUnwatched(openGit(home, { durable: true }), unwatched);
}

/** Closes the cut-off run for good and returns its name; undefined when there is none. `word` and throws as `endLeft`. */
export async function closeOpenRun(loaded: LoadedStages, why: string, ports: ClosePorts, word = false) {
  await endLeft(loaded, ports, word);
  const open = openRun(loaded);
  if (!open) return undefined;
  const { run, events } = open;
  await markCutOff(ports.layout, events);
  const takenIn = await closeJobs(run, events, ports, word);
  const last = events.at(-1);
  close(run, why, takenIn, loaded.state, ports, last?.type === 'run.left' ? last.data : {});
  recordEnd(ports.layout, run);
  return run;
}

/** Steps that an earlier process of this run gave to a scheduler: those still followed there, and the events of those ended. */
export interface Elsewhere {
  readonly followed: ReadonlySet<string>;
  readonly takenIn: readonly NewEvent[];
}

/** Steps of the cut-off run on this backend are followed; those on another one are ended first. Throws as `closeJobs`. */
export async function takeOverJobs(open: OpenRun | undefined, backend: string, ports: ClosePorts): Promise<Elsewhere> {
  if (!open) return { followed: new Set(), takenIn: [] };
  const { run, events } = open;
  const isOurs = openJobs(events).jobs.every((job) => job.backend === backend);
  if (isOurs) return { followed: stepsElsewhere(events), takenIn: [] };
  return { followed: new Set(), takenIn: await closeJobs(run, events, ports) };
}

/** No subscribers: those of the next run get a notice of this one, not its events. */
function close(
  run: string,
  reason: string,
  takenIn: readonly NewEvent[],
  stages: StageState,
  { layout, clock }: ClosePorts,
  left: LoopEvent<'run.left'>['data'] = {},
): void {
  const journal = openJournal({ run, layout, stages, clock });
  journal.append(...takenIn);
  journal.append(...recordCutOff(journal.steps), { type: 'run.ended', status: 'abandoned', data: { ...left, reason } });
  journal.close();
}
