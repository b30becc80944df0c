// What the loop leaves in git's own files besides the worktree, and taking it away: AI branches with their keys, kept tips, lines of
// the exclude file.
import { join } from 'node:path';
import { type Git, lines, openGit } from '../io/git.ts';
import { addExcludes, commonDirOf, removeExcludes } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { readText } from '../io/store.ts';
import { commitOf, storedKeys } from './base.ts';
import { excludedPath } from './carry.ts';
import { WORKTREE } from './tree.ts';

export interface Traces {
  /** Git config keys. */
  readonly keys: readonly string[];
  readonly branches: readonly AiBranch[];
  /** Of the loop's own book-keeping. */
  readonly marks: readonly string[];
  /** Tips that were kept when the branch was moved, and what stages committed. */
  readonly refs: readonly string[];
  /** Lines of `info/exclude`. */
  readonly excludes: readonly string[];
}

export interface AiBranch {
  readonly name: string;
  readonly base: string;
  /** Its commits that the base does not have, newest first, as `hash subject`; merges are not counted. */
  readonly ahead: readonly string[];
}

/** Reads only; before the worktree is gone: its links tell which lines are ours. Throws a GitError. */
export async function findTraces(home: string): Promise<Traces> {
  const git = openGit(home);
  const stored = await storedKeys(git);
  const branches: AiBranch[] = [];
  for (const [key, base] of stored) {
    const name = key.slice('branch.'.length, key.lastIndexOf('.'));
    if (!key.endsWith('base') || !(await commitOf(git, `refs/heads/${name}`))) continue;
    const range = (await commitOf(git, `refs/heads/${base}`))
      ? [`refs/heads/${base}..refs/heads/${name}`]
      : [`refs/heads/${name}`];
    const log = await git.run(['log', '--no-merges', '--format=%h %s', ...range]);
    branches.push({ name, base, ahead: lines(log) });
  }
  const all = await ownRefs(git);
  const marks = all.filter((ref) => /^refs\/mendloop\/(?:base\/|next$)/.test(ref));
  const refs = all.filter((ref) => !marks.includes(ref));
  return { keys: [...stored.keys()], branches, marks, refs, excludes: await ownExcludes(home) };
}

const ownRefs = async (git: Git): Promise<string[]> =>
  lines(await git.run(['for-each-ref', '--format=%(refname)', 'refs/mendloop/']));

async function ownExcludes(home: string): Promise<string[]> {
  const lines = (readText(join(await commonDirOf(home), 'info/exclude')) ?? '').split('\n');
  const ours: string[] = [];
  for (const line of lines.filter((each) => each.startsWith('/'))) {
    const path = excludedPath(line);
    const entry = await entryAt(join(home, WORKTREE, path));
    if (line === `/${WORKTREE}/` || (entry.kind === 'link' && entry.target === join(home, path))) ours.push(line);
  }
  return ours;
}

/**
 * Removes the keys and the lines; and of `branches`, the branches and with them the kept tips. Gives what stays and why: a line that
 * alone keeps a file of the owner out of git, a branch that is checked out.
 */
export async function removeTraces(home: string, traces: Traces, branches: readonly AiBranch[]): Promise<string[]> {
  const git = openGit(home);
  const stays: string[] = [];
  for (const key of traces.keys) await git.attempt(['config', '--local', '--unset-all', key]);
  for (const ref of traces.marks) await git.attempt(['update-ref', '-d', ref]);
  for (const { name } of branches) {
    const answer = await git.attempt(['branch', '--delete', '--force', '--', name]);
    if (!answer.ok) stays.push(`the branch ${name}: ${answer.stderr.trim()}`);
  }
  // Closing a cut-off run may have made one since they were listed.
  if (branches.length > 0) for (const ref of await ownRefs(git)) await git.run(['update-ref', '-d', ref]);
  const commonDir = await commonDirOf(home);
  for (const line of traces.excludes) {
    removeExcludes(commonDir, [line]);
    const path = excludedPath(line);
    const isShown =
      (await git.run(['--literal-pathspecs', 'ls-files', '--others', '--exclude-standard', '--', path])) !== '';
    if (!isShown || line === `/${WORKTREE}/`) continue;
    addExcludes(commonDir, [line]);
    stays.push(`${line} in .git/info/exclude: nothing else keeps that file out of git`);
  }
  return stays;
}
