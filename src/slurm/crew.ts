// The workers of a pool as its controller knows them: by Slurm, which is asked now and then, and by the signs of life that they leave
// in the folder. Those of a controller that died are recognised by their comment, and so is a job that only has the number of one of them.
import { randomBytes } from 'node:crypto';
import type { QueueFolder } from '../io/queue-folder.ts';
import type { Slurm } from './client.ts';
import { type Job, type JobRequest, phaseOf } from './job.ts';
import type { Loss } from './loss.ts';
import { type Demand, judgeWorker, type PoolLimits, workersToStart } from './pool-plan.ts';

export interface CrewOptions {
  readonly slurm: Slurm;
  readonly limits: PoolLimits;
  /** The comment of the workers of one submission; and what it says, undefined for any other job's. */
  comment(batch: Batch): string;
  readComment(comment: string): Batch | undefined;
  /** The most workers at a time, of all specs and of one. */
  readonly total: number;
  cap(spec: string): number;
  /** The job of a worker, but for its comment. */
  worker(batch: Batch): Omit<JobRequest, 'comment'>;
}

/** Workers that were submitted together. */
export interface Batch {
  readonly spec: string;
  /** Unique, unlike Slurm's number: it may give one again that it has forgotten. */
  readonly name: string;
}

/** What a worker is called in the folder: its job as squeue names it, and its batch. */
export const workerId = (jobId: string, batch: string): string => `${jobId}-${batch}`;
export const jobIdOf = (worker: string): string => worker.split('-')[0] as string;

interface Worker {
  readonly id: string;
  readonly spec: string;
  readonly since: number;
  /** Another controller started it: it may have shown signs and left before this one looked. */
  readonly adopted: boolean;
  job?: Job | undefined;
  runningSince?: number;
  endedSince?: number | undefined;
  sign?: string;
  signChanged?: number;
  /** It took its sign away: it claims nothing more. */
  left: boolean;
  cancelled?: { readonly since: number; readonly loss: Loss };
}

/** A worker that is over, with why; `started`: it had shown a sign, or may have. `stuck`: it was cancelled and does not end. */
export interface GoneWorker {
  readonly id: string;
  readonly jobId: string;
  readonly spec: string;
  readonly loss: Loss;
  readonly started: boolean;
  readonly stuck: boolean;
}

/** Tasks of one array at most; a cluster takes a thousand unless it is configured otherwise. */
const ARRAY_SIZE = 1000;

export function openCrew(queue: QueueFolder, options: CrewOptions) {
  const { slurm, limits } = options;
  const workers = new Map<string, Worker>();
  let askedAt = Number.NEGATIVE_INFINITY;
  const add = (id: string, spec: string, since: number, adopted = true) => {
    if (!workers.has(id)) workers.set(id, { id, spec, since, adopted, left: false });
  };
  const cancel = async (ids: readonly string[]) => {
    if (ids.length === 0) return;
    const meant = new Set(ids);
    await slurm.cancel((job) => meant.has(workerId(job.id, options.readComment(job.comment)?.name ?? '')));
  };
  const isLive = ({ left, endedSince }: Worker) => !left && endedSince === undefined;

  return {
    /** A worker that has claimed something; what became of it is asked next time. */
    add,

    /** Sees which signs have changed since the last look. */
    readSigns(now: number): void {
      const signs = queue.signs();
      for (const worker of workers.values()) {
        const sign = signs.get(worker.id);
        worker.left ||= sign === undefined && worker.sign !== undefined;
        if (sign !== undefined && sign !== worker.sign) Object.assign(worker, { sign, signChanged: now });
      }
    },

    /** Asks Slurm for all of them, also for those that an earlier controller started. Rejects as `Slurm.jobs` does. */
    async ask(now: number): Promise<void> {
      const jobs = new Map<string, Job>();
      for (const job of await slurm.jobs()) {
        const batch = options.readComment(job.comment);
        if (!batch) continue;
        const id = workerId(job.id, batch.name);
        jobs.set(id, job);
        if (phaseOf(job) !== 'ended') add(id, batch.spec, now);
      }
      for (const worker of workers.values()) {
        worker.job = jobs.get(worker.id);
        const phase = worker.job && phaseOf(worker.job);
        if (phase === 'running') worker.runningSince ??= now;
        // One that was added since Slurm was last asked may be too new to be known.
        const isForgotten = worker.job === undefined && worker.since <= askedAt;
        worker.endedSince = phase === 'ended' || isForgotten ? (worker.endedSince ?? now) : undefined;
      }
      askedAt = now;
    },

    /** Those that are over, and those that will do nothing any more: once cancelled, a later look finds them over. */
    judge(now: number): { gone: GoneWorker[]; useless: string[] } {
      const gone: GoneWorker[] = [];
      const useless: string[] = [];
      for (const worker of [...workers.values()]) {
        const { id, spec, cancelled } = worker;
        const isBusy = worker.endedSince !== undefined && queue.claimedBy(id).length > 0;
        const verdict = judgeWorker({ ...worker, id: jobIdOf(id), isBusy }, now, limits);
        if (verdict.kind === 'fine') continue;
        const stuck = verdict.kind === 'cancel' && cancelled !== undefined && now - cancelled.since > limits.staleMs;
        if (verdict.kind === 'cancel' && !stuck) {
          worker.cancelled ??= { since: now, loss: verdict.loss };
          // Each time: a controller of Slurm that is started anew may have forgotten it.
          useless.push(id);
          continue;
        }
        workers.delete(id);
        const started = worker.adopted || worker.signChanged !== undefined;
        gone.push({ id, jobId: jobIdOf(id), spec, loss: cancelled?.loss ?? verdict.loss, started, stuck });
      }
      return { gone, useless };
    },

    /** Has Slurm start as many as the tasks of each spec can use. Rejects as `Slurm.submit` does. */
    async start(tasks: ReadonlyMap<string, number>, now: number): Promise<void> {
      const live = [...workers.values()].filter(isLive);
      const demands: Demand[] = [...new Set([...tasks.keys(), ...live.map(({ spec }) => spec)])].map((spec) => ({
        spec,
        tasks: tasks.get(spec) ?? 0,
        cap: options.cap(spec),
        workers: live.filter((worker) => worker.spec === spec).length,
      }));
      for (const [spec, count] of workersToStart(demands, options.total)) {
        for (let at = 0; at < count; at += ARRAY_SIZE) {
          const array = Math.min(ARRAY_SIZE, count - at);
          const batch = { spec, name: randomBytes(4).toString('hex') };
          const number = await slurm.submit({ ...options.worker(batch), comment: options.comment(batch), array });
          for (let index = 0; index < array; index++) add(workerId(`${number}_${index}`, batch.name), spec, now, false);
        }
      }
    },

    /** Cancels these. Rejects as `Slurm.cancel` does. */
    cancel,

    /** None has shown a sign of life for too long. */
    isQuiet: (now: number): boolean =>
      [...workers.values()].every(
        ({ signChanged }) => signChanged === undefined || now - signChanged >= limits.staleMs,
      ),

    /** Those that are not known to be over. */
    live: (): string[] => [...workers.values()].flatMap(({ id, endedSince }) => (endedSince === undefined ? [id] : [])),
  };
}
