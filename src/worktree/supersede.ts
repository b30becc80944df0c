// A merge of the base in which the owner's text wins wherever a fix conflicts with it.
// Made in git's store alone.
import { BACKLOG_FOLDER } from '../backlog/queue.ts';
import { mergeTicks } from '../backlog/ticks.ts';
import { type Git, lines } from '../io/git.ts';
import type { Base } from './base.ts';
import { type CommittedFix, committedFixes, standingFixes } from './find-fix.ts';
import { revertMessage } from './fix-message.ts';
import { landedCommits, landedPaths } from './landed.ts';
import { carryOver, revertAll, treeOf, tryMerge } from './merge-tree.ts';
import type { Branch } from './tree.ts';

export interface OwnersMerge {
  /** The AI branch without the fixes that had to make way. */
  readonly parent: string;
  /** The merged tree, but for `landed`. */
  readonly tree: string;
  /** Conflicting paths that are to take the base's text: what was changed there has landed. */
  readonly landed: readonly string[];
  /** Files of the work queue that both have written into: the base's text with our ticks and log. */
  readonly ticked: ReadonlyMap<string, string>;
  readonly superseded: readonly CommittedFix[];
}

export interface MergeOptions {
  /** The run that takes fixes back. */
  readonly run: string;
  readonly sign: boolean;
}

/**
 * `head` and the base merged. A fix that conflicts with the base is taken back first, whole, and so is every later fix that
 * stands on it. `conflicts`: where something other than fixes is in the way; `failure`: git could not even try.
 */
export async function mergeOwners(
  { git, base }: Branch,
  head: string,
  { run, sign }: MergeOptions,
): Promise<OwnersMerge | { conflicts: readonly string[]; failure?: string }> {
  const plain = await tryMerge(git, head, base.commit);
  if (plain.failure !== undefined) return { conflicts: [], failure: plain.failure };
  if (plain.conflicts.length === 0)
    return { parent: head, tree: plain.tree, landed: [], ticked: new Map(), superseded: [] };
  const landed = await landedCommits(git, base.commit, head);
  const all = await committedFixes(git, base.commit, head);
  const fixes = standingFixes(all).filter(({ commit }) => !landed.has(commit));
  const stuck = await conflicting(git, base.commit, head, fixes, new Set([...landed, ...takenBackPairs(all)]));
  for (;;) {
    const superseded = fixes.filter(({ commit }) => stuck.has(commit));
    const merged = await mergeWithout(superseded);
    if (!('blocked' in merged)) return { ...merged, superseded };
    const { blocked, among } = merged;
    const more = among.filter(
      ({ commit, paths }) => !stuck.has(commit) && paths.some((path) => blocked.includes(path)),
    );
    if (more.length === 0) return { conflicts: plain.conflicts };
    for (const { commit } of more) stuck.add(commit);
  }

  /** The merge without these fixes; or the paths that are in the way still, and the fixes that may have to do with it. */
  async function mergeWithout(superseded: readonly CommittedFix[]): Promise<Omit<OwnersMerge, 'superseded'> | Blocked> {
    const message = (fix: CommittedFix) => supersededMessage(fix, base, run);
    const back = await revertAll(git, head, superseded, { message, sign });
    if ('stuck' in back) return { blocked: back.conflicts, among: fixes.slice(0, fixes.indexOf(back.stuck)) };
    const { tree, conflicts } = await tryMerge(git, back.tip, base.commit);
    const ticked = await mergedTicks(git, base.commit, back.tip, conflicts);
    const texts = conflicts.filter((path) => !ticked.has(path));
    const landed = texts.length > 0 ? await landedPaths(git, base.commit, back.tip, texts) : [];
    const blocked = texts.filter((path) => !landed.includes(path) && !path.startsWith(QUEUE));
    if (blocked.length > 0) return { blocked, among: fixes };
    // A file of the queue that one side removed is the owner's to have or not.
    return { parent: back.tip, tree, ticked, landed: texts };
  }
}

/** Where the files of the work queue are. */
export const QUEUE = `${BACKLOG_FOLDER}/`;

/** Those of `paths` that are files of the work queue in both commits: the text of `owners` with the ticks and log of `ours`. */
export async function mergedTicks(git: Git, owners: string, ours: string, paths: readonly string[]) {
  const merged = new Map<string, string>();
  for (const path of paths.filter((changed) => changed.startsWith(QUEUE))) {
    const [theirs, mine] = await Promise.all(
      [owners, ours].map((commit) => git.attempt(['cat-file', 'blob', `${commit}:${path}`])),
    );
    if (theirs?.ok && mine?.ok) merged.set(path, mergeTicks(theirs.stdout, mine.stdout));
  }
  return merged;
}

interface Blocked {
  blocked: readonly string[];
  among: readonly CommittedFix[];
}

/** The fixes of `base..head` that cannot be put onto the base in their order; `over` says which commits are no part of it. */
async function conflicting(
  git: Git,
  base: string,
  head: string,
  fixes: readonly CommittedFix[],
  over: ReadonlySet<string>,
): Promise<Set<string>> {
  const stuck = new Set<string>();
  let tree = await treeOf(git, base);
  const list = ['rev-list', '--reverse', '--topo-order', '--no-merges', `${base}..${head}`];
  for (const commit of lines(await git.run(list)).filter((id) => !over.has(id))) {
    const next = await carryOver(git, `${commit}^`, commit, tree);
    if (next.conflicts.length === 0) tree = next.tree;
    else if (fixes.some((fix) => fix.commit === commit)) stuck.add(commit);
  }
  return stuck;
}

function takenBackPairs(all: readonly CommittedFix[]): string[] {
  const commits = new Set(all.map(({ commit }) => commit));
  return all.flatMap(({ commit, reverts = '' }) => (commits.has(reverts) ? [commit, reverts] : []));
}

/** Of the commit that takes back a fix because the base's text stands in its place. */
export const supersededMessage = (fix: CommittedFix, base: Base, run: string): string =>
  revertMessage(fix, 'superseded', `${base.name} has another text there`, run);
