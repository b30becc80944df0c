// Fixes that an earlier process left between two points: written and not committed, committed and not told, or never judged.
import type { LoopEvent } from '../events.ts';
import type { Ledger, LedgerEntry } from '../triage/ledger.ts';
import type { LedgerHappening } from '../triage/records.ts';
import { unwriteFix } from '../worktree/commit-fix.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { type Tree, treeGit } from '../worktree/tree.ts';
import type { AppliedFix } from './applied-fix.ts';
import type { FixStore } from './fix-store.ts';

export interface RecoverScope {
  run: string;
  tree: Tree;
  base: string;
  head(): string;
  /** Of the newest run: this one, when it goes on, or the one before. */
  events: readonly LoopEvent[];
  ledger: Ledger;
  fixes: FixStore;
  record(...happenings: LedgerHappening[]): void;
}

/** Sets right what was left; fixes of this run that wait for judgement stay. What a person should know, a line each. */
export async function recoverFixes(
  scope: RecoverScope,
): Promise<{ notices: string[]; committed: LoopEvent['data'][] }> {
  const { tree, base, ledger, run, fixes } = scope;
  const open = intentOf(scope.events);
  const unjudged = Object.values(ledger.entries).some(({ patches }) => patches.some(isOpen));
  if (!open && !unjudged) return { notices: [], committed: [] };
  const found = await committedFixes(treeGit(tree), base, scope.head());
  const notices: string[] = [];
  const committed: LoopEvent['data'][] = [];
  if (open) {
    const there = commitOf(found, String(open.data.hash), open.run);
    if (there) committed.push(retold(open, there, scope));
    else {
      await unwriteFix(tree, open.data.paths as string[], open.data.created as string[]);
      notices.push('a fix was being written when the loop was stopped; its files are as they were');
    }
  }
  for (const fix of foreign(ledger, run, found)) {
    await fixes.takeBack(fix, 'withdrawn', 'the run that made it ended before it could be judged');
    notices.push(`a fix of ${fix.stage} was never judged; it is taken back, and comes again with its failure`);
  }
  return { notices, committed };
}

/** The last intent of a journal that nobody said more of. */
function intentOf(events: readonly LoopEvent[]): LoopEvent | undefined {
  const intent = events.findLast(({ type }) => type === 'fix.intended');
  const told = events.some(({ type, seq }) => type === 'fix.committed' && intent !== undefined && seq > intent.seq);
  return told ? undefined : intent;
}

const commitOf = (found: readonly CommittedFix[], hash: string, run: string): CommittedFix | undefined =>
  found.find(
    ({ trailers }) => trailers.get('Patch') === hash && trailers.get('Run') === run && !trailers.has('Reverts'),
  );

/** What the process that died had no time to say. */
function retold(
  { stage = '', data, run }: LoopEvent,
  { commit }: CommittedFix,
  scope: RecoverScope,
): LoopEvent['data'] {
  const { hash, fingerprint, tier, plugin } = data as unknown as AppliedFix;
  const known = Object.values(scope.ledger.entries).find((e) => e.stage === stage && e.fingerprint === fingerprint);
  if (!known?.patches.some((patch) => patch.hash === hash && isOpen(patch))) {
    scope.record({ type: 'patch', stage, fingerprint, run, data: { hash, outcome: 'applied', tier, plugin } });
  }
  return { ...data, commit };
}

const isOpen = ({ outcome }: LedgerEntry['patches'][number]): boolean =>
  outcome === 'applied' || outcome === 'provisional';

/** Fixes of other runs that were never judged, the newest first. */
function foreign(ledger: Ledger, run: string, found: readonly CommittedFix[]): AppliedFix[] {
  const open = Object.values(ledger.entries).flatMap(({ stage, fingerprint, patches }) =>
    patches.filter((patch) => isOpen(patch) && patch.run !== run).map((patch) => ({ stage, fingerprint, ...patch })),
  );
  const fixes = open.flatMap(({ stage, fingerprint, hash, tier, plugin, run: of = '' }) => {
    const there = commitOf(found, hash, of);
    if (!there) return [];
    const { commit, paths, note } = there;
    return [{ stage, step: stage, fingerprint, hash, commit, paths, tier, plugin, note }];
  });
  const age = (fix: AppliedFix) => found.findIndex(({ commit }) => commit === fix.commit);
  return fixes.sort((a, b) => age(a) - age(b));
}
