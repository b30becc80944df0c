// After an attempt: what the stage did to the worktree. No git process when nothing was touched, two when nothing changed.
import { dirname, join } from 'node:path';
import { fail } from '../errors.ts';
import { type Stamps, stampsOf } from '../io/files.ts';
import { type Git, lines } from '../io/git.ts';
import type { TreeEntry } from '../io/git-objects.ts';
import { entryAt } from '../io/links.ts';
import type { Base } from './base.ts';
import { checkCarry } from './carry.ts';
import { shellWord, short } from './messages.ts';
import { type Changes, changesNow, restoreTree, savePatch } from './save-changes.ts';
import { type Status, showHidden, type Tree, trackedStatus, treeGit } from './tree.ts';

export interface Before {
  /** The commit that the attempt ran from. */
  readonly head: string;
  /** Where to save what it changed. */
  readonly patchFile: string;
  /** The `seen` of the attempt before, or of the worktree as it was opened. */
  readonly seen: Changes;
  /** The paths that must be as at HEAD whatever a stage does; asked only when something changed. */
  judges(): Promise<{ has(path: string): boolean }>;
}

export interface Inspection {
  /** Tracked files that differ from HEAD, and otherwise than when they were last reported. */
  readonly changed: readonly string[];
  /** Set when there is something new: the patch that holds it, and all else that differs from HEAD. */
  readonly patch?: string;
  /** Those of `before.judges` that were changed; they are put back. */
  readonly judges: readonly string[];
  /** All tracked changes as they are now. */
  readonly seen: Changes;
}

/**
 * What an attempt left. Throws E_HEAD_MOVED, E_WORKTREE_GONE or E_CARRY_REPLACED, each exit 3: the run must halt. What the
 * stage changed is saved before any of them is thrown.
 */
export async function inspect(tree: Tree, before: Before): Promise<Inspection> {
  if ((await entryAt(join(tree.path, '.git'))).kind !== 'file') fail('E_WORKTREE_GONE', {});
  await showHidden(tree);
  const status = await trackedStatus(treeGit(tree));
  const result = await saved(tree, status, before);
  if (status.head !== before.head || status.branch !== tree.branch) await headMoved(tree, status, before.head);
  const judges = await judgesPutBack(tree, status, before);
  await checkCarry(tree);
  if (judges.length === 0) return { ...result, judges };
  const seen = judges.length < status.changed.length ? await changesNow(tree) : new Map();
  return { ...result, judges, seen };
}

/** After the changes are saved and HEAD is where it was: judges as committed, the rest as the stage left it. */
async function judgesPutBack(tree: Tree, { changed }: Status, before: Before): Promise<string[]> {
  const set = changed.length > 0 ? await before.judges() : undefined;
  const judges = changed.filter((path) => set?.has(path));
  await restoreTree(tree, judges);
  return judges;
}

async function saved(tree: Tree, status: Status, before: Before): Promise<Omit<Inspection, 'judges'>> {
  if (status.changed.length === 0) return { changed: [], seen: new Map() };
  const { changes: seen, changed } = await savePatch(tree, before.patchFile, before.seen);
  return changed.length > 0 ? { changed, patch: before.patchFile, seen } : { changed, seen };
}

/** One ref a commit that a stage made: nobody may take them for a person's. */
const BY_STAGE = 'refs/mendloop/by-stage/';

async function headMoved(tree: Tree, { head, branch }: Status, was: string): Promise<never> {
  const git = treeGit(tree, { durable: true });
  const made = lines(await git.run(['rev-list', head, `^${was}`]));
  await git.run(['update-ref', '--stdin'], made.map((commit) => `update ${BY_STAGE}${commit} ${commit}\n`).join(''));
  return moved(tree.branch, was, { head, branch });
}

function moved(branch: string, was: string, now: Pick<Status, 'head' | 'branch'>): never {
  const at = (commit: string, name: string | undefined) => `${name ?? 'no branch'} at ${short(commit)}`;
  const commands = [
    `git -C ai/worktree log ${short(was)}..${short(now.head)}`,
    ...(now.branch === branch ? [] : [`git -C ai/worktree switch ${shellWord(branch)}`]),
    `git -C ai/worktree reset --keep ${short(was)}`,
  ].join('\n');
  fail('E_HEAD_MOVED', { was: at(was, branch), now: at(now.head, now.branch), commands });
}

/** Throws E_HEAD_MOVED while commits that a stage made are on the AI branch and not in the base. */
export async function refuseStageCommits(git: Git, { branch, commit: base }: Base, tip: string): Promise<void> {
  const marked = lines(await git.run(['for-each-ref', '--format=%(objectname)', BY_STAGE]));
  if (marked.length === 0) return;
  const first = lines(await git.run(['rev-list', '--topo-order', tip, `^${base}`])).findLast((c) => marked.includes(c));
  if (first === undefined) return;
  const was = await git.line(['rev-parse', `${first}^`]);
  moved(branch, was, { head: tip, branch });
}

/** Beyond this many files git is as fast. */
const MAX_WATCHED_FILES = 2000;
/** Two changes within one tick of the file system's clock look like one: what is younger than this cannot be trusted yet. */
const TICK_MS = 20;
const SUBMODULE = '160000';

export type QuickLook = ReturnType<typeof quickLook>;

/** `files` are those of the commit that is checked out. */
export function quickLook(tree: Tree, files: ReadonlyMap<string, TreeEntry>, now: () => number) {
  const paths = watched(tree, files);
  let remembered: Stamps | undefined;
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
