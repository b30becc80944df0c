// What a pool decides, from facts alone: how many workers to start, and what is to be made of one that says nothing. Pure.
import { type Job, phaseOf } from './job.ts';
import { type Loss, SHARE_IT, stuckOf } from './loss.ts';

export interface PoolLimits {
  /** How long a worker may take to show its first sign, and files of one that ended to be seen. */
  readonly graceMs: number;
  /** How long the sign of a worker that runs may stay the same. */
  readonly staleMs: number;
}

/** One spec's need for workers. */
export interface Demand {
  readonly spec: string;
  /** Tasks that are not over. */
  readonly tasks: number;
  /** Workers that wait or run. */
  readonly workers: number;
  /** The most workers that it may have. */
  readonly cap: number;
}

/** How many more workers each spec gets: each in turn, up to what it can use, its cap, and `total` for all of them. */
export function workersToStart(demands: readonly Demand[], total: number): Map<string, number> {
  const starts = new Map<string, number>();
  let free = total - demands.reduce((sum, { workers }) => sum + workers, 0);
  for (let gave = true; gave && free > 0; ) {
    gave = false;
    for (const { spec, tasks, workers, cap } of demands) {
      const more = starts.get(spec) ?? 0;
      if (free <= 0 || workers + more >= Math.min(tasks, cap)) continue;
      starts.set(spec, more + 1);
      free -= 1;
      gave = true;
    }
  }
  return starts;
}

/** What is known of a worker that has not ended; times are the controller's own, in milliseconds that only grow. */
export interface WorkerFacts {
  readonly job: Job;
  /** When Slurm first listed it as running. */
  readonly runningSince?: number | undefined;
  /** When its sign was last seen to change; undefined while there is none. */
  readonly signChanged?: number | undefined;
}

/** Why a worker that has not ended will do nothing any more, and is to be cancelled; undefined while it may. */
export function whyUseless({ job, runningSince, signChanged }: WorkerFacts, now: number, limits: PoolLimits) {
  if (phaseOf(job) === 'waiting') return stuckOf(job);
  const { graceMs, staleMs } = limits;
  const silent = (code: string, what: string, next: string): Loss => {
    const where = `worker ${job.id}${job.nodes ? ` on ${job.nodes}` : ''}`;
    return { code, message: `${where} ${what}`, what, next, transient: true, ...(job.nodes && { host: job.nodes }) };
  };
  if (signChanged === undefined && runningSince !== undefined && now - runningSince >= graceMs)
    return silent('WORKER_SILENT', `runs, and showed no sign of life within ${seconds(graceMs)}`, SHARE_IT);
  if (signChanged === undefined || now - signChanged < staleMs) return undefined;
  const next = 'see its node: sinfo -R; slurm.stale in ai/loop.yaml says how long is too long';
  return silent('WORKER_STALE', `has shown no sign of life for ${seconds(staleMs)}`, next);
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
