// The ledger: what is known of every failure, by stage and fingerprint, across runs; and questions about it. Pure.
import {
  ANSWERED_AT,
  type DataOf,
  EVENTS,
  FAILURE_CLASSES,
  FIRST_BECAUSE,
  FIX_STATES,
  FIX_TIERS,
  type Fix,
  isAsk,
  isAttemptEnd,
  isNote,
  NO_NOTE,
  TIERS,
} from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';
import { amount, type Checked, count, flag, listOf, name, oneOf, optional, shaped, text, time } from '../shape.ts';

const isPatch = shaped({
  hash: name,
  outcome: oneOf(FIX_STATES),
  tier: oneOf(FIX_TIERS),
  plugin: text,
  note: optional(isNote),
  /** Why it ended so. */
  why: optional(text),
  /** Its latest commit on the AI branch. */
  commit: optional(text),
  /** The commit of the base that was found to have it; absent: it is on the AI branch, or nowhere. */
  landed: optional(text),
  /** Of the latest outcome. */
  run: optional(text),
  /** The cells that it did not help, where it helped others. */
  left: optional(listOf(name)),
  /** No check had a say when it was kept. */
  unchecked: optional(flag),
  /** It was undone before anything was seen with it. */
  unjudged: optional(flag),
  /** The commit of the base that it was kept on. */
  base: optional(text),
  /** Stages whose inputs it changed and that did not run with it when it was kept. */
  unseen: optional(listOf(text)),
  /** A person agreed to it: no one is asked again. */
  accepted: optional(flag),
  /** The repairs that it consists of, where it ran before its owner had seen it. */
  shapes: optional(listOf(text)),
  /** The plugin whose suggestion a person accepted as their answer. */
  proposed_by: optional(text),
  /** Where they did, or where they declined it. */
  answered_at: optional(oneOf(ANSWERED_AT)),
  time,
});
/** A patch tried on a failure, as it stands. */
export type Patch = Checked<typeof isPatch>;

/** How many refused answers an entry has: enough for the next plugin to know what does not pass. */
export const MAX_REFUSED = 6;

const isRefusedAnswer = shaped({
  plugin: text,
  tier: oneOf(FIX_TIERS),
  code: text,
  reason: text,
  note: optional(isNote),
  /** The patch, where the change could be read. */
  hash: optional(name),
  /** How often it was proposed. */
  times: optional(count),
  time: optional(time),
});
/**
 * Why an answer was not taken, shortened and masked. A plugin without a fix to propose has the code `pass`, a change that its owner was
 * asked about `ask`.
 */
export type RefusedAnswer = Checked<typeof isRefusedAnswer>;

const isPass = shaped({ plugin: name, prompt: text });

const isFirst = shaped({
  hash: name,
  tier: oneOf(FIX_TIERS),
  plugin: text,
  note: isNote,
  because: oneOf(FIRST_BECAUSE),
  proposed_by: optional(text),
  answered_at: optional(oneOf(ANSWERED_AT)),
});
/** The change that is proposed first when a failure returns. */
export type FirstProposal = Checked<typeof isFirst>;

