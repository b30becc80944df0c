// Where the base is checked out, and whether a merge may happen there: its own folder, nothing begun, nothing uncommitted.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { namesIn } from '../io/files.ts';
import { fields, openGit } from '../io/git.ts';
import { adminDirs, commonDirOf, samePlace, unfinished } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { readText } from '../io/store.ts';
import { shellWord } from '../worktree/messages.ts';
import { checkoutsOf, trackedStatus } from '../worktree/tree.ts';

export interface Checkout {
  readonly path: string;
  /** Its own git folder. */
  readonly gitDir: string;
}

/**
 * The one checkout of a branch; undefined when there is none. Throws E_PROMOTE_CHECKOUT for one in which no merge may
 * happen, and E_PROMOTE_DIRTY for one with uncommitted changes.
 */
export async function checkoutOf(home: string, branch: string): Promise<Checkout | undefined> {
  const commonDir = await commonDirOf(home);
  await refuseBegun(commonDir, branch);
  const [path, another] = await checkoutsOf(openGit(home), branch);
  if (path === undefined) return undefined;
  const blocked: (what: string, next: string) => never = (what, next) =>
    fail('E_PROMOTE_CHECKOUT', { base: branch, what, next });
  if (another !== undefined) {
    blocked(`is checked out twice, in ${path} and ${another}`, `git -C ${shellWord(another)} switch --detach`);
  }
  if ((await entryAt(path)).kind !== 'folder') {
    blocked(`is checked out in ${path}, which is gone`, 'put it back, or forget it: git worktree prune');
  }
  const gitDir = await ownGitDir(path, commonDir);
  if (gitDir === undefined) blocked(`is checked out in ${path}, which has lost its repository`, 'git worktree repair');
  const doing = await unfinished(gitDir);
  if (doing) blocked(`has a ${doing} begun in ${path}`, `end it first: git -C ${shellWord(path)} status`);
  const { changed } = await trackedStatus(openGit(path, { gitDir }));
  if (changed.length > 0) {
    fail('E_PROMOTE_DIRTY', { base: branch, path, at: shellWord(path) }, changed.map(shellWord));
  }
  return { path, gitDir };
}

/** Where a branch is checked out at this moment, whatever its state; undefined when nowhere that git can act in. */
export async function placeOf(home: string, branch: string): Promise<Checkout | undefined> {
  const [path] = await checkoutsOf(openGit(home), branch);
  if (path === undefined) return undefined;
  const gitDir = await ownGitDir(path, await commonDirOf(home));
  return gitDir === undefined ? undefined : { path, gitDir };
}

/** Without a `.git` of its own git would look further up, and act on another checkout. */
async function ownGitDir(path: string, commonDir: string): Promise<string | undefined> {
  const answer = await openGit(path).attempt(['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  const [top = '', gitDir = ''] = answer.stdout.split('\n');
  if (!answer.ok || !(await samePlace(top, path))) return undefined;
  const gitDirs = [commonDir, ...(await adminDirs(commonDir)).map((dir) => dir.path)];
  const same = await Promise.all(gitDirs.map((dir) => samePlace(dir, gitDir)));
  return same.some(Boolean) ? gitDir : undefined;
}

/** During a rebase HEAD is detached, but its branch must not move: the rebase could not be finished. */
async function refuseBegun(commonDir: string, branch: string): Promise<void> {
  for (const { path, checkout } of [{ path: commonDir, checkout: '' }, ...(await adminDirs(commonDir))]) {
    for (const folder of ['rebase-merge', 'rebase-apply']) {
      if (readText(join(path, folder, 'head-name'))?.trim() !== `refs/heads/${branch}`) continue;
      const git = checkout ? `git -C ${shellWord(checkout)}` : 'git';
      const what = `is being rebased${checkout ? ` in ${checkout}` : ''}`;
      fail('E_PROMOTE_CHECKOUT', { base: branch, what, next: `${git} rebase --continue\nor: ${git} rebase --abort` });
    }
  }
}

/** Untracked and ignored files that would have to make way for those that `to` adds. */
export async function inTheWay(checkout: Checkout, from: string, to: string): Promise<string[]> {
  const git = openGit(checkout.path, { gitDir: checkout.gitDir });
  const added = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to]);
  const blocking: string[] = [];
  for (const path of fields(added)) {
    const at = join(checkout.path, path);
    const { kind } = await entryAt(at);
    const empty = kind === 'folder' && namesIn(at, () => true).length === 0;
    if (kind !== 'nothing' && !empty) blocking.push(path);
  }
  return blocking;
}
