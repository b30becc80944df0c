// After an attempt: what the stage did to the worktree. No git process when nothing was touched, two when nothing changed.
import { dirname, join } from 'node:path';
import { fail } from '../errors.ts';
import { type Stamps, stampsOf } from '../io/files.ts';
import { type Git, lines } from '../io/git.ts';
import type { TreeEntry } from '../io/git-objects.ts';
import { entryAt } from '../io/links.ts';
import { type Base, commitOf } from './base.ts';
import { checkCarry } from './carry.ts';
import { short } from './messages.ts';
import { type Changes, changesNow, restoreTree, savePatch } from './save-changes.ts';
import { type Status, shownStatus, switchBack, type Tree, treeGit, UNBORN } from './tree.ts';
import { moveUnstorable } from './unstorable.ts';

export interface Before {
  /** The commit that the attempt ran from. */
  readonly head: string;
  /** HEAD was detached there: a trial is open. */
  readonly isTrial?: boolean;
  /** Where to save what it changed. */
  readonly patchFile: string;
  /** The `seen` of the attempt before, or of the worktree as it was opened. */
  readonly seen: Changes;
  /** The paths that must be as at HEAD whatever a stage does; asked only when something changed. */
  checkFiles(): Promise<{ has(path: string): boolean }>;
}

export interface Inspection {
  /** Tracked files that differ from HEAD, and otherwise than when they were last reported. */
  readonly changed: readonly string[];
  /** Set when there is something new: the patch that holds it, and all else that differs from HEAD. */
  readonly patch?: string;
  /** Those of `before.checkFiles` that were changed; they are put back. */
  readonly checkFiles: readonly string[];
  /** What git cannot store and was moved aside, a line each. */
  readonly unstorable: readonly string[];
  /** All tracked changes as they are now. */
  readonly seen: Changes;
}

/**
 * What an attempt left. Throws E_HEAD_MOVED, E_WORKTREE_GONE or E_CARRY_REPLACED, each exit 3: the run must halt. What the
 * stage changed is saved before any of them is thrown, unless HEAD has no commit to compare it with: then it stays in the tree.
 */
export async function inspect(tree: Tree, before: Before): Promise<Inspection> {
  if ((await entryAt(join(tree.path, '.git'))).kind !== 'file') fail('E_WORKTREE_GONE', {});
  const status = await shownStatus(tree);
  if (status.head === UNBORN) await headMoved(tree, status, before.head);
  const unstorable = moveUnstorable(tree.path, status.changed);
  const result = { unstorable, ...(await saved(tree, status, before)) };
  const branch = before.isTrial ? undefined : tree.branch;
  if (status.head !== before.head || status.branch !== branch) await headMoved(tree, status, before.head);
  const checkFiles = await checkFilesPutBack(tree, status, before);
  await checkCarry(tree);
  if (checkFiles.length === 0) return { ...result, checkFiles };
  const seen = checkFiles.length < status.changed.length ? await changesNow(tree) : new Map();
  return { ...result, checkFiles, seen };
}

/** After the changes are saved and HEAD is where it was: check files as committed, the rest as the stage left it. */
async function checkFilesPutBack(tree: Tree, { changed }: Status, before: Before): Promise<string[]> {
  const set = changed.length > 0 ? await before.checkFiles() : undefined;
  const checkFiles = changed.filter((path) => set?.has(path));
  await restoreTree(tree, checkFiles);
  return checkFiles;
}

async function saved(
  tree: Tree,
  status: Status,
  before: Before,
): Promise<Omit<Inspection, 'checkFiles' | 'unstorable'>> {
  if (status.changed.length === 0) return { changed: [], seen: new Map() };
  const { changes: seen, changed } = await savePatch(tree, before.patchFile, before.seen);
  return changed.length > 0 ? { changed, patch: before.patchFile, seen } : { changed, seen };
}

/** One ref for each time that HEAD was moved: its name says where HEAD was, and it is at the last commit made there. */
const BY_STAGE = 'refs/mendloop/by-stage/';
/** Ends the name where the process that watched the stage was gone: a person may have made the commits. */
const UNSURE = '-unsure';

async function headMoved(tree: Tree, { head, branch }: Status, was: string): Promise<never> {
  if (head !== UNBORN) await mark(treeGit(tree, { durable: true }), `${BY_STAGE}${was}`, was, head);
  return refuseMoved(tree.branch, { was, head, branch });
}

/** Whether there is anything to mark: a HEAD that only went back brings nothing. */
async function mark(git: Git, ref: string, was: string, head: string): Promise<boolean> {
  const isAhead = (await git.run(['rev-list', '-1', '--ignore-missing', head, `^${was}`])) !== '';
  if (isAhead) await git.run(['update-ref', ref, head]);
  return isAhead;
}

/** An attempt without a recorded end: the branch that it ran on, and the commit it was at. */
export interface Unwatched {
  readonly branch: string;
  readonly head: string;
}

/** Marks what came onto the branch since, unless a person has claimed it; whether something is marked. */
export async function markUnwatched(git: Git, { branch, head: was }: Unwatched): Promise<boolean> {
  const tip = await commitOf(git, `refs/heads/${branch}`);
  if (tip === undefined || tip === was) return false;
  const marked = (await marks(git)).filter((each) => each.was === was);
  if (marked.length > 0) return marked.some((each) => each.tip !== was);
  return mark(git, `${BY_STAGE}${was}${UNSURE}`, was, tip);
}

/** Each with the commit that HEAD was at, and the last commit made there. */
async function marks(git: Git) {
  const rows = lines(await git.run(['for-each-ref', '--format=%(refname) %(objectname)', BY_STAGE]));
  return rows.map((row) => {
    const [ref = '', tip = ''] = row.split(' ');
    return { ref, was: ref.slice(BY_STAGE.length).replace(UNSURE, ''), tip };
  });
}

