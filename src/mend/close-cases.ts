// A case is over when its stage is green, or when its stage is reset.

import type { Happening } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { entriesOf } from '../triage/ledger.ts';
import { openCaseStore } from './case-store.ts';

/** Closes every case of `stages`; returns what to tell of it. Throws MendError when the disk refuses. */
export function closeCases(
  stages: readonly string[],
  why: string,
  { layout, ledger, run, now }: { layout: Layout; ledger: LedgerStore; run: string; now: number },
): Happening[] {
  for (const stage of stages) {
    const waits = entriesOf(ledger.ledger, stage).some((entry) => entry.case !== undefined);
    if (waits) ledger.record({ type: 'case.closed', stage, run, data: {} });
  }
  const store = openCaseStore(layout);
  return store.list().flatMap((found): Happening[] => {
    if (!('summary' in found) || !stages.includes(found.summary.stage) || found.summary.state === 'closed') return [];
    store.writeSummary(closed(found.summary, why, now));
    return [{ type: 'case.closed', stage: found.summary.stage, data: { case: found.case, reason: why } }];
  });
}

const closed = (summary: CaseSummary, why: string, now: number): CaseSummary => ({
  ...summary,
  state: 'closed',
  closed: { time: new Date(now).toISOString(), why },
});
