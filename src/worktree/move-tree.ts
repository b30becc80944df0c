// Moving the AI branch where it is checked out: files, index and ref, by one git that leaves all as it was when it refuses. The old
// tip and the new one are kept below refs of their own.
import { fail } from '../errors.ts';
import { type Git, lines } from '../io/git.ts';
import { holdsPartOf, removeTreeFile } from '../io/tree-file.ts';
import { idOf, standingAt, treeDiff } from './listing.ts';
import { gitFailed, moveAside, shellWord } from './messages.ts';
import { restoreTree } from './save-changes.ts';
import { type Branch, type TreePlace, WORKTREE } from './tree.ts';

/**
 * Moves branch, index and files from one commit to another; what stages changed in tracked files is put back first. Throws
 * E_WORKTREE_IN_THE_WAY for untracked files that would be overwritten, E_GIT_FAILED for anything else; the branch stays then.
 */
export async function moveTree(on: Branch, from: string, to: string): Promise<void> {
  const { tree, git, base, dirty } = on;
  if (dirty) await restoreTree(tree);
  // git would overwrite ignored files here, so it is not left to git.
  await clearTheWay(on, to);
  const reset = (commit: string) => git.attempt(['reset', '-q', '--keep', commit]);
  const failed = (stderr: string) => gitFailed(`move ${base.branch}`, ['-C', WORKTREE, 'reset', '--keep', to], stderr);
  const moved = await reset(to);
  if (!moved.ok) failed(moved.stderr);
  const was = await git.line(['rev-parse', 'ORIG_HEAD']);
  if (was === from) return;
  await reset(was);
  failed(`somebody committed to ${base.branch} meanwhile`);
}

/**
 * Removes untracked files that hold what is about to be written there, or the beginning of it: a move that was killed left
 * them. Others, also ignored ones, stay and are refused by name: a link above them too, for it leads elsewhere.
 */
async function clearTheWay({ tree, git, base }: Branch, to: string): Promise<void> {
  const same: string[] = [];
  const other = new Set<string>();
  for (const { path, kind, to: entry } of await standingAt(tree.path, await treeDiff(git, 'HEAD', to))) {
    if (kind === 'folder') continue;
    if (kind === 'file' && (await isPartOf(tree, git, path, idOf(entry)))) same.push(path);
    else other.add(path);
  }
  if (other.size > 0) {
    const commands = moveAside(WORKTREE, [...other]);
    fail('E_WORKTREE_IN_THE_WAY', { base: base.name, commands }, [...other].map(shellWord));
  }
  for (const path of same) removeTreeFile(tree.path, path);
}

/** Whether the file is what git makes of the blob in a checkout, or the beginning of it. */
async function isPartOf(tree: TreePlace, git: Git, path: string, blob: string): Promise<boolean> {
  if ((await git.line(['hash-object', '--', path])) === blob) return true;
  return holdsPartOf(tree.path, path, await git.bytes(['cat-file', '--filters', `--path=${path}`, blob]));
}

const BEFORE = 'refs/mendloop/before/';
const MAX_BEFORE = 20;

/** Keeps a tip that the branch is about to leave below `refs/mendloop/before`, with the newest of those kept earlier. */
export async function keepBefore(git: Git, tip: string): Promise<void> {
  const time = new Date().toISOString().replace(/[-:.]/g, '');
  await git.run(['update-ref', `${BEFORE}${time}`, tip]);
  const kept = lines(await git.run(['for-each-ref', '--format=%(refname)', BEFORE]));
  const old = kept.slice(0, -MAX_BEFORE).map((ref) => `delete ${ref}\n`);
  if (old.length > 0) await git.run(['update-ref', '--stdin'], old.join(''));
}

const NEXT = 'refs/mendloop/next';

/** Keeps a tip that the branch is to get: nothing leads to it yet, and a gc beside the loop would take it away. */
export const keepNext = async (git: Git, tip: string): Promise<void> => {
  await git.run(['update-ref', NEXT, tip]);
};