const isEntry = shaped({
  stage: name,
  fingerprint: name,
  /** The version of the algorithm that made the fingerprint; absent: the first. */
  algorithm: optional(count),
  /** Its log was gone when the algorithm changed: it is never seen again; its open case or giving up holds for every failure. */
  orphaned: optional(flag),
  class: oneOf(FAILURE_CLASSES),
  transient: flag,
  external: flag,
  /** For people. */
  excerpt: text,
  first_seen: time,
  last_seen: time,
  times_seen: count,
  /** The run of the last sighting, its log, from home, and how it ended. */
  run: optional(text),
  log: optional(text),
  ended: isAttemptEnd,
  /** The cells that had it then. */
  steps: optional(listOf(name)),
  /** Since the last restart: a reset or a kept fix. */
  executor_tries: count,
  escalation_calls: count,
  /** Patches of escalations that did not help. */
  fruitless: count,
  /** One per hash, in the order they first came. */
  patches: listOf(isPatch),
  /** The latest answers that were not taken. */
  refused: optional(listOf(isRefusedAnswer)),
  /** Plugins that proposed no change since the last restart, and a digest of what they were asked with. */
  passes: optional(listOf(isPass)),
  last_tier: optional(oneOf(TIERS)),
  last_reason: optional(text),
  /** When a fix of it was last kept; a reset forgets it. */
  kept_at: optional(time),
  gave_up_at: optional(time),
  /** The open case. */
  case: optional(name),
  /** The fix in it that waits for a person's word, and why they are asked. */
  suggestion: optional(shaped({ hash: name, ask: optional(isAsk) })),
  /** Proposed before anyone is asked. */
  first: optional(isFirst),
  /** A prepared change was tried since the last reset: there is no second one. */
  prepared: optional(flag),
  /** The case that escalations were called with since the last restart. */
  escalated: optional(name),
  /** What a person was notified of last, and when. */
  notified: optional(name),
  notified_at: optional(time),
});
export type LedgerEntry = Checked<typeof isEntry>;

const isDayUsage = shaped({
  date: text,
  tries: count,
  tokens: count,
  prompts: optional(count),
  dollars: optional(amount),
});
/** What was used on the latest UTC day seen; dollars as far as plugins report them. */
export type DayUsage = Checked<typeof isDayUsage>;

const isTotal = shaped({ tries: count, prompts: count, tokens: count, dollars: amount });
/** The same since the first run: it only grows. */
export type TotalUsage = Checked<typeof isTotal>;

const isPosition = shaped({ run: text, seq: count });

export interface Ledger {
  version: 1;
  /** Everything up to this event is folded in. */
  as_of: Checked<typeof isPosition>;
  /** The last of them that is in the ledger's own journal. */
  last_line: Checked<typeof isPosition>;
  day: DayUsage;
  total?: TotalUsage;
  /** `stage/fingerprint` → what is known of it. */
  entries: Record<string, LedgerEntry>;
  /** `stage/fingerprint` as it was made in an older way → today's fingerprint. */
  renamed?: Record<string, string>;
  /** The move of the AI branch that was intended and is not known to have come about. */
  move?: DataOf<'branch.intended'>;
}

const isOutline = shaped({
  version: oneOf([1]),
  as_of: isPosition,
  last_line: isPosition,
  day: isDayUsage,
  total: optional(isTotal),
  entries: shaped({}),
  renamed: optional(shaped({})),
  move: optional(EVENTS['branch.intended'].isData),
});

/** Whether a value read from disk is a ledger. */
export const isLedger = (value: unknown): value is Ledger =>
  isOutline(value) &&
  /^(\d{4}-\d\d-\d\d)?$/.test(value.day.date) &&
  Object.entries(value.entries).every(
    ([key, entry]) => isEntry(entry) && key === entryKey(entry.stage, entry.fingerprint),
  );

export const emptyLedger = (): Ledger => ({
  version: 1,
  as_of: { run: '', seq: 0 },
  last_line: { run: '', seq: 0 },
  day: { date: '', tries: 0, tokens: 0 },
  entries: {},
});

export const entryKey = (stage: string, fingerprint: string): string => `${stage}/${fingerprint}`;

/** Today's name of a failure that may be named as it was before fingerprints were made in a new way. */
export function currentFingerprint({ renamed = {} }: Ledger, stage: string, fingerprint: string): string {
  let now = fingerprint;
  // One step for each new way; a circle would be a broken file.
  for (let i = 0; i < 9 && Object.hasOwn(renamed, entryKey(stage, now)); i++)
    now = renamed[entryKey(stage, now)] as string;
  return now;
}

