// ai/worktree as it should be: there, this repository's, on the AI branch, nothing begun in it. What a killed git left is
// recovered where its owner is proven dead; anything else is made or refused.

import { basename, join } from 'node:path';
import { fail } from '../errors.ts';
import { namesIn } from '../io/files.ts';
import { type Git, openGit } from '../io/git.ts';
import { type AdminDir, adminDirs, gitFile, removeHalfMade, samePlace, startsWith, unfinished } from '../io/git-dir.ts';
import { clearDeadLock, locksOf, mayBeHeld } from '../io/git-locks.ts';
import { entryAt } from '../io/links.ts';
import { ifPossible, readText, removeFile, writeAtomic } from '../io/store.ts';
import { type Base, baseKey, commitOf, keepBase } from './base.ts';
import { gitFailed, shellWord } from './messages.ts';
import { checkoutsOf, shownStatus, switchBack, type TreePlace, treeGit, WORKTREE } from './tree.ts';
import { TRIAL_REF } from './trial-tree.ts';

/** The worktree's git folder and state, making the worktree where there is none. Throws a MendError, exit 2. */
export async function attach(site: Site, base: Base) {
  const notices: string[] = [];
  const isThere = await look(site, notices);
  if (base.firstRun) await openGit(site.home).run(['config', '--local', baseKey(base.branch), base.name]);
  if (!isThere) await make(site, base, notices);
  const dir = await adminOf(site);
  if (!dir) fail('E_WORKTREE_TAKEN', { what: 'something that git does not know' });
  const doing = await unfinished(dir.path);
  if (doing) fail('E_WORKTREE_BUSY', { doing, end: endOf(doing) });
  const tree = { path: site.path, gitDir: dir.path };
  if (await remakeIndex(tree)) notices.push(`the index of ${WORKTREE} was damaged; it was made again`);
  if (await fillSparse(tree)) notices.push(`this clone is sparse; ${WORKTREE} has every file`);
  // Files as old as the index are read again by every status; one that may write ends that for the whole run.
  const status = await shownStatus(tree, { refresh: true });
  const isTrial = status.branch === undefined && (await commitOf(treeGit(tree), TRIAL_REF)) !== undefined;
  if (status.branch !== site.branch && !isTrial) {
    const { branch } = site;
    fail('E_WORKTREE_BRANCH', { branch, back: switchBack(branch, status.head), found: status.branch ?? 'no branch' });
  }
  return { gitDir: dir.path, status, isTrial, notices };
}

/**
 * An index that is gone, or that a power loss left empty, says nothing that HEAD and the files do not say, too. Whether it
 * was one: its first bytes tell that without a git.
 */
async function remakeIndex(tree: TreePlace): Promise<boolean> {
  const index = join(tree.gitDir, 'index');
  if (startsWith(index, 'DIRC')) return false;
  removeFile(index);
  await treeGit(tree).run(['read-tree', 'HEAD']);
  return true;
}

const EVERY_FILE = '/*\n';
const FILLED = `# mendloop: every file\n${EVERY_FILE}`;

/**
 * A worktree of a sparse clone is sparse, too, and stages would not find their files. Its own list of patterns is made to
 * mean all of them; the owner's checkout and configuration stay as they are. Whether it had to be.
 */
async function fillSparse(tree: TreePlace): Promise<boolean> {
  const patterns = join(tree.gitDir, 'info/sparse-checkout');
  const text = readText(patterns);
  if (text === undefined || text === FILLED) return false;
  writeAtomic(patterns, EVERY_FILE);
  await treeGit(tree).run(['read-tree', '-m', '-u', 'HEAD']);
  writeAtomic(patterns, FILLED);
  return true;
}

const adminOf = async (site: Site): Promise<AdminDir | undefined> =>
  (await adminDirs(site.commonDir)).find((dir) => dir.checkout === site.path);

/** Whether this repository's worktree is at the path; false: nothing is. Throws E_WORKTREE_TAKEN for anything else. */
async function look(site: Site, notices: string[]): Promise<boolean> {
  const { kind } = await entryAt(site.path);
  if (kind === 'nothing') return false;
  if (kind !== 'folder') fail('E_WORKTREE_TAKEN', { what: kind === 'link' ? 'a link' : 'a file' });
  if (await isOurs(site)) return true;
  const pointer = await gitFile(site.path);
  const names = namesIn(site.path, () => true);
  if (names.length === 0) return false;
  // Its `.git` file is gone, or names a place where the repository no longer is: git can connect the two again.
  const lost = pointer ? !pointer.alive : !names.includes('.git') && (await adminOf(site)) !== undefined;
  if (lost) await openGit(site.home).attempt(['worktree', 'repair', site.path]);
  if (lost && (await isOurs(site))) {
    notices.push(`${WORKTREE} had lost its repository; it was connected again`);
    return true;
  }
  if (pointer) fail('E_WORKTREE_TAKEN', { what: 'a worktree of another repository' });
  fail('E_WORKTREE_TAKEN', { what: names.includes('.git') ? 'another repository' : 'a folder with files in it' });
}

