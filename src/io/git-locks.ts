// Locks that a killed git left behind. One is removed only when it is proven that no living process owns it.
import { readlinkSync } from 'node:fs';
import { lstat, readdir, statfs, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { liveness, type ProcessIdentity } from './identity.ts';
import { ifPossible } from './if-possible.ts';
import { openedBy, processes } from './process-group.ts';

/** Network and user-space file systems: another host may hold what lies there. */
const SHARED_FS = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x00c36400, 0x65735546, 0x5346414f]);

/** Whether a process has ended, after waiting for that; one that cannot be told from here counts as ended. */
export async function hasEnded(process: ProcessIdentity, waitMs = 10_000): Promise<boolean> {
  for (const until = performance.now() + waitMs; liveness(process) === 'alive'; await sleep(50))
    if (performance.now() > until) return false;
  return true;
}

/**
 * The lock files that exist now and that a git of the loop's takes: of a worktree's own git folder, of one branch, of the loop's own
 * refs, and of what all refs and settings share.
 */
export async function locksOf(adminDir: string, commonDir: string, branch: string): Promise<string[]> {
  const shared = ['config.lock', 'packed-refs.lock', `refs/heads/${branch}.lock`].map((name) => join(commonDir, name));
  const isThere = await Promise.all(shared.map(async (file) => (await entry(file))?.isFile() ?? false));
  const own = await locksBelow(join(commonDir, 'refs/mendloop'), true);
  return [...(await locksBelow(adminDir, false)), ...shared.filter((_, i) => isThere[i]), ...own];
}

async function locksBelow(folder: string, recursive: boolean): Promise<string[]> {
  const names = await readdir(folder, { recursive }).catch(() => []);
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(folder, name));
}

/** Why `file` may still have a living owner below `dirs`, after waiting for one to end; undefined: proven dead. */
export async function mayBeHeld(file: string, dirs: readonly string[], waitMs = 3000): Promise<string | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const reason = await holder(file, dirs);
    if (reason === undefined || performance.now() > until) return reason;
    await sleep(100);
  }
}

/** Removes a lock whose owner is proven dead; otherwise returns why it stays. A lock that changes meanwhile stays. */
export async function clearDeadLock(file: string, dirs: readonly string[], waitMs = 3000): Promise<string | undefined> {
  const before = await entry(file);
  if (!before) return undefined;
  const reason = await mayBeHeld(file, dirs, waitMs);
  if (reason) return reason;
  const now = await entry(file);
  if (!now) return undefined;
  if (now.ino !== before.ino || now.mtimeMs !== before.mtimeMs) return 'it was taken again just now';
  await unlink(file);
  return undefined;
}

async function holder(file: string, dirs: readonly string[]): Promise<string | undefined> {
  const lock = await entry(file);
  if (!lock) return undefined;
  // /proc shows the files of this user's processes only; a lock of another user cannot be judged.
  if (lock.uid !== process.getuid?.()) return 'it belongs to another user';
  if (SHARED_FS.has((await statfs(file)).type)) return 'it is on a file system that other hosts may share';
  const all = processes();
  if (all === undefined) return 'there is no /proc to look for its owner';
  const isIn = (cwd: string) => dirs.some((dir) => cwd === dir || cwd.startsWith(dir + sep));
  let unknown: string | undefined;
  for (const { pid } of all.filter(({ name }) => name.startsWith('git'))) {
    const cwd = ifPossible(() => readlinkSync(`/proc/${pid}/cwd`));
    if (cwd !== undefined && isIn(cwd)) return `git (pid ${pid}) is running`;
    if (cwd === undefined && (await entry(`/proc/${pid}`))?.uid === process.getuid?.())
      unknown = `git (pid ${pid}) cannot be looked into`;
  }
  const [opener] = openedBy(file) ?? [];
  const name = all.find(({ pid }) => pid === opener)?.name ?? 'a process';
  // Who surely has it is told before who only might: a git that is just ending cannot be looked into either.
  return opener === undefined ? unknown : `${name} (pid ${opener}) has it open`;
}

const entry = (path: string) => lstat(path).catch(() => undefined);
