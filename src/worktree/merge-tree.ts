// Merging, picking and reverting in git's store alone: no branch and no checkout is touched.
import { join } from 'node:path';
import { fields, type Git, hashText, openGit } from '../io/git.ts';
import { tempName } from '../io/half-made.ts';
import { removeFile } from '../io/store.ts';
import { gitFailed } from './messages.ts';
import type { TreePlace } from './tree.ts';

export interface MergedTree {
  /** The merged tree, with marks where it conflicts. */
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
  // Two temporary commits, with `from` as their common ancestor.
  const stand = (tree: string) => git.line(['commit-tree', '-m', 'rehearsal', '-p', from, tree]);
  return mergeTree(git, await stand(into), await stand(await treeOf(git, to)));
}

/** The tree of a commit. Throws a GitError when there is no such commit. */
export const treeOf = (git: Git, commit: string): Promise<string> =>
  git.line(['rev-parse', '--verify', '-q', `${commit}^{tree}`]);

/** The files in which two commits differ; `kind`: A added, D removed, M changed. Mode and id are those in `to`. */
export async function treeDiff(git: Git, from: string, to: string) {
  const rows = fields(await git.run(['diff-tree', '-r', '-z', '--no-renames', from, to]));
  return rows.flatMap((row, i) => {
    const [, mode = '', , id = '', kind = ''] = row.split(' ');
    return i % 2 === 0 ? [{ path: rows[i + 1] ?? '', mode, id, kind }] : [];
  });
}

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
): Promise<{ tip: string; reverted: Reverted<F>[] } | { stuck: F; conflicts: readonly string[] }> {
  const reverted: Reverted<F>[] = [];
  let tip = head;
  let tree = await treeOf(git, head);
  for (const fix of fixes) {
    const next = await carryOver(git, fix.commit, `${fix.commit}^`, tree);
    if (next.conflicts.length > 0) return { stuck: fix, conflicts: next.conflicts };
    tip = await git.line(['commit-tree', ...(sign ? ['-S'] : []), '-p', tip, next.tree], message(fix));
    reverted.push({ fix, commit: tip, empty: next.tree === tree });
    tree = next.tree;
  }
  return { tip, reverted };
}

/** The tree `root` with `paths` as they are in `commit`, and with `texts`. Throws a GitError. */
export async function withTextsOf(
  tree: TreePlace,
  git: Git,
  root: string,
  { commit, paths = [], texts }: { commit: string; paths?: readonly string[]; texts: ReadonlyMap<string, string> },
): Promise<string> {
  const all = [...paths, ...texts.keys()];
  if (all.length === 0) return root;
  const indexFile = tempName(join(tree.gitDir, 'mendloop-merge'));
  const index = openGit(tree.path, { gitDir: tree.gitDir, indexFile, durable: true });
  const nothing = `0 ${'0'.repeat(commit.length)}`;
  try {
    await index.run(['read-tree', root]);
    const rows = fields(await git.run(['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...all]));
    const entries = new Map(rows.map((row) => [row.slice(row.indexOf('\t') + 1), row.split('\t')[0]]));
    for (const [path, text] of texts)
      entries.set(path, `${entries.get(path)?.split(' ')[0] ?? '100644'} blob ${await hashText(git, text, '-w')}`);
    const info = all.map((path) => `${entries.get(path)?.replace(/ \w+ /, ' ') ?? nothing}\t${path}\0`);
    await index.run(['update-index', '-z', '--index-info'], info.join(''));
    return await index.line(['write-tree']);
  } finally {
    removeFile(indexFile);
  }
}
