// A fix on the AI branch, and taking it back: one commit each, of the patched paths alone.
import { fail } from '../errors.ts';
import { fields, type Git, GitError } from '../io/git.ts';
import { removeTreeFile, writeTreeFile } from '../io/tree-file.ts';
import { complaints, short } from './messages.ts';
import { restoreTree } from './save-changes.ts';
import { type TreePlace, trackedStatus, treeGit, WORKTREE } from './tree.ts';

export interface FixFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: true;
}

export interface CommitOptions {
  readonly hooks: boolean;
  readonly sign: boolean;
}

/**
 * Writes the files and commits them; the commit. What stages changed in tracked files is put back first: it is saved.
 * Throws E_GIT_FAILED when git or a hook refuses; then the files are as they were.
 */
export async function commitFix(tree: TreePlace, files: readonly FixFile[], message: string, options: CommitOptions) {
  const git = treeGit(tree, options);
  const paths = files.map(({ path }) => path);
  await putBack(tree, git);
  const there = (await git.run(['--literal-pathspecs', 'ls-files', '-z', '--', ...paths])).split('\0');
  const created = paths.filter((path) => !there.includes(path));
  try {
    for (const { path, text, executable } of files) writeTreeFile(tree.path, path, text, executable);
    // `add` refuses a tracked file below an ignored folder; a new file there stays refused.
    await git.run(['--literal-pathspecs', 'add', '-u', '--', ...paths]);
    if (created.length > 0) await git.run(['--literal-pathspecs', 'add', '--', ...created]);
    await commit(git, message, options);
  } catch (error) {
    await unwriteFix(tree, paths, created);
    return refused('commit a fix', error, options);
  }
  return git.line(['rev-parse', 'HEAD']);
}

const MAX_REASON_CHARS = 300;

/** A hook or a key that is not there says why in its own words; the command asks it again and changes nothing. */
function refused(doing: string, error: unknown, { hooks, sign }: CommitOptions): never {
  if (!(error instanceof GitError)) throw error;
  const ask = hooks ? 'hook run pre-commit' : sign ? 'commit-tree -S -m try HEAD^{tree}' : 'status';
  const words = complaints(error.stderr);
  const why = words.length > 0 ? `${doing}: ${words.join('; ').slice(0, MAX_REASON_CHARS)}` : doing;
  return fail('E_GIT_FAILED', { doing: why, command: `git -C ${WORKTREE} ${ask}` });
}

/** Takes a fix back by a commit of its own; the commit. Throws E_FIX_STUCK when later changes stand in the way. */
export async function revertFix(tree: TreePlace, fix: string, message: string, options: CommitOptions) {
  const git = treeGit(tree, options);
  await putBack(tree, git);
  // Not `git revert`: a process that dies after it would leave a revert begun, and nothing of ours ends those.
  const patch = await git.bytes(['diff-tree', '-p', '--binary', '--full-index', '--no-renames', `${fix}^`, fix]);
  const apply = ['apply', '-R', '--3way', '--index', '--allow-empty', '--whitespace=nowarn'];
  const reverted = await git.attempt(apply, patch);
  if (!reverted.ok) {
    await restoreTree(tree);
    const command = `git -C ${WORKTREE} revert ${short(fix)}`;
    fail('E_FIX_STUCK', { commit: short(fix), command }, complaints(reverted.stderr));
  }
  try {
    await commit(git, message, options);
  } catch (error) {
    await restoreTree(tree);
    return refused('take back a fix', error, options);
  }
  return git.line(['rev-parse', 'HEAD']);
}

/** Whether every file is at HEAD what whoever edited it was shown; `before` null: it is not there. */
export async function isAsShown(tree: TreePlace, files: readonly { path: string; before: string | null }[]) {
  const git = treeGit(tree);
  const looks = files.map(async ({ path, before }) => {
    const blob = await git.attempt(['cat-file', 'blob', `HEAD:${path}`]);
    return blob.ok ? blob.stdout === before : before === null;
  });
  return (await Promise.all(looks)).every(Boolean);
}

/** After a process died between writing files and committing them: they are as they were. */
export async function unwriteFix(tree: TreePlace, paths: readonly string[], created: readonly string[]): Promise<void> {
  await restoreTree(tree, paths);
  for (const path of created) removeTreeFile(tree.path, path);
}

/** Tracked files as they are at HEAD; what stages changed in them is saved. Returns which were changed. */
export async function putBack(tree: TreePlace, git: Git = treeGit(tree)): Promise<readonly string[]> {
  const { changed } = await trackedStatus(git);
  if (changed.length > 0) await restoreTree(tree);
  return changed;
}

/** The files that a commit changed. Throws a GitError. */
export const changedIn = async (tree: TreePlace, commit: string): Promise<string[]> =>
  fields(await treeGit(tree).run(['diff-tree', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames', commit]));

async function commit(git: Git, message: string, { hooks, sign }: CommitOptions): Promise<void> {
  const options = [...(hooks ? [] : ['--no-verify']), ...(sign ? ['-S'] : ['--no-gpg-sign'])];
  await git.run(['commit', '-q', '--cleanup=verbatim', '--allow-empty', ...options, '-F', '-'], message);
}
