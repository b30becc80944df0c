// Whether an edit would take a file back to what a fix on the branch had found there.
import { committedFixes } from './find-fix.ts';
import { type Tree, treeGit } from './tree.ts';

interface Edit {
  readonly path: string;
  readonly after: string;
}

/** True when any of the files would be as it was before some fix of `base..head` that still stands. */
export async function isReversal(
  tree: Pick<Tree, 'path' | 'gitDir'>,
  base: string,
  head: string,
  edits: readonly Edit[],
): Promise<boolean> {
  const git = treeGit(tree);
  const found = await committedFixes(git, base, head);
  const takenBack = new Set(found.flatMap(({ trailers }) => trailers.get('Reverts') ?? []));
  const standing = found.filter(({ commit, trailers }) => !trailers.has('Reverts') && !takenBack.has(commit));
  for (const { path, after } of edits) {
    const fixes = standing.filter(({ paths }) => paths.includes(path));
    if (fixes.length === 0) continue;
    const made = (await git.run(['hash-object', '--stdin'], after)).trim();
    const before = await Promise.all(fixes.map(({ commit }) => git.attempt(['rev-parse', `${commit}^:${path}`])));
    if (before.some(({ ok, stdout }) => ok && stdout.trim() === made)) return true;
  }
  return false;
}
