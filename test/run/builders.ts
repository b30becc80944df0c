// A clock that does not wait.
import type { Clock } from '../../src/io/clock.ts';

export interface FakeClock extends Clock {
  /** Every pause that was asked for, none of which was waited for. */
  readonly slept: number[];
  at: number;
}

/** A clock that stands still until it is asked to sleep; a sleep takes no time but moves it on. */
export function fakeClock(at = Date.now()): FakeClock {
  const began = at;
  const clock: FakeClock = {
    at,
    slept: [],
    now: () => clock.at,
    monotonic: () => clock.at - began,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return;
      clock.slept.push(ms);
      clock.at += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}
