// Steps become ready one by one within a moment: what is asked for is gathered, to be handed on together.
import type { Clock } from '../io/clock.ts';

/** Calls `ready` when nothing was added for `quietMs`, or `maxMs` have passed since the first. */
export function gatherer<T>(clock: Clock, ready: () => void, quietMs: number, maxMs: number) {
  const items: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  return {
    add(item: T): void {
      items.push(item);
      if (timer === undefined) since = clock.monotonic();
      else if (clock.monotonic() - since >= maxMs) return;
      clearTimeout(timer);
      timer = setTimeout(ready, quietMs);
    },

    /** All that was added since the last time. */
    take(): T[] {
      clearTimeout(timer);
      timer = undefined;
      return items.splice(0);
    },
  };
}
