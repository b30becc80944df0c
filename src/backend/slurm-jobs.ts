// Attempts as jobs of Slurm: handed on with their intent on disk first, followed until their result is there or Slurm says that
// there will be none, and taken back. Whether an attempt began is decided by one file that only one can make, not by Slurm.
import { dirname, join, relative } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { noticeEvent } from '../events.ts';
import { groupBy } from '../io/group-by.ts';
import type { EndOf } from '../plan/stage-end.ts';
import type { Slurm } from '../slurm/client.ts';
import { endJobs } from '../slurm/end-jobs.ts';
import { type Job, numberOf, phaseOf } from '../slurm/job.ts';
import { lossOf, type Loss as SlurmLoss, stuckOf } from '../slurm/loss.ts';
import type { Task, TaskEnd } from '../stage/backend.ts';
import type { StageRun } from '../stage/run.ts';
import { type Parent, parentIds, slurmId } from './group-tasks.ts';
import { jobComment, placeOf, readComment, signMs } from './jobs.ts';
import { type SlurmView, watchSlurm } from './slurm-watch.ts';
import {
  ARRAY,
  attemptArgv,
  endOf,
  hasBegun,
  isGreen,
  jobWriter,
  type OpenTask,
  readResult,
  readSign,
  withdrawTask,
} from './task-file.ts';

/** An attempt that was handed on, until its end is known. */
export interface Handed extends Parent {
  readonly task: Task;
  readonly file: string;
  readonly job: string;
  /** The steps whose jobs it waits for. */
  readonly after: readonly string[];
  /** Monotonic. */
  readonly since: number;
  /** Set when it will not be made: why. */
  withdrawn?: string;
  /** The last sign of life of who makes it, and since when (monotonic) that is the last, seen from when Slurm said that it is over. */
  lastSign?: { readonly text: string | undefined; readonly since: number } | undefined;
}

export type SlurmJobs = ReturnType<typeof slurmJobs>;

const TICK_MS = 200;
/** How old an answer of squeue may be while waiting for an end, and while waiting for cancelled jobs. */
const LOOK_MS = 2000;
const LOOK_CLOSELY_MS = 1000;
const SEEN_LATE_MS = 5 * LOOK_CLOSELY_MS;
/** Slurm's limits have minutes, and end what our own limit should have ended. */
const SLACK_MINUTES = 3;

/** Whether an attempt was stopped while the run was not. */
const isEndedByOthers = ({ end }: TaskEnd, signal: AbortSignal): boolean => end.kind === 'stopped' && !signal.aborted;

const MAX_NAMES = 10;

