// What a rollback leaves in the state: a journal of its own, and what the ledger must remember.
import type { Happening } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { openJournal } from '../journal/event-file.ts';
import { openRecorder } from '../journal/journal.ts';
import { openLedger, readLedger } from '../journal/ledger-file.ts';
import type { LoadedStages } from '../journal/load-stages.ts';
import type { AppliedFix } from '../mend/applied-fix.ts';
import { entryOf } from '../triage/ledger.ts';
import type { LedgerHappening, PatchOutcome } from '../triage/records.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';

/** How the ledger remembers it: a person does not want it. Like every patch that was tried it is not taken again. */
export const ROLLED_BACK: PatchOutcome = 'declined';
export const WHY = 'rolled back by its owner';

/** A fix as its commit tells it. */
export function appliedFix({ commit, paths, note, stage, fingerprint, hash, plugin, tier }: CommittedFix): AppliedFix {
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

export interface RollbackRecord {
  run: string;
  execution_id: string;
  asked: string;
  loaded: LoadedStages;
  layout: Layout;
  clock: Clock;
}

/** Both are on disk when this returns. Throws MendError when the disk refuses. */
export function recordRollback(made: readonly { fix: CommittedFix; commit: string }[], record: RollbackRecord): void {
  const { run, execution_id, asked, loaded, layout, clock } = record;
  rememberRollback(
    made.map(({ fix }) => fix),
    run,
    layout,
    clock,
  );
  const { journal } = openJournal(layout.journal(run));
  const recorder = openRecorder({
    ...{ run, layout, journal, earlier: [], stages: loaded.state, steps: new Map(), subscribers: [], clock },
  });
  const reverted = made.map(({ fix, commit }): Happening => {
    const { stage, hash, plugin, note } = appliedFix(fix);
    const data = { hash, plugin, note, outcome: ROLLED_BACK, reason: WHY, commit, reverts: fix.commit };
    return { type: 'fix.reverted', stage, data };
  });
  recorder.record({ type: 'run.started', data: { execution_id, asked, stages: [], lab: 'none' } }, ...reverted, {
    type: 'run.ended',
    status: 'success',
    data: { exit: 0, duration_ms: 0, error: null },
  });
  recorder.close();
}

/** Says in the ledger that these were rolled back, where it does not say so yet. */
export function rememberRollback(fixes: readonly CommittedFix[], run: string, layout: Layout, clock: Clock): void {
  const { ledger } = readLedger(layout);
  const happenings = fixes.map(appliedFix).flatMap((fix): LedgerHappening[] => {
    const { stage, fingerprint, hash, tier, plugin } = fix;
    const known = entryOf(ledger, stage, fingerprint)?.patches.find((patch) => patch.hash === hash);
    if (known?.outcome === ROLLED_BACK) return [];
    const data = { hash, outcome: ROLLED_BACK, tier, plugin, note: { ...fix.note }, why: WHY };
    return [{ type: 'patch', stage, fingerprint, run, data }];
  });
  if (happenings.length === 0) return;
  const store = openLedger(layout, clock);
  store.record(...happenings);
  store.close();
}
