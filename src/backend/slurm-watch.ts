// Slurm's answers about our jobs, asked once for all callers and no more often than needed. A Slurm that is away is waited for.
import type { Clock } from '../io/clock.ts';
import { isUnreachable, type Slurm } from '../slurm/client.ts';
import type { Job } from '../slurm/job.ts';

/** Jobs by id, as of `at` (monotonic). */
export interface SlurmView {
  readonly at: number;
  readonly jobs: ReadonlyMap<string, Job>;
}

export function watchSlurm(slurm: Slurm, clock: Clock, staleMs: number) {
  let view: SlurmView = { at: Number.NEGATIVE_INFINITY, jobs: new Map() };
  let asking: Promise<SlurmView> | undefined;
  let silentSince: number | undefined;

  async function ask(): Promise<SlurmView> {
    const at = clock.monotonic();
    try {
      const jobs = await slurm.jobs();
      silentSince = undefined;
      view = { at, jobs: new Map(jobs.map((job) => [job.id, job])) };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      silentSince ??= at;
      if (clock.monotonic() - silentSince > staleMs) throw error;
    }
    return view;
  }

  /** No older than `ageMs`, unless Slurm is away: then the last one. Throws MendError when it is away for too long. */
  async function look(ageMs: number): Promise<SlurmView> {
    if (clock.monotonic() - view.at < ageMs) return view;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  /** Does `work` again until Slurm is there; throws MendError when it is away for too long, or what else `work` throws. */
  async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (const began = clock.monotonic(); ; await clock.sleep(RETRY_MS, signal)) {
      try {
        return await work();
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        if (signal.aborted || clock.monotonic() - began > staleMs) throw error;
      }
    }
  }

  return { look, patiently };
}

const RETRY_MS = 1000;
