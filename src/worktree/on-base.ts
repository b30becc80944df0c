// Where the AI branch stands once it is put onto a base: its own commits on the base's tip, in their order, as far as they
// have not landed and still apply. Made in git's store alone: no ref, no index and no file is touched.
import { BACKLOG_FOLDER } from '../backlog/queue.ts';
import { mergeTicks } from '../backlog/ticks.ts';
import { fields, type Git, hashText, lines } from '../io/git.ts';
import { type Base, commitOf, droppedBase, isAncestor, keptBase } from './base.ts';
import { type CommittedFix, committedFixes } from './find-fix.ts';
import { copyCommit, type Picked, type PickGit, pick, pickGit, treeOf, withFiles } from './pick.ts';

export interface BranchAndBase {
  /** The base that the branch was last put onto; the base may have dropped it since. */
  readonly old: string;
  readonly base: string;
  readonly tip: string;
  /** Fixes that do not come along, by their commits: their owner does not want them. */
  readonly drop?: ReadonlySet<string>;
  /** Sign what the loop has committed. */
  readonly sign?: boolean;
}

/**
 * What became of a commit of the branch. `landed`: the base has what it does. `superseded`: a fix that does not apply any more, or
 * that some commit of the base had and the base has no longer. `left_out`: dropped, taken back on the branch itself, or a person's
 * that the base had and has no longer.
 */
export type Fate = 'carried' | 'landed' | 'superseded' | 'left_out';

export interface CommitFate {
  readonly commit: string;
  readonly fate: Fate;
  /** The commit that it is now, when it is carried. */
  readonly to?: string;
  /** The fix that it brings or takes back. */
  readonly fix?: CommittedFix;
  /** Where it does not apply. */
  readonly paths?: readonly string[];
}

export interface OnBase {
  /** The new tip: the base itself when nothing comes along. */
  readonly to: string;
  /** The oldest first. */
  readonly fates: readonly CommitFate[];
}

/** A person's work is in the way. `to` has all that applies without it. */
export interface Stuck extends OnBase {
  /** A person's commits that do not apply. */
  readonly stuck: readonly { readonly commit: string; readonly paths: readonly string[] }[];
  /** Merges that a person solved by hand: nobody else can do that again. */
  readonly solved: readonly string[];
}

/** Puts the commits of the branch that the base does not have onto the base. Throws E_GIT_FAILED when git cannot even try. */
export async function putOnBase(git: Git, request: BranchAndBase): Promise<OnBase | Stuck> {
  const { old, base, tip, drop = new Set(), sign = false } = request;
  const not = [`^${base}`, `^${old}`];
  const fixes = new Map((await committedFixes(git, old, tip)).map((fix) => [fix.commit, fix]));
  const listed = lines(await git.run(['rev-list', '--reverse', '--topo-order', '--no-merges', tip, ...not]));
  const isHere = new Set(listed);
  const store = await pickGit(git);
  const fates: CommitFate[] = [];
  for (const [commit, fix] of fixes) {
    if (isHere.has(commit)) continue;
    const where = await look(store, commit, await treeOf(git, base));
    fates.push({ commit, fate: where === 'gone' ? 'superseded' : 'landed', fix });
  }
  const known = (commit: string) => ({ commit, ...(fixes.has(commit) && { fix: fixes.get(commit) as CommittedFix }) });
  if (drop.size === 0 && (await stands(git, old, base, tip))) {
    return {
      to: tip,
      fates: [...fates, ...listed.map((commit): CommitFate => ({ ...known(commit), fate: 'carried', to: commit }))],
    };
  }
  const pairs = takenBackPairs([...fixes.values()].filter(({ commit }) => isHere.has(commit)));
  const out = new Set([...pairs, ...drop]);
  const series = await readSeries(
    store,
    listed.filter((commit) => !out.has(commit)),
    old,
  );
  const had = await whatBaseHad(store, series, base, old);

  const stuck: { commit: string; paths: readonly string[] }[] = [];
  let to = base;
  let tree = await treeOf(git, base);
  for (const commit of listed) {
    const step = series.get(commit);
    const fate = step === undefined ? 'left_out' : await carry(step);
    if (fate !== undefined) fates.push({ ...known(commit), ...(typeof fate === 'string' ? { fate } : fate) });
  }
  const solved = await solvedMerges(store, [tip, ...not]);
  return stuck.length > 0 || solved.length > 0 ? { to, fates, stuck, solved } : { to, fates };

  /** Carries a commit, or says why not; undefined when a person's does not apply. */
  async function carry({ commit, from, is }: Step): Promise<Fate | Omit<CommitFate, 'commit'> | undefined> {
    const isFix = fixes.has(commit);
    const hadBy = had.get(commit);
    if (hadBy === 'now') return 'landed';
    const next = await settleQueue(store, to, commit, await pick(store, from, is, tree));
    if (next.conflicts.length === 0 && next.tree === tree) return 'landed';
    if (hadBy === 'once') return isFix ? 'superseded' : 'left_out';
    if (next.conflicts.length > 0) {
      if (isFix) return { fate: 'superseded', paths: next.conflicts };
      stuck.push({ commit, paths: next.conflicts });
      return undefined;
    }
    to = await copyCommit(git, commit, { tree: next.tree, parent: to, sign });
    tree = next.tree;
    return { fate: 'carried', to };
  }
}

