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
  /** When Slurm's controller was started. */
  readonly startedAt: string;
}

/** What is under way on Slurm, for one run. */
export class SlurmAttempts {
  readonly #run: StageRun;
  readonly #slurm: Slurm;
  readonly #watch: SlurmWatch;
  readonly #grace: number;
  readonly #startedAt: string;
  readonly #listings = new Map<string, { at: number; names: ReadonlySet<string> }>();
  /** Jobs that were cancelled here, and why. */
  readonly #causes = new Map<string, SlurmLoss>();

  constructor(run: StageRun, { slurm, watch, settings, startedAt }: Ports) {
    this.#startedAt = startedAt;
    this.#run = run;
    this.#slurm = slurm;
    this.#watch = watch;
    this.#grace = settings.grace;
  }

  /** Says why a job was cancelled here. */
  explain(id: string, loss: SlurmLoss): void {
    this.#causes.set(id, loss);
  }

  /** What is in the folder of a job, no older than a tick: asked for each task, it would be read as often. */
  #listing(file: string): ReadonlySet<string> {
    const folder = dirname(file);
    const known = this.#listings.get(folder);
    if (known && this.#run.clock.monotonic() - known.at < TICK_MS) return known.names;
    const names = new Set(namesIn(folder));
    this.#listings.set(folder, { at: this.#run.clock.monotonic(), names });
    return names;
  }

  /** The end of an attempt; undefined when the signal aborts first. Throws MendError when Slurm stays away. */
  async end(handed: Handed, signal: AbortSignal): Promise<TaskEnd | undefined> {
    for (; ; await this.#run.clock.sleep(TICK_MS, signal)) {
      const left = this.result(handed);
      // Stopped while the run was not: how its job ended says why.
      if (left?.end.kind === 'stopped' && !signal.aborted) return this.#endedByOthers(handed, left.events);
      if (left) return left;
      if (handed.verdict) return { end: handed.verdict };
      if (handed.withdrawn !== undefined) return { end: { kind: 'unbegun', message: handed.withdrawn } };
      if (signal.aborted) return undefined;
      const over = await this.#endWithoutResult(handed);
      if (over) return over;
    }
  }

  /** The end of an attempt that its job does not make any more, or never will; undefined while it may. */
  async #endWithoutResult(handed: Handed): Promise<TaskEnd | undefined> {
    const view = await this.#watch.look(LOOK_MS);
    const job = this.#jobOf(handed, view);
    const waiting = job && phaseOf(job) === 'waiting' ? job : undefined;
    if (job) this.#run.live?.(handed.task.step, `job ${job.id}${waiting ? ` waits: ${waiting.reason}` : ''}`);
    const stuck = waiting && stuckOf(waiting);
    if (stuck && (await this.takeBack([handed], stuck.message)).length === 0) return this.#notStarted(handed, stuck);
    if (!this.#isOver(handed, view)) return undefined;
    const left = this.result(handed, true);
    if (left) return left;
    const loss = this.lossFor(slurmId(handed) ?? '', job, handed);
    if (this.#beganBy(handed) !== undefined) return { end: this.#lost(handed, loss, true) };
    // Another job of its array may begin it in this moment.
    if (!withdrawTask(handed.file, handed.index)) return undefined;
    return this.#notStarted(handed, await this.whyNotStarted(loss, slurmId(handed) ?? ''));
  }

  /** A job that Slurm lists no more and that never ran was cancelled, unless another controller of Slurm forgot it. */
  async whyNotStarted(loss: SlurmLoss, id: string): Promise<SlurmLoss> {
    if (loss.code !== 'JOB_FORGOTTEN') return loss;
    const startedAt = await this.#slurm.config().then(
      (now) => now.startedAt,
      () => undefined,
    );
    return startedAt === this.#startedAt ? lossOf(id, undefined, { isWaitingGone: true }) : loss;
  }

