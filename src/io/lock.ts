// One run per home: a lock file that says who holds it, made whole or not at all, and taken over only from the dead.
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { fail } from '../errors.ts';
import { integer, shaped, text as word } from '../shape.ts';
import { identify, liveness, type ProcessIdentity } from './identity.ts';
import type { Layout } from './layout.ts';
import { folderOf, onDisk, parseJson, readText, removeFile, requireWritable, writeAtomic } from './store.ts';

export interface LockOwner extends ProcessIdentity {
  since: string;
  command: string;
}

export type LockTry =
  | { taken: true; release(): void; recovered?: LockOwner | 'unreadable' }
  | { taken: false; owner: LockOwner; why: 'alive' | 'another host' | 'cannot tell' };

/** Replacing a dead owner takes milliseconds; whoever has been at it for so long is stuck, gone or on another host. */
const REPLACE_LIMIT_MS = 2000;

/**
 * Tries to take the lock at `path`. A dead owner on this host is recognised and replaced; any other is left alone. Blocks
 * while others are replacing the same dead owner, but not for ever: then it cannot tell.
 */
export function takeLock(path: string, command: string): LockTry {
  folderOf(path);
  const mine: LockOwner = { ...identify(process.pid), since: new Date().toISOString(), command };
  for (const until = performance.now() + REPLACE_LIMIT_MS; ; pause()) {
    if (create(path, mine)) return { taken: true, release: () => release(path, mine) };
    const text = readText(path);
    if (text === undefined) {
      // Gone between the two looks, or a link to nowhere, which stays.
      if (performance.now() >= until) fail('E_STATE_UNWRITABLE', { path, reason: 'there, but not readable' });
      continue;
    }
    const owner = readOwner(text);
    const life = owner ? liveness(owner) : 'dead';
    if (owner && life === 'alive') return { taken: false, owner, why: 'alive' };
    if (owner && life === 'unknown') {
      return { taken: false, owner, why: owner.host === mine.host ? 'cannot tell' : 'another host' };
    }
    const got = replaceDead(path, text, mine);
    if (got === 'replaced') {
      return { taken: true, release: () => release(path, mine), recovered: owner ?? 'unreadable' };
    }
    if (got !== 'changed' && performance.now() >= until) return { taken: false, owner: got, why: 'cannot tell' };
  }
}

/**
 * Replaces a dead owner's lock. Two starters may see the same dead owner, so who may replace it is itself decided by a
 * lock, named after the dead one's text; and under it the text is looked at once more. Returns who else may replace it,
 * when it may not.
 */
function replaceDead(path: string, text: string, mine: LockOwner): 'replaced' | 'changed' | LockOwner {
  const claim = takeLock(`${path}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, mine.command);
  if (!claim.taken) return claim.owner;
  try {
    if (readText(path) !== text) return 'changed';
    writeAtomic(path, render(mine));
    return 'replaced';
  } finally {
    claim.release();
  }
}

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

/**
 * Does `work` while nobody else works on the home; `notices` is what a person should know about how the lock was come by.
 * Throws E_LOCKED when another holds it, or may, and E_STATE_UNWRITABLE.
 */
export async function withLock<T>(layout: Layout, command: string, work: (notices: readonly string[]) => Promise<T>) {
  requireWritable(layout.state);
  const lock = takeLock(layout.lock, command);
  if (!lock.taken) fail('E_LOCKED', { ...lock.owner, why: lock.why });
  const { recovered } = lock;
  const whose = recovered === 'unreadable' ? 'that could not be read' : `of pid ${recovered?.pid}, which is dead`;
  try {
    return await work(recovered === undefined ? [] : [`took over a lock ${whose}`]);
  } finally {
    lock.release();
  }
}

/** Who holds the lock, alive or not; undefined when nobody does. */
export function lockOwner(path: string): LockOwner | undefined {
  const text = readText(path);
  return text === undefined ? undefined : readOwner(text);
}

/**
 * Whoever works on this home now: the holder of its lock, unless it is proven dead. `isCertain` false: another host's, or
 * one that cannot be told from a later process with its number.
 */
export function runAtWork(layout: Layout): (LockOwner & { isCertain: boolean }) | undefined {
  const owner = lockOwner(layout.lock);
  const life = owner && liveness(owner);
  return owner && life !== 'dead' ? { ...owner, isCertain: life === 'alive' } : undefined;
}

// A hard link appears at once and with its content, and fails if the name is taken: no reader ever sees half a lock.
function create(path: string, owner: LockOwner): boolean {
  // Two containers that share the folder may have the same pid.
  const temp = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
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
  if (owner?.pid === mine.pid && owner.start === mine.start && owner.host === mine.host) removeFile(path);
}

const isOwner = shaped({ pid: integer, host: word, since: word, command: word });

function readOwner(text: string): LockOwner | undefined {
  const owner = parseJson(text);
  return isOwner(owner) ? { start: null, boot: null, ...owner } : undefined;
}
