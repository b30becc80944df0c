// One run per home: a lock file with its owner, created atomically, and taken over only from a dead process.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, futimesSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fail } from '../errors.ts';
import { integer, isMapping, oneOf, optional, orNull, shaped, text as word } from '../shape.ts';
import { changedAt } from './files.ts';
import { sweep, tempName } from './half-made.ts';
import { identify, liveness, originOf, type ProcessIdentity } from './identity.ts';
import type { Layout } from './layout.ts';
import { openedBy } from './process-group.ts';
import { openToRead } from './regular-file.ts';
import {
  ifPossible,
  makeFolderOf,
  onDisk,
  parseJson,
  readText,
  removeFile,
  requireWritable,
  writeAtomic,
} from './store.ts';

interface LockOwner extends ProcessIdentity {
  since: string;
  command: string;
  /** What it is at: a run, or a command such as reset or rollback; earlier versions did not say. */
  kind?: WorkKind | undefined;
}

type WorkKind = 'run' | 'command';

type LockTry =
  | { taken: true; release(): void; recovered?: LockOwner | 'unreadable' }
  | { taken: false; owner: LockOwner; why: 'alive' | 'another host' | 'another pid namespace' | 'cannot tell' };

/** Replacing a dead owner takes milliseconds; a process that takes longer is stuck, gone or on another host. */
const REPLACE_LIMIT_MS = 2000;

/**
 * Tries to take the lock at `path`. A dead owner on this host is recognised and replaced; any other is left alone. Blocks
 * while others are replacing the same dead owner, but not for ever: then it cannot tell.
 */
export function takeLock(path: string, command: string, kind: WorkKind = 'command'): LockTry {
  makeFolderOf(path);
  const mine: LockOwner = { ...identify(process.pid), since: new Date().toISOString(), command, kind };
  for (const until = performance.now() + REPLACE_LIMIT_MS; ; pause()) {
    if (create(path, mine)) return { taken: true, release: hold(path, mine) };
    const text = readText(path);
    // Released meanwhile.
    if (text === undefined) continue;
    const owner = readOwner(text);
    const holder = owner ?? holderOf(path);
    const life = holder && liveness(holder);
    if (holder && life === 'alive') return { taken: false, owner: holder, why: 'alive' };
    if (holder && life === 'unknown') return { taken: false, owner: holder, why: whyUnknown(holder) };
    const got = replaceDead(path, text, mine);
    if (got === 'replaced') return { taken: true, release: hold(path, mine), recovered: owner ?? 'unreadable' };
    if (got !== 'changed' && performance.now() >= until) return { taken: false, owner: got, why: 'cannot tell' };
  }
}

function whyUnknown(owner: LockOwner) {
  if (owner.host !== hostname()) return 'another host';
  return originOf(owner) === 'elsewhere' ? 'another pid namespace' : 'cannot tell';
}

/** How often a lock is touched: the only thing that other hosts see of its owner. */
const SIGN_MS = 60_000;

/** The locks that this process holds: path → its text, since when, and a descriptor by which others see that its owner lives. */
const held = new Map<string, { text: string; fd: number; takenAt: number }>();

/** Records that we hold the lock; the returned function removes it, unless another process has taken it since. */
function hold(path: string, mine: LockOwner): () => void {
  const fd = onDisk(path, () => openToRead(path));
  const mark = { text: render(mine), fd, takenAt: fstatSync(fd).ctimeMs };
  held.set(path, mark);
  const signs = setInterval(() => ifPossible(() => futimesSync(fd, new Date(), new Date())), SIGN_MS).unref();
  return () => {
    clearInterval(signs);
    if (held.get(path) === mark) held.delete(path);
    closeSync(mark.fd);
    if (readText(path) === mark.text) removeFile(path);
  };
}

/** When this process took the lock at `path`, by the clock of its disk; 0 when it did not. */
export const lockTakenAt = (path: string): number => held.get(path)?.takenAt ?? 0;

/** Throws E_LOCK_LOST when the lock at `path`, taken by this process, is no longer its own: another may be at work. */
export function requireLock(path: string): void {
  const mark = held.get(path);
  if (!mark) return;
  const text = readText(path);
  if (text === mark.text) return;
  const owner = text === undefined ? undefined : readOwner(text);
  const now = owner ? `pid ${owner.pid} on ${owner.host} has it (${owner.command})` : 'it was removed or overwritten';
  fail('E_LOCK_LOST', { path, now });
}

