// The run before this one, when it was cut off: what its journal says it had done, and whether a start goes on with it or
// closes it.
import type { DataOf, LoopEvent, NewEvent } from '../events.ts';
import { isTooOld, type LoadedStages, openRun } from '../journal/load-stages.ts';
import { RunSteps } from '../journal/run-steps.ts';
import type { Lab } from '../stage/run.ts';
import type { Unwatched } from '../worktree/after-attempt.ts';
import type { RunRequest } from './select.ts';

/** What `run.started` stores so that the run can go on. */
export type RunHead = Omit<DataOf<'run.started'>, 'lab' | 'recheck' | 'workers'>;

/** Why a start that asks for `asked` closes the run before it; undefined: it goes on with that run. Pure. */
export function whyClosed(before: { asked: string; lastEventAt: number }, asked: string, now: number) {
  if (before.asked !== asked) return `it ran ${before.asked}, this start asks for ${asked}`;
  return isTooOld(before.lastEventAt, now) ? 'its last event is more than 6 hours old' : undefined;
}

/** A run that was cut off. */
export interface OpenRun {
  run: string;
  head: RunHead;
  /** Its worktree was ready: its base is in the branch. */
  treeOpened: boolean;
  events: readonly LoopEvent[];
}

/**
 * The run before this one, when it was cut off: a start that asks for `asked` goes on with it, or closes it first (`why`).
 * `isInBase`: whether the commit of the base that it began with is still in the base.
 */
export async function cutOffRun(
  loaded: LoadedStages,
  asked: string,
  now: number,
  isInBase: (commit: string) => Promise<boolean>,
): Promise<{ open: OpenRun; why?: never } | { open?: never; why: string } | undefined> {
  const unfinished = openRun(loaded);
  if (!unfinished) return undefined;
  const { run, events } = unfinished;
  const [first] = events;
  if (first?.type !== 'run.started') return { why: 'what it was asked for is lost' };
  const { base } = first.data;
  if (!(await isInBase(base.commit))) return { why: `${base.name} was rewritten since it began` };
  // Its jobs were told to end: nobody can follow them.
  if (events.at(-1)?.type === 'run.left') return { why: 'it was stopped before its jobs were seen to end' };
  const lastEventAt = Date.parse(events.at(-1)?.time ?? '');
  const why = whyClosed({ asked: first.data.asked, lastEventAt }, asked, now);
  const treeOpened = events.some(({ type }) => type === 'tree.opened');
  return why === undefined ? { open: { run, head: first.data, treeOpened, events } } : { why };
}

/** Where the branch was while a command ran that was cut off: until such a command ends, the loop commits nothing. Pure. */
export function unwatchedHead(events: readonly LoopEvent[]): Unwatched | undefined {
  const commands = new RunSteps(events).cutOff.filter(({ leader }) => leader);
  const branch = events.findLast((event) => event.type === 'tree.opened')?.data.branch;
  if (commands.length === 0 || branch === undefined) return undefined;
  const attempts = new Set(commands.flatMap(({ step, recheck }) => (recheck ? [] : [step])));
  const heads = events.flatMap((event): (string | undefined)[] => {
    if (event.type === 'tree.opened') return [event.data.commit];
    if (event.type === 'attempt.started' && attempts.has(event.step ?? '')) return [event.data.head];
    // A check of a green stage does not say where it ran, so after a commit of the loop that is not known.
    return /^(?:fix\.(?:committed|reverted)|item\.)/.test(event.type) && attempts.size === 0 ? [undefined] : [];
  });
  const head = heads.at(-1);
  return head === undefined ? undefined : { branch, head };
}

/** Ends the steps that were cut off, except those that `isElsewhere` is true for: their end is known otherwise. */
export function recordCutOff({ cutOff }: Pick<RunSteps, 'cutOff'>, isElsewhere = (_step: string) => false): NewEvent[] {
  const reason = 'cut off: the process that ran it died';
  return cutOff.flatMap(({ stage, step, attempt, recheck }): NewEvent[] => {
    if (recheck || isElsewhere(step)) return [];
    const end: NewEvent = { type: 'step.interrupted', stage, step, status: 'idle', data: { reason } };
    if (attempt === undefined) return [end];
    return [{ type: 'attempt.ended', stage, step, attempt, data: { outcome: 'interrupted' } }, end];
  });
}

/** How a run's journal begins, or goes on. */
export function began(
  lab: Lab,
  request: RunRequest,
  head: RunHead,
  { done }: Pick<RunSteps, 'done'>,
  isResumed: boolean,
): NewEvent {
  const options = { lab, recheck: request.recheck, workers: request.workers };
  if (!isResumed) return { type: 'run.started', data: { ...head, ...options } };
  const { asked, stages } = head;
  return { type: 'run.resumed', data: { ...options, asked, stages, done } };
}
