// The ledger: what is known of every failure, by stage and fingerprint, across runs; and the questions asked of it. Pure.
import {
  type AttemptEnd,
  type FailureClass,
  FIX_OUTCOMES,
  FIX_TIERS,
  type FixOutcome,
  type FixTier,
  isAttemptEnd,
  isNote,
  TIERS,
  type Tier,
} from '../events.ts';
import { amount, count, flag, listOf, name, oneOf, optional, shaped, text, time } from '../shape.ts';

/** A patch tried on a failure, as it stands. */
export interface Patch {
  hash: string;
  outcome: FixOutcome;
  tier: FixTier;
  plugin: string;
  /** What it was to do and why, as its author says. */
  note?: { fix: string; reason: string };
  /** Why it ended so. */
  why?: string;
  /** Its latest commit on the AI branch. */
  commit?: string;
  /** Of the latest outcome. */
  run?: string;
  time: string;
}

/** Why an answer was not taken; bounded, and no secret in it. Who has no fix to propose has the code `pass`. */
export interface RefusedAnswer {
  plugin: string;
  tier: FixTier;
  code: string;
  reason: string;
  /** What it was to do. */
  fix?: string;
  time?: string;
}

export interface LedgerEntry {
  stage: string;
  fingerprint: string;
  class: FailureClass;
  transient: boolean;
  external: boolean;
  /** For people. */
  excerpt: string;
  first_seen: string;
  last_seen: string;
  times_seen: number;
  /** The run of the last sighting, its log, from home, and how it ended. */
  run?: string;
  log?: string;
  ended: AttemptEnd;
  /** Since the last restart: a reset or a verified fix. */
  executor_tries: number;
  escalation_calls: number;
  /** Patches of escalations that were reverted. */
  fruitless: number;
  /** The fixes that the tries since the last restart ended in. */
  try_fixes: string[];
  /** One per hash, in the order they first came. */
  patches: Patch[];
  /** The latest answers that were not taken. */
  refused?: RefusedAnswer[];
  last_tier?: Tier;
  last_reason?: string;
  /** When a fix of it was last verified; a reset forgets it. */
  verified_at?: string;
  gave_up_at?: string;
  /** The open case. */
  case?: string;
  /** The case that escalations were called with since the last restart. */
  escalated?: string;
  /** What a person was notified of last. */
  notified?: string;
}

/** What was used on the latest UTC day seen. */
export interface DayUsage {
  date: string;
  tries: number;
  tokens: number;
  /** As far as somebody told what their answers cost. */
  dollars?: number;
}

export interface Ledger {
  version: 1;
  /** Everything up to this event is folded in. */
  as_of: { run: string; seq: number };
  /** The last of them that tells of a failure: the last line of the ledger's own journal. */
  last_line: { run: string; seq: number };
  day: DayUsage;
  /** `stage/fingerprint` → what is known of it. */
  entries: Record<string, LedgerEntry>;
}

export const emptyLedger = (): Ledger => ({
  version: 1,
  as_of: { run: '', seq: 0 },
  last_line: { run: '', seq: 0 },
  day: { date: '', tries: 0, tokens: 0 },
  entries: {},
});

export const entryKey = (stage: string, fingerprint: string): string => `${stage}/${fingerprint}`;

/** What is known of a failure, or undefined when it was never seen. */
export function entryOf(ledger: Ledger, stage: string, fingerprint: string): LedgerEntry | undefined {
  const key = entryKey(stage, fingerprint);
  return Object.hasOwn(ledger.entries, key) ? ledger.entries[key] : undefined;
}

/** All failures of a stage, in the order they were first seen. */
export const entriesOf = (ledger: Ledger, stage: string): LedgerEntry[] =>
  Object.values(ledger.entries).filter((entry) => entry.stage === stage);

/** Tries since the last restart. One whose fix is withdrawn is not spent until that fix is applied again. */
export function triesSpent({ executor_tries, try_fixes, patches }: LedgerEntry): number {
  const withdrawn = patches.filter((p) => p.outcome === 'withdrawn' && try_fixes.includes(p.hash));
  return executor_tries - withdrawn.length;
}

const FLAPPING_MS = 7 * 86_400_000;

/** Whether a failure seen at `now` is back too soon after a fix of it was verified. */
export const isFlapping = ({ verified_at }: LedgerEntry, now: number): boolean =>
  verified_at !== undefined && now - Date.parse(verified_at) < FLAPPING_MS;

/** What was used on the day of `now`. A clock that jumped back refills nothing: then it is still the latest day seen. */
export function usedOn(day: DayUsage, now: number): DayUsage {
  const date = new Date(now).toISOString().slice(0, 10);
  return date > day.date ? { date, tries: 0, tokens: 0 } : day;
}

const isPatch = shaped({
  hash: name,
  outcome: oneOf(FIX_OUTCOMES),
  tier: oneOf(FIX_TIERS),
  plugin: text,
  note: optional(isNote),
  why: optional(text),
  commit: optional(text),
  run: optional(text),
  time,
});

const isEntry = shaped({
  stage: name,
  fingerprint: name,
  class: name,
  transient: flag,
  external: flag,
  excerpt: text,
  first_seen: time,
  last_seen: time,
  times_seen: count,
  run: optional(text),
  log: optional(text),
  ended: isAttemptEnd,
  executor_tries: count,
  escalation_calls: count,
  fruitless: count,
  try_fixes: listOf(name),
  patches: listOf(isPatch),
  refused: optional(
    listOf(shaped({ plugin: text, tier: oneOf(FIX_TIERS), code: text, reason: text, fix: optional(text) })),
  ),
  last_tier: optional(oneOf(TIERS)),
  last_reason: optional(text),
  verified_at: optional(time),
  gave_up_at: optional(time),
  case: optional(name),
  escalated: optional(name),
  notified: optional(name),
});

const isOutline = shaped({
  version: oneOf([1]),
  as_of: shaped({ run: text, seq: count }),
  last_line: shaped({ run: text, seq: count }),
  day: shaped({ date: text, tries: count, tokens: count, dollars: optional(amount) }),
  entries: shaped({}),
});

/** Whether a value read from disk is a ledger. */
export function isLedger(value: unknown): value is Ledger {
  if (!isOutline(value)) return false;
  return (
    /^(\d{4}-\d\d-\d\d)?$/.test(value.day.date) &&
    Object.entries(value.entries).every(
      ([key, entry]) => isEntry(entry) && key === entryKey(entry.stage, entry.fingerprint),
    )
  );
}
