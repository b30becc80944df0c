// A plugin that failed too often in a row is not asked for a while: a host that is down costs three time-outs, not one a failure.
import type { FixTier } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { perRun, type Run } from '../stage/run.ts';

const MAX_FAILURES = 3;
const PAUSE_MS = 60_000;

export const breakerOf = perRun((run: Run) => openBreaker(run.clock));

export function openBreaker(clock: Pick<Clock, 'monotonic'>) {
  const counts = new Map<string, { failures: number; until: number; reason: string }>();
  return {
    /** Why a plugin is not asked now; undefined when it may be. After the pause one call is let through. */
    refuses(tier: FixTier, plugin: string): string | undefined {
      const { until = 0, failures = 0, reason = '' } = counts.get(`${tier} ${plugin}`) ?? {};
      if (failures < MAX_FAILURES || clock.monotonic() >= until) return undefined;
      return `${plugin}: not asked for ${PAUSE_MS / 1000} s after ${failures} failures in a row, the last: ${reason}`;
    },
    failed(tier: FixTier, plugin: string, reason: string): void {
      const failures = (counts.get(`${tier} ${plugin}`)?.failures ?? 0) + 1;
      counts.set(`${tier} ${plugin}`, { failures, until: clock.monotonic() + PAUSE_MS, reason });
    },
    answered: (tier: FixTier, plugin: string) => void counts.delete(`${tier} ${plugin}`),
  };
}
