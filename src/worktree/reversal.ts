// Whether an edit would take a file back to what a fix on the branch had found there.
import { type Tree, treeGit } from './tree.ts';

interface Edit {
  readonly path: string;
  readonly after: string;
}

/** True when any of the files would be as it was before some commit of `base..head` that still stands. */
export async function isReversal(
  tree: Pick<Tree, 'path' | 'gitDir'>,
  base: string,
  head: string,
  edits: readonly Edit[],
): Promise<boolean> {
  const git = treeGit(tree);
  for (const { path, after } of edits) {
    const args = ['log', '--format=%H', '--no-merges', '--grep=^Patch: ', `${base}..${head}`, '--', path];
    const commits = (await git.run(['--literal-pathspecs', ...args])).split('\n').filter(Boolean);
    if (commits.length === 0) continue;
    const made = (await git.run(['hash-object', '--stdin'], after)).trim();
    const before = await Promise.all(commits.map((commit) => git.attempt(['rev-parse', `${commit}^:${path}`])));
    if (before.some(({ ok, stdout }) => ok && stdout.trim() === made)) return true;
  }
  return false;
}
