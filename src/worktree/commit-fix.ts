// A fix on the AI branch, and taking it back: one commit each, of the patched paths alone.
import { fail } from '../errors.ts';
import type { Git } from '../io/git.ts';
import { removeTreeFile, writeTreeFile } from '../io/tree-file.ts';
import { said } from './base.ts';
import { restoreTree } from './save-changes.ts';
import { trackedStatus } from './status.ts';
import { type Tree, treeGit, WORKTREE } from './tree.ts';

export interface FixFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: true;
}

export interface CommitOptions {
  readonly hooks: boolean;
  readonly sign: boolean;
}

type Place = Pick<Tree, 'path' | 'gitDir'>;

/** Writes the files and commits them; the commit. What stages changed in tracked files is put back first: it is saved. */
export async function commitFix(
  tree: Place,
  files: readonly FixFile[],
  message: string,
  options: CommitOptions,
): Promise<string> {
  const git = treeGit(tree, options);
  await putBack(tree, git);
  for (const { path, text, executable } of files) writeTreeFile(tree.path, path, text, executable);
  const paths = files.map(({ path }) => path);
  await git.run(['--literal-pathspecs', 'add', '--', ...paths]);
  await commit(git, message, options);
  return headOf(git);
}

/** Takes a fix back by a commit of its own; the commit. Throws E_FIX_STUCK when later changes stand in the way. */
export async function revertFix(tree: Place, fix: string, message: string, options: CommitOptions): Promise<string> {
  const git = treeGit(tree, options);
  await putBack(tree, git);
  const reverted = await git.attempt(['revert', '--no-commit', fix]);
  if (!reverted.ok) {
    await git.attempt(['revert', '--abort']);
    fail(
      'E_FIX_STUCK',
      { commit: fix.slice(0, 12), command: `git -C ${WORKTREE} revert ${fix.slice(0, 12)}` },
      said(reverted.stderr),
    );
  }
  await commit(git, message, options);
  return headOf(git);
}

/** After a process died between writing files and committing them: they are as they were. */
export async function unwriteFix(tree: Place, paths: readonly string[], created: readonly string[]): Promise<void> {
  await restoreTree(tree, paths);
  for (const path of created) removeTreeFile(tree.path, path);
}

async function putBack(tree: Place, git: Git): Promise<void> {
  if ((await trackedStatus(git)).changed.length > 0) await restoreTree(tree);
}

async function commit(git: Git, message: string, { hooks, sign }: CommitOptions): Promise<void> {
  const options = [...(hooks ? [] : ['--no-verify']), ...(sign ? ['-S'] : ['--no-gpg-sign'])];
  await git.run(['commit', '-q', '--cleanup=verbatim', '--allow-empty', ...options, '-F', '-'], message);
}

const headOf = async (git: Git): Promise<string> => (await git.run(['rev-parse', 'HEAD'])).trim();
