// What of the AI branch the base does not have, sorted: fixes that stand, fixes undone, other commits, and what is over.
import { fields, type Git } from '../io/git.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { landedCommits } from '../worktree/landed.ts';

export interface OtherCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface PromoteRange {
  /** Fixes that stand and that the base does not have, the first one first. */
  readonly fixes: readonly CommittedFix[];
  /** Commits that take back a fix which the base has. */
  readonly undone: readonly CommittedFix[];
  /** Commits of somebody else. */
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
  const [all, found, landed] = await Promise.all([
    commits(git, base, tip),
    committedFixes(git, base, tip),
    landedCommits(git, base, tip),
  ]);
  const told = new Map(found.map((fix) => [fix.commit, fix]));
  const open = all.filter(({ commit }) => !landed.has(commit));
  const isOpen = new Set(open.map(({ commit }) => commit));
  const reverts = found.filter((fix) => isOpen.has(fix.commit) && isOpen.has(fix.trailers.get('Reverts') ?? ''));
  const pairs = new Set(reverts.flatMap(({ commit, trailers }) => [commit, trailers.get('Reverts') as string]));
  const fresh = open.filter(({ commit }) => !pairs.has(commit));
  const freshFixes = fresh.flatMap(({ commit }) => told.get(commit) ?? []);
  return {
    fixes: freshFixes.filter(({ trailers }) => !trailers.has('Reverts')),
    undone: freshFixes.filter(({ trailers }) => trailers.has('Reverts')),
    others: fresh.filter(({ commit }) => !told.has(commit)),
    takenBack: reverts.length,
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
