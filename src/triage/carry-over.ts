// The ledger after fingerprints are made in a new way: entries move to their new fingerprint, those that fall together are
// joined. Pure.
import { entryKey, type Ledger, type LedgerEntry, MAX_REFUSED, type Patch } from './ledger.ts';

/** The new fingerprint of an entry; without `to` its log is gone, and it has none. */
export interface Carried {
  stage: string;
  fingerprint: string;
  to?: string | undefined;
  algorithm: number;
}

/** Carries one entry over, in place. */
export function carryOver(ledger: Ledger, { stage, fingerprint, to, algorithm }: Carried): void {
  const key = entryKey(stage, fingerprint);
  const entry = ledger.entries[key];
  if (!entry) return;
  entry.algorithm = algorithm;
  if (to === undefined) {
    entry.orphaned = true;
    return;
  }
  delete ledger.entries[key];
  const existing = ledger.entries[entryKey(stage, to)];
  const moved = { ...entry, fingerprint: to };
  ledger.entries[entryKey(stage, to)] = existing ? joined(existing, moved) : moved;
  ledger.renamed = { ...ledger.renamed, [key]: to };
}

/** Two entries that are one failure: counts are added up, anything else is the later one's. */
function joined(a: LedgerEntry, b: LedgerEntry): LedgerEntry {
  const [earlier, later] = a.last_seen <= b.last_seen ? [a, b] : [b, a];
  const passes = [...(earlier.passes ?? []), ...(later.passes ?? [])];
  const refused = [...(earlier.refused ?? []), ...(later.refused ?? [])];
  return {
    ...earlier,
    ...later,
    first_seen: a.first_seen < b.first_seen ? a.first_seen : b.first_seen,
    times_seen: a.times_seen + b.times_seen,
    executor_tries: a.executor_tries + b.executor_tries,
    escalation_calls: a.escalation_calls + b.escalation_calls,
    fruitless: a.fruitless + b.fruitless,
    patches: joinedPatches([...earlier.patches, ...later.patches]),
    ...(passes.length > 0 && { passes }),
    ...(refused.length > 0 && { refused: refused.slice(-MAX_REFUSED) }),
  };
}

/** One per hash, in the order they first came; the latest outcome counts. */
function joinedPatches(all: readonly Patch[]): Patch[] {
  const byHash = new Map<string, Patch>();
  for (const patch of [...all].sort((a, b) => a.time.localeCompare(b.time))) byHash.set(patch.hash, patch);
  return [...byHash.values()];
}
