// Attempts as jobs of Slurm: handed on with their intent on disk first, followed until their result is there or Slurm says that
// there will be none, and taken back. Whether an attempt began is decided by one file that only one can make, not by Slurm.
import { dirname, join, relative } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import type { Outcome } from '../plan/action.ts';
import type { Slurm } from '../slurm/client.ts';
import { groupBy } from '../slurm/group-by.ts';
import { type Job, numberOf, phaseOf } from '../slurm/job.ts';
import { lossOf, type Loss as SlurmLoss, stuckOf } from '../slurm/loss.ts';
import type { Loss, Task, TaskEnd } from '../stage/backend.ts';
import type { StageRun } from '../stage/run.ts';
import { type Parent, parentIds, slurmId } from './group-tasks.ts';
import { jobComment, type OpenJob, placeOf, readComment } from './jobs.ts';
import { watchSlurm } from './slurm-watch.ts';
import {
  ARRAY,
  attemptArgv,
  endOf,
  hasBegun,
  isGreen,
  jobWriter,
  readJob,
  readResult,
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
  /** Nobody makes it any more: why. */
  withdrawn?: string;
}

export type SlurmJobs = ReturnType<typeof slurmJobs>;

const TICK_MS = 200;
/** How old an answer of squeue may be for who waits. */
const LOOK_MS = 2000;
/** Slurm's limits have minutes, and end what our own limit should have ended. */
const SLACK_MINUTES = 3;
/** How long a job that was cancelled is waited for: Slurm's KillWait is 30 s by default. */
const CANCEL_MS = 55_000;
const CANCEL_AGAIN_MS = 5_000;

/** Whether an attempt was stopped while the run was not. */
const isEndedByOthers = (end: TaskEnd, signal: AbortSignal): end is Extract<TaskEnd, { outcome: Outcome }> =>
  'outcome' in end && end.outcome.kind === 'stopped' && !end.outcome.late && !signal.aborted;

