// A time limit as an abort signal.
import type { Stop } from '../plan/stop.ts';

/** A signal that aborts with `stop` after `ms`, and the way to call it off. `Infinity` never aborts. */
export function stopAfter(ms: number, stop: () => Stop): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const LONGEST = 2 ** 31 - 1;
  const timer = ms <= LONGEST ? setTimeout(() => controller.abort(stop()), Math.max(0, ms)) : undefined;
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}
