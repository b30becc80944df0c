// What stages changed in tracked files: kept as a patch in home, then put back.
import { join } from 'node:path';
import { draftPatch, dropPatch, fileHash, keepPatch, samePatch } from '../io/git-patches.ts';
import { type Tree, type TreePlace, treeGit } from './tree.ts';

type Place = Pick<Tree, 'home' | 'path' | 'gitDir'>;

const DIFF = [
  'diff',
  '--binary',
  '--full-index',
  '--no-color',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** Writes all that differs from HEAD to `file`. */
async function writeDiff(tree: Place, file: string): Promise<{ hash: string; size: number }> {
  const git = treeGit(tree);
  await git.run([...DIFF, `--output=${file}`, 'HEAD']);
  const found = await fileHash(file);
  if (found.size > 0) return found;
  // Staged, and put back in the folder: only the index knows it.
  await git.run([...DIFF, `--output=${file}`, '--cached', 'HEAD']);
  return fileHash(file);
}

/** Saves the tracked changes to `patchFile` unless they are those of `seen`; returns their hash and whether it saved. */
export async function savePatch(
  tree: Place,
  patchFile: string,
  seen: string,
): Promise<{ hash: string; saved: boolean }> {
  const draft = await draftPatch(patchFile);
  const { hash } = await writeDiff(tree, draft);
  const saved = hash !== seen;
  await (saved ? keepPatch(draft, patchFile) : dropPatch(draft));
  return { hash, saved };
}

/** Makes sure that some patch in home holds the tracked changes; `file` is set when it had to be written now. */
export async function holdChanges(tree: Place): Promise<{ hash: string; file?: string }> {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('.', '');
  const patchFile = join(tree.home, 'ai/patches', `worktree-${time}.stage.diff`);
  const draft = await draftPatch(patchFile);
  const { hash } = await writeDiff(tree, draft);
  if (await samePatch(draft)) {
    await dropPatch(draft);
    return { hash };
  }
  await keepPatch(draft, patchFile);
  return { hash, file: patchFile };
}

/**
 * Puts tracked files back to HEAD, in the index and in the folder; all of them, or only `paths`. Files that a stage made
 * stay, also those it staged. Throws a GitError.
 */
export async function restoreTree(tree: TreePlace, paths?: readonly string[]): Promise<void> {
  if (paths?.length === 0) return;
  const git = treeGit(tree);
  if (!paths) {
    await git.run(['reset', '-q', '--mixed', 'HEAD']);
    await git.run(['checkout-index', '-q', '-f', '-a', '-u']);
    return;
  }
  await git.run(['--literal-pathspecs', 'reset', '-q', 'HEAD', '--', ...paths]);
  const tracked = await git.run(['--literal-pathspecs', 'ls-files', '-z', '--', ...paths]);
  if (tracked) await git.run(['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], tracked);
}
