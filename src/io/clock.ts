// Time as the loop knows it: wall clock for stamps, monotonic for durations, and a sleep that can be cut short.
import { availableParallelism, loadavg } from 'node:os';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only grow, whatever happens to the wall clock. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};

const MAX_SLOWDOWN = 10;

/** How many times longer a program may take because others want the processors, too: 1 on an idle machine, at most 10. */
export const slowdown = (): number =>
  Math.min(MAX_SLOWDOWN, Math.max(1, (loadavg()[0] as number) / availableParallelism()));
