// The fixes of the AI branch that the base does not have, and those it has and that were rolled back, each with how it
// stands. Reads only.

import { FIX_OUTCOMES, type FixOutcome } from '../events.ts';
import { openGit } from '../io/git.ts';
import type { Layout } from '../io/layout.ts';
import { cellNames } from '../plan/matrix.ts';
import { type Ledger, type Patch, patchIn } from '../triage/ledger.ts';
import { type Base, commitOf, isAncestor } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { landedCommits } from '../worktree/on-base.ts';

export type FixFacts = ReturnType<typeof fixFacts>;

export interface ListedFix extends FixFacts, LedgerFacts {
  /** As the branch and the ledger have it; `landed`: the base has it already. */
  outcome: FixOutcome | 'landed' | 'unknown';
  /** Set when it was taken back: the commit that did. */
  taken_back_by?: string;
  /** True: the base has the fix, and keeps it until what took it back is promoted. */
  on_base?: true;
  /** True: it was taken back unjudged, and the same change is here again. */
  came_again?: true;
  diff?: string;
}

/** What the ledger adds to how a fix stands. */
export interface LedgerFacts {
  /** The names of the cells that it did not help, where it helped others. */
  left?: string;
  /** Only an exit code verified it. */
  unchecked?: true;
  /** Whose suggestion a person accepted. */
  proposed_by?: string;
}

/** Newest first; nothing when there is no AI branch yet. Throws a GitError. */
export async function listFixes(layout: Layout, base: Base, ledger: Ledger, withDiff: boolean): Promise<ListedFix[]> {
  const git = openGit(layout.home);
  const head = await commitOf(git, `refs/heads/${base.branch}`);
  if (head === undefined) return [];
  const [committed, landed] = await Promise.all([
    committedFixes(git, base.commit, head),
    landedCommits(git, base.commit, head),
  ]);
  const reverts = new Map(committed.flatMap((by) => (by.reverts === undefined ? [] : [[by.reverts, by]])));
  const inRange = new Set(committed.map(({ commit }) => commit));
  const others = [...reverts.keys()].filter((commit) => !inRange.has(commit));
  // What is not in the base either was on the branch before the base was rewritten; git may have dropped it since.
  const earlier = others.map(async (commit) => {
    const has = await isAncestor(git, commit, base.commit);
    const isThere = has || (await commitOf(git, commit)) !== undefined;
    return isThere ? (await committedFixes(git, `${commit}^`, commit)).map((fix) => ({ fix, has })) : [];
  });
  const rows = [
    ...committed.filter((fix) => fix.reverts === undefined).map((fix) => ({ fix, has: landed.has(fix.commit) })),
    ...(await Promise.all(earlier)).flat(),
  ].map(async ({ fix, has }): Promise<ListedFix> => {
    const by = reverts.get(fix.commit);
    const patch = patchIn(ledger, fix);
    return {
      ...fixFacts(fix),
      outcome: by ? outcomeBy(by) : has ? 'landed' : (patch?.outcome ?? 'unknown'),
      ...(by ? { taken_back_by: by.commit } : {}),
      ...(by && outcomeBy(by) === 'withdrawn' && isAgain(fix, committed) ? { came_again: true } : {}),
      ...(by && has && !landed.has(by.commit) ? { on_base: true } : {}),
      ...ledgerFacts(patch, by === undefined),
      ...(withDiff ? { diff: await fixDiff(layout, fix.commit) } : {}),
    };
  });
  return Promise.all(rows);
}

/** The change that a fix made, as its commit has it. Throws a GitError. */
export const fixDiff = ({ home }: Layout, commit: string): Promise<string> =>
  openGit(home).run(['show', '--format=', '--no-color', '--no-ext-diff', commit]);

const isSame = (a: CommittedFix, b: CommittedFix): boolean => a.hash === b.hash && a.fingerprint === b.fingerprint;

/** Whether a later commit of `all`, the newest first, makes the same change for the same failure. */
const isAgain = (fix: CommittedFix, all: readonly CommittedFix[]): boolean =>
  all.findIndex((other) => isSame(other, fix) && other.reverts === undefined) < all.indexOf(fix);

/** From the reverting commit: in the ledger a later fix with the same change may have another outcome. */
const outcomeBy = (by: CommittedFix): FixOutcome =>
  FIX_OUTCOMES.find((outcome) => outcome === by.outcome) ?? 'withdrawn';

/** `stands`: it was not taken back, so that its outcome is that of the ledger. */
export const ledgerFacts = (patch: Patch | undefined, stands: boolean): LedgerFacts => ({
  ...(stands && patch?.left && { left: cellNames(patch.left) }),
  ...(stands && patch?.unchecked && { unchecked: true }),
  ...(patch?.proposed_by !== undefined && { proposed_by: patch.proposed_by }),
});

/** A fix as its commit has it. */
export function fixFacts(fix: CommittedFix) {
  const { commit, time, stage, fingerprint, plugin, run, paths, shapes, note } = fix;
  return { commit, time, stage, fingerprint, class: fix.class, plugin, run, paths, shapes, ...note };
}
