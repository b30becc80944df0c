// After an attempt: what the stage did to the worktree. One git process when it did nothing.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { entryAt } from '../io/links.ts';
import { checkCarry } from './carry.ts';
import { savePatch } from './save-changes.ts';
import { shellWord } from './shell-word.ts';
import { type Status, trackedStatus } from './status.ts';
import { type Tree, treeGit } from './tree.ts';

export interface Before {
  /** The commit that the attempt ran from. */
  readonly head: string;
  /** Where to save what it changed. */
  readonly patchFile: string;
  /** The `seen` of the attempt before, or of the worktree as it was opened. */
  readonly seen: string;
}

export interface Inspection {
  /** Tracked files that differ from HEAD and were not reported before; empty when nothing new was changed. */
  readonly changed: readonly string[];
  /** Set when there is something new: the patch that holds it. */
  readonly patch?: string;
  readonly seen: string;
}

/**
 * What an attempt left. Throws E_HEAD_MOVED, E_WORKTREE_GONE or E_CARRY_REPLACED, each exit 3: the run must halt. What the
 * stage changed is saved before any of them is thrown.
 */
export async function inspect(tree: Tree, before: Before): Promise<Inspection> {
  if ((await entryAt(join(tree.path, '.git'))).kind !== 'file') fail('E_WORKTREE_GONE', {});
  const status = await trackedStatus(treeGit(tree));
  const result = await saved(tree, status, before);
  if (status.head !== before.head || status.branch !== tree.branch) headMoved(tree, status, before.head);
  await checkCarry(tree);
  return result;
}

async function saved(tree: Tree, status: Status, before: Before): Promise<Inspection> {
  if (status.changed.length === 0) return { changed: [], seen: '' };
  const { hash, saved: fresh } = await savePatch(tree, before.patchFile, before.seen);
  return fresh ? { changed: status.changed, patch: before.patchFile, seen: hash } : { changed: [], seen: hash };
}

function headMoved(tree: Tree, status: Status, was: string): never {
  const short = (commit: string) => commit.slice(0, 12);
  const branch = shellWord(tree.branch);
  const at = (commit: string, name: string | undefined) => `${name ?? 'no branch'} at ${short(commit)}`;
  const back = status.branch === tree.branch ? [] : [`git -C ai/worktree switch ${branch}`];
  fail('E_HEAD_MOVED', {
    was: at(was, tree.branch),
    now: at(status.head, status.branch),
    commands: [
      `git -C ai/worktree log ${short(was)}..${short(status.head)}`,
      ...back,
      `git -C ai/worktree reset --keep ${short(was)}`,
    ].join('\n'),
  });
}
