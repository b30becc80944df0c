// Ending jobs of Slurm for good: cancelled until none of them lives.
import type { Clock } from '../io/clock.ts';
import { isUnreachable, type Slurm } from './client.ts';
import { type Job, phaseOf } from './job.ts';

/** How long Slurm may take to end a job: its KillWait is 30 s by default. */
const LIMIT_MS = 55_000;
/** How long one that does not answer is asked again; its programs themselves try for nine seconds to reach it. */
const AWAY_MS = 3_000;
const LOOK_MS = 1_000;
const CANCEL_MS = 5_000;

export interface EndJobsPorts {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Reports what is being waited for. */
  readonly progress?: ((text: string) => void) | undefined;
}

/**
 * Cancels what `isMeant` accepts until none of it lives; resolves to what does after `LIMIT_MS`. Now and then again, for a
 * controller of Slurm that was started anew may have forgotten it. Rejects as `Slurm.cancel`, and when the signal aborts.
 */
export async function endJobs(slurm: Slurm, isMeant: (job: Job) => boolean, ports: EndJobsPorts): Promise<Job[]> {
  const { clock, signal, progress } = ports;
  const look = async () => (await slurm.jobs()).filter((job) => phaseOf(job) !== 'ended' && isMeant(job));
  let answeredAt = clock.monotonic();
  let cancelledAt = Number.NEGATIVE_INFINITY;
  let looks = 0;
  for (const until = answeredAt + LIMIT_MS; ; await clock.sleep(LOOK_MS, signal)) {
    signal?.throwIfAborted();
    const isTime = clock.monotonic() - cancelledAt >= CANCEL_MS;
    try {
      const alive = await (isTime ? slurm.cancel(isMeant) : look());
      answeredAt = clock.monotonic();
      if (isTime) cancelledAt = answeredAt;
      if (alive.length === 0 || answeredAt > until) return alive;
      looks += 1;
      if (looks === 2) progress?.(`waiting for Slurm to end ${alive.map(({ id }) => `job ${id}`).join(', ')}`);
    } catch (error) {
      if (!isUnreachable(error) || clock.monotonic() - answeredAt > AWAY_MS) throw error;
    }
  }
}
