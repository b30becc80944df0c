// Taking the worktree away when its owner asks for it. The AI branch, with every fix on it, stays.
import { openGit } from '../io/git.ts';
import { adminDirs, commonDirOf, realPath } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { gitFailed } from './messages.ts';
import { fullStatus, type TreePlace, treeGit, WORKTREE, worktreePath } from './tree.ts';

/**
 * What would be lost with the worktree: tracked files that differ from the branch, files that no commit holds (a folder of
 * only such ends in `/`), and ignored ones, carried links not counted. Undefined when there is none. Throws a GitError.
 */
export async function leftovers(home: string) {
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
  const answer = await openGit(home).attempt(args);
  return answer.ok || gitFailed(`remove ${WORKTREE}`, args, answer.stderr);
}

async function registered(home: string): Promise<TreePlace | undefined> {
  const path = worktreePath(await realPath(home));
  const dir = (await adminDirs(await commonDirOf(home))).find(({ checkout }) => checkout === path);
  return dir && { path, gitDir: dir.path };
}
