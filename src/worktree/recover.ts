// What a killed git left of the worktree: locks, and a checkout that was never finished. Only what is proven dead is touched.
import { basename, join } from 'node:path';
import { fail } from '../errors.ts';
import { type AdminDir, adminDirs, removeFile, removeHalfMade } from '../io/git-dir.ts';
import { clearDeadLock, locksOf, mayBeHeld } from '../io/git-locks.ts';
import { entryAt } from '../io/links.ts';
import { commitOf } from './base.ts';
import { shellWord } from './shell-word.ts';
import { treeGit, WORKTREE } from './tree.ts';

/** Why the worktree is locked while it is being made. git's own word for that depends on the language it speaks. */
export const MAKING = 'mendloop is making this worktree';
const HALF_MADE = new Set([MAKING, 'initializing']);

export interface Site {
  readonly home: string;
  readonly path: string;
  readonly commonDir: string;
  readonly branch: string;
}

/** Recovers leftovers and says what it recovered. Throws E_GIT_LOCKED for one whose owner may live. */
export async function recover(site: Site): Promise<string[]> {
  const places = [site.home, site.path];
  const mine = (await adminDirs(site.commonDir)).filter((dir) => isMine(dir, site.path));
  const folders =
    mine.length > 0 ? mine.map((dir) => dir.path) : [join(site.commonDir, 'worktrees', basename(site.path))];
  const locks = await Promise.all(folders.map((dir) => locksOf(dir, site.commonDir, site.branch)));
  const notices: string[] = [];
  for (const file of new Set(locks.flat())) {
    const reason = await clearDeadLock(file, places);
    if (reason) locked(file, reason);
    notices.push(`a killed git left ${file}; it was removed`);
  }
  for (const dir of mine.filter(isHalfMade)) {
    const file = join(dir.path, 'locked');
    const reason = await mayBeHeld(file, places);
    if (reason) locked(file, reason);
    notices.push(await finish(dir, site.path));
  }
  return notices;
}

const isHalfMade = (dir: AdminDir): boolean => dir.locked !== undefined && HALF_MADE.has(dir.locked);

/** git numbers a worktree whose name is taken, and writes where it is only after it locked it. */
function isMine(dir: AdminDir, path: string): boolean {
  if (dir.checkout !== undefined) return dir.checkout === path;
  return isHalfMade(dir) && /^\d*$/.test(basename(dir.path).replace(basename(path), ''));
}

/** Ends what `git worktree add` began when its files were being written; before that, takes it back. */
async function finish(dir: AdminDir, path: string): Promise<string> {
  const written = (await entryAt(join(path, '.git'))).kind === 'file';
  const tree = { path, gitDir: dir.path };
  if (written && dir.checkout === path && (await commitOf(treeGit(tree), 'HEAD'))) {
    await treeGit(tree).run(['reset', '-q', '--hard', '--no-recurse-submodules']);
    await removeFile(join(dir.path, 'locked'));
    return `${WORKTREE} was left half-made; it was finished`;
  }
  await removeHalfMade(dir.path, path);
  return `${WORKTREE} was left half-made; it is made again`;
}

function locked(file: string, reason: string): never {
  fail('E_GIT_LOCKED', { file, reason, command: `rm ${shellWord(file)}` });
}
