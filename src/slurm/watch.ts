// Slurm's answers about our jobs, asked once for all callers and no more often than needed; and the end of jobs. A Slurm that is away is
// waited for.
import type { Clock } from '../io/clock.ts';
import { isUnreachable, type Slurm } from './client.ts';
import { type Job, phaseOf } from './job.ts';

/** Jobs by id, as of `at` (monotonic). */
export interface SlurmView {
  readonly at: number;
  readonly jobs: ReadonlyMap<string, Job>;
}

export type SlurmWatch = ReturnType<typeof watchSlurm>;

const RETRY_MS = 1000;
/** A queue of ten thousands takes Slurm seconds to list; so old an answer may be then. */
const MAX_AGE_MS = 20_000;

/** `isAlive`: whether something is seen to go on though Slurm does not answer; then its silence has no limit. */
export function watchSlurm(slurm: Slurm, clock: Clock, staleMs: number, isAlive = () => false) {
  let view: SlurmView = { at: Number.NEGATIVE_INFINITY, jobs: new Map() };
  let asking: Promise<SlurmView> | undefined;
  let silentSince: number | undefined;
  let awayAt: number | undefined;
  let tookMs = 0;
  let fault: { error: unknown } | undefined;

  async function ask(): Promise<SlurmView> {
    const at = clock.monotonic();
    try {
      const jobs = await slurm.jobs();
      silentSince = undefined;
      fault = undefined;
      tookMs = clock.monotonic() - at;
      view = { at, jobs: new Map(jobs.map((job) => [job.id, job])) };
    } catch (error) {
      awayAt = clock.monotonic();
      silentSince ??= at;
      if (!isUnreachable(error) || (awayAt - silentSince > staleMs && !isAlive())) fault = { error };
    }
    return view;
  }

  return {
    /**
     * The last answer; Slurm is asked anew, beside whoever looks, when that is older than `ageMs` or than what keeps the asking below a
     * twentieth of the time. With 0 a new one. Throws MendError when Slurm is away for too long.
     */
    async look(ageMs: number): Promise<SlurmView> {
      const isFresh = ageMs > 0 && clock.monotonic() - view.at < Math.max(ageMs, Math.min(MAX_AGE_MS, 20 * tookMs));
      if (!isFresh)
        asking ??= ask().finally(() => {
          asking = undefined;
        });
      // What comes in meanwhile does not wait: one that is away tries for nine seconds and more.
      const isNeeded = asking && silentSince === undefined && (ageMs === 0 || view.at === Number.NEGATIVE_INFINITY);
      const answer = isNeeded ? await asking : view;
      if (fault) throw fault.error;
      return answer as SlurmView;
    },

    /** Whether it did not answer at some time since (monotonic): what it says then of how jobs ended may be its own doing. */
    wasAway: (since: number): boolean => awayAt !== undefined && awayAt >= since,

    /** Does `work` again until Slurm is there; throws MendError when it is away for too long, or what else `work` throws. */
    async patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      for (const began = clock.monotonic(); ; await clock.sleep(RETRY_MS, signal)) {
        try {
          return await work();
        } catch (error) {
          if (!isUnreachable(error)) throw error;
          awayAt = clock.monotonic();
          if (signal.aborted || awayAt - began > staleMs) throw error;
        }
      }
    },
  };
}

/** How long Slurm may take to end a job: its KillWait is 30 s by default. */
const LIMIT_MS = 55_000;
/** How long one that does not answer is asked again; its programs themselves try for nine seconds to reach it. */
const AWAY_MS = 3_000;
/** Most jobs end at once; later it is looked less often. */
const FIRST_LOOK_MS = 200;
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
  let pause = FIRST_LOOK_MS / 2;
  for (const until = answeredAt + LIMIT_MS; ; await clock.sleep(pause, signal)) {
    signal?.throwIfAborted();
    const isTime = clock.monotonic() - cancelledAt >= CANCEL_MS;
    try {
      const alive = await (isTime ? slurm.cancel(isMeant) : look());
      answeredAt = clock.monotonic();
      if (isTime) cancelledAt = answeredAt;
      if (alive.length === 0 || answeredAt > until) return alive;
      looks += 1;
      pause = Math.min(2 * pause, LOOK_MS);
      if (looks === 4) progress?.(`waiting for Slurm to end ${alive.map(({ id }) => `job ${id}`).join(', ')}`);
    } catch (error) {
      if (!isUnreachable(error) || clock.monotonic() - answeredAt > AWAY_MS) throw error;
    }
  }
}