export function slurmJobs(run: StageRun, slurm: Slurm, settings: LoopConfig['slurm'], backend: string, made: number) {
  const { clock, journal, layout } = run;
  const watch = watchSlurm(slurm, clock, settings.stale);
  const write = jobWriter(run, backend, made);

  return { submit, adopt, end, takeBack, cancelAll, gone, canEndWell };

  /** One job, or one array: intent, submit, number, each on disk before the next. Throws MendError when Slurm refuses. */
  async function submit(tasks: readonly Task[], after: readonly string[], parents: readonly Handed[]) {
    const first = tasks[0] as Task;
    const size = tasks.length;
    const { job, file } = write(tasks, after);
    const request = {
      name: size > 1 ? first.stage : first.step,
      comment: jobComment(layout.home, run.id, job, size > 1 ? first.stage : first.step),
      command: attemptArgv(file, size > 1 ? ARRAY : 0),
      cwd: layout.worktree,
      output: join(dirname(file), size > 1 ? '%a.out' : '0.out'),
      place: placeOf(settings, first.spec),
      ...(size > 1 && { array: tasks.map((_, index) => index) }),
      after: parentIds(parents),
      minutes: first.timeout_ms / 60_000 + SLACK_MINUTES,
    };
    let isSecond = false;
    const number = await watch.patiently(async () => {
      // One that got no answer may have been taken all the same.
      const earlier = isSecond ? (await numbersOf(job))[0] : undefined;
      isSecond = true;
      return earlier ?? slurm.submit(request);
    });
    journal.append({ type: 'job.submitted', data: { job, id: number } });
    const since = clock.monotonic();
    return tasks.map((task, index): Handed => ({ task, file, job, number, index, size, after, since }));
  }

  /** Slurm's numbers of a job of this run, whoever submitted it. */
  async function numbersOf(job: string): Promise<string[]> {
    const mine = (await slurm.jobs()).filter((one) => isJob(one, job));
    return [...new Set(mine.map(({ id }) => numberOf(id)))];
  }

  /** Whether it is `job` of this run: a later job may have its number, as after a controller of Slurm that forgot the first. */
  function isJob({ comment }: Job, job: string): boolean {
    const of = readComment(comment, layout.home);
    return of?.run === run.id && of.job === job;
  }

  /** What an earlier process of this run handed on and nobody knows the end of; what nobody can follow is cancelled. */
  async function adopt(left: readonly OpenJob[]): Promise<Handed[]> {
    const adopted: Handed[] = [];
    for (const { job, id, after, open } of left) {
      const numbers = id === undefined ? await numbersOf(job) : [id];
      const number = numbers.length === 1 ? numbers[0] : undefined;
      const file = join(layout.jobs(run.id), job, 'job.json');
      const tasks = readJob(file)?.tasks ?? [];
      const shared = { file, job, number: number ?? '', size: tasks.length, after, since: clock.monotonic() };
      const all = [...open.keys()].flatMap((index): Handed[] => {
        const task = tasks[index];
        return task ? [{ ...shared, task, index }] : [];
      });
      if (number !== undefined) {
        if (id === undefined) journal.append({ type: 'job.submitted', data: { job, id: number } });
        adopted.push(...all);
        continue;
      }
      const steps = [...open.values()].map(({ step }) => step);
      for (const { file: of, index } of all) withdrawTask(of, index);
      await slurm.cancel((one) => isJob(one, job));
      const reason = numbers.length > 1 ? 'it was submitted more than once' : 'it was never submitted';
      journal.append({ type: 'job.withdrawn', data: { job, steps, reason } });
    }
    return adopted;
  }

  /** The end of an attempt. When the signal aborts it is cancelled first. Throws MendError when Slurm stays away. */
  async function end(handed: Handed, signal: AbortSignal): Promise<TaskEnd> {
    let overSince: number | undefined;
    for (;;) {
      const left = result(handed);
      if (left) return isEndedByOthers(left, signal) ? ended(handed, left.events) : left;
      if (handed.withdrawn !== undefined) return { returned: handed.withdrawn };
      if (signal.aborted) return stop(handed);
      const { at, jobs } = await watch.look(LOOK_MS);
      const job = jobOf(handed, jobs);
      if (job)
        run.live?.(
          handed.task.step,
          phaseOf(job) === 'waiting' ? `job ${job.id} waits: ${job.reason}` : `job ${job.id}`,
        );
      const stuck = job && phaseOf(job) === 'waiting' ? stuckOf(job) : undefined;
      if (stuck && (await takeBack([handed], stuck.message)).length === 0) return notStarted(handed, stuck);
      // A job that was submitted after Slurm was asked is not one that it forgot.
      const isOver = job ? phaseOf(job) === 'ended' : at > handed.since;
      overSince = isOver ? (overSince ?? clock.monotonic()) : undefined;
      if (overSince !== undefined && clock.monotonic() - overSince >= resultDelayMs(job)) {
        const loss = lossOf(slurmId(handed), job);
        const began = hasBegun(handed.file, handed.index);
        return result(handed) ?? (began ? lost(handed, loss, true) : notStarted(handed, loss));
      }
      await clock.sleep(TICK_MS, signal);
    }
  }

  function jobOf(handed: Handed, jobs: ReadonlyMap<string, Job>): Job | undefined {
    const job = jobs.get(slurmId(handed));
    return job && isJob(job, handed.job) ? job : undefined;
  }

  /**
   * The end of an attempt that no job makes any more. What Slurm says of the jobs that it waited for is not what counts: who asks
   * for its end knows by their results that they ended well. Asked for again, it waits for none of ours.
   */
  async function notStarted(handed: Handed, loss: SlurmLoss): Promise<TaskEnd> {
    if (loss.code !== 'JOB_DEPENDENCY' || handed.after.length === 0) return lost(handed, loss, false);
    const hasBegunNow = (await takeBack([handed], loss.message)).length > 0;
    return hasBegunNow ? lost(handed, loss, true) : { returned: loss.message };
  }

  /** What an attempt left that Slurm, or a person, told to stop: how its job ended says why. */
  async function ended(handed: Handed, events: readonly NewEvent[]): Promise<TaskEnd> {
    await gone([handed], settings.grace);
    const { jobs } = await watch.look(LOOK_MS);
    return { ...lost(handed, lossOf(slurmId(handed), jobOf(handed, jobs)), true), events };
  }

  /** How long the result of a job that ended may take to be seen here; one that never began has none. */
  function resultDelayMs(job: Job | undefined): number {
    return job?.nodes === '' ? 0 : settings.grace;
  }

  /** What the attempt left. Throws what it died of. */
  function result({ task, file, index, number }: Handed): TaskEnd | undefined {
    const left = readResult(file, index, task);
    if (left === undefined) return undefined;
    if (left === 'broken') {
      const what = `the result of attempt ${task.attempt} of ${task.step} is damaged`;
      const message = `${what}: ${relative(layout.home, file)} task ${index}, spec ${task.spec}, job ${number}`;
      const next = 'see that nobody but mendloop writes below ai/state, then: mendloop';
      return { lost: { code: 'JOB_BAD_RESULT', message, next, transient: false, began: true } };
    }
    return endOf(left);
  }

  function lost({ file, index, size }: Handed, loss: SlurmLoss, began: boolean): { lost: Loss } {
    const output = relative(layout.home, join(dirname(file), `${size > 1 ? index : 0}.out`));
    return { lost: { ...loss, message: `${loss.message}; its output: ${output}`, began } };
  }

  async function stop(handed: Handed): Promise<TaskEnd> {
    await cancelAll([handed], 'the run stops', CANCEL_MS);
    return result(handed) ?? { outcome: { kind: 'stopped' }, events: [] };
  }

  /** Ends all of it; returns what may still run after `limitMs`. */
  async function cancelAll(all: readonly Handed[], reason: string, limitMs: number): Promise<Handed[]> {
    const until = clock.monotonic() + limitMs;
    await cancel(await takeBack(all, reason));
    // Also of what had not begun: Slurm may have started it, and takes a moment to end it.
    let left = await gone(all, CANCEL_AGAIN_MS);
    while (left.length > 0 && clock.monotonic() < until) {
      // Again: a controller of Slurm that was started anew may have forgotten it.
      await cancel(left);
      left = await gone(left, CANCEL_AGAIN_MS);
    }
    return left;
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async function takeBack(all: readonly Handed[], reason: string): Promise<Handed[]> {
    const open = all.filter((one) => one.withdrawn === undefined);
    const isTaken = new Set(open.filter(({ file, index }) => withdrawTask(file, index)));
    for (const one of isTaken) one.withdrawn = reason;
    for (const [job, tasks] of groupBy(isTaken, (one) => one.job)) {
      journal.append({ type: 'job.withdrawn', data: { job, steps: tasks.map(({ task }) => task.step), reason } });
    }
    await cancel([...isTaken]);
    return open.filter((one) => !isTaken.has(one));
  }

  /** Where Slurm does not do it, what was taken back ends by itself when it is started, and who waits sees that the rest lives. */
  async function cancel(all: readonly Handed[]): Promise<void> {
    if (all.length === 0) return;
    const byId = new Map(all.map((one) => [slurmId(one), one]));
    const isMeant = (job: Job) => isJob(job, byId.get(job.id)?.job ?? '');
    await slurm.cancel(isMeant).catch((error) => {
      if (!(error instanceof MendError)) throw error;
    });
  }

  /** Waits until none of these can run any more; those that still may after `limitMs`. */
  async function gone(all: readonly Handed[], limitMs: number): Promise<Handed[]> {
    const until = clock.monotonic() + limitMs;
    for (;;) {
      const { jobs } = await watch.look(TICK_MS);
      const alive = all.filter((one) => {
        const job = jobOf(one, jobs);
        return job !== undefined && phaseOf(job) !== 'ended';
      });
      if (alive.length === 0 || clock.monotonic() >= until) return alive;
      await clock.sleep(TICK_MS);
    }
  }

  /** The steps of those that are done, or on their way there as far as Slurm knows. */
  async function canEndWell(all: readonly Handed[]): Promise<ReadonlyMap<string, 'done' | 'live'>> {
    const { jobs } = await watch.look(0);
    const states = new Map<string, 'done' | 'live'>();
    for (const one of all) {
      const left = readResult(one.file, one.index, one.task);
      const job = jobOf(one, jobs);
      if (isGreen(left)) states.set(one.task.step, 'done');
      else if (left === undefined && job && phaseOf(job) !== 'ended') states.set(one.task.step, 'live');
    }
    return states;
  }
}