async function isOurs(site: Site): Promise<boolean> {
  const [dir, pointer] = await Promise.all([adminOf(site), gitFile(site.path)]);
  return dir !== undefined && pointer !== undefined && (await samePlace(dir.path, pointer.target));
}

async function make(site: Site, base: Base, notices: string[]): Promise<void> {
  const git = openGit(site.home, { durable: true });
  const tip = await commitOf(git, `refs/heads/${site.branch}`);
  const elsewhere = tip && (await checkoutsOf(git, site.branch)).find((path) => path !== site.path);
  if (elsewhere) fail('E_AI_BRANCH_ELSEWHERE', { branch: site.branch, path: elsewhere, word: shellWord(elsewhere) });
  if (await adminOf(site)) {
    await must(git, ['worktree', 'remove', '--force', site.path]);
    notices.push(`${WORKTREE} was gone; it was made again from ${site.branch}`);
  }
  const what = tip ? [site.path, site.branch] : ['--no-track', '-b', site.branch, site.path, base.commit];
  await must(git, ['worktree', 'add', '-q', '--lock', '--reason', MAKING, ...what]);
  if (!tip) await keepBase(git, site.branch, base.commit);
  await must(git, ['worktree', 'unlock', site.path]);
}

async function must(git: Git, args: readonly string[]): Promise<void> {
  const answer = await git.attempt(args);
  if (!answer.ok) gitFailed(`make ${WORKTREE}`, args, answer.stderr);
}

function endOf(doing: string): string {
  const at = `git -C ${WORKTREE}`;
  if (doing === 'bisect') return `end it: ${at} bisect reset`;
  const go = doing === 'merge' ? `${at} commit --no-edit` : `${at} ${doing} --continue`;
  return `end it: ${go}\nor drop it: ${at} ${doing} --abort`;
}

/** Why the worktree is locked while it is being made. git's own reason is translated, so it cannot be compared. */
export const MAKING = 'mendloop is making this worktree';
const HALF_MADE = new Set([MAKING, 'initializing']);

export interface Site {
  readonly home: string;
  readonly path: string;
  readonly commonDir: string;
  readonly branch: string;
}

/** Recovers leftovers; returns notices of them. Throws E_GIT_LOCKED for one whose owner may live. */
export async function recover(site: Site): Promise<string[]> {
  const places = [site.home, site.path];
  const refilled = await refillEmpty(site);
  const dirs = (await adminDirs(site.commonDir)).filter((dir) => isMine(dir, site.path));
  const folders =
    dirs.length > 0 ? dirs.map((dir) => dir.path) : [join(site.commonDir, 'worktrees', basename(site.path))];
  const locks = await Promise.all(folders.map((dir) => locksOf(dir, site.commonDir, site.branch)));
  const notices = refilled.map((file) => `${file} was empty, perhaps by a power loss; it was written again`);
  for (const file of new Set(locks.flat())) {
    const reason = await clearDeadLock(file, places);
    if (reason) locked(file, reason);
    notices.push(`a killed git left ${file}; it was removed`);
  }
  for (const dir of dirs.filter(isHalfMade)) {
    const file = join(dir.path, 'locked');
    const reason = await mayBeHeld(file, places);
    if (reason) locked(file, reason);
    notices.push(await finish(dir, site.path));
  }
  return notices;
}

/** Files that connect worktree and repository and say the same for ever: what a power loss left empty. Which were. */
async function refillEmpty(site: Site): Promise<string[]> {
  const target = (await gitFile(site.path))?.target;
  const dirs = await adminDirs(site.commonDir);
  // Each names the other; without both there is no way to tell.
  const dir = dirs.find(({ checkout, path }) => checkout === site.path || (path === target && !checkout));
  if (!dir || dir.locked !== undefined) return [];
  const admin = dir.path;
  const texts = {
    [join(admin, 'HEAD')]: `ref: refs/heads/${site.branch}\n`,
    [join(admin, 'commondir')]: '../..\n',
    [join(admin, 'gitdir')]: `${join(site.path, '.git')}\n`,
    [join(site.path, '.git')]: `gitdir: ${admin}\n`,
  };
  const empty = Object.entries(texts).filter(([file]) => /^[\0\s]*$/.test(ifPossible(() => readText(file)) ?? 'x'));
  for (const [file, text] of empty) writeAtomic(file, text);
  return empty.map(([file]) => file);
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
    removeFile(join(dir.path, 'locked'));
    return `${WORKTREE} was left half-made; it was finished`;
  }
  await removeHalfMade(dir.path, path);
  return `${WORKTREE} was left half-made; it is made again`;
}

function locked(file: string, reason: string): never {
  fail('E_GIT_LOCKED', { file, reason, command: `rm ${shellWord(file)}` });
}
