// Merging, picking and reverting in git's store alone: no branch and no checkout is touched.
import { fields, type Git } from '../io/git.ts';
import { gitFailed } from './messages.ts';

export interface MergedTree {
  /** What the merge comes to, with marks where it conflicts. */
  readonly tree: string;
  readonly conflicts: readonly string[];
}

/** Merges two commits. `failure`: git could not even try. */
export async function tryMerge(git: Git, ours: string, theirs: string): Promise<MergedTree & { failure?: string }> {
  const options = ['--write-tree', '-z', '--name-only', '--no-messages'];
  const answer = await git.attempt(['merge-tree', ...options, ours, theirs]);
  const [tree = '', ...conflicts] = fields(answer.stdout);
  if (answer.ok) return { tree, conflicts: [] };
  const tried = answer.code === 1 && conflicts.length > 0;
  return { tree, conflicts: [...new Set(conflicts)], ...(tried ? {} : { failure: answer.stderr }) };
}

/** The same. Throws E_GIT_FAILED when git cannot even try. */
export async function mergeTree(git: Git, ours: string, theirs: string): Promise<MergedTree> {
  const { tree, conflicts, failure } = await tryMerge(git, ours, theirs);
  if (failure !== undefined) gitFailed('rehearse a merge', ['merge-tree', '--write-tree', ours, theirs], failure);
  return { tree, conflicts };
}

/** What of `from` → `to` is not in the tree `into` yet, put into it. Throws like `mergeTree`. */
export async function carryOver(git: Git, from: string, to: string, into: string): Promise<MergedTree> {
  // Two commits that nobody will ever see, with `from` as what they have in common.
  const stand = (tree: string) => git.line(['commit-tree', '-m', 'rehearsal', '-p', from, tree]);
  return mergeTree(git, await stand(into), await stand(await treeOf(git, to)));
}

/** The tree of a commit. Throws a GitError when there is no such commit. */
export const treeOf = (git: Git, commit: string): Promise<string> =>
  git.line(['rev-parse', '--verify', '-q', `${commit}^{tree}`]);

export interface Reverted<F> {
  fix: F;
  /** The commit that takes it back. */
  commit: string;
  /** Its change was gone already. */
  empty: boolean;
}

/** One commit for each fix, in the order given (the newest first), the first of them onto `head`; or which one is stuck. */
export async function revertAll<F extends { readonly commit: string }>(
  git: Git,
  head: string,
  fixes: readonly F[],
  { message, sign }: { message(fix: F): string; sign: boolean },
): Promise<{ tip: string; made: Reverted<F>[] } | { stuck: F; conflicts: readonly string[] }> {
  const made: Reverted<F>[] = [];
  let tip = head;
  let tree = await treeOf(git, head);
  for (const fix of fixes) {
    const next = await carryOver(git, fix.commit, `${fix.commit}^`, tree);
    if (next.conflicts.length > 0) return { stuck: fix, conflicts: next.conflicts };
    tip = await git.line(['commit-tree', ...(sign ? ['-S'] : []), '-p', tip, next.tree], message(fix));
    made.push({ fix, commit: tip, empty: next.tree === tree });
    tree = next.tree;
  }
  return { tip, made };
}