/** `a (job 12), b (job 13)`, and how many more. */
function namesOf(some: readonly Handed[]): string {
  const names = some.slice(0, MAX_NAMES).map((handed) => `${handed.task.step} (job ${slurmId(handed)})`);
  const more = some.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

export function slurmJobs(run: StageRun, slurm: Slurm, settings: LoopConfig['slurm'], backend: string, count: number) {
  const { clock, journal, layout } = run;
  const watch = watchSlurm(slurm, clock, settings.stale);
  const write = jobWriter(run, backend, count);

  return { submit, adopt, end, result, takeBack, cancelAll, untilGone, canEndWell };

  /**
   * One job, or one array: intent, submit, number, each on disk before the next. Throws MendError when Slurm refuses, or is away for
   * too long, or when the signal aborts.
   */
  async function submit(
    tasks: readonly Task[],
    after: readonly string[],
    parents: readonly Handed[],
    signal: AbortSignal,
  ): Promise<Handed[]> {
    const first = tasks[0] as Task;
    const size = tasks.length;
    const { job, file } = write(tasks, after);
    const request = {
      name: size > 1 ? first.stage : first.step,
      comment: jobComment(layout.home, run.id, job, size > 1 ? first.stage : first.step),
      command: attemptArgv(file, size > 1 ? ARRAY : 0, signMs(settings)),
      cwd: layout.worktree,
      output: join(dirname(file), size > 1 ? '%a.out' : '0.out'),
      place: placeOf(settings, first.spec),
      ...(size > 1 && { array: size }),
      after: parentIds(parents),
      minutes: first.timeout_ms / 60_000 + SLACK_MINUTES,
    };
    let isSecond = false;
    const number = await watch
      .patiently(async () => {
        // One that got no answer may have been taken all the same.
        const earlier = isSecond ? (await numbersOf(job))[0] : undefined;
        isSecond = true;
        return earlier ?? slurm.submit(request);
      }, signal)
      .catch((error) => {
        // One that was taken all the same then ends by itself.
        const withdrawn = tasks.filter((_, index) => withdrawTask(file, index)).map(({ step }) => step);
        journal.append({ type: 'job.withdrawn', data: { job, steps: withdrawn, reason: 'Slurm did not take it' } });
        throw error;
      });
    journal.append({ type: 'job.submitted', data: { job, id: number } });
    const since = clock.monotonic();
    return tasks.map((task, index): Handed => ({ task, file, job, number, index, size, after, since }));
  }

  /** Slurm's numbers of a job of this run, submitted by any of its processes. */
  async function numbersOf(job: string): Promise<string[]> {
    const mine = (await slurm.jobs()).filter((listed) => isJob(listed, job));
    return [...new Set(mine.map(({ id }) => numberOf(id)))];
  }

  /** Whether it is `job` of this run: a later job may have its number, as after a controller of Slurm that forgot the first. */
  function isJob({ comment }: Job, job: string): boolean {
    const of = readComment(comment, layout.home);
    return of?.run === run.id && of.job === job;
  }

  /** Takes over what an earlier process of this run handed on and whose end is not known; what cannot be followed is cancelled. */
  async function adopt(left: readonly OpenTask[]): Promise<Handed[]> {
    const adopted: Handed[] = [];
    for (const [job, tasks] of groupBy(left, (open) => open.job)) {
      const id = tasks[0]?.id;
      const [number, second] = id === undefined ? await numbersOf(job) : [id];
      if (number !== undefined && second === undefined) {
        if (id === undefined) journal.append({ type: 'job.submitted', data: { job, id: number } });
        adopted.push(...tasks.map((open) => ({ ...open, number, since: clock.monotonic() })));
        continue;
      }
      for (const { file, index } of tasks) withdrawTask(file, index);
      await slurm.cancel((listed) => isJob(listed, job));
      const reason = second === undefined ? 'it was never submitted' : 'it was submitted more than once';
      journal.append({ type: 'job.withdrawn', data: { job, steps: tasks.map(({ task }) => task.step), reason } });
    }
    return adopted;
  }

  /** The end of an attempt; undefined when the signal aborts first. Throws MendError when Slurm stays away. */
  async function end(handed: Handed, signal: AbortSignal): Promise<TaskEnd | undefined> {
    for (; ; await clock.sleep(TICK_MS, signal)) {
      const left = result(handed);
      if (left) return isEndedByOthers(left, signal) ? ended(handed, left.events) : left;
      if (handed.withdrawn !== undefined) return { end: { kind: 'unbegun', message: handed.withdrawn } };
      if (signal.aborted) return undefined;
      const view = await watch.look(LOOK_MS);
      const job = jobOf(handed, view);
      const waiting = job && phaseOf(job) === 'waiting' ? job : undefined;
      if (job) run.live?.(handed.task.step, `job ${job.id}${waiting ? ` waits: ${waiting.reason}` : ''}`);
      const stuck = waiting && stuckOf(waiting);
      if (stuck && (await takeBack([handed], stuck.message)).length === 0) return notStarted(handed, stuck);
      if (!isOver(handed, view)) continue;
      const loss = lossOf(slurmId(handed), job);
      const began = hasBegun(handed.file, handed.index);
      return result(handed) ?? (began ? { end: lost(handed, loss, true) } : notStarted(handed, loss));
    }
  }

  function jobOf(handed: Handed, { jobs }: SlurmView): Job | undefined {
    const job = jobs.get(slurmId(handed));
    return job && isJob(job, handed.job) ? job : undefined;
  }

  function hasEnded(handed: Handed, view: SlurmView): boolean {
    const job = jobOf(handed, view);
    // A job that was submitted after Slurm was asked is not one that it forgot.
    return job ? phaseOf(job) === 'ended' : view.at > handed.since;
  }

  /**
   * Whether nothing of it runs, and its result would have been seen. That its job has ended is not enough: a controller of Slurm that
   * was started anew may start a job twice, and tells of the second start, while the first lives on and shows signs.
   */
  function isOver(handed: Handed, view: SlurmView): boolean {
    if (!hasEnded(handed, view)) {
      handed.lastSign = undefined;
      return false;
    }
    const { file, index } = handed;
    if (jobOf(handed, view)?.nodes === '' && !hasBegun(file, index)) return true;
    const text = readSign(file, index);
    const lastSign = handed.lastSign?.text === text ? handed.lastSign : undefined;
    handed.lastSign = lastSign ?? { text, since: clock.monotonic() };
    return clock.monotonic() - handed.lastSign.since >= settings.grace;
  }

  /**
   * The end of an attempt that no job makes any more. What Slurm says of the jobs that it waited for is not what counts: who asks
   * for its end knows by their results that they ended well. Asked for again, it waits for none of ours.
   */
  async function notStarted(handed: Handed, loss: SlurmLoss): Promise<TaskEnd> {
    if (loss.code !== 'JOB_DEPENDENCY' || handed.after.length === 0) return { end: lost(handed, loss, false) };
    const hasBegunNow = (await takeBack([handed], loss.message)).length > 0;
    return { end: hasBegunNow ? lost(handed, loss, true) : { kind: 'unbegun', message: loss.message } };
  }

  /** The end of an attempt that Slurm or a person stopped: how its job ended says why. */
  async function ended(handed: Handed, events: TaskEnd['events'] = []): Promise<TaskEnd> {
    await untilGone([handed], settings.grace);
    const job = jobOf(handed, await watch.look(LOOK_MS));
    return { end: lost(handed, lossOf(slurmId(handed), job), true), events };
  }

  /** What the attempt left. Throws what it died of. */
  function result({ task, file, index, number }: Handed): TaskEnd | undefined {
    const left = readResult(file, index, task);
    if (left === undefined) return undefined;
    if (left === 'broken') {
      const what = `the result of attempt ${task.attempt} of ${task.step} is damaged`;
      const message = `${what}: ${relative(layout.home, file)} task ${index}, spec ${task.spec}, job ${number}`;
      const next = 'see that nobody but mendloop writes below ai/state, then: mendloop';
      const loss = { code: 'JOB_BAD_RESULT', next, transient: false, began: true };
      return { end: { kind: 'lost', message, loss } };
    }
    return endOf(left, task, run.tree.head);
  }

  function hasResult({ file, index, task }: Handed): boolean {
    return readResult(file, index, task) !== undefined;
  }

  function lost({ file, index, size }: Handed, { message, ...loss }: SlurmLoss, began: boolean): EndOf<'lost'> {
    const output = relative(layout.home, join(dirname(file), `${size > 1 ? index : 0}.out`));
    return { kind: 'lost', message: `${message}; its output: ${output}`, loss: { ...loss, began } };
  }

  /** Ends all of it, and tells what may still run: soon where Slurm is away. True when an attempt may. */
  async function cancelAll(all: readonly Handed[], reason: string, isByPerson: boolean): Promise<boolean> {
    if (all.length === 0) return false;
    const running = withdraw(all, reason).running.filter((handed) => !hasResult(handed));
    const leave = isByPerson ? '; to leave without waiting: Ctrl-C again' : '';
    if (running.length > 0) journal.append(noticeEvent(`Slurm is asked to end ${namesOf(running)}${leave}`));
    let why = 'Slurm was asked to end it, and did not';
    // Also what had not begun: Slurm may have started it, and takes a moment to end it.
    const alive = await endJobs(slurm, isOneOf(all), { clock }).catch((error) => {
      if (!(error instanceof MendError)) throw error;
      why = error.message;
    });
    let left = running.filter((handed) => !hasResult(handed));
    if (alive?.length) left = all.filter((handed) => alive.some(({ id }) => id === slurmId(handed)));
    // A first start that lives on is not Slurm's to end.
    else if (alive) left = await untilGone(left, settings.grace + SEEN_LATE_MS);
    if (left.length === 0) return false;
    const byHand = `scancel ${[...new Set(left.map(({ number }) => number))].join(' ')}`;
    const text = `${why}, so this may still run: ${namesOf(left)}. End it by hand: ${byHand}; else the next start does`;
    journal.append(noticeEvent(text));
    return left.some((handed) => handed.withdrawn === undefined && !hasResult(handed));
  }

  /** Whether a job of Slurm is that of one of these. */
  function isOneOf(all: readonly Handed[]): (job: Job) => boolean {
    const byId = new Map(all.map((handed) => [slurmId(handed), handed]));
    return (job) => isJob(job, byId.get(job.id)?.job ?? '');
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async function takeBack(all: readonly Handed[], reason: string): Promise<Handed[]> {
    const { takenBack, running } = withdraw(all, reason);
    if (takenBack.length > 0)
      await slurm.cancel(isOneOf(takenBack)).catch((error) => {
        // What Slurm starts of it all the same ends by itself.
        if (!(error instanceof MendError)) throw error;
      });
    return running;
  }

  /** The same without asking Slurm. */
  function withdraw(all: readonly Handed[], reason: string): { takenBack: Handed[]; running: Handed[] } {
    const open = all.filter((handed) => handed.withdrawn === undefined);
    const takenBack = open.filter(({ file, index }) => withdrawTask(file, index));
    for (const handed of takenBack) handed.withdrawn = reason;
    for (const [job, tasks] of groupBy(takenBack, (handed) => handed.job)) {
      journal.append({ type: 'job.withdrawn', data: { job, steps: tasks.map(({ task }) => task.step), reason } });
    }
    return { takenBack, running: open.filter((handed) => handed.withdrawn === undefined) };
  }

  /** Waits until none of these can run any more; those that still may after `limitMs`. */
  async function untilGone(all: readonly Handed[], limitMs: number): Promise<Handed[]> {
    if (all.length === 0) return [];
    const until = clock.monotonic() + limitMs;
    for (; ; await clock.sleep(TICK_MS)) {
      const view = await watch.look(LOOK_CLOSELY_MS);
      const alive = all.filter((handed) => {
        const isKnown = handed.withdrawn !== undefined || hasResult(handed);
        return !(isKnown ? hasEnded(handed, view) : isOver(handed, view));
      });
      if (alive.length === 0 || clock.monotonic() >= until) return alive;
    }
  }

  /** The steps of those that are done, or on their way there as far as Slurm knows. */
  async function canEndWell(all: readonly Handed[]): Promise<ReadonlyMap<string, 'done' | 'live'>> {
    const view = await watch.look(0);
    const states = new Map<string, 'done' | 'live'>();
    for (const handed of all) {
      const result = readResult(handed.file, handed.index, handed.task);
      const job = jobOf(handed, view);
      if (isGreen(result)) states.set(handed.task.step, 'done');
      else if (result === undefined && job && phaseOf(job) !== 'ended') states.set(handed.task.step, 'live');
    }
    return states;
  }
}
