// Where a branch is checked out, and whether it may move there: its own folder, nothing begun, nothing uncommitted, no git at
// work. Reads only.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fileFacts, namesIn } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { adminDirs, commonDirOf, samePlace, unfinished } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { readText } from '../io/store.ts';
import { isBefore, landingPaths } from './landing-paths.ts';
import { standingAt, treeDiff } from './listing.ts';
import { moveAside, shellWord } from './messages.ts';
import { checkoutsOf, trackedStatus } from './tree.ts';

export interface Checkout {
  readonly path: string;
  /** Its own git folder. */
  readonly gitDir: string;
}

/**
 * The one checkout of a branch in which it may go from one commit to another; undefined when there is none. Throws
 * E_PROMOTE_CHECKOUT, E_PROMOTE_DIRTY for uncommitted changes and E_PROMOTE_IN_THE_WAY for untracked files.
 */
export async function readyCheckout(home: string, branch: string, from: string, to: string) {
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
  const checkout = await checkoutAt(home, path);
  if (checkout === undefined)
    return blocked(`is checked out in ${path}, which has lost its repository`, 'git worktree repair');
  const doing = await unfinished(checkout.gitDir);
  if (doing) blocked(`has a ${doing} begun in ${path}`, `end it first: git -C ${shellWord(path)} status`);
  const lock = join(checkout.gitDir, 'index.lock');
  if (fileFacts(lock)) {
    const remove = `rm ${shellWord(lock)}`;
    blocked(`is checked out in ${path}, where git is at work`, `let it end; if no git runs there: ${remove}`);
  }
  const { changed: seen } = await trackedStatus(openGit(path, { gitDir: checkout.gitDir }));
  // Also what its owner told git not to look at, which git would overwrite.
  const hidden = (await landingPaths(home, checkout, from, to)).filter((one) => one.from && !isBefore(one));
  const changed = [...new Set([...seen, ...hidden.map((one) => one.path)])];
  if (changed.length > 0) {
    fail('E_PROMOTE_DIRTY', { base: branch, path, at: shellWord(path) }, changed.map(shellWord));
  }
  const blocking = await inTheWay(checkout, from, to);
  if (blocking.length > 0) {
    fail('E_PROMOTE_IN_THE_WAY', { base: branch, commands: moveAside(path, blocking) }, blocking.map(shellWord));
  }
  return checkout;
}

/** The checkout of this repository in the folder `path`; undefined when none is there that git can act in. */
export async function checkoutAt(home: string, path: string): Promise<Checkout | undefined> {
  if ((await entryAt(path)).kind !== 'folder') return undefined;
  const answer = await openGit(path).attempt(['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  const [top = '', gitDir = ''] = answer.stdout.split('\n');
  // Without a `.git` of its own git would look further up, and act on another checkout.
  if (!answer.ok || !(await samePlace(top, path))) return undefined;
  const commonDir = await commonDirOf(home);
  const gitDirs = [commonDir, ...(await adminDirs(commonDir)).map((dir) => dir.path)];
  const same = await Promise.all(gitDirs.map((dir) => samePlace(dir, gitDir)));
  return same.some(Boolean) ? { path, gitDir } : undefined;
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

/** What is untracked or ignored and would have to make way for the files that `to` adds. */
async function inTheWay(checkout: Checkout, from: string, to: string): Promise<string[]> {
  const git = openGit(checkout.path, { gitDir: checkout.gitDir });
  const isEmpty = (path: string) => namesIn(join(checkout.path, path), () => true).length === 0;
  const standing = await standingAt(checkout.path, await treeDiff(git, from, to));
  return [...new Set(standing.flatMap(({ path, kind }) => (kind === 'folder' && isEmpty(path) ? [] : [path])))];
}
