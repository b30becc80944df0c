// Only one run at a time may work on a home.
import { fail } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { takeLock } from '../io/lock.ts';

export interface HeldLock {
  release(): void;
  /** What a person should know about how it was come by. */
  notices: string[];
}

/** Takes the lock of a home. Throws E_LOCKED when another holds it, or may. */
export function holdLock(layout: Layout, command: string): HeldLock {
  const got = takeLock(layout.lock, command);
  if (!got.taken) {
    const { pid, host, since, command: theirs } = got.owner;
    fail('E_LOCKED', { pid, host, since, command: theirs, why: got.why });
  }
  const { release, recovered } = got;
  if (recovered === undefined) return { release, notices: [] };
  const whose = recovered === 'unreadable' ? 'that could not be read' : `of pid ${recovered.pid}, which is dead`;
  return { release, notices: [`took over a lock ${whose}`] };
}
