// The base into the AI branch. The merge is made in git's store first, so that a conflict never reaches the worktree; then
// the worktree moves ahead to it, without losing what stages left there.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fields, type Git } from '../io/git.ts';
import { blockAbove, entryAt } from '../io/links.ts';
import { holdsPartOf, removeTreeFile } from '../io/tree-file.ts';
import { type Base, droppedBase, storeMerged } from './base.ts';
import { withTextsOf } from './merge-tree.ts';
import { gitFailed, moveAside, shellWord, short, solveConflict } from './messages.ts';
import { keepBefore, type RebuildOptions, rebuild } from './rebuild.ts';
import { restoreTree } from './save-changes.ts';
import { mergeOwners, QUEUE } from './supersede.ts';
import { type TreePlace, treeGit, WORKTREE } from './tree.ts';

export interface Merged {
  readonly from: string;
  readonly to: string;
  /** What a person should know of it. */
  readonly notices: readonly string[];
}

export interface BringOptions extends Omit<RebuildOptions, 'dirty'> {
  /** The bases that earlier runs began from, the newest first. */
  earlierBases(): readonly string[];
}

/**
 * Brings the base commit into the worktree's branch; undefined when it is there already. `dirty`: tracked files differ from
 * HEAD; they are saved already, and put back before the tree moves. Where the base conflicts with fixes its text stands; when
 * it was rewritten the branch is made anew. Throws E_MERGE_CONFLICT, E_BASE_REWRITTEN or E_WORKTREE_IN_THE_WAY, exit 3, with
 * branch and tree as they were.
 */
export async function bringBase(
  tree: TreePlace,
  base: Base,
  head: string,
  options: BringOptions & { dirty: boolean },
): Promise<Merged | undefined> {
  const git = treeGit(tree, { sign: options.sign, durable: true });
  const dropped = await droppedBase(git, base, head, options.earlierBases);
  if (dropped !== undefined) return rebuildBranch(tree, git, base, dropped, head, options);
  // First: whatever becomes of the merge, it is never older than what is in the branch.
  await storeMerged(git, base);
  return mergeBase(tree, git, base, head, options);
}

async function rebuildBranch(
  tree: TreePlace,
  git: Git,
  base: Base,
  dropped: string,
  head: string,
  options: BringOptions & { dirty: boolean },
): Promise<Merged> {
  const before = await keepBefore(git, head);
  const { to, carried } = await rebuild(tree, git, base, dropped, head, options);
  const anew = ['checkout', '--no-overwrite-ignore', '-q', '-B', base.branch, to];
  await moveTree(tree, git, base, to, options.dirty, anew);
  // Last: until then it must be seen that the base was rewritten.
  await storeMerged(git, base);
  const came = carried === 0 ? 'nothing came along' : `${carried === 1 ? 'a commit' : `${carried} commits`} came along`;
  const what = `${base.name} was rewritten: ${short(dropped)} is no longer in it`;
  const notice = `${what}. ${base.branch} was made anew from it; ${came}; as it was before: ${before}`;
  return { from: head, to, notices: [notice] };
}

async function mergeBase(
  tree: TreePlace,
  git: Git,
  base: Base,
  head: string,
  { dirty, run, sign }: RebuildOptions,
): Promise<Merged | undefined> {
  if (head === base.commit) return undefined;
  const count = await git.line(['rev-list', '--left-right', '--count', `${head}...${base.commit}`]);
  const [ahead, behind] = count.split('\t');
  if (behind === '0') return undefined;
  const notice = (to: string) => `${base.name} moved; merged into ${base.branch} (${short(to)})`;
  if (ahead === '0') {
    await fastForward(tree, git, base, base.commit, dirty);
    return { from: head, to: base.commit, notices: [notice(base.commit)] };
  }
  const merge = await mergeOwners(git, base, head, { run, sign });
  if (!('parent' in merge)) {
    return merge.failure === undefined ? conflict(base, merge.conflicts, dirty) : mergeFailed(base, merge.failure);
  }
  const { parent, landed, ticked } = merge;
  const root = await withTextsOf(tree, git, merge.tree, { commit: base.commit, paths: landed, texts: ticked });
  const message = `Merge ${base.name} into ${base.branch}\n`;
  const to = await git.line(['commit-tree', ...(sign ? ['-S'] : []), '-p', parent, '-p', base.commit, root], message);
  await fastForward(tree, git, base, to, dirty);
  const landedNotes = landed
    .filter((path) => !path.startsWith(QUEUE))
    .map((path) => `${path}: its fix has landed, so ${base.name}'s text was taken`);
  return { from: head, to, notices: [notice(to), ...landedNotes] };
}

function conflict(base: Base, paths: readonly string[], dirty: boolean): never {
  const at = `git -C ${WORKTREE}`;
  const clean = dirty ? [`${at} reset --hard   # what stages changed is saved in ai/patches`] : [];
  const solve = solveConflict(at, `merge ${shellWord(base.name)}`, paths, 'commit --no-edit');
  const commands = [...clean, ...solve].join('\n');
  fail('E_MERGE_CONFLICT', { branch: base.branch, base: base.name, commands }, paths.map(shellWord));
}

const AHEAD = ['merge', '--ff-only', '--no-overwrite-ignore', '--no-verify-signatures', '--no-autostash', '-q'];

/** Moves branch, index and files to `to`, a descendant of HEAD; as `moveTree`. */
export const fastForward = (tree: TreePlace, git: Git, base: Base, to: string, dirty: boolean): Promise<void> =>
  moveTree(tree, git, base, to, dirty, [...AHEAD, to]);

/**
 * Moves branch, index and files to `to` by the git command `how`. With `dirty` tracked files are put back first. Throws
 * E_WORKTREE_IN_THE_WAY for untracked files that would be overwritten, E_GIT_FAILED for anything else; HEAD stays then.
 */
async function moveTree(
  tree: TreePlace,
  git: Git,
  base: Base,
  to: string,
  dirty: boolean,
  how: readonly string[],
): Promise<void> {
  if (dirty) await restoreTree(tree);
  const move = () => git.attempt(how);
  let moved = await move();
  if (!moved.ok && (await clearTheWay(tree, git, base, to))) moved = await move();
  if (!moved.ok) mergeFailed(base, moved.stderr);
}

const mergeFailed = ({ name }: Base, stderr: string): never =>
  gitFailed(`merge ${name}`, `git -C ${WORKTREE} merge ${shellWord(name)}`, stderr);

/**
 * Removes untracked files that hold what the merge would write there, or the beginning of it (a merge that was killed left
 * them), and says whether it did. Others stay, and are refused by name: a link above them too, for it leads elsewhere.
 */
async function clearTheWay(tree: TreePlace, git: Git, base: Base, to: string): Promise<boolean> {
  const rows = fields(await git.run(['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=AD', 'HEAD', to]));
  const changes = rows.flatMap((row, i) => (i % 2 === 0 ? [{ row: row.split(' '), path: rows[i + 1] ?? '' }] : []));
  const removed = new Set(changes.flatMap(({ row, path }) => (row[4] === 'D' ? [path] : [])));
  const same: string[] = [];
  const other = new Set<string>();
  for (const { row, path } of changes.filter((change) => change.row[4] === 'A')) {
    const above = await blockAbove(tree.path, path);
    if (above !== undefined && !removed.has(above)) other.add(above);
    const { kind } = above === undefined ? await entryAt(join(tree.path, path)) : { kind: 'nothing' };
    if (kind === 'nothing' || kind === 'folder') continue;
    if (kind === 'file' && (await isPartOf(tree, git, path, row[3] ?? ''))) same.push(path);
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
