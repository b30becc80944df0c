// slurm-dag: a step is a job of Slurm, submitted as soon as it is sure that it is to do, with `afterok` on the jobs of what it
// needs. Slurm starts them one behind the other.
import { dirname, join } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { groupBy } from '../io/group-by.ts';
import { cellNames } from '../plan/matrix.ts';
import type { Slurm } from '../slurm/client.ts';
import { type Job, numberOf, shortIds } from '../slurm/job.ts';
import type { SlurmWatch } from '../slurm/watch.ts';
import type { Task, TaskAhead } from '../stage/backend.ts';
import type { StageRun } from '../stage/run.ts';
import { jobComment, placeOf, readComment, signMs } from './jobs.ts';
import type { Handed, SlurmAttempts } from './slurm-attempts.ts';
import type { Carrier } from './slurm-backend.ts';
import { arrayScript, attemptArgv, jobWriter, type OpenTask, withdrawTask } from './task-file.ts';

export const SLURM_DAG = 'slurm-dag';
/** Slurm's limits have minutes, and end what our own limit should have ended. */
const SLACK_MINUTES = 3;

export interface DagPorts {
  readonly slurm: Slurm;
  readonly watch: SlurmWatch;
  readonly settings: LoopConfig['slurm'];
  readonly attempts: SlurmAttempts;
  readonly maxArraySize: number;
  /** How many jobs the run had. */
  readonly count: number;
  /** What is surely to do, needs first; nothing while the tree is written. */
  ahead(): readonly TaskAhead[];
}

export class DagCarrier implements Carrier {
  readonly width = Number.POSITIVE_INFINITY;
  adopted: readonly Handed[] = [];
  readonly #run: StageRun;
  readonly #ports: DagPorts;
  readonly #write: ReturnType<typeof jobWriter>;

  private constructor(run: StageRun, ports: DagPorts) {
    this.#run = run;
    this.#ports = ports;
    this.#write = jobWriter(run, SLURM_DAG, ports.count);
  }

  /** Takes over what an earlier process of this run left with it first. Throws MendError when Slurm does not answer. */
  static async open(run: StageRun, ports: DagPorts, left: readonly OpenTask[]): Promise<DagCarrier> {
    const carrier = new DagCarrier(run, ports);
    carrier.adopted = await carrier.#adopt(left);
    return carrier;
  }

