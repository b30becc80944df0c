// Attempts that were handed on to Slurm, by either backend: followed until their result is there or Slurm says that there will be
// none, and taken back. Whether an attempt began is decided by one file that only one process can make, not by Slurm.
import { dirname, join, relative } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { noticeEvent } from '../events.ts';
import { namesIn, readTail } from '../io/files.ts';
import { groupBy } from '../io/group-by.ts';
import type { EndOf, StageEnd } from '../plan/stage-end.ts';
import type { Slurm } from '../slurm/client.ts';
import { type Job, numberOf, phaseOf } from '../slurm/job.ts';
import { lossOf, type Loss as SlurmLoss, stuckOf } from '../slurm/loss.ts';
import { endJobs, type SlurmView, type SlurmWatch } from '../slurm/watch.ts';
import type { Task, TaskEnd } from '../stage/backend.ts';
import type { StageRun } from '../stage/run.ts';
import { readComment, WORKER_JOB } from './jobs.ts';
import { endOf, isGreen, makerOf, readResult, readSign, withdrawTask } from './task-file.ts';

/** An attempt that was handed on, until its end is known. */
export interface Handed {
  readonly task: Task;
  readonly file: string;
  readonly index: number;
  /** The number of its job in the run. */
  readonly job: string;
  /** How many tasks its job has; an array has two and more. */
  readonly size: number;
  /** The job of Slurm that was submitted for it; undefined: any worker of the pool may make it. */
  readonly id?: string | undefined;
  /** The steps whose jobs it waits for. */
  readonly after: readonly string[];
  /** Monotonic. */
  readonly since: number;
  /** Who began it, once that is seen. */
  maker?: string | undefined;
  /** Set when it will not be made: why. */
  withdrawn?: string;
  /** Set by its backend when it can never be made. */
  verdict?: StageEnd;
  /** The last sign of life of who makes it, and since when (monotonic) that is the last, seen from when Slurm said that it is over. */
  lastSign?: { readonly text: string | undefined; readonly since: number } | undefined;
}

export type SlurmAttempts = ReturnType<typeof slurmAttempts>;

const TICK_MS = 200;
/** How old an answer of squeue may be while waiting for an end, and while waiting for cancelled jobs. */
const LOOK_MS = 2000;
const LOOK_CLOSELY_MS = 1000;
const SEEN_LATE_MS = 5 * LOOK_CLOSELY_MS;
const MAX_NAMES = 10;
const TAIL_BYTES = 4096;

/** `9_0-ab12` → the job and, of a worker, its batch. */
const partsOf = (maker: string) => maker.split('-') as [id: string, batch?: string];

/** The job of Slurm that makes it, or is to. */
export const slurmId = ({ id, maker }: Handed): string | undefined => (maker ? partsOf(maker)[0] : id);

