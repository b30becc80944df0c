// The run before this one, when it was cut off: what its journal says it had done, and whether a start goes on with it or
// closes it.
import type { DataOf, LoopEvent, NewEvent } from '../events.ts';
import type { ProcessIdentity } from '../io/identity.ts';
import { isTooOld, type LoadedStages, openRun } from '../journal/load-stages.ts';
import { stepRecords } from '../journal/stages.ts';
import { splitStepName } from '../plan/matrix.ts';
import type { Lab } from '../stage/run.ts';
import type { Unwatched } from '../worktree/after-attempt.ts';
import type { ResumeFacts } from './execution.ts';
import type { RunRequest } from './select.ts';

/** What `run.started` stores so that the run can go on. */
export type RunHead = Omit<DataOf<'run.started'>, 'lab' | 'recheck' | 'workers'>;

/** A step without a recorded end. */
export interface CutOffStep {
  stage: string;
  step: string;
  attempt?: number;
  /** The group that was about to run, or running. */
  leader?: ProcessIdentity;
  /** Only a green step's checks were running: the step is what it was. */
  recheck?: true;
}

/** The steps of a run by its journal, by their names. */
export interface ResumeState extends ResumeFacts {
  cutOff: CutOffStep[];
  lastEventAt: number;
}

/** A wait that began before the clock was set back ends as if it had just begun, at the latest. Pure. */
export function resumeState(events: readonly LoopEvent[], now = Number.POSITIVE_INFINITY): ResumeState {
  const lastEventAt = Date.parse(events.at(-1)?.time ?? '');
  const done = new Set<string>();
  const attempts = new Map<string, number>();
  const waits = new Map<string, number>();
  const losses = new Map<string, number>();
  const open = new Map<string, CutOffStep>();
  for (const event of events) {
    const { type, step, stage, attempt } = event;
    if (type === 'stage.stale') for (const name of done) if (splitStepName(name).stage === stage) done.delete(name);
    if (step === undefined || stage === undefined) continue;
    if (attempt !== undefined) attempts.set(step, Math.max(attempts.get(step) ?? 0, attempt));
    if (/^(?:step\.started|attempt\.(?:ended|lost))$/.test(type)) open.set(step, { stage, step });
    if (type === 'step.drift') open.delete(step);
    if (type === 'attempt.lost') losses.set(step, (losses.get(step) ?? 0) + 1);
    if (type === 'attempt.started') {
      open.set(step, { stage, step, leader: event.data.leader, ...(attempt ? { attempt } : {}) });
      waits.delete(step);
    }
    if (type === 'check.started') {
      const before = open.get(step) ?? { stage, step, recheck: true as const };
      open.set(step, { ...before, leader: event.data.leader });
    }
    if (type === 'step.retry') {
      const began = Date.parse(event.time);
      const waited = Math.max(0, lastEventAt - began);
      waits.set(step, Math.min(began, now - waited) + event.data.pause_ms);
    }
    if (/^step\.(done|fresh|failed|skipped|interrupted)$/.test(type)) {
      open.delete(step);
      // Failed and skipped steps are to do again.
      if (type === 'step.done' || type === 'step.fresh') done.add(step);
      else done.delete(step);
    }
  }
  return { done, attempts, waits, losses, spentMs: timeAtWork(events), cutOff: [...open.values()], lastEventAt };
}

/** The time between events, without the gaps between two processes. A clock that was set back costs one gap, not all. */
function timeAtWork(events: readonly LoopEvent[]): number {
  return events.reduce((spent, event, i) => {
    const before = events[i - 1];
    if (before === undefined || event.type === 'run.resumed') return spent;
    return spent + Math.max(0, Date.parse(event.time) - Date.parse(before.time));
  }, 0);
}

/** Why a start that asks for `asked` closes the run before it; undefined: it goes on with that run. Pure. */
export function whyClosed(before: { asked: string; lastEventAt: number }, asked: string, now: number) {
  if (before.asked !== asked) return `it ran ${before.asked}, this start asks for ${asked}`;
  return isTooOld(before.lastEventAt, now) ? 'its last event is more than 6 hours old' : undefined;
}

/** A run that was cut off. */
export interface OpenRun {
  run: string;
  head: RunHead;
  state: ResumeState;
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
  const state = knownState(loaded, run, events, now);
  const why = whyClosed({ asked: first.data.asked, lastEventAt: state.lastEventAt }, asked, now);
  const treeOpened = events.some(({ type }) => type === 'tree.opened');
  return why === undefined ? { open: { run, head: first.data, state, treeOpened, events } } : { why };
}

/** The state by the events of a run, completed from the stages where lines of its journal are lost. */
export function knownState({ state: stages }: LoadedStages, run: string, events: readonly LoopEvent[], now?: number) {
  const state = resumeState(events, now);
  const attempts = new Map(state.attempts);
  const cutOff = [...state.cutOff];
  for (const { stage, step, record } of stepRecords(stages)) {
    if (record.run !== run) continue;
    attempts.set(step, Math.max(attempts.get(step) ?? 0, record.attempts));
    if (record.status !== 'running' || cutOff.some((open) => open.step === step)) continue;
    const attempt = record.attempts > 0 && record.last?.outcome === undefined ? { attempt: record.attempts } : {};
    cutOff.push({ stage, step, ...attempt });
  }
  return { ...state, attempts, cutOff };
}

/** Where the branch was while a command ran that was cut off: until such a command ends, the loop commits nothing. Pure. */
export function unwatchedHead(events: readonly LoopEvent[]): Unwatched | undefined {
  const commands = resumeState(events).cutOff.filter(({ leader }) => leader);
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
export function recordCutOff({ cutOff }: ResumeState, isElsewhere = (_step: string) => false): NewEvent[] {
  const reason = 'cut off: the process that ran it died';
  return cutOff.flatMap(({ stage, step, attempt, recheck }): NewEvent[] => {
    if (recheck || isElsewhere(step)) return [];
    const end: NewEvent = { type: 'step.interrupted', stage, step, status: 'idle', data: { reason } };
    if (attempt === undefined) return [end];
    return [{ type: 'attempt.ended', stage, step, attempt, data: { outcome: 'interrupted' } }, end];
  });
}

/** How a run's journal begins, or goes on. */
export function began(lab: Lab, request: RunRequest, head: RunHead, open: OpenRun | undefined): NewEvent {
  const options = { lab, recheck: request.recheck, workers: request.workers };
  if (!open) return { type: 'run.started', data: { ...head, ...options } };
  const { asked, stages } = head;
  return { type: 'run.resumed', data: { ...options, asked, stages, done: [...open.state.done] } };
}
