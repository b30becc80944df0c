// What the tests of triage share: records without their stamps, ledgers folded from them, and an everyday situation.

import type { Situation } from '../../src/triage/decide.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, type Ledger, type LedgerEntry } from '../../src/triage/ledger.ts';
import {
  type LedgerHappening,
  type LedgerRecord,
  PATCH_OUTCOMES,
  PATCH_TIERS,
  type PatchData,
  type PatchOutcome,
} from '../../src/triage/records.ts';
import { fc } from '../sweep.ts';

export const RUN = '20261110-060000-abcd';
/** 2026-11-10, six in the morning. */
export const NOW = Date.UTC(2026, 10, 10, 6);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const ENDED = { exit_code: 1, signal: null, timed_out: false };
export const FAILURE = { class: 'talos_error', transient: false, external: false } as const;

const of = { stage: 'talos', fingerprint: 'f1', run: RUN };
export const seen = (fingerprint = 'f1', stage = 'talos'): LedgerHappening => ({
  ...{ type: 'seen', stage, fingerprint, run: RUN },
  data: { ...FAILURE, excerpt: 'it broke', ended: ENDED, log: `ai/logs/${stage}/${RUN}-1.log` },
});
export const tried = (hash?: string): LedgerHappening => ({
  ...{ type: 'tried', ...of, data: hash === undefined ? {} : { hash } },
});
export const called: LedgerHappening = { type: 'called', ...of, data: {} };
export const patch = (hash: string, outcome: PatchOutcome, more: Partial<PatchData> = {}): LedgerHappening => ({
  ...{ type: 'patch', ...of, data: { hash, outcome, tier: 'executor', plugin: 'ollama', ...more } },
});
export const escalated = (hash: string, outcome: PatchOutcome): LedgerHappening =>
  patch(hash, outcome, { tier: 'escalation', plugin: 'case-file' });
export const gaveUp: LedgerHappening = { type: 'gave_up', ...of, data: {} };
export const opened: LedgerHappening = { type: 'case.opened', ...of, data: { case: 'c-7' } };
export const closed: LedgerHappening = { type: 'case.closed', stage: 'talos', data: {} };
export const recovered: LedgerHappening = { type: 'recovered', stage: 'talos', data: {} };
export const reset: LedgerHappening = { type: 'reset', stage: 'talos', data: {} };
export const used = (tokens: number): LedgerHappening => ({ type: 'used', data: { tokens } });

/** A ledger of records, a minute apart from `from` on. */
export function ledgerOf(happenings: readonly LedgerHappening[], from = NOW, ledger = emptyLedger()): Ledger {
  happenings.forEach((happening, i) => {
    foldLedger(ledger, stamped(happening, ledger.as_of.seq + 1, from + i * 60_000));
  });
  return ledger;
}

export const stamped = (happening: LedgerHappening, seq: number, at = NOW): LedgerRecord => ({
  ...{ v: 1, seq, time: new Date(at).toISOString(), ...happening },
});

/** What a ledger of these records knows of the one failure they are about. */
export function entryAfter(...happenings: LedgerHappening[]): LedgerEntry {
  const entry = entryOf(ledgerOf(happenings), 'talos', 'f1');
  if (!entry) throw new Error('no record was about talos/f1');
  return entry;
}

/** The first sighting of a persistent failure, everything available, nothing used. */
export function situation(more: Partial<Situation> = {}): Situation {
  return {
    entry: entryAfter(seen()),
    failure: FAILURE,
    run: { attempts: 1, waits: 0, time_left_ms: 4 * HOUR },
    day: { date: '2026-11-10', tries: 0, tokens: 0 },
    limits: { executor_tries: 3, escalation_calls: 3, stage_attempts: 20, day_tries: 60, day_tokens: 2_000_000 },
    backoff: [30_000, 60_000, 120_000],
    ...{ ai: true, safe_mode: false, executors: 'ready', known_fix: false, escalations: 'ready', now: NOW },
    ...more,
  };
}

const stages = fc.constantFrom('talos', 'apps', '__proto__', 'constructor');
const fingerprints = fc.constantFrom('f1', 'f2', '__proto__');
const place = fc.record({ stage: stages, fingerprint: fingerprints, run: fc.constantFrom(RUN, 'other') });
const hash = fc.constantFrom('h1', 'h2', 'h3');

/** Any record the loop could write. */
export const anyHappening: fc.Arbitrary<LedgerHappening> = fc.oneof(
  place.map(({ stage, fingerprint }) => seen(fingerprint, stage)),
  fc.tuple(place, fc.option(hash, { nil: undefined })).map(([at, h]) => ({ ...tried(h), ...at }) as LedgerHappening),
  place.map((at) => ({ ...called, ...at }) as LedgerHappening),
  fc
    .tuple(place, hash, fc.constantFrom(...PATCH_OUTCOMES), fc.constantFrom(...PATCH_TIERS))
    .map(([at, h, outcome, tier]) => ({ ...patch(h, outcome, { tier }), ...at }) as LedgerHappening),
  fc.tuple(place, fc.constantFrom(gaveUp, opened)).map(([at, what]) => ({ ...what, ...at }) as LedgerHappening),
  fc
    .tuple(stages, fc.constantFrom(reset, recovered, closed))
    .map(([stage, what]) => ({ ...what, stage }) as LedgerHappening),
  fc.nat(1000).map(used),
  place.map((at): LedgerHappening => ({ type: 'decided', ...at, data: { tier: 'executor', reason: 'first of 3' } })),
);

/** Records as they would stand in a journal, on a clock that jumps both ways. */
export const anyRecords = (maxLength = 30): fc.Arbitrary<LedgerRecord[]> =>
  fc
    .array(fc.tuple(anyHappening, fc.integer({ min: -2 * DAY, max: 2 * DAY })), { maxLength })
    .map((all) => all.map(([happening, jump], i) => stamped(happening, i + 1, NOW + jump)));
