// Ending jobs of Slurm for good: cancelled until none of them lives.
import type { Clock } from '../io/clock.ts';
import { isUnreachable, type Slurm } from './client.ts';
import type { Job } from './job.ts';

/** How long Slurm may take to end a job: its KillWait is 30 s by default. */
const LIMIT_MS = 55_000;
/** How long one that does not answer is asked again; its programs themselves try for nine seconds to reach it. */
const AWAY_MS = 3_000;
const POLL_MS = 500;

export interface EndJobsPorts {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Tells whoever watches what is waited for. */
  readonly progress?: ((text: string) => void) | undefined;
}

/**
 * Cancels what `isMeant` accepts until none of it lives; resolves to what does after a minute. Each time again, for a controller of
 * Slurm that was started anew may have forgotten it. Rejects as `Slurm.cancel`, and when the signal aborts.
 */
export async function endJobs(slurm: Slurm, isMeant: (job: Job) => boolean, ports: EndJobsPorts): Promise<Job[]> {
  const { clock, signal, progress } = ports;
  let answeredAt = clock.monotonic();
  let tries = 0;
  for (const until = answeredAt + LIMIT_MS; ; await clock.sleep(POLL_MS, signal)) {
    signal?.throwIfAborted();
    try {
      const alive = await slurm.cancel(isMeant);
      answeredAt = clock.monotonic();
      if (alive.length === 0 || answeredAt > until) return alive;
      tries += 1;
      if (tries === 2) progress?.(`waiting for Slurm to end ${alive.map(({ id }) => `job ${id}`).join(', ')}`);
    } catch (error) {
      if (!isUnreachable(error) || clock.monotonic() - answeredAt > AWAY_MS) throw error;
    }
  }
}
