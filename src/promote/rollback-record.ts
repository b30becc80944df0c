// What a rollback leaves in the state: the events of it, in a journal of its own.
import type { DataOf } from '../events.ts';
import { type ActionScope, recordAction } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { fixData } from '../mend/commit.ts';
import type { Fix } from '../triage/incident.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';
import { outcomeIn } from './list-fixes.ts';

/** How the ledger remembers it: a person does not want it. Like every patch that was tried it is not taken again. */
export const ROLLED_BACK: DataOf<'fix.reverted'>['outcome'] = 'declined';
export const WHY = 'rolled back by its owner';

/** A fix as its commit tells it. */
export function appliedFix({ commit, paths, note, stage, fingerprint, hash, plugin, tier }: CommittedFix): Fix {
  return {
    stage,
    step: stage,
    fingerprint,
    hash,
    commit,
    paths,
    tier: tier === 'escalation' ? 'escalation' : 'executor',
    plugin,
    note,
  };
}

/** Records that fixes were rolled back, each with the commit that did, where the ledger does not know it yet. Throws MendError when the disk refuses. */
export function recordRollback(made: readonly { fix: CommittedFix; commit: string }[], scope: ActionScope): void {
  const { ledger } = readLedger(scope.layout);
  const unknown = made.filter(({ fix }) => outcomeIn(ledger, fix) !== ROLLED_BACK);
  const events = unknown.map(({ fix, commit }) => ({
    type: 'fix.reverted' as const,
    stage: fix.stage,
    data: { ...fixData(appliedFix(fix)), outcome: ROLLED_BACK, reason: WHY, commit, reverts: fix.commit },
  }));
  recordAction(scope, ...events);
}
