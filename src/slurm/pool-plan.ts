// What a pool decides, from facts alone: how many workers to start, and what is to be made of one that says nothing. Pure.
import { type Job, phaseOf } from './job.ts';
import { type Loss, lossOf, SHARE_IT, stuckOf } from './loss.ts';

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
  /** The most workers that the owner gives it. */
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

/** What is known of a worker; times are the controller's own, in milliseconds that only grow. */
export interface WorkerFacts {
  readonly id: string;
  /** As in Slurm's last answer; undefined when it does not know the job. */
  readonly job?: Job | undefined;
  /** When Slurm first listed it as running or over. */
  readonly runningSince?: number | undefined;
  readonly endedSince?: number | undefined;
  /** When its sign was last seen to change; undefined while there is none. */
  readonly signChanged?: number | undefined;
  /** It has something that it claimed and that is not over. */
  readonly isBusy: boolean;
}

export type WorkerVerdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'gone'; readonly loss: Loss }
  /** To be cancelled: it will not do anything any more. */
  | { readonly kind: 'cancel'; readonly loss: Loss };

const FINE: WorkerVerdict = { kind: 'fine' };

export function judgeWorker(facts: WorkerFacts, now: number, { graceMs, staleMs }: PoolLimits): WorkerVerdict {
  const { id, job, runningSince, endedSince, signChanged, isBusy } = facts;
  const started = signChanged !== undefined;
  if (endedSince !== undefined) {
    // A controller of Slurm that was started anew may have forgotten a job that still runs, or tell of a second start of it.
    const isAlive = started && now - signChanged < graceMs;
    // What it left may be seen late: only where it left something is there anything to wait for.
    const isAwaited = isBusy && (isAlive || now - endedSince < graceMs);
    return isAwaited || (isAlive && job === undefined) ? FINE : { kind: 'gone', loss: lossOf(id, job) };
  }
  if (job && phaseOf(job) === 'waiting') {
    const stuck = stuckOf(job);
    return stuck ? { kind: 'cancel', loss: stuck } : FINE;
  }
  const worker = `worker ${id}${job?.nodes ? ` on ${job.nodes}` : ''}`;
  if (!started && runningSince !== undefined && now - runningSince >= graceMs) {
    const message = `${worker} runs, and showed no sign of life within ${seconds(graceMs)}`;
    return { kind: 'cancel', loss: { code: 'WORKER_SILENT', message, next: SHARE_IT, transient: true } };
  }
  if (started && now - signChanged >= staleMs) {
    const message = `${worker} has shown no sign of life for ${seconds(staleMs)}`;
    const next = 'see its node: sinfo -R; slurm.stale in ai/loop.yaml says how long is too long';
    return { kind: 'cancel', loss: { code: 'WORKER_STALE', message, next, transient: true } };
  }
  return FINE;
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
