// The controller of a pool: has Slurm start workers for the tasks in a shared folder, looks how each of both gets on, and closes. A
// task is over when its own result says so; what a lost worker had claimed is put back, or reported as lost.
import type { Clock } from '../io/clock.ts';
import { openQueueFolder } from '../io/queue-folder.ts';
import { removeAll } from '../io/store.ts';
import { isUnreachable } from './client.ts';
import { type CrewOptions, type GoneWorker, jobIdOf, openCrew } from './crew.ts';
import { endJobs } from './end-jobs.ts';
import { openTasks, type PoolEnd, type PoolTask } from './pool-tasks.ts';

export interface PoolOptions extends CrewOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** As in TaskLimits. */
  readonly requeues: number;
  /** How often the folder is looked at, and Slurm is asked. */
  readonly pollMs?: number;
  readonly askMs?: number;
}

export interface Pool<R, T extends PoolTask<R> = PoolTask<R>> {
  /** Puts tasks, or follows those that an earlier controller put, each to its end. Rejects when the disk or Slurm refuses. */
  run(tasks: readonly T[]): Promise<PoolEnd<R>>[];
  /** The waiting tasks that `isMeant` accepts are never begun: they end as `returned`, and are listed here. Others go on. */
  withdraw(isMeant?: (task: T) => boolean): T[];
  /** Ends everything: no task waits, no worker lives, the folder is gone. Resolves to what may live on. */
  close(): Promise<WorkersLeft>;
}

/** Jobs of workers that may still live, and whether that is because Slurm does not answer. */
export interface WorkersLeft {
  readonly jobs: readonly string[];
  readonly isAway: boolean;
}

/** So many workers of a spec may end in a row without having lived. */
const FAILED_STARTS = 3;

export function openPool<R, T extends PoolTask<R> = PoolTask<R>>(options: PoolOptions): Pool<R, T> {
  const { clock, limits, pollMs = 200, askMs = 5_000 } = options;
  const queue = openQueueFolder(options.folder);
  const tasks = openTasks<R, T>(queue, { ...options, graceMs: limits.graceMs });
  const crew = openCrew(queue, options);
  const failedStarts = new Map<string, number>();
  const stop = new AbortController();
  let wake = new AbortController();
  let isTurning = false;
  let loop: Promise<void> | undefined;
  let asking: Promise<void> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let auditedAt = Number.NEGATIVE_INFINITY;
  let awaySince: number | undefined;

  return {
    run(more) {
      const ends = tasks.add(more, () => wake.abort());
      wake.abort();
      if (!isTurning) loop = turns();
      return ends;
    },
    withdraw: (isMeant = () => true) => tasks.withdraw(isMeant),
    async close() {
      stop.abort();
      await loop;
      await asking;
      // Workers whose folder is gone leave by themselves, also those that Slurm starts when it is back.
      return endWorkers().finally(() => removeAll(options.folder));
    },
  };

  function lookAtFolder(now: number): void {
    tasks.collect(now);
    crew.readSigns(now);
    tasks.stopAborted(now);
    if (now - auditedAt < limits.graceMs) return;
    for (const [by, spec] of tasks.audit(now)) crew.add(by, spec, now);
    auditedAt = now;
  }

  function lookBack(gone: GoneWorker): void {
    tasks.afterWorker(gone);
    const { spec, loss, started } = gone;
    const failures = started ? 0 : (failedStarts.get(spec) ?? 0) + 1;
    const isHopeless = !started && (!loss.transient || failures >= FAILED_STARTS);
    failedStarts.set(spec, isHopeless ? 0 : failures);
    if (isHopeless) tasks.giveUp(spec, loss);
  }

  async function askSlurm(now: number): Promise<void> {
    try {
      if (now - askedAt >= askMs) {
        await crew.ask(now);
        askedAt = now;
        await crew.cancel(tasks.workersToEnd(now));
        const { gone, useless } = crew.judge(now);
        for (const worker of gone) lookBack(worker);
        await crew.cancel(useless);
      }
      await crew.start(tasks.counts, now);
      awaySince = undefined;
    } catch (error) {
      // Workers go on without Slurm's controller; only when nothing shows life any more is it waited for in vain.
      awaySince ??= now;
      if (!isUnreachable(error) || (now - awaySince >= limits.staleMs && crew.isQuiet(now))) throw error;
    }
  }

  /** Ends when there is nothing to do: at once where every task that was added was over. */
  async function turns(): Promise<void> {
    isTurning = true;
    while (!stop.signal.aborted && !tasks.isEmpty()) {
      const now = clock.monotonic();
      try {
        lookAtFolder(now);
      } catch (error) {
        tasks.failAll(error);
      }
      // Beside it, for Slurm may be silent for long while results come in.
      asking ??= askSlurm(now)
        .catch(tasks.failAll)
        .finally(() => {
          asking = undefined;
        });
      wake = new AbortController();
      await clock.sleep(pollMs, AbortSignal.any([stop.signal, wake.signal]));
    }
    isTurning = false;
  }

  async function endWorkers(): Promise<WorkersLeft> {
    try {
      const left = await endJobs(options.slurm, ({ comment }) => options.readComment(comment) !== undefined, { clock });
      return { jobs: left.map(({ id }) => id), isAway: false };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return { jobs: crew.live().map(jobIdOf), isAway: true };
    }
  }
}
