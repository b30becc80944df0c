// A fix as one commit at the worktree's HEAD, of the patched paths alone.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { type Git, GitError, hashText, lines } from '../io/git.ts';
import { entryAt } from '../io/links.ts';
import { createTreeFile, holdsPartOf, removeTreeFile, replaceTreeFile } from '../io/tree-file.ts';
import { indexEntries, treeDiff } from './listing.ts';
import { complaints, moveAside, shellWord } from './messages.ts';
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
 * Writes the files and commits them as they are, whatever git would make of them; the commit, durable. What stages changed in
 * tracked files is put back first: it is saved. Throws E_FIX_IN_THE_WAY when something stands where a file is to be made, and
 * E_GIT_FAILED when git or a hook refuses; then the files are as they were.
 */
export async function commitFix(tree: TreePlace, files: readonly FixFile[], message: string, options: CommitOptions) {
  const git = treeGit(tree, { ...options, durable: true });
  const paths = files.map(({ path }) => path);
  await putBack(tree, git);
  const tracked = await indexEntries(git, paths);
  const written: string[] = [];
  try {
    for (const { path, text, executable } of files) {
      if (tracked.has(path)) replaceTreeFile(tree.path, path, text, executable);
      else if (!createTreeFile(tree.path, path, text, executable)) {
        fail('E_FIX_IN_THE_WAY', { path, command: moveAside(WORKTREE, [path]) });
      }
      written.push(path);
    }
    const judged = await stageTexts(git, files, tracked);
    await commit(git, message, options);
    if (options.hooks) await refuseOtherwise(git, judged);
  } catch (error) {
    // Ours, and the first to go: git may not be able to put anything back (a full disk), and the edit must not stay. What is
    // missing then, the next start puts back.
    for (const path of written) removeTreeFile(tree.path, path);
    await restoreTree(tree, paths).catch(() => {});
    return refused('commit a fix', error, options);
  }
  await endLinesAsCheckedOut(tree, git, paths);
  return git.line(['rev-parse', 'HEAD']);
}

/** Where the owner's configuration gives checkouts other line ends than commits: the stage is judged with what a checkout has. */
async function endLinesAsCheckedOut(tree: TreePlace, git: Git, paths: readonly string[]): Promise<void> {
  const settings = lines((await git.attempt(['config', '--get-regexp', String.raw`^core\.(autocrlf|eol)$`])).stdout);
  if (!settings.some((line) => /^core\.(?:autocrlf true|eol crlf)$/i.test(line))) return;
  // git takes what is there for the same text and would leave it.
  for (const path of paths) removeTreeFile(tree.path, path);
  const names = paths.map((path) => `${path}\0`).join('');
  await git.run(['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], names);
}

/** Puts the texts into git's store and index, no filter and no ignore rule asked; path → what the index has for it now. */
async function stageTexts(git: Git, files: readonly FixFile[], tracked: ReadonlyMap<string, { mode: string }>) {
  const judged = new Map<string, string>();
  for (const { path, text, executable } of files) {
    const mode = executable ? '100755' : (tracked.get(path)?.mode ?? '100644');
    judged.set(path, `${mode} ${await hashText(git, text, '-w')}`);
  }
  const rows = [...judged].map(([path, entry]) => `${entry}\t${path}\0`);
  await git.run(['update-index', '-z', '--index-info'], rows.join(''));
  return judged;
}

/** A hook may have committed something else than the gate judged: then the commit is taken off again. */
async function refuseOtherwise(git: Git, judged: ReadonlyMap<string, string>): Promise<void> {
  const changed = await treeDiff(git, 'HEAD^', 'HEAD');
  const other = changed.filter(({ path, to }) => judged.get(path) !== to);
  if (other.length === 0) return;
  await git.run(['reset', '-q', '--soft', 'HEAD^']);
  const names = other.map(({ path }) => shellWord(path)).join(', ');
  throw new GitError(['commit'], 1, `a hook changed what was to be committed: ${names}`);
}

const MAX_REASON_CHARS = 300;

/** With what the hook or git printed, and a command that repeats the refusal without changing anything. */
function refused(doing: string, error: unknown, { hooks, sign }: CommitOptions): never {
  if (!(error instanceof GitError)) throw error;
  const ask = hooks ? 'hook run pre-commit' : sign ? 'commit-tree -S -m try HEAD^{tree}' : 'status';
  const words = complaints(error.stderr);
  const why = words.length > 0 ? `${doing}: ${words.join('; ').slice(0, MAX_REASON_CHARS)}` : doing;
  return fail('E_GIT_FAILED', { doing: why, command: `git -C ${WORKTREE} ${ask}` });
}

/** Whether every file is at HEAD as its editor was shown it; `before` null: neither there nor on the disk. */
export async function isAsShown(tree: TreePlace, files: readonly { path: string; before: string | null }[]) {
  const git = treeGit(tree);
  const looks = files.map(async ({ path, before }) => {
    const blob = await git.attempt(['cat-file', 'blob', `HEAD:${path}`]);
    if (blob.ok) return blob.stdout === before;
    return before === null && (await entryAt(join(tree.path, path))).kind === 'nothing';
  });
  return (await Promise.all(looks)).every(Boolean);
}

/**
 * After a process died between writing files and committing them: they are as they were. Of `created` only what holds the
 * text, or the beginning of it, was made by it and is removed; anything else stays.
 */
export async function unwriteFix(tree: TreePlace, paths: readonly string[], created: readonly FixFile[]) {
  await restoreTree(tree, paths);
  for (const { path, text } of created) if (holdsPartOf(tree.path, path, text)) removeTreeFile(tree.path, path);
}

/** Tracked files as they are at HEAD; what stages changed in them is saved. Returns which were changed. */
export async function putBack(tree: TreePlace, git: Git = treeGit(tree)): Promise<readonly string[]> {
  const { changed } = await trackedStatus(git);
  if (changed.length > 0) await restoreTree(tree);
  return changed;
}

async function commit(git: Git, message: string, { hooks, sign }: CommitOptions): Promise<void> {
  const options = [...(hooks ? [] : ['--no-verify']), ...(sign ? ['-S'] : ['--no-gpg-sign'])];
  await git.run(['commit', '-q', '--cleanup=verbatim', '--allow-empty', ...options, '-F', '-'], message);
}