/** The open case, or giving up, that holds for every failure of a stage: its own cannot be recognised any more. */
export function heldOver(ledger: Ledger, stage: string): Pick<LedgerEntry, 'case' | 'gave_up_at'> {
  const orphans = entriesOf(ledger, stage).filter(({ orphaned }) => orphaned);
  const open = orphans.findLast((entry) => entry.case !== undefined)?.case;
  const since = orphans.findLast((entry) => entry.gave_up_at !== undefined)?.gave_up_at;
  return open !== undefined ? { case: open } : since !== undefined ? { gave_up_at: since } : {};
}

/** What is known of a failure, or undefined when it was never seen. */
export function entryOf(ledger: Ledger, stage: string, fingerprint: string): LedgerEntry | undefined {
  const key = entryKey(stage, currentFingerprint(ledger, stage, fingerprint));
  return Object.hasOwn(ledger.entries, key) ? ledger.entries[key] : undefined;
}

/** How often a failure was seen, and by which cells, once `step` has it in `run`: cells that fail alike see it once. */
export function seenBy(entry: LedgerEntry | undefined, run: string, step: string) {
  const { times_seen = 0, steps = [] }: Partial<LedgerEntry> = entry ?? {};
  if (splitStepName(step).cell === '') return { times_seen: times_seen + 1 };
  const joins = entry?.run === run && steps.length > 0 && !steps.includes(step);
  return joins ? { times_seen, steps: [...steps, step] } : { times_seen: times_seen + 1, steps: [step] };
}

/** A fix as the ledger has it, whether it is on the branch or not; `time` and `run` are those of its latest outcome. */
export interface LedgerFix extends Fix, Pick<Patch, 'outcome' | 'why' | 'run' | 'left' | 'landed' | 'time'> {}

/** Every fix that was tried, in the order of their latest outcomes. The ledger does not know its cell. */
export function fixesIn(ledger: Ledger): LedgerFix[] {
  const fixes = Object.values(ledger.entries).flatMap(({ stage, fingerprint, patches }) =>
    patches.map(({ note = NO_NOTE, commit = '', ...patch }) => {
      return { ...patch, stage, step: stage, fingerprint, note, commit };
    }),
  );
  return fixes.sort((a, b) => a.time.localeCompare(b.time));
}

/** What is known of a fix, by its patch. */
export const patchIn = (ledger: Ledger, fix: { stage: string; fingerprint: string; hash: string }): Patch | undefined =>
  entryOf(ledger, fix.stage, fix.fingerprint)?.patches.find(({ hash }) => hash === fix.hash);

/** All failures of a stage, in the order they were first seen. */
export const entriesOf = (ledger: Ledger, stage: string): LedgerEntry[] =>
  Object.values(ledger.entries).filter((entry) => entry.stage === stage);

/** Whether a plugin proposed no change when it was asked about a failure with `prompt`; without it, with any. */
export const hasPassed = (plugin: string, { passes = [] }: Pick<LedgerEntry, 'passes'>, prompt?: string): boolean =>
  passes.some((pass) => pass.plugin === plugin && (prompt === undefined || pass.prompt === prompt));

/** Whether a person's answer waits for its failure or for the next run of its stage. */
export const hasAnswer = ({ first }: Pick<LedgerEntry, 'first'>): boolean => first?.because === 'answered';

/** A failure of a stage whose answer by a person waits to be tried. */
export const answeredOf = (ledger: Ledger, stage: string): LedgerEntry | undefined =>
  entriesOf(ledger, stage).find((entry) => hasAnswer(entry) && !entry.orphaned);

const FLAPPING_MS = 7 * 86_400_000;

/** Whether a failure seen at `now` is back too soon after a fix of it was kept. */
export const isFlapping = ({ kept_at }: LedgerEntry, now: number): boolean =>
  kept_at !== undefined && now - Date.parse(kept_at) < FLAPPING_MS;

/** What was used on the day of `now`. A clock that jumped back refills nothing: it is still the latest day seen. */
export function usedOn(day: DayUsage, now: number): DayUsage {
  const date = new Date(now).toISOString().slice(0, 10);
  return date > day.date ? { date, tries: 0, tokens: 0 } : day;
}