interface Moved extends Pick<Status, 'head' | 'branch'> {
  readonly was: string;
  /** With commits of a person above it: the last one that a stage made, and theirs. */
  readonly below?: { readonly last: string; readonly above: readonly string[] };
  /** The ref of a mark that may be wrong. */
  readonly unsure?: string;
}

function refuseMoved(ai: string, { was, head, branch, below, unsure }: Moved): never {
  const at = (commit: string, name: string | undefined) =>
    `${name ?? 'no branch'} ${commit === UNBORN ? 'without a commit' : `at ${short(commit)}`}`;
  const log = head === UNBORN ? 'status' : `log ${short(was)}..${short(head)}`;
  const back = below ? `rebase --autostash --onto ${short(was)} ${short(below.last)}` : `reset --keep ${short(was)}`;
  const commands = [
    `git -C ai/worktree ${log}`,
    ...(branch === ai ? [] : [switchBack(ai, head)]),
    `git -C ai/worktree ${back}`,
  ].join('\n');
  const keep = unsure && `git update-ref ${unsure} ${was}`;
  const problems = below?.above.map((line) => `not by a stage, and stays: ${line}`);
  fail('E_HEAD_MOVED', { was: at(was, ai), now: at(head, branch), commands, keep }, problems);
}

/**
 * Throws E_HEAD_MOVED while commits that a stage made are on the AI branch and not in the base, or, after `unwatched`, may be.
 * Gives the marks that are done with.
 */
export async function refuseStageCommits(git: Git, base: Base, tip: string, unwatched?: Unwatched): Promise<string[]> {
  const { branch } = base;
  const marked = await marks(git);
  const was = unwatched?.head;
  const isMarked = was === undefined || marked.some((each) => each.was === was);
  // Only the holder of the lock writes marks.
  const unmarked = isMarked ? [] : [{ ref: `${BY_STAGE}${was}${UNSURE}`, was, tip }];
  for (const each of [...marked, ...unmarked]) {
    const line = (from: string) =>
      git.run(['rev-list', '--first-parent', '--ignore-missing', from, `^${each.was}`, `^${base.commit}`]).then(lines);
    const byStage = new Set(await line(each.tip));
    const onBranch = byStage.size > 0 ? await line(tip) : [];
    const last = onBranch.findIndex((commit) => byStage.has(commit));
    if (last === -1) continue;
    const above =
      last > 0 ? lines(await git.run(['log', '--no-walk', '--format=%h %s', ...onBranch.slice(0, last)])) : [];
    const below = last > 0 && { below: { last: onBranch[last] as string, above } };
    const unsure = each.ref.endsWith(UNSURE) && { unsure: each.ref };
    refuseMoved(branch, { was: each.was, head: tip, branch, ...below, ...unsure });
  }
  return marked.map(({ ref }) => ref);
}

/** Beyond this many files git is as fast. */
const MAX_WATCHED_FILES = 2000;
/** Two changes within one tick of the file system's clock look like one: what is younger than this cannot be trusted yet. */
const TICK_MS = 20;
const SUBMODULE = '160000';

export type QuickLook = ReturnType<typeof quickLook>;

/** `files` are those of the commit that is checked out. `cleanSince`: git was asked later than this, and found nothing changed. */
export function quickLook(tree: Tree, files: ReadonlyMap<string, TreeEntry>, now: () => number, cleanSince = 0) {
  const paths = watched(tree, files);
  let remembered = paths && cleanSince > 0 ? untouchedSince(cleanSince, tree, paths) : undefined;
  return {
    /** Runs `ask`, which asks git, unless everything is as it was when git was last asked: then `otherwise` is the answer. */
    async orAsk<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
      if (paths === undefined) return ask();
      // Before git looks: what changes while it looks must not pass for seen.
      const stamps = stampsOf(paths);
      if (stamps.text === remembered?.text) return otherwise;
      const settled = now() - stamps.newest > TICK_MS;
      const answer = await ask();
      remembered = settled ? stamps : undefined;
      return answer;
    },
  };
}

/**
 * How things are, if nothing of it was touched since `time`. What was removed or exchanged since shows in its folder; that of the
 * index is touched by every git that looks.
 */
function untouchedSince(time: number, tree: Tree, paths: readonly string[]): Stamps | undefined {
  const folders = new Set([tree.gitDir]);
  for (const path of paths)
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) {
      folders.add(at);
      if (!at.startsWith(`${tree.path}/`)) break;
    }
  folders.delete(tree.gitDir);
  if (['HEAD', 'index'].some((name) => stampsOf([join(tree.gitDir, name)]).newest === 0)) return undefined;
  const stamps = stampsOf(paths);
  return Math.max(stamps.newest, stampsOf([...folders]).newest) < time - TICK_MS ? stamps : undefined;
}

/** All that git looks at, or undefined when that is too much, or more than files. */
function watched(tree: Tree, files: ReadonlyMap<string, TreeEntry>): string[] | undefined {
  const beyondFiles = [...files.values()].some(({ mode }) => mode === SUBMODULE);
  if (beyondFiles || files.size > MAX_WATCHED_FILES) return undefined;
  const common = dirname(dirname(tree.gitDir));
  return [
    ...[...files.keys()].map((path) => join(tree.path, path)),
    ...tree.links.map(({ path }) => join(tree.path, path)),
    ...['HEAD', 'index', 'logs/HEAD'].map((name) => join(tree.gitDir, name)),
    ...[`refs/heads/${tree.branch}`, 'packed-refs', 'reftable/tables.list'].map((name) => join(common, name)),
    join(tree.path, '.git'),
  ];
}
