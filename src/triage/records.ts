// What can happen to a failure that the ledger must remember: the records of its journal, as typed values. Pure.
import type { FailureClass } from '../config/loop-config.ts';
import { amount, type Check, count, flag, listOf, name, oneOf, optional, shaped, text, time } from './shape.ts';

/** Every record type, with what it tells. Only `tried` and `called` spend anything, and `uncalled` gives a call back. */
export const LEDGER_TYPES = {
  snapshot: 'the whole ledger, where its journal was lost',
  seen: 'a stage failed with this fingerprint',
  decided: 'what was to be done about it, and why',
  tried: 'one pass through the executors ended in a fix, or in refusals only',
  called: 'an escalation is being called',
  uncalled: 'the call came to nothing, through no fault of the failure: whoever was called could not be reached',
  refused: 'an answer of an escalation was not taken, and why',
  patch: 'how a patch stands: refused, applied, judged or withdrawn',
  gave_up: 'the loop is at its end with it; a person is needed',
  recovered: 'the give_up of a stage cleared itself',
  'case.opened': 'it was handed over to a person',
  'case.closed': 'the case was answered, or its stage is green',
  reset: 'a person restarted the counters of a stage',
  notified: 'a person was told, and of what',
  used: 'a model used tokens, and what they cost',
} as const;

export type LedgerType = keyof typeof LEDGER_TYPES;

export const TIERS = ['wait', 'executor', 'escalation', 'give_up', 'none'] as const;
export type Tier = (typeof TIERS)[number];

/** Who a patch is by that a person gave: it is counted for nobody else. */
export const PERSON = 'person';

export const PATCH_TIERS = ['executor', 'escalation'] as const;
export const PATCH_OUTCOMES = [
  'refused',
  'applied',
  'provisional',
  'verified',
  'no_effect',
  'broke',
  'withdrawn',
  'declined',
] as const;
export type PatchOutcome = (typeof PATCH_OUTCOMES)[number];

export interface PatchData {
  hash: string;
  outcome: PatchOutcome;
  tier: (typeof PATCH_TIERS)[number];
  plugin: string;
  /** What it was to do and why, as its author says. */
  note?: { fix: string; reason: string };
  /** Why it ended so. */
  why?: string;
}

/** Why an answer was not taken; bounded, and no secret in it. */
export interface RefusedAnswer {
  plugin: string;
  tier: PatchData['tier'];
  code: string;
  reason: string;
  /** What it was to do. */
  fix?: string;
  /** When it was refused; the store says. */
  time?: string;
}

/** How the attempt ended. */
export interface AttemptEnded {
  exit_code: number | null;
  signal: string | null;
  timed_out: boolean;
}

interface Data {
  snapshot: { ledger: object };
  /** `excerpt`: for people, at most two lines; `log`: where the whole text is, from home. */
  seen: {
    class: FailureClass;
    transient: boolean;
    external: boolean;
    excerpt: string;
    log?: string;
    ended: AttemptEnded;
  };
  decided: { tier: Tier; reason: string };
  /** `hash`: the fix it ended in; `refused`: what was not taken on the way, or instead. */
  tried: { hash?: string; refused?: readonly RefusedAnswer[] };
  /** `case`: the file that was sent. */
  called: { case?: string };
  uncalled: Record<never, never>;
  notified: { state: string };
  refused: { refused: readonly RefusedAnswer[] };
  patch: PatchData;
  gave_up: Record<never, never>;
  recovered: Record<never, never>;
  'case.opened': { case: string };
  'case.closed': Record<never, never>;
  reset: Record<never, never>;
  used: { tokens: number; dollars?: number };
}

/** Without a fingerprint these concern all of the stage's. */
type StageType = 'recovered' | 'case.closed' | 'reset';
const STAGE_TYPES: readonly string[] = ['recovered', 'case.closed', 'reset'] satisfies StageType[];

type Place<T extends LedgerType> = T extends 'used' | 'snapshot'
  ? { stage?: string; fingerprint?: string }
  : T extends StageType
    ? { stage: string; fingerprint?: string }
    : { stage: string; fingerprint: string };

/** What a part of the loop says happened; the store adds the rest. */
export type LedgerHappening = { [T in LedgerType]: { type: T; run?: string; data: Data[T] } & Place<T> }[LedgerType];

export type LedgerRecord = LedgerHappening & { v: 1; seq: number; time: string };

export const isAttemptEnded = shaped({
  exit_code: (value) => value === null || Number.isInteger(value),
  signal: (value) => value === null || text(value),
  timed_out: flag,
});

const nothing = shaped({});
const isNote = shaped({ fix: text, reason: text });
export const isPatchData = shaped({
  ...{ hash: name, outcome: oneOf(PATCH_OUTCOMES), tier: oneOf(PATCH_TIERS), plugin: text },
  ...{ note: optional(isNote), why: optional(text) },
});
export const isRefusedAnswer = shaped({
  plugin: text,
  tier: oneOf(PATCH_TIERS),
  code: text,
  reason: text,
  fix: optional(text),
});
const DATA: Readonly<Record<LedgerType, Check>> = {
  snapshot: shaped({ ledger: nothing }),
  seen: shaped({
    class: name,
    transient: flag,
    external: flag,
    excerpt: text,
    log: optional(text),
    ended: isAttemptEnded,
  }),
  decided: shaped({ tier: oneOf(TIERS), reason: text }),
  tried: shaped({ hash: optional(name), refused: optional(listOf(isRefusedAnswer)) }),
  called: shaped({ case: optional(name) }),
  uncalled: nothing,
  notified: shaped({ state: name }),
  refused: shaped({ refused: listOf(isRefusedAnswer) }),
  patch: isPatchData,
  gave_up: nothing,
  recovered: nothing,
  'case.opened': shaped({ case: name }),
  'case.closed': nothing,
  reset: nothing,
  used: shaped({ tokens: count, dollars: optional(amount) }),
};

const isStamped = shaped({ v: oneOf([1]), seq: count, time, type: name, run: optional(text) });

/** Whether a value read from the journal is a record. */
export function isLedgerRecord(value: unknown): value is LedgerRecord {
  if (!isStamped(value)) return false;
  const { type, stage, fingerprint, data } = value as LedgerRecord;
  if (!Object.hasOwn(LEDGER_TYPES, type) || !DATA[type](data)) return false;
  const anywhere = type === 'used' || type === 'snapshot';
  const hasStage = anywhere ? optional(name) : name;
  const hasFingerprint = anywhere || STAGE_TYPES.includes(type) ? optional(name) : name;
  return hasStage(stage) && hasFingerprint(fingerprint);
}