/**
 * Replaces a dead owner's lock. Two processes may see the same dead owner, so a second lock, named after the text of the first,
 * decides who replaces it; under it the text is compared once more. Returns who else is replacing it, if somebody is.
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
 * Does `work` while holding the lock; `notices` say how the lock was taken, if that is worth a note.
 * Throws E_LOCKED when another holds it, E_LOCK_UNPROVEN when another may, and E_STATE_UNWRITABLE.
 */
export async function withLock<T>(
  layout: Layout,
  command: string,
  work: (notices: readonly string[]) => Promise<T>,
  kind: WorkKind = 'command',
) {
  requireWritable(layout.state);
  const lock = takeLock(layout.lock, command, kind);
  if (!lock.taken && lock.why === 'alive') fail('E_LOCKED', lock.owner);
  if (!lock.taken) fail('E_LOCK_UNPROVEN', { holder: unprovenHolder(layout.lock, lock.owner, lock.why) });
  const { recovered } = lock;
  // Only who was killed leaves something behind, and then the lock as well: there may be many folders below.
  for (const folder of [layout.state, layout.actions, layout.patches]) sweep(folder);
  if (recovered !== undefined) for (const folder of [layout.runs, layout.logs, layout.escalations]) sweep(folder, true);
  const whose = recovered === 'unreadable' ? 'that could not be read' : `of pid ${recovered?.pid}, which is dead`;
  try {
    return await work(recovered === undefined ? [] : [`took over a lock ${whose}`]);
  } finally {
    lock.release();
  }
}

/** Who holds the lock, alive or not; undefined when nobody does. One that cannot be read is held by who has it open. */
export function lockOwner(path: string): LockOwner | undefined {
  const text = readText(path);
  return text === undefined ? undefined : (readOwner(text) ?? holderOf(path));
}

export interface AtWork extends LockOwner {
  /** False: another host's, or one that cannot be told from a later process with its number; `words` say what is known. */
  readonly isCertain: boolean;
  readonly isRun: boolean;
  readonly words: string;
}

/** Whoever works on this home now: the holder of its lock, unless it is proven dead. */
export function runAtWork(layout: Layout): AtWork | undefined {
  const owner = lockOwner(layout.lock);
  const life = owner && liveness(owner);
  if (!owner || life === 'dead') return undefined;
  const words = `the lock is held by ${unprovenHolder(layout.lock, owner, whyUnknown(owner))}`;
  return { ...owner, isCertain: life === 'alive', isRun: owner.kind !== 'command', words };
}

/** Who may hold the lock at `path`, and what is known of its life. */
const unprovenHolder = (path: string, { pid, host, since, command }: LockOwner, why: string): string =>
  `pid ${pid} on ${host} since ${since} (${command}); whether it lives cannot be told from here (${why}), last sign of life ${agoText(Date.now() - changedAt(path))}`;

function agoText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 3) return 'just now';
  return minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** Throws E_LOCKED while somebody works on this home for certain: what would be done cannot be. */
export function refuseAtWork(layout: Layout): void {
  const holder = runAtWork(layout);
  if (holder?.isCertain) fail('E_LOCKED', holder);
}

// link() is atomic and fails if the name exists, so that no reader sees half a lock.
function create(path: string, owner: LockOwner): boolean {
  const temp = tempName(path);
  return onDisk(path, () => {
    writeFileSync(temp, render(owner), { mode: 0o600 });
    try {
      linkSync(temp, path);
      return true;
    } catch (error) {
      // The temp file was swept, or the name is taken: the caller tries again.
      if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    } finally {
      rmSync(temp, { force: true });
    }
  });
}

const render = (owner: LockOwner) => `${JSON.stringify(owner, null, 2)}\n`;

const UNKNOWN = { start: null, boot: null, host: 'an unknown host', since: 'an unknown time', command: 'unknown' };

const isOwner = shaped({
  pid: integer,
  start: orNull(word),
  boot: orNull(word),
  host: word,
  ns: optional(orNull(word)),
  since: word,
  command: word,
  kind: optional(oneOf(['run', 'command'])),
});

/** The owner in the text of a lock, also when fields other than its pid are missing. */
function readOwner(text: string): LockOwner | undefined {
  const value = parseJson(text);
  const owner = isMapping(value) && { ...UNKNOWN, ...value };
  return isOwner(owner) ? owner : undefined;
}

/** Who has a lock open whose text names nobody; undefined when that is proven to be no one. */
function holderOf(path: string): LockOwner | undefined {
  const pids = openedBy(path);
  if (pids === undefined) return { ...UNKNOWN, pid: 0 };
  return pids[0] === undefined ? undefined : { ...UNKNOWN, ...identify(pids[0]) };
}
