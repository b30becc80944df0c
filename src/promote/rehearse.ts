// What the base would be after a promotion, or which files conflict: made in git's store alone, no branch and no checkout is
// touched.
import { fields, type Git } from '../io/git.ts';
import { carryOver, type MergedTree, mergeTree, treeOf } from '../worktree/merge-tree.ts';
import type { PromoteRange } from './range.ts';

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

export interface Rehearsal extends MergedTree {
  /** A merge of the two as git makes it; false: only what has not landed was put onto the base. */
  readonly plain: boolean;
}

/**
 * What the base would be with the range in it. Where something has landed and the base went on from there, a merge would
 * bring the old text back; then only what is new is put onto the base. Throws E_GIT_FAILED.
 */
export async function rehearsePromotion(git: Git, base: string, tip: string, range: PromoteRange): Promise<Rehearsal> {
  const merged = await mergeTree(git, base, tip);
  const list = ['diff-tree', '--no-commit-id', '-r', '-z', '--name-only', '--no-renames'];
  const changed = new Set([...merged.conflicts, ...fields(await git.run([...list, base, merged.tree]))]);
  const landed = fields(
    await git.run([...list, '--root', '--stdin'], [...range.landed].map((commit) => `${commit}\n`).join('')),
  );
  if (!landed.some((path) => changed.has(path))) return { ...merged, plain: true };
  return { ...(await pickOnto(git, base, range.fresh)), plain: false };
}
