// The base into the AI branch. The merge is made in git's store first, so that a conflict never reaches the worktree; then
// the worktree moves ahead to it, without losing what stages left there.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import type { Git } from '../io/git.ts';
import { blockAbove, entryAt } from '../io/links.ts';
import { holdsPartOf, removeTreeFile } from '../io/tree-file.ts';
import { type Base, droppedBase, storeMerged } from './base.ts';
import { treeDiff, withTextsOf } from './merge-tree.ts';
import { gitFailed, moveAside, shellWord, short, solveConflict } from './messages.ts';
import { keepBefore, type RebuildOptions, rebuild } from './rebuild.ts';
import { restoreTree } from './save-changes.ts';
import { type MergeOptions, mergeOwners, QUEUE } from './supersede.ts';
import { type Branch, type TreePlace, WORKTREE } from './tree.ts';

export interface Merged {
  readonly from: string;
  readonly to: string;
  /** What a person should know of it. */
  readonly notices: readonly string[];
}

export interface BringOptions extends RebuildOptions {
  /** The bases that earlier runs began from, the newest first. */
  earlierBases(): readonly string[];
}

/**
 * Brings the base commit into the worktree's branch; undefined when it is there already. Where the base conflicts with fixes its
 * text stands; when it was rewritten the branch is made anew. Throws E_MERGE_CONFLICT, E_BASE_REWRITTEN or E_WORKTREE_IN_THE_WAY,
 * exit 3, with branch and tree as they were.
 */
export async function bringBase(on: Branch, head: string, options: BringOptions): Promise<Merged | undefined> {
  const { git, base } = on;
  const dropped = await droppedBase(git, base, head, options.earlierBases);
  if (dropped !== undefined) return rebuildBranch(on, dropped, head, options);
  // First: whatever becomes of the merge, it is never older than what is in the branch.
  await storeMerged(git, base);
  return mergeBase(on, head, options);
}

async function rebuildBranch(on: Branch, dropped: string, head: string, options: RebuildOptions): Promise<Merged> {
  const { git, base } = on;
  const before = await keepBefore(git, head);
  const { to, carried } = await rebuild(on, dropped, head, options);
  await moveTree(on, to, ['checkout', '--no-overwrite-ignore', '-q', '-B', base.branch, to]);
  // Last: until then it must be seen that the base was rewritten.
  await storeMerged(git, base);
  const came = carried === 0 ? 'nothing came along' : `${carried === 1 ? 'a commit' : `${carried} commits`} came along`;
  const what = `${base.name} was rewritten: ${short(dropped)} is no longer in it`;
  const notice = `${what}. ${base.branch} was made anew from it; ${came}; as it was before: ${before}`;
  return { from: head, to, notices: [notice] };
}

async function mergeBase(on: Branch, head: string, options: MergeOptions): Promise<Merged | undefined> {
  const { tree, git, base } = on;
  if (head === base.commit) return undefined;
  const count = await git.line(['rev-list', '--left-right', '--count', `${head}...${base.commit}`]);
  const [ahead, behind] = count.split('\t');
  if (behind === '0') return undefined;
  const notice = (to: string) => `${base.name} moved; merged into ${base.branch} (${short(to)})`;
  if (ahead === '0') {
    await fastForward(on, base.commit);
    return { from: head, to: base.commit, notices: [notice(base.commit)] };
  }
  const merge = await mergeOwners(on, head, options);
  if (!('parent' in merge)) {
    return merge.failure === undefined ? conflict(on, merge.conflicts) : mergeFailed(base, merge.failure);
  }
  const { parent, landed, ticked } = merge;
  const root = await withTextsOf(tree, git, merge.tree, { commit: base.commit, paths: landed, texts: ticked });
  const message = `Merge ${base.name} into ${base.branch}\n`;
  const sign = options.sign ? ['-S'] : [];
  const to = await git.line(['commit-tree', ...sign, '-p', parent, '-p', base.commit, root], message);
  await fastForward(on, to);
  const landedNotes = landed
    .filter((path) => !path.startsWith(QUEUE))
    .map((path) => `${path}: its fix has landed, so ${base.name}'s text was taken`);
  return { from: head, to, notices: [notice(to), ...landedNotes] };
}

function conflict({ base, dirty }: Branch, paths: readonly string[]): never {
  const at = `git -C ${WORKTREE}`;
  const clean = dirty ? [`${at} reset --hard   # what stages changed is saved in ai/patches`] : [];
  const solve = solveConflict(at, `merge ${shellWord(base.name)}`, paths, 'commit --no-edit');
  const commands = [...clean, ...solve].join('\n');
  fail('E_MERGE_CONFLICT', { branch: base.branch, base: base.name, commands }, paths.map(shellWord));
}

const AHEAD = ['merge', '--ff-only', '--no-overwrite-ignore', '--no-verify-signatures', '--no-autostash', '-q'];

/** Moves branch, index and files to `to`, a descendant of HEAD; as `moveTree`. */
export const fastForward = (on: Branch, to: string): Promise<void> => moveTree(on, to, [...AHEAD, to]);

/**
 * Moves branch, index and files to `to` by the git command `how`. Throws E_WORKTREE_IN_THE_WAY for untracked files that would be
 * overwritten, E_GIT_FAILED for anything else; HEAD stays then.
 */
async function moveTree(on: Branch, to: string, how: readonly string[]): Promise<void> {
  if (on.dirty) await restoreTree(on.tree);
  const move = () => on.git.attempt(how);
  let moved = await move();
  if (!moved.ok && (await clearTheWay(on, to))) moved = await move();
  if (!moved.ok) mergeFailed(on.base, moved.stderr);
}

const mergeFailed = ({ name }: Base, stderr: string): never =>
  gitFailed(`merge ${name}`, `git -C ${WORKTREE} merge ${shellWord(name)}`, stderr);

/**
 * Removes untracked files that hold what the merge would write there, or the beginning of it (a merge that was killed left
 * them), and says whether it did. Others stay, and are refused by name: a link above them too, for it leads elsewhere.
 */
async function clearTheWay({ tree, git, base }: Branch, to: string): Promise<boolean> {
  const changes = await treeDiff(git, 'HEAD', to);
  const removed = new Set(changes.flatMap(({ kind, path }) => (kind === 'D' ? [path] : [])));
  const same: string[] = [];
  const other = new Set<string>();
  for (const { id, path } of changes.filter(({ kind }) => kind === 'A')) {
    const above = await blockAbove(tree.path, path);
    if (above !== undefined && !removed.has(above)) other.add(above);
    const { kind } = above === undefined ? await entryAt(join(tree.path, path)) : { kind: 'nothing' };
    if (kind === 'nothing' || kind === 'folder') continue;
    if (kind === 'file' && (await isPartOf(tree, git, path, id))) same.push(path);
    else other.add(path);
  }
  if (other.size > 0) {
    const commands = moveAside(WORKTREE, [...other]);
    fail('E_WORKTREE_IN_THE_WAY', { base: base.name, commands }, [...other].map(shellWord));
  }
  for (const path of same) removeTreeFile(tree.path, path);
  return same.length > 0;
}

/** Whether the file is what git makes of the blob in a checkout, or the beginning of it. */
async function isPartOf(tree: TreePlace, git: Git, path: string, blob: string): Promise<boolean> {
  if ((await git.line(['hash-object', '--', path])) === blob) return true;
  return holdsPartOf(tree.path, path, await git.bytes(['cat-file', '--filters', `--path=${path}`, blob]));
}
