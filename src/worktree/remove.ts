// Taking the worktree away when its owner asks for it. The AI branch, with every fix on it, stays.
import { fail } from '../errors.ts';
import { openGit } from '../io/git.ts';
import { adminDirs, commonDirOf, realPath } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { said } from './base.ts';
import { shellWord } from './shell-word.ts';
import { fullStatus, type Tree, treeGit, WORKTREE, worktreePath } from './tree.ts';

export interface Leftovers {
  /** Tracked files that differ from the branch. */
  readonly modified: readonly string[];
  /** Files that no commit holds; a folder of only such ends in `/`. */
  readonly untracked: readonly string[];
  /** The same for ignored ones; carried links are not counted. */
  readonly ignored: readonly string[];
}

/** What would be lost with the worktree; undefined when there is none. Throws a GitError. */
export async function leftovers(home: string): Promise<Leftovers | undefined> {
  const tree = await registered(home);
  if (!tree || (await entryAt(tree.path)).kind !== 'folder') return undefined;
  const { changed, untracked, ignored } = await fullStatus(treeGit(tree), true);
  const real = await Promise.all(ignored.map((path) => entryAt(`${tree.path}/${path}`.replace(/\/$/, ''))));
  return { modified: changed, untracked, ignored: ignored.filter((_, i) => real[i]?.kind !== 'link') };
}

/** Removes the worktree, with all that is in it; links are unlinked, what they point to stays. False: there was none. */
export async function removeWorktree(home: string): Promise<boolean> {
  const tree = await registered(home);
  if (!tree) return false;
  const args = ['worktree', 'remove', '--force', tree.path];
  const done = await openGit(home).attempt(args);
  if (done.ok) return true;
  return fail(
    'E_GIT_FAILED',
    { doing: `remove ${WORKTREE}`, command: `git ${args.map(shellWord).join(' ')}` },
    said(done.stderr),
  );
}

async function registered(home: string): Promise<Pick<Tree, 'path' | 'gitDir'> | undefined> {
  const path = worktreePath(await realPath(home));
  const dir = (await adminDirs(await commonDirOf(home))).find((found) => found.checkout === path);
  return dir && { path, gitDir: dir.path };
}