/** `a (job 12), b (job 13)`, and how many more. */
function namesOf(some: readonly Handed[]): string {
  const names = some.slice(0, MAX_NAMES).map((handed) => `${handed.task.step} (job ${slurmId(handed) ?? '?'})`);
  const more = some.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

interface Ports {
  readonly slurm: Slurm;
  readonly watch: SlurmWatch;
  readonly settings: LoopConfig['slurm'];
}

export function slurmAttempts(run: StageRun, { slurm, watch, settings }: Ports) {
  const { clock, journal, layout } = run;
  const listings = new Map<string, { at: number; names: ReadonlySet<string> }>();

  /** Jobs that were cancelled here, and why. */
  const causes = new Map<string, SlurmLoss>();

  const explain = (id: string, loss: SlurmLoss) => void causes.set(id, loss);
  return { end, result, takeBack, withdraw, cancelAll, untilGone, canEndWell, lossFor, explain };

  /** What is in the folder of a job, no older than a tick: asked for each task, it would be read as often. */
  function listing(file: string): ReadonlySet<string> {
    const folder = dirname(file);
    const known = listings.get(folder);
    if (known && clock.monotonic() - known.at < TICK_MS) return known.names;
    const names = new Set(namesIn(folder));
    listings.set(folder, { at: clock.monotonic(), names });
    return names;
  }

  /** The end of an attempt; undefined when the signal aborts first. Throws MendError when Slurm stays away. */
  async function end(handed: Handed, signal: AbortSignal): Promise<TaskEnd | undefined> {
    for (; ; await clock.sleep(TICK_MS, signal)) {
      const left = result(handed);
      // Stopped while the run was not: how its job ended says why.
      if (left?.end.kind === 'stopped' && !signal.aborted) return endedByOthers(handed, left.events);
      if (left) return left;
      if (handed.verdict) return { end: handed.verdict };
      if (handed.withdrawn !== undefined) return { end: { kind: 'unbegun', message: handed.withdrawn } };
      if (signal.aborted) return undefined;
      const over = await endWithoutResult(handed);
      if (over) return over;
    }
  }

  /** The end of an attempt that its job does not make any more, or never will; undefined while it may. */
  async function endWithoutResult(handed: Handed): Promise<TaskEnd | undefined> {
    const view = await watch.look(LOOK_MS);
    const job = jobOf(handed, view);
    const waiting = job && phaseOf(job) === 'waiting' ? job : undefined;
    if (job) run.live?.(handed.task.step, `job ${job.id}${waiting ? ` waits: ${waiting.reason}` : ''}`);
    const stuck = waiting && stuckOf(waiting);
    if (stuck && (await takeBack([handed], stuck.message)).length === 0) return notStarted(handed, stuck);
    if (!isOver(handed, view)) return undefined;
    const left = result(handed, true);
    if (left) return left;
    const loss = lossFor(slurmId(handed) ?? '', job, handed);
    if (beganBy(handed) !== undefined) return { end: lost(handed, loss, true) };
    // Another job of its array may begin it in this moment.
    return withdrawTask(handed.file, handed.index) ? notStarted(handed, loss) : undefined;
  }

  function beganBy(handed: Handed): string | undefined {
    const isThere = handed.maker === undefined && listing(handed.file).has(`${handed.index}.begun`);
    if (isThere) handed.maker = makerOf(handed.file, handed.index);
    return handed.maker;
  }

  function jobOf(handed: Handed, { jobs }: SlurmView): Job | undefined {
    beganBy(handed);
    const job = jobs.get(slurmId(handed) ?? '');
    return job && isOf(job, handed) ? job : undefined;
  }

  /** Whether a job is the one of an attempt: a later one may have its number, as after a controller of Slurm that forgot the first. */
  function isOf({ comment }: Job, { job, maker = '' }: Handed): boolean {
    const of = readComment(comment, layout.home);
    const [, batch] = partsOf(maker);
    const isMeant = batch === undefined ? of?.job === job : of?.job === WORKER_JOB && of.label.startsWith(`${batch} `);
    return of?.run === run.id && isMeant;
  }

  function hasEnded(handed: Handed, view: SlurmView): boolean {
    const job = jobOf(handed, view);
    // A full disk may have kept who began it from being written: then only its signs tell.
    if (slurmId(handed) === undefined) return handed.maker !== undefined;
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
    if (jobOf(handed, view)?.nodes === '' && handed.maker === undefined) return true;
    const text = readSign(handed.file, handed.index);
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

  /** The end of an attempt that Slurm or a person stopped. */
  async function endedByOthers(handed: Handed, events: TaskEnd['events'] = []): Promise<TaskEnd> {
    const until = clock.monotonic() + settings.grace;
    let view = await watch.look(LOOK_CLOSELY_MS);
    for (; !hasEnded(handed, view) && clock.monotonic() < until; view = await watch.look(LOOK_CLOSELY_MS))
      await clock.sleep(TICK_MS);
    const job = jobOf(handed, view);
    return { end: lost(handed, lossFor(slurmId(handed) ?? '', job, handed), true), events };
  }

  /** Why a job left no result, by what Slurm and its own output say. */
  function lossFor(id: string, job: Job | undefined, handed?: Handed, since = handed?.since ?? 0): SlurmLoss {
    const cause = causes.get(id);
    if (cause) return cause;
    const output = readTail(outputOf(handed, id), TAIL_BYTES)?.text ?? '';
    return lossOf(id, job, { output, wasAway: watch.wasAway(since) });
  }

  /** What the attempt left. Throws what it died of. `now`: also what is newer than the last look into its folder. */
  function result({ task, file, index }: Handed, now = false): TaskEnd | undefined {
    if (!now && !listing(file).has(`${index}.result.json`)) return undefined;
    const left = readResult(file, index, task);
    if (left === undefined) return undefined;
    if (left === 'broken') {
      const what = `the result of attempt ${task.attempt} of ${task.step} is damaged`;
      const message = `${what}: ${relative(layout.home, file)} task ${index}, spec ${task.spec}`;
      const next = 'see that nobody but mendloop writes below ai/state, then: mendloop';
      const loss = { code: 'JOB_BAD_RESULT', next, transient: false, began: true };
      return { end: { kind: 'lost', message, loss } };
    }
    return endOf(left, task, run.tree.head);
  }

  function hasResult({ file, index, task }: Handed): boolean {
    return readResult(file, index, task) !== undefined;
  }

  /** Where the job that makes an attempt writes what is no stage's output. */
  function outputOf(handed: Handed | undefined, id: string): string {
    if (handed?.id === undefined) return join(layout.jobs(run.id), 'workers', `${id}.out`);
    return join(dirname(handed.file), `${/_(\d+)$/.exec(id)?.[1] ?? 0}.out`);
  }

  function lost(handed: Handed, { message, ...loss }: SlurmLoss, began: boolean): EndOf<'lost'> {
    const output = relative(layout.home, outputOf(handed, slurmId(handed) ?? ''));
    const where = slurmId(handed) === undefined ? '' : `; its output: ${output}`;
    return { kind: 'lost', message: `${message}${where}`, loss: { ...loss, began } };
  }

  /** Ends all of it, and tells what may still run: soon where Slurm is away. True when an attempt may. */
  async function cancelAll(
    all: readonly Handed[],
    reason: string,
    isByPerson: boolean,
    isMeant?: (job: Job) => boolean,
  ): Promise<boolean> {
    if (all.length === 0 && !isMeant) return false;
    const running = withdraw(all, reason).running.filter((handed) => !hasResult(handed));
    const leave = isByPerson ? '; to leave without waiting: Ctrl-C again' : '';
    if (running.length > 0) journal.append(noticeEvent(`Slurm is asked to end ${namesOf(running)}${leave}`));
    let why = 'Slurm was asked to end it, and did not';
    // Also what had not begun: Slurm may have started it, and takes a moment to end it.
    const alive = await endJobs(slurm, isMeant ?? isOneOf(all), { clock }).catch((error) => {
      if (!(error instanceof MendError)) throw error;
      why = error.message;
    });
    let left = running.filter((handed) => !hasResult(handed));
    if (alive?.length) left = all.filter((handed) => alive.some(({ id }) => id === slurmId(handed)));
    // A first start that lives on is not Slurm's to end.
    else if (alive) left = await untilGone(left, settings.grace + SEEN_LATE_MS);
    if (isMeant && left.length === 0 && alive?.length !== 0) {
      const ids = alive?.map(({ id }) => id).join(' ');
      const text = ids ? `Slurm was asked to end workers, and did not: scancel ${ids}` : why;
      journal.append(noticeEvent(`${text}; workers that may still live leave by themselves`));
    }
    if (left.length === 0) return false;
    const numbers = new Set(left.map((handed) => numberOf(slurmId(handed) ?? '')));
    const byHand = `scancel ${[...numbers].join(' ')}`;
    const text = `${why}, so this may still run: ${namesOf(left)}. End it by hand: ${byHand}; else the next start does`;
    journal.append(noticeEvent(text));
    return left.some((handed) => handed.withdrawn === undefined && !hasResult(handed));
  }

  /** Whether a job of Slurm is that of one of these, also where it makes another one of its array. */
  function isOneOf(all: readonly Handed[]): (job: Job) => boolean {
    const byId = new Map(all.flatMap((handed) => [handed.id, slurmId(handed)].map((id) => [id, handed])));
    return (job) => {
      const handed = byId.get(job.id);
      return handed !== undefined && isOf(job, handed);
    };
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async function takeBack(all: readonly Handed[], reason: string): Promise<Handed[]> {
    const { takenBack, running } = withdraw(all, reason);
    const jobs = takenBack.filter(({ id }) => id !== undefined);
    if (jobs.length > 0)
      await slurm.cancel(isOneOf(jobs)).catch((error) => {
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
    const running = open.filter((handed) => handed.withdrawn === undefined);
    for (const handed of running) handed.maker ??= makerOf(handed.file, handed.index);
    return { takenBack, running };
  }

  /** Waits until none of these can run any more; those that still may after `limitMs`. */
  async function untilGone(all: readonly Handed[], limitMs: number): Promise<Handed[]> {
    if (all.length === 0) return [];
    const until = clock.monotonic() + limitMs;
    for (; ; await clock.sleep(TICK_MS)) {
      const view = await watch.look(LOOK_CLOSELY_MS);
      const mayRun = (handed: Handed) => handed.withdrawn === undefined && !hasResult(handed) && !isOver(handed, view);
      const alive = all.filter(mayRun);
      if (alive.length === 0 || clock.monotonic() >= until) return alive;
    }
  }

  /** The steps of those that are done, or on their way there as far as Slurm knows. */
  async function canEndWell(all: readonly Handed[]): Promise<ReadonlyMap<string, 'done' | 'live'>> {
    const view = await watch.look(0);
    const states = new Map<string, 'done' | 'live'>();
    for (const handed of all) {
      const left = readResult(handed.file, handed.index, handed.task);
      const job = jobOf(handed, view);
      if (isGreen(left)) states.set(handed.task.step, 'done');
      else if (left === undefined && job && phaseOf(job) !== 'ended') states.set(handed.task.step, 'live');
    }
    return states;
  }
}
