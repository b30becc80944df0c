// One run per home: a lock file that says who holds it, made whole or not at all, and taken over only from the dead.
import { createHash } from 'node:crypto';
import { linkSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { identify, liveness, type ProcessIdentity } from './identity.ts';
import { folderOf, onDisk, readText, writeAtomic } from './store.ts';

export interface LockOwner extends ProcessIdentity {
  since: string;
  command: string;
}

export type LockTry =
  | { taken: true; release(): void; recovered?: LockOwner | 'unreadable' }
  | { taken: false; owner: LockOwner; why: 'alive' | 'another host' | 'cannot tell' };

/** Tries to take the lock at `path`. A dead owner on this host is recognised and replaced; any other is left alone. */
export function takeLock(path: string, command: string): LockTry {
  folderOf(path);
  const mine: LockOwner = { ...identify(process.pid), since: new Date().toISOString(), command };
  for (;;) {
    if (create(path, mine)) return { taken: true, release: () => release(path, mine) };
    const text = readText(path);
    if (text === undefined) continue;
    const owner = readOwner(text);
    const life = owner ? liveness(owner) : 'dead';
    if (owner && life === 'alive') return { taken: false, owner, why: 'alive' };
    if (owner && life === 'unknown') {
      return { taken: false, owner, why: owner.host === mine.host ? 'cannot tell' : 'another host' };
    }
    if (replaceDead(path, text, mine)) {
      return { taken: true, release: () => release(path, mine), recovered: owner ?? 'unreadable' };
    }
    pause();
  }
}

/**
 * Replaces a dead owner's lock. Two starters may see the same dead owner, so who may replace it is itself decided by a
 * lock, named after the dead one's text; and under it the text is looked at once more.
 */
function replaceDead(path: string, text: string, mine: LockOwner): boolean {
  const claim = takeLock(`${path}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, mine.command);
  if (!claim.taken) return false;
  try {
    if (readText(path) !== text) return false;
    writeAtomic(path, render(mine));
    return true;
  } finally {
    claim.release();
  }
}

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

/** Who holds the lock, alive or not; undefined when nobody does. */
export function lockOwner(path: string): LockOwner | undefined {
  const text = readText(path);
  return text === undefined ? undefined : readOwner(text);
}

/** Removes the lock whoever holds it: only for a person who has seen the owner. */
export function forceUnlock(path: string): void {
  onDisk(path, () => rmSync(path, { force: true }));
}

// A hard link appears at once and with its content, and fails if the name is taken: no reader ever sees half a lock.
function create(path: string, owner: LockOwner): boolean {
  const temp = `${path}.${process.pid}.tmp`;
  return onDisk(path, () => {
    writeFileSync(temp, render(owner), { mode: 0o600 });
    try {
      linkSync(temp, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      unlinkSync(temp);
    }
  });
}

const render = (owner: LockOwner) => `${JSON.stringify(owner, null, 2)}\n`;

function release(path: string, mine: LockOwner): void {
  const owner = lockOwner(path);
  if (owner?.pid === mine.pid && owner.start === mine.start && owner.host === mine.host) rmSync(path, { force: true });
}

function readOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null;
    const words = [owner?.host, owner?.since, owner?.command];
    const sound = Number.isInteger(owner?.pid) && words.every((word) => typeof word === 'string');
    return sound ? ({ start: null, boot: null, ...owner } as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}
