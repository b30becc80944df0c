// Records of the journal → the ledger: fold them in order and it comes out. Pure.
import {
  type DayUsage,
  entriesOf,
  entryKey,
  entryOf,
  isLedger,
  type Ledger,
  type LedgerEntry,
  type Patch,
} from './ledger.ts';
import { type LedgerRecord, type PatchData, type PatchOutcome, PERSON, type RefusedAnswer } from './records.ts';

/** Folds one record into `ledger`, in place. One that is in it already changes nothing; never throws. */
export function foldLedger(ledger: Ledger, record: LedgerRecord): void {
  if (record.seq <= ledger.as_of.seq) return;
  if (record.type === 'snapshot') {
    if (isLedger(record.data.ledger)) Object.assign(ledger, structuredClone(record.data.ledger));
    ledger.as_of = { ...ledger.as_of, seq: record.seq };
    return;
  }
  ledger.as_of.seq = record.seq;
  countDay(ledger.day, record);
  for (const entry of concerned(ledger, record)) apply(entry, record);
}

function countDay(day: DayUsage, record: LedgerRecord): void {
  const date = record.time.slice(0, 10);
  // Only a later day starts anew: after a clock jumped back, what is used counts for the latest day seen.
  if (date > day.date) {
    Object.assign(day, { date, tries: 0, tokens: 0 });
    delete day.dollars;
  }
  if (record.type === 'tried') day.tries += 1;
  if (record.type === 'used') {
    day.tokens += record.data.tokens;
    const { dollars = 0 } = record.data;
    if (dollars > 0) day.dollars = (day.dollars ?? 0) + dollars;
  }
}

function concerned(ledger: Ledger, record: LedgerRecord): LedgerEntry[] {
  if (record.type === 'used' || record.type === 'snapshot') return [];
  const { stage, fingerprint } = record;
  if (fingerprint === undefined) return entriesOf(ledger, stage);
  const entry = entryOf(ledger, stage, fingerprint) ?? begin(stage, fingerprint, record.time);
  ledger.entries[entryKey(stage, fingerprint)] = entry;
  return [entry];
}

const begin = (stage: string, fingerprint: string, time: string): LedgerEntry => ({
  ...{ stage, fingerprint, class: 'unknown', transient: false, external: false, excerpt: '' },
  ...{ first_seen: time, last_seen: time, times_seen: 0 },
  ended: { exit_code: null, signal: null, timed_out: false },
  ...{ executor_tries: 0, escalation_calls: 0, fruitless: 0, try_fixes: [], patches: [] },
});

function apply(entry: LedgerEntry, record: LedgerRecord): void {
  switch (record.type) {
    case 'seen':
      see(entry, record);
      break;
    case 'decided':
      entry.last_tier = record.data.tier;
      entry.last_reason = record.data.reason;
      break;
    case 'tried':
      entry.executor_tries += 1;
      if (record.data.hash !== undefined) entry.try_fixes.push(record.data.hash);
      if (record.data.refused) refuse(entry, record.data.refused, record.time);
      break;
    case 'refused':
      refuse(entry, record.data.refused, record.time);
      break;
    case 'called':
      entry.escalation_calls += 1;
      if (record.data.case !== undefined) entry.escalated = record.data.case;
      break;
    case 'uncalled':
      entry.escalation_calls = Math.max(0, entry.escalation_calls - 1);
      break;
    case 'notified':
      entry.notified = record.data.state;
      break;
    case 'patch':
      patch(entry, record.data, record);
      break;
    case 'gave_up':
      entry.gave_up_at = record.time;
      break;
    case 'recovered':
      // The counters stay: the same failure again means that what changed made no difference.
      delete entry.gave_up_at;
      break;
    case 'case.opened':
      entry.case = record.data.case;
      // It waits anew, whatever was told before.
      delete entry.notified;
      break;
    case 'case.closed':
      delete entry.case;
      break;
    case 'reset':
      restart(entry);
      // What somebody did not want may be asked about again; the journal keeps that they did not.
      entry.patches = entry.patches.filter((p) => p.outcome !== 'declined');
      delete entry.gave_up_at;
      delete entry.case;
      delete entry.verified_at;
      delete entry.notified;
  }
}

const EXCERPT_LINES = 2;
const EXCERPT_WIDTH = 200;

function see(entry: LedgerEntry, { data, time, run }: LedgerRecord & { type: 'seen' }): void {
  const lines = data.excerpt.split('\n').slice(0, EXCERPT_LINES);
  entry.class = data.class;
  entry.transient = data.transient;
  entry.external = data.external;
  entry.excerpt = lines.map((line) => line.slice(0, EXCERPT_WIDTH)).join('\n');
  entry.last_seen = time;
  entry.times_seen += 1;
  if (run === undefined) delete entry.run;
  else entry.run = run;
  if (data.log === undefined) delete entry.log;
  else entry.log = data.log;
  entry.ended = data.ended;
}

/** Enough to tell whoever is asked next what does not pass. */
const MOST_REFUSED = 6;

function refuse(entry: LedgerEntry, more: readonly RefusedAnswer[], time: string): void {
  const told = more.map((one) => ({ ...one, time }));
  entry.refused = [...(entry.refused ?? []), ...told].slice(-MOST_REFUSED);
}

const REVERTED: readonly (PatchOutcome | undefined)[] = ['no_effect', 'broke'];

function patch(entry: LedgerEntry, data: PatchData, { time, run }: LedgerRecord): void {
  const { hash, outcome } = data;
  const at = entry.patches.findIndex((p) => p.hash === hash);
  const known = entry.patches[at];
  const before = known?.outcome;
  // Refused because it was tried already: how it went then is worth more.
  if (outcome === 'refused' && before !== undefined && before !== 'withdrawn') return;
  const now = { ...stripped(known), ...data, ...(run === undefined ? {} : { run }), time };
  if (at === -1) entry.patches.push(now);
  else entry.patches[at] = now;
  const counts = data.tier === 'escalation' && data.plugin !== PERSON;
  if (counts && REVERTED.includes(outcome) && !REVERTED.includes(before)) entry.fruitless += 1;
  if (outcome === 'verified') {
    restart(entry);
    entry.verified_at = time;
  }
  // Rolled back by a person: that the failure is back is no surprise.
  if (outcome === 'declined' && before === 'verified') delete entry.verified_at;
}

/** What was said of it before and is not said anew: its note, not why it ended as it did then. */
function stripped(known: Patch | undefined): Pick<Patch, 'note'> {
  return known?.note === undefined ? {} : { note: known.note };
}

function restart(entry: LedgerEntry): void {
  Object.assign(entry, { executor_tries: 0, escalation_calls: 0, fruitless: 0, try_fixes: [] });
  delete entry.escalated;
}
