// What of the AI branch the base does not have, sorted: fixes that stand, fixes undone, other commits, and what is over.
import { fields, type Git } from '../io/git.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { landedCommits } from '../worktree/on-base.ts';

export interface OtherCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface PromoteRange {
  /** Fixes that stand and that the base does not have, the first one first. */
  readonly fixes: readonly CommittedFix[];
  /** Commits that take back a fix which the base has. */
  readonly undone: readonly CommittedFix[];
  /** Commits of people. */
  readonly others: readonly OtherCommit[];
  /** How many fixes were made and taken back; they left nothing behind. */
  readonly takenBack: number;
  /** Commits whose change is in the base already. */
  readonly landed: ReadonlySet<string>;
  /** Every commit that would bring something, the first one first. */
  readonly fresh: readonly string[];
}

/** Sorts `base..tip`. Throws a GitError. */
export async function promoteRange(git: Git, base: string, tip: string): Promise<PromoteRange> {
  const [all, committed, landed] = await Promise.all([
    commits(git, base, tip),
    committedFixes(git, base, tip),
    landedCommits(git, base, tip),
  ]);
  const fixOf = new Map(committed.map((fix) => [fix.commit, fix]));
  const open = new Set(all.map(({ commit }) => commit).filter((commit) => !landed.has(commit)));
  const pairs = committed.filter(({ commit, reverts = '' }) => open.has(commit) && open.has(reverts));
  const paired = new Set(pairs.flatMap(({ commit, reverts }) => [commit, reverts]));
  // That a fix was superseded undoes nothing: the base never had it, or has it by its owner's own hand.
  const isNews = ({ commit }: OtherCommit) => !paired.has(commit) && fixOf.get(commit)?.outcome !== 'superseded';
  const fresh = all.filter((fix) => open.has(fix.commit) && isNews(fix));
  const freshFixes = fresh.flatMap(({ commit }) => fixOf.get(commit) ?? []);
  return {
    fixes: freshFixes.filter(({ reverts }) => reverts === undefined),
    undone: freshFixes.filter(({ reverts }) => reverts !== undefined),
    others: fresh.filter(({ commit }) => !fixOf.has(commit)),
    takenBack: pairs.length,
    landed,
    fresh: fresh.map(({ commit }) => commit),
  };
}

async function commits(git: Git, base: string, tip: string): Promise<OtherCommit[]> {
  const args = ['log', '--reverse', '--topo-order', '--no-merges', '-z', '--format=%H %s', `${base}..${tip}`];
  return fields(await git.run(args)).map((row) => {
    const at = row.indexOf(' ');
    return { commit: row.slice(0, at), subject: row.slice(at + 1) };
  });
}
