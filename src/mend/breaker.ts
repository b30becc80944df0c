// Who failed too often is not asked for a while: a host that is down costs its time-out once or thrice, not at every failure.
import type { Clock } from '../io/clock.ts';

export interface Breaker {
  /** Why it is passed over just now; undefined when it may be asked. */
  refuses(plugin: string): string | undefined;
  failed(plugin: string, reason: string): void;
  answered(plugin: string): void;
}

const FAILURES = 3;
const PAUSE_MS = 60_000;

/** Of one run: a plugin has one host there. After the pause one question finds out. */
export function openBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  const counts = new Map<string, { failures: number; until: number; reason: string }>();
  return {
    refuses(plugin) {
      const { until = 0, failures = 0, reason = '' } = counts.get(plugin) ?? {};
      if (failures < FAILURES || clock.monotonic() >= until) return undefined;
      return `${plugin}: not asked for ${PAUSE_MS / 1000} s after ${failures} failures in a row, the last: ${reason}`;
    },
    failed(plugin, reason) {
      const failures = (counts.get(plugin)?.failures ?? 0) + 1;
      counts.set(plugin, { failures, until: clock.monotonic() + PAUSE_MS, reason });
    },
    answered(plugin) {
      counts.delete(plugin);
    },
  };
}
