// A trial in the worktree: its commits are on a ref of their own with HEAD detached there, so that the AI branch moves once, when all
// of it is kept, or never.
import type { Git } from '../io/git.ts';
import { treeDiff } from './listing.ts';
import { restoreTree } from './save-changes.ts';
import { type TreePlace, treeGit } from './tree.ts';

export const TRIAL_REF = 'refs/mendloop/trial';

/** Detaches HEAD where it is. No file is written. Throws a GitError. */
export async function beginTrial(tree: TreePlace, from: string): Promise<void> {
  const git = treeGit(tree, { durable: true });
  await git.run(['update-ref', TRIAL_REF, from]);
  await git.run(['update-ref', '--no-deref', 'HEAD', from]);
}

/** The ref follows HEAD to a commit that was made there. */
export const extendTrial = (tree: TreePlace, commit: string): Promise<string> =>
  treeGit(tree, { durable: true }).run(['update-ref', TRIAL_REF, commit]);

/** Takes files, index and HEAD to `to`, an earlier commit of the trial or the one it began from. Tracked changes are put back first. */
export async function backTo(tree: TreePlace, to: string): Promise<void> {
  await restoreTree(tree);
  const git = treeGit(tree, { durable: true });
  await resetKeep(git, to);
  await git.run(['update-ref', TRIAL_REF, to]);
}

/** Moves the branch from `from` to HEAD, a commit of the trial, and no further: then HEAD is on it. Throws a GitError when it moved meanwhile. */
export async function keepInTree(tree: TreePlace, branch: string, from: string, to: string): Promise<void> {
  const why = 'mendloop: a trial is kept';
  await treeGit(tree, { durable: true }).run(['update-ref', '-m', why, `refs/heads/${branch}`, to, from]);
  await endTrial(tree, branch);
}

/** HEAD is on the branch again, whose commit it must be at already. */
export async function endTrial(tree: TreePlace, branch: string): Promise<void> {
  const git = treeGit(tree, { durable: true });
  await git.run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  await git.run(['update-ref', '-d', TRIAL_REF]);
}

/**
 * After a process died in a trial: the worktree is on its branch again, and the commits of the trial stay on its ref until it is
 * judged. Tracked changes must be saved.
 */
export async function leaveDeadTrial(tree: TreePlace, branch: string): Promise<void> {
  const git = treeGit(tree, { durable: true });
  const [head, tip] = await Promise.all([
    git.line(['rev-parse', 'HEAD']),
    git.line(['rev-parse', `refs/heads/${branch}`]),
  ]);
  await restoreTree(tree);
  if (head !== tip) await resetKeep(git, tip);
  await git.run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

/** Moves the branch, which is checked out at `from`, and the worktree to the commits of a trial. */
export async function followTrial(tree: TreePlace & { branch: string }, from: string, to: string): Promise<void> {
  await restoreTree(tree);
  const git = treeGit(tree, { durable: true });
  await git.run(['update-ref', '--no-deref', 'HEAD', from]);
  await resetKeep(git, to);
  await keepInTree(tree, tree.branch, from, to);
}

/** Whether git still has a commit. */
export const hasCommits = async (git: Git, commit: string): Promise<boolean> =>
  (await git.attempt(['cat-file', '-e', `${commit}^{tree}`])).ok;

/** The trial was judged. */
export async function forgetTrial(tree: TreePlace): Promise<void> {
  const git = treeGit(tree);
  if ((await git.attempt(['rev-parse', '-q', '--verify', TRIAL_REF])).ok)
    await git.run(['update-ref', '-d', TRIAL_REF]);
}

/** Files first, then the index, then HEAD; refuses where something untracked is in the way, and leaves all as it was. */
const resetKeep = (git: Git, to: string): Promise<string> =>
  git.run(['-c', 'core.hooksPath=/dev/null', 'reset', '-q', '--keep', to]);

/** The files in which two commits differ. Throws a GitError. */
export const changedBetween = async (tree: TreePlace, from: string, to: string): Promise<string[]> =>
  (await treeDiff(treeGit(tree), from, to)).map(({ path }) => path);