  /** What waits in the queue although another job of its array made its cell has nothing to do. */
  async close(): Promise<void> {
    const isOfRun = ({ comment }: Job) => readComment(comment, this.#run.layout.home)?.run === this.#run.id;
    await this.#ports.slurm.cancel(isOfRun).catch((error) => {
      if (!(error instanceof MendError)) throw error;
    });
  }

  async submit(tasks: readonly Task[], open: ReadonlyMap<string, Handed>, signal: AbortSignal) {
    const batch = new Map<string, Handed>();
    try {
      const wanted = tasks.map((task) => ({ ...task, after: [] }));
      for (const group of groupTasks([...wanted, ...(await this.#following(wanted, open))], this.#ports.maxArraySize)) {
        const after = group[0]?.after ?? [];
        const parents = after.flatMap((step) => batch.get(step) ?? open.get(step) ?? []);
        for (const handed of await this.#submitJob(group, after, parents, signal)) batch.set(handed.task.step, handed);
      }
      return [...batch.values()];
    } catch (error) {
      // Nothing of it may run while the run believes that none of it was submitted.
      await this.#ports.attempts.cancelAll([...batch.values()], 'what was to be submitted with it could not be', false);
      throw error;
    }
  }

  /** What is sure to follow, where every job that it waits for is one of ours that can still end well. */
  async #following(wanted: readonly Task[], open: ReadonlyMap<string, Handed>): Promise<TaskAhead[]> {
    const inBatch = new Set(wanted.map(({ step }) => step));
    const candidates = this.#ports.ahead().filter(({ step }) => !inBatch.has(step) && !open.has(step));
    const earlier = [...new Set(candidates.flatMap(({ after }) => after))].flatMap((step) => open.get(step) ?? []);
    const states =
      earlier.length > 0 ? await this.#ports.attempts.canEndWell(earlier) : new Map<string, 'done' | 'live'>();
    const isLive = (step: string) => inBatch.has(step) || states.has(step);
    const isDone = (step: string) => !inBatch.has(step) && states.get(step) === 'done';
    return candidates.flatMap((task) => {
      if (!task.after.every(isLive)) return [];
      inBatch.add(task.step);
      return [{ ...task, after: task.after.filter((step) => !isDone(step)) }];
    });
  }

  /**
   * One job, or one array: intent, submit, number, each on disk before the next. Throws MendError when Slurm refuses, naming the
   * steps, or is away for too long, or when the signal aborts.
   */
  async #submitJob(
    tasks: readonly Task[],
    after: readonly string[],
    parents: readonly Handed[],
    signal: AbortSignal,
  ): Promise<Handed[]> {
    const first = tasks[0] as Task;
    const size = tasks.length;
    const { job, file } = this.#write(tasks, after);
    const label = size > 1 ? first.stage : first.step;
    const request = {
      name: label,
      comment: jobComment(this.#run.layout.home, this.#run.id, job, label),
      ...(size > 1 && { array: size, before: arrayScript(file) }),
      command: attemptArgv(file, size > 1 ? 'array' : 0, signMs(this.#ports.settings)),
      cwd: this.#run.layout.worktree,
      output: join(dirname(file), size > 1 ? '%a.out' : '0.out'),
      place: placeOf(this.#ports.settings, first.spec),
      after: parentIds(parents),
      minutes: first.timeout_ms / 60_000 + SLACK_MINUTES,
    };
    let isSecond = false;
    const number = await this.#ports.watch
      .patiently(async () => {
        // One that got no answer may have been taken all the same.
        const earlier = isSecond ? (await this.#numbersOf(job))[0] : undefined;
        isSecond = true;
        return earlier ?? this.#ports.slurm.submit(request);
      }, signal)
      .catch((error) => {
        // One that was taken all the same then ends by itself.
        const withdrawn = tasks.filter((_, index) => withdrawTask(file, index)).map(({ step }) => step);
        this.#run.journal.append({
          type: 'job.withdrawn',
          data: { job, steps: withdrawn, reason: 'Slurm did not take it' },
        });
        throw naming(tasks, error);
      });
    this.#run.journal.append({ type: 'job.submitted', data: { job, id: number } });
    const since = this.#run.clock.monotonic();
    return tasks.map(
      (task, index): Handed => ({ task, file, job, index, size, id: idIn(number, index, size), after, since }),
    );
  }

  /** Slurm's numbers of a job of this run, submitted by any of its processes. */
  async #numbersOf(job: string): Promise<string[]> {
    const mine = (await this.#ports.slurm.jobs()).filter((listed) => this.#isJob(listed, job));
    return [...new Set(mine.map(({ id }) => numberOf(id)))];
  }

  #isJob({ comment }: Job, job: string): boolean {
    const of = readComment(comment, this.#run.layout.home);
    return of?.run === this.#run.id && of.job === job;
  }

  /** What cannot be followed is cancelled. */
  async #adopt(left: readonly OpenTask[]): Promise<Handed[]> {
    const followed: Handed[] = [];
    for (const [job, tasks] of groupBy(left, (open) => open.job)) {
      const submitted = tasks[0]?.id;
      const [number, second] = submitted === undefined ? await this.#numbersOf(job) : [submitted];
      if (number !== undefined && second === undefined) {
        if (submitted === undefined) this.#run.journal.append({ type: 'job.submitted', data: { job, id: number } });
        const since = this.#run.clock.monotonic();
        followed.push(...tasks.map((open) => ({ ...open, id: idIn(number, open.index, open.size), since })));
        continue;
      }
      for (const { file, index } of tasks) withdrawTask(file, index);
      await this.#ports.slurm.cancel((listed) => this.#isJob(listed, job));
      const reason = second === undefined ? 'it was never submitted' : 'it was submitted more than once';
      this.#run.journal.append({
        type: 'job.withdrawn',
        data: { job, steps: tasks.map(({ task }) => task.step), reason },
      });
    }
    return followed;
  }
}

/** The error with the steps that were to be submitted. */
export function naming(tasks: readonly Task[], error: unknown): unknown {
  if (!(error instanceof MendError)) return error;
  const steps = tasks.map(({ step }) => step);
  const [stage = ''] = tasks.map((task) => task.stage);
  const text = steps.length === 1 ? steps[0] : `${steps.length} cells of ${stage}: ${cellNames(steps)}`;
  const { code, exit, message, next, problems = [] } = error;
  return new MendError(code, exit, message, next, [`submitting ${text}, spec ${tasks[0]?.spec}`, ...problems]);
}

/** Slurm's id of a job or of one task of an array. */
const idIn = (number: string, index: number, size: number): string => (size > 1 ? `${number}_${index}` : number);

/** Cells of one stage that wait for the same are one array, cut at `maxSize`; the order of the tasks stays, needs first. Pure. */
export function groupTasks(tasks: readonly TaskAhead[], maxSize: number): TaskAhead[][] {
  const size = Math.max(1, maxSize);
  const key = ({ stage, spec, timeout_ms, commit, after }: TaskAhead) =>
    JSON.stringify([stage, spec, timeout_ms, commit, after]);
  return [...groupBy(tasks, key).values()].flatMap((group) => {
    const parts = Math.ceil(group.length / size);
    return Array.from({ length: parts }, (_, i) => group.slice(i * size, (i + 1) * size));
  });
}

/** What `afterok` names: an array by its number where every task of it is waited for. Pure. */
export function parentIds(parents: readonly Pick<Handed, 'id' | 'size'>[]): string[] {
  const ids = parents.flatMap(({ id }) => id ?? []);
  const sizes = new Map(parents.map(({ id = '', size }) => [numberOf(id), size]));
  return shortIds(ids, (number) => sizes.get(number));
}