/**
 * Of fixes that are not among the branch's commits: which the base has (`landed`), and which nobody has any more. One that had
 * landed and was changed since is still the base's. Throws as `putOnBase`.
 */
export async function whereGone(
  git: Git,
  at: { readonly old: string; readonly base: string; readonly to: string },
  fixes: readonly { readonly commit: string; readonly hasLanded: boolean }[],
): Promise<Map<string, 'landed' | 'superseded'>> {
  const gone = new Map<string, 'landed' | 'superseded'>();
  if (fixes.length === 0) return gone;
  const changedPaths = async (...range: string[]) =>
    fields(
      await git.run(['diff-tree', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames', '--root', ...range]),
    );
  const moved = new Set(await changedPaths(at.old, at.base));
  const [store, onto] = await Promise.all([pickGit(git), treeOf(git, at.to)]);
  for (const { commit, hasLanded } of fixes) {
    if ((await commitOf(git, commit)) === undefined) continue;
    if (hasLanded && !(await changedPaths(commit)).some((path) => moved.has(path))) continue;
    const where = await look(store, commit, onto);
    if (where === 'there') gone.set(commit, 'landed');
    else if (where === 'gone' || !hasLanded) gone.set(commit, 'superseded');
  }
  return gone;
}

/** Whether a tree has what a commit does, could have it again as it was, or was changed there. */
async function look(store: PickGit, commit: string, tree: string): Promise<'there' | 'gone' | 'changed'> {
  const next = await pick(store, await parentTree(store, commit), await treeOf(store.git, commit), tree);
  if (next.conflicts.length > 0) return 'changed';
  return next.tree === tree ? 'there' : 'gone';
}

/** What a start would make of the branch as it is now; undefined when there is no AI branch. Throws as `keptBase` and `putOnBase`. */
export async function rehearse(git: Git, base: Base) {
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  if (tip === undefined) return undefined;
  const old = await keptBase(git, base, tip);
  const put = await putOnBase(git, { old, base: base.commit, tip });
  const dropped = await droppedBase(git, base, tip);
  return { ...put, tip, ...(dropped !== undefined && { dropped }) };
}

export const isStuck = (put: OnBase | Stuck): put is Stuck => 'stuck' in put;

/** Whether the branch is on the base already, with nothing that the base has dropped. */
async function stands(git: Git, old: string, base: string, tip: string): Promise<boolean> {
  if (!(await isAncestor(git, base, tip))) return false;
  const { ok, stdout } = await git.attempt(['merge-base', old, tip]);
  return !ok || isAncestor(git, stdout.trim(), base);
}

/** Fixes that were taken back on the branch itself, with the commits that did. */
function takenBackPairs(all: readonly CommittedFix[]): string[] {
  const commits = new Set(all.map(({ commit }) => commit));
  return all.flatMap(({ commit, reverts = '' }) => (commits.has(reverts) ? [commit, reverts] : []));
}

/** A commit of the branch: the trees that its change leads from and to, and the branch's without what is left out. */
interface Step {
  readonly commit: string;
  readonly from: string;
  readonly is: string;
  /** Undefined where it cannot be told: something that is left out was in the way. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

async function readSeries(store: PickGit, commits: readonly string[], old: string): Promise<Map<string, Step>> {
  const { git } = store;
  const series = new Map<string, Step>();
  let tree: string | undefined = await treeOf(git, old);
  for (const commit of commits) {
    const [from, is] = await Promise.all([parentTree(store, commit), treeOf(git, commit)]);
    const before = tree;
    const next: Picked | undefined =
      tree === from ? { tree: is, conflicts: [] } : tree === undefined ? undefined : await pick(store, from, is, tree);
    tree = next && next.conflicts.length === 0 ? next.tree : undefined;
    series.set(commit, { commit, from, is, before, after: tree });
  }
  return series;
}

const parentTree = async ({ git, emptyTree }: PickGit, commit: string): Promise<string> => {
  const answer = await git.attempt(['rev-parse', '--verify', '-q', `${commit}^^{tree}`]);
  return answer.ok ? answer.stdout.trim() : emptyTree;
};

/** How many of the base's own commits are looked at, the newest first, and how often in all. */
const MAX_OWN = 100;
const MAX_LOOKS = 400;

/**
 * Which commits the base has (`now`) or some commit of it had (`once`): all of them together, then their beginnings, then each
 * alone, because a squash of two changes of one line is neither of them.
 */
async function whatBaseHad(
  store: PickGit,
  series: ReadonlyMap<string, Step>,
  base: string,
  old: string,
): Promise<Map<string, 'now' | 'once'>> {
  const { git } = store;
  const steps = [...series.values()];
  const had = new Map<string, 'now' | 'once'>();
  const own = steps.length === 0 ? [] : await ownTrees(git, steps, base, old);
  if (own.length === 0) return had;
  const trees = [...new Set([await treeOf(git, base), ...own])];
  let looks = 0;
  const whenHad = async (from: string | undefined, to: string | undefined) => {
    if (from === undefined || to === undefined || from === to) return undefined;
    for (const [i, tree] of trees.entries()) {
      if (looks++ >= MAX_LOOKS) return undefined;
      const next = await pick(store, from, to, tree);
      if (next.conflicts.length === 0 && next.tree === tree) return i === 0 ? 'now' : 'once';
    }
    return undefined;
  };
  let done = 0;
  for (let end = steps.length; end > 1 && done === 0; end--) {
    const when = await whenHad(steps[0]?.before, steps[end - 1]?.after);
    if (when === undefined) continue;
    for (const { commit } of steps.slice(0, end)) had.set(commit, when);
    done = end;
  }
  for (const { commit, from, is } of steps.slice(done)) {
    const when = await whenHad(from, is);
    if (when !== undefined) had.set(commit, when);
  }
  return had;
}

/** The trees of the base's own commits that touch what the branch does, the newest first. */
async function ownTrees(git: Git, steps: readonly Step[], base: string, old: string): Promise<string[]> {
  const list = ['diff-tree', '--stdin', '--root', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames'];
  const paths = new Set(fields(await git.run(list, steps.map(({ commit }) => `${commit}\n`).join(''))));
  const log = [
    '--literal-pathspecs',
    'log',
    '--full-history',
    `--max-count=${MAX_OWN}`,
    '--format=%T',
    base,
    `^${old}`,
  ];
  return lines(await git.run([...log, '--', ...paths]));
}

/** Merges in the range whose text is not what git makes of them: a person solved them. */
async function solvedMerges({ git, config }: PickGit, range: readonly string[]): Promise<string[]> {
  const merges = lines(await git.run(['rev-list', '--merges', ...range]));
  const show = [...config, 'show', '--remerge-diff', '--format=', '-z', '--name-only', '--no-ext-diff'];
  const changed = await Promise.all(merges.map((merge) => git.run([...show, merge])));
  return merges.filter((_, i) => fields(changed[i] ?? '').length > 0);
}

const QUEUE = `${BACKLOG_FOLDER}/`;

/** What conflicts in the work queue is merged by line: the owner's text with the loop's ticks and log, none of which is lost. */
async function settleQueue({ git, emptyTree }: PickGit, to: string, commit: string, picked: Picked): Promise<Picked> {
  const files = new Map<string, string | undefined>();
  for (const path of picked.conflicts.filter((conflict) => conflict.startsWith(QUEUE))) {
    const at = [to, commit, `${commit}^`];
    const texts = await Promise.all(at.map((each) => git.attempt(['cat-file', 'blob', `${each}:${path}`])));
    const [owners, ours, before] = texts.map(({ ok, stdout }) => (ok ? stdout : undefined));
    // A file that the owner removed is theirs to have or not.
    if (owners === undefined) files.set(path, undefined);
    else files.set(path, await hashText(git, ours === undefined ? owners : mergeTicks(owners, ours, before), '-w'));
  }
  if (files.size === 0) return picked;
  const tree = (await withFiles(git, picked.tree, files)) ?? emptyTree;
  return { tree, conflicts: picked.conflicts.filter((path) => !files.has(path)) };
}