  #beganBy(handed: Handed): string | undefined {
    const isThere = handed.maker === undefined && this.#listing(handed.file).has(`${handed.index}.begun`);
    if (isThere) handed.maker = makerOf(handed.file, handed.index);
    return handed.maker;
  }

  #jobOf(handed: Handed, { jobs }: SlurmView): Job | undefined {
    this.#beganBy(handed);
    const job = jobs.get(slurmId(handed) ?? '');
    return job && this.#isOf(job, handed) ? job : undefined;
  }

  /** Whether a job is the one of an attempt: a later one may have its number, as after a controller of Slurm that forgot the first. */
  #isOf({ comment }: Job, { job, maker = '' }: Handed): boolean {
    const of = readComment(comment, this.#run.layout.home);
    const [, batch] = partsOf(maker);
    const isMeant = batch === undefined ? of?.job === job : of?.job === WORKER_JOB && of.label.startsWith(`${batch} `);
    return of?.run === this.#run.id && isMeant;
  }

  #hasEnded(handed: Handed, view: SlurmView): boolean {
    const job = this.#jobOf(handed, view);
    // A full disk may have kept who began it from being written: then only its signs tell.
    if (slurmId(handed) === undefined) return handed.maker !== undefined;
    // A job that was submitted after Slurm was asked is not one that it forgot.
    return job ? phaseOf(job) === 'ended' : view.at > handed.since;
  }

  /**
   * Whether nothing of it runs, and its result would have been seen. That its job has ended is not enough: a controller of Slurm that
   * was started anew may start a job twice, and tells of the second start, while the first lives on and shows signs.
   */
  #isOver(handed: Handed, view: SlurmView): boolean {
    if (!this.#hasEnded(handed, view)) {
      handed.lastSign = undefined;
      return false;
    }
    if (this.#jobOf(handed, view)?.nodes === '' && handed.maker === undefined) return true;
    const text = readSign(handed.file, handed.index);
    const lastSign = handed.lastSign?.text === text ? handed.lastSign : undefined;
    handed.lastSign = lastSign ?? { text, since: this.#run.clock.monotonic() };
    return this.#run.clock.monotonic() - handed.lastSign.since >= this.#grace;
  }

  /**
   * The end of an attempt that no job makes any more. What Slurm says of the jobs that it waited for is not what counts: who asks
   * for its end knows by their results that they ended well. Asked for again, it waits for none of ours.
   */
  async #notStarted(handed: Handed, loss: SlurmLoss): Promise<TaskEnd> {
    if (loss.code !== 'JOB_DEPENDENCY' || handed.after.length === 0) return { end: this.#lost(handed, loss, false) };
    const hasBegunNow = (await this.takeBack([handed], loss.message)).length > 0;
    return { end: hasBegunNow ? this.#lost(handed, loss, true) : { kind: 'unbegun', message: loss.message } };
  }

  /** The end of an attempt that Slurm or a person stopped. */
  async #endedByOthers(handed: Handed, events: TaskEnd['events'] = []): Promise<TaskEnd> {
    const until = this.#run.clock.monotonic() + this.#grace;
    let view = await this.#watch.look(LOOK_CLOSELY_MS);
    for (
      ;
      !this.#hasEnded(handed, view) && this.#run.clock.monotonic() < until;
      view = await this.#watch.look(LOOK_CLOSELY_MS)
    )
      await this.#run.clock.sleep(TICK_MS);
    const job = this.#jobOf(handed, view);
    return { end: this.#lost(handed, this.lossFor(slurmId(handed) ?? '', job, handed), true), events };
  }

  /** Why a job left no result, by what Slurm and its own output say. */
  lossFor(id: string, job: Job | undefined, handed?: Handed, since = handed?.since ?? 0): SlurmLoss {
    const cause = this.#causes.get(id);
    if (cause) return cause;
    const output = readTail(this.#outputOf(handed, id), TAIL_BYTES)?.text ?? '';
    return lossOf(id, job, { output, wasAway: this.#watch.wasAway(since) });
  }

  /** What the attempt left. Throws what it died of. `now`: also what is newer than the last look into its folder. */
  result({ task, file, index }: Handed, now = false): TaskEnd | undefined {
    if (!now && !this.#listing(file).has(`${index}.result.json`)) return undefined;
    const left = readResult(file, index, task);
    if (left === undefined) return undefined;
    if (left === 'broken') {
      const what = `the result of attempt ${task.attempt} of ${task.step} is damaged`;
      const message = `${what}: ${relative(this.#run.layout.home, file)} task ${index}, spec ${task.spec}`;
      const next = 'see that nobody but mendloop writes below ai/state, then: mendloop';
      const loss = { code: 'JOB_BAD_RESULT', next, transient: false, began: true };
      return { end: { kind: 'lost', message, loss } };
    }
    return endOf(left, task, this.#run.tree.head);
  }

  #hasResult({ file, index, task }: Handed): boolean {
    return readResult(file, index, task) !== undefined;
  }

  /** Where the job that makes an attempt writes what is no stage's output. */
  #outputOf(handed: Handed | undefined, id: string): string {
    if (handed?.id === undefined) return join(this.#run.layout.jobs(this.#run.id), 'workers', `${id}.out`);
    return join(dirname(handed.file), `${/_(\d+)$/.exec(id)?.[1] ?? 0}.out`);
  }

  #lost(handed: Handed, { message, ...loss }: SlurmLoss, began: boolean): EndOf<'lost'> {
    const output = relative(this.#run.layout.home, this.#outputOf(handed, slurmId(handed) ?? ''));
    const where = slurmId(handed) === undefined ? '' : `; its output: ${output}`;
    return { kind: 'lost', message: `${message}${where}`, loss: { ...loss, began } };
  }

  /** Ends all of it, and tells what may still run: soon where Slurm is away. True when an attempt may. */
  async cancelAll(
    all: readonly Handed[],
    reason: string,
    isByPerson: boolean,
    isMeant?: (job: Job) => boolean,
  ): Promise<boolean> {
    if (all.length === 0 && !isMeant) return false;
    const running = this.withdraw(all, reason).running.filter((handed) => !this.#hasResult(handed));
    const leave = isByPerson ? '; to leave without waiting: Ctrl-C again' : '';
    if (running.length > 0) this.#run.journal.append(noticeEvent(`Slurm is asked to end ${namesOf(running)}${leave}`));
    let why = 'Slurm was asked to end it, and did not';
    // Also what had not begun: Slurm may have started it, and takes a moment to end it.
    const alive = await endJobs(this.#slurm, isMeant ?? this.#isOneOf(all), { clock: this.#run.clock }).catch(
      (error) => {
        if (!(error instanceof MendError)) throw error;
        why = error.message;
      },
    );
    let left = running.filter((handed) => !this.#hasResult(handed));
    if (alive?.length) left = all.filter((handed) => alive.some(({ id }) => id === slurmId(handed)));
    // A first start that lives on is not Slurm's to end.
    else if (alive) left = await this.untilGone(left, this.#grace + SEEN_LATE_MS);
    if (isMeant && left.length === 0 && alive?.length !== 0) {
      const ids = alive?.map(({ id }) => id).join(' ');
      const text = ids ? `Slurm was asked to end workers, and did not: scancel ${ids}` : why;
      this.#run.journal.append(noticeEvent(`${text}; workers that may still live leave by themselves`));
    }
    if (left.length === 0) return false;
    const numbers = new Set(left.map((handed) => numberOf(slurmId(handed) ?? '')));
    const byHand = `scancel ${[...numbers].join(' ')}`;
    const text = `${why}, so this may still run: ${namesOf(left)}. End it by hand: ${byHand}; else the next start does`;
    this.#run.journal.append(noticeEvent(text));
    return left.some((handed) => handed.withdrawn === undefined && !this.#hasResult(handed));
  }

  /** Whether a job of Slurm is that of one of these, also where it makes another one of its array. */
  #isOneOf(all: readonly Handed[]): (job: Job) => boolean {
    const byId = new Map(all.flatMap((handed) => [handed.id, slurmId(handed)].map((id) => [id, handed])));
    return (job) => {
      const handed = byId.get(job.id);
      return handed !== undefined && this.#isOf(job, handed);
    };
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async takeBack(all: readonly Handed[], reason: string): Promise<Handed[]> {
    const { takenBack, running } = this.withdraw(all, reason);
    const jobs = takenBack.filter(({ id }) => id !== undefined);
    if (jobs.length > 0)
      await this.#slurm.cancel(this.#isOneOf(jobs)).catch((error) => {
        // What Slurm starts of it all the same ends by itself.
        if (!(error instanceof MendError)) throw error;
      });
    return running;
  }

  /** The same without asking Slurm. */
  withdraw(all: readonly Handed[], reason: string): { takenBack: Handed[]; running: Handed[] } {
    const open = all.filter((handed) => handed.withdrawn === undefined);
    const takenBack = open.filter(({ file, index }) => withdrawTask(file, index));
    for (const handed of takenBack) handed.withdrawn = reason;
    for (const [job, tasks] of groupBy(takenBack, (handed) => handed.job)) {
      this.#run.journal.append({
        type: 'job.withdrawn',
        data: { job, steps: tasks.map(({ task }) => task.step), reason },
      });
    }
    const running = open.filter((handed) => handed.withdrawn === undefined);
    for (const handed of running) handed.maker ??= makerOf(handed.file, handed.index);
    return { takenBack, running };
  }

  /** Waits until none of these can run any more; those that still may after `limitMs`. */
  async untilGone(all: readonly Handed[], limitMs: number): Promise<Handed[]> {
    if (all.length === 0) return [];
    const until = this.#run.clock.monotonic() + limitMs;
    for (; ; await this.#run.clock.sleep(TICK_MS)) {
      const view = await this.#watch.look(LOOK_CLOSELY_MS);
      const mayRun = (handed: Handed) =>
        handed.withdrawn === undefined && !this.#hasResult(handed) && !this.#isOver(handed, view);
      const alive = all.filter(mayRun);
      if (alive.length === 0 || this.#run.clock.monotonic() >= until) return alive;
    }
  }

  /** The steps of those that are done, or on their way there as far as Slurm knows. */
  async canEndWell(all: readonly Handed[]): Promise<ReadonlyMap<string, 'done' | 'live'>> {
    const view = await this.#watch.look(0);
    const states = new Map<string, 'done' | 'live'>();
    for (const handed of all) {
      const left = readResult(handed.file, handed.index, handed.task);
      const job = this.#jobOf(handed, view);
      if (isGreen(left)) states.set(handed.task.step, 'done');
      else if (left === undefined && job && phaseOf(job) !== 'ended') states.set(handed.task.step, 'live');
    }
    return states;
  }
}
