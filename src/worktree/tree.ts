// The worktree as everything here knows it: where it is, whose it is, which git acts on it and on nothing else, and what
// git status says of it.
import { join } from 'node:path';
import { fields, type Git, type GitOptions, openGit } from '../io/git.ts';
import type { GitObjects } from '../io/git-objects.ts';
import type { Base } from './base.ts';
import { shellWord } from './messages.ts';

/** Below home; also how messages name it. */
export const WORKTREE = 'ai/worktree';

/** A carried path: `path` below the worktree is a link to `target` in home. */
export interface CarryLink {
  readonly path: string;
  readonly target: string;
}

export interface Tree {
  readonly home: string;
  readonly path: string;
  /** Its own git folder, below the repository's `worktrees`. */
  readonly gitDir: string;
  /** An index other than its own: that of an attempt on another machine, which may not write the tree's. */
  readonly indexFile?: string;
  readonly branch: string;
  readonly links: readonly CarryLink[];
  /** The repository's objects, closed by the code that opened them. */
  readonly objects: GitObjects;
}

/** What git needs to act on it. */
export type TreePlace = Pick<Tree, 'path' | 'gitDir' | 'indexFile'>;

/** The AI branch where it is checked out, the git that moves it, and its base. */
export interface Branch {
  readonly tree: TreePlace;
  readonly git: Git;
  readonly base: Base;
  /** Tracked files differ from HEAD; they are saved already, and put back before the branch moves. */
  readonly dirty: boolean;
}

export interface Worktree extends Tree {
  /** HEAD is detached at the commits of a trial. */
  readonly isTrial?: boolean;
  readonly head: string;
  readonly base: Base;
  /** What a person should know: recovered, missing, saved. */
  readonly notices: readonly string[];
  /** One line for each carried path that is not there. */
  readonly unlinked: readonly string[];
  /** Tracked files that were missing, or changed by nobody knows whom, and were put back. */
  readonly putBack: readonly string[];
  /** Tracked files that differ from HEAD. */
  readonly changed: readonly string[];
  /** The tracked changes that were there already and are saved: file → hash of its part. */
  readonly seen: ReadonlyMap<string, string>;
}

export const worktreePath = (home: string): string => join(home, WORKTREE);

/** The git of the worktree. It names its git folder, because without a `.git` file git would find home's and act there. */
export function treeGit(tree: TreePlace, options: GitOptions = {}): Git {
  const { path, gitDir, indexFile } = tree;
  return openGit(path, { ...options, gitDir, ...(indexFile && { indexFile }) });
}

/** The folders that have `branch` checked out. Throws a GitError. */
export async function checkoutsOf(git: Git, branch: string): Promise<string[]> {
  const checkouts = (await git.run(['worktree', 'list', '--porcelain', '-z'])).split('\0\0').map(fields);
  const ofBranch = checkouts.filter((record) => record.includes(`branch refs/heads/${branch}`));
  return ofBranch.map(([first = '']) => first.slice('worktree '.length));
}

/** What git calls the commit of a branch that has none. */
export const UNBORN = '(initial)';

/** How a person gets the worktree, now at `head`, back to its branch; git does not switch from a branch without a commit. */
export const switchBack = (branch: string, head: string): string =>
  head === UNBORN
    ? `git -C ${WORKTREE} symbolic-ref HEAD ${shellWord(`refs/heads/${branch}`)}`
    : `git -C ${WORKTREE} switch ${shellWord(branch)}`;

export interface Status {
  /** `UNBORN` on a branch that has no commit. */
  readonly head: string;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  /** Tracked files that differ from HEAD, in the index or in the folder. */
  readonly changed: readonly string[];
  /** Those of them that were removed, from the folder or from the index. */
  readonly deleted: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

const TRACKED = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];
/** How many fields stand before the path, by the letter that opens the record. */
const BEFORE_PATH: Record<string, number> = { '1': 8, u: 10, '?': 1, '!': 1 };

/** The state of tracked files. Throws a GitError when git cannot tell. */
export const trackedStatus = (git: Git): Promise<Status> => statusWith(git, '--untracked-files=no');

/** The same with untracked files (folders that hold only such end in `/`), and with ignored ones if asked for. */
export const fullStatus = (git: Git, ignored = false): Promise<Status> =>
  statusWith(git, '--untracked-files=normal', ...(ignored ? ['--ignored=traditional'] : []));

/**
 * The state of tracked files, also of those that flags of `git update-index` hide from git status: the flags are undone. Throws a
 * GitError.
 */
export async function shownStatus(tree: TreePlace, options: GitOptions = {}): Promise<Status> {
  const git = treeGit(tree);
  const look = () => trackedStatus(treeGit(tree, options));
  const [entries, status] = await Promise.all([git.run(['ls-files', '-v', '-z']), look()]);
  // `S` is skip-worktree, a small letter assume-unchanged.
  const marked = fields(entries).filter((entry) => /^[Sa-z] /.test(entry));
  if (marked.length === 0) return status;
  const names = marked.map((entry) => `${entry.slice(2)}\0`).join('');
  for (const flag of ['--no-skip-worktree', '--no-assume-unchanged'])
    await git.run(['update-index', flag, '-z', '--stdin'], names);
  return look();
}

async function statusWith(git: Git, ...options: string[]): Promise<Status> {
  const answer = await git.run([...TRACKED, ...options]);
  let head = '';
  let branch: string | undefined;
  const paths: Record<'changed' | 'deleted' | 'untracked' | 'ignored', string[]> = {
    changed: [],
    deleted: [],
    untracked: [],
    ignored: [],
  };
  for (const record of fields(answer)) {
    const [kind = '', name, value = ''] = record.split(' ', 3);
    if (kind === '#') {
      if (name === 'branch.oid') head = value;
      if (name === 'branch.head') branch = record.slice('# branch.head '.length);
      continue;
    }
    const list = kind === '?' ? paths.untracked : kind === '!' ? paths.ignored : paths.changed;
    const path = afterFields(record, BEFORE_PATH[kind] ?? 0);
    list.push(path);
    if (kind === '1' && name?.includes('D')) paths.deleted.push(path);
  }
  return { head, branch: branch === '(detached)' ? undefined : branch, ...paths };
}

function afterFields(record: string, count: number): string {
  let at = 0;
  for (let i = 0; i < count; i++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}
