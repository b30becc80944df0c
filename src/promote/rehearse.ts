// What the base would be after a promotion, or which files conflict: made in git's store alone, no branch and no checkout is
// touched.
import { fields, type Git } from '../io/git.ts';
import { type MergedTree, mergeTree } from '../worktree/merge.ts';
import { gitFailed } from '../worktree/messages.ts';
import type { PromoteRange } from './range.ts';

/** Merges two commits. Throws E_GIT_FAILED when git cannot even try. */
async function rehearseMerge(git: Git, ours: string, theirs: string): Promise<MergedTree> {
  const { tree, conflicts, failure } = await mergeTree(git, ours, theirs);
  if (failure !== undefined) gitFailed('rehearse a merge', ['merge-tree', '--write-tree', ours, theirs], failure);
  return { tree, conflicts };
}

/** What of `from` → `to` is not in the tree `into` yet, put into it. Throws like `rehearseMerge`. */
export async function carryOver(git: Git, from: string, to: string, into: string): Promise<MergedTree> {
  // Two commits that nobody will ever see, with `from` as what they have in common.
  const stand = (tree: string) => git.line(['commit-tree', '-m', 'rehearsal', '-p', from, tree]);
  return rehearseMerge(git, await stand(into), await stand(await treeOf(git, to)));
}

/** A tree with these commits put onto it, the first one first; ends at the first that conflicts. */
async function pickOnto(git: Git, onto: string, commits: readonly string[]): Promise<MergedTree> {
  let tree = await treeOf(git, onto);
  for (const commit of commits) {
    const next = await carryOver(git, `${commit}^`, commit, tree);
    if (next.conflicts.length > 0) return next;
    tree = next.tree;
  }
  return { tree, conflicts: [] };
}

/** The tree of a commit. Throws a GitError when there is no such commit. */
export const treeOf = (git: Git, commit: string): Promise<string> =>
  git.line(['rev-parse', '--verify', '-q', `${commit}^{tree}`]);

export interface Rehearsal extends MergedTree {
  /** A merge of the two as git makes it; false: only what has not landed was put onto the base. */
  readonly plain: boolean;
}

/**
 * What the base would be with the range in it. Where something has landed and the base went on from there, a merge would
 * bring the old text back; then only what is new is put onto the base. Throws E_GIT_FAILED.
 */
export async function rehearsePromotion(git: Git, base: string, tip: string, range: PromoteRange): Promise<Rehearsal> {
  const merged = await rehearseMerge(git, base, tip);
  if (range.landed.size === 0) return { ...merged, plain: true };
  const list = ['diff-tree', '--no-commit-id', '-r', '-z', '--name-only', '--no-renames'];
  const changed = new Set([...merged.conflicts, ...fields(await git.run([...list, base, merged.tree]))]);
  const landed = fields(await git.run([...list, '--root', '--stdin'], `${[...range.landed].join('\n')}\n`));
  if (!landed.some((path) => changed.has(path))) return { ...merged, plain: true };
  return { ...(await pickOnto(git, base, range.fresh)), plain: false };
}
