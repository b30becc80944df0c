// Events → the ledger, by folding the events of each failure in order. Pure.
import { type DataOf, type EventType, type FixState, KNOWN_FIXES, type LoopEvent, PERSON } from '../events.ts';
import { carryOver } from './carry-over.ts';
import {
  entriesOf,
  entryKey,
  entryOf,
  hasAnswer,
  isLedger,
  type Ledger,
  type LedgerEntry,
  MAX_REFUSED,
  type Patch,
  patchIn,
  type RefusedAnswer,
  seenBy,
} from './ledger.ts';

type Folds = { [T in EventType]?: (entry: LedgerEntry, event: LoopEvent<T>) => void };

/** What each event of a failure's story changes: these are the lines of the ledger's own journal. */
const STORY = {
  'failure.seen': recordSighting,
  'failure.decided': (entry, { data }) => {
    entry.last_tier = data.tier;
    entry.last_reason = data.reason;
  },
  'failure.given_up': (entry, { time }) => {
    entry.gave_up_at = time;
  },
  'try.ended': spendTry,
  'escalation.called': (entry, { data }) => {
    entry.escalation_calls += 1;
    if (data.case !== undefined) entry.escalated = data.case;
  },
  'escalation.refunded': (entry) => {
    entry.escalation_calls = Math.max(0, entry.escalation_calls - 1);
  },
  // Counted for the day, not for the failure.
  'model.used': () => {},
  'plugin.passed': (entry, { data, time }) => {
    const { plugin, tier, reason, prompt } = data;
    addRefusedAnswer(entry, { plugin, tier, reason, code: 'pass' }, time);
    const others = (entry.passes ?? []).filter((pass) => pass.plugin !== plugin);
    if (prompt !== undefined) entry.passes = [...others, { plugin, prompt }];
  },
  'fix.refused': recordRefusal,
  'fix.suggested': (entry, { data: { tier, plugin, note, hash, ask }, time }) => {
    addRefusedAnswer(entry, { tier, plugin, note, hash, code: 'ask', reason: ask?.reasons.join('; ') ?? '' }, time);
  },
  'fix.declined': (entry, event) => {
    if (entry.first?.hash === event.data.hash) delete entry.first;
    setState(entry, event, event.data, 'declined');
  },
  'fix.committed': (entry, event) => {
    const { hash, tried } = event.data;
    if (entry.first?.hash === hash) {
      if (entry.first.because === 'prepared') entry.prepared = true;
      delete entry.first;
    }
    setState(entry, event, event.data, 'applied');
    if (tried) spendTry(entry);
  },
  'fix.judged': recordEnd,
  'fix.prepared': (entry, { data: { fingerprint: _, ...first } }) => {
    entry.first = first;
  },
  // Followed by what became of each fix.
  'trial.opened': () => {},
  'trial.ended': () => {},
  'case.opened': (entry, { data }) => {
    if (data.given_up) return;
    entry.case = data.case;
    delete entry.suggestion;
    if (data.hash !== undefined) entry.suggestion = { hash: data.hash, ...(data.ask && { ask: data.ask }) };
    // People are notified of it again.
    delete entry.notified;
  },
  'case.closed': (entry, { data }) => {
    caseOver(entry, data.case, `closed: ${data.reason}`);
    delete entry.case;
    delete entry.suggestion;
    if (data.green && hasAnswer(entry)) delete entry.first;
    if (data.green && entry.orphaned) delete entry.gave_up_at;
  },
  'case.answered': recordPersonsAnswer,
  'person.notified': (entry, { data, time }) => {
    entry.notified = data.state;
    entry.notified_at = time;
  },
  // The counters stay: the same failure again means that what changed made no difference.
  'stage.recovered': (entry) => {
    delete entry.gave_up_at;
  },
  'stage.reset': reset,
  'branch.intended': () => {},
  'branch.moved': () => {},
  'branch.stayed': () => {},
  'failure.carried': () => {},
  'ledger.snapshot': () => {},
} as const satisfies Folds;

export type StoryEvent = LoopEvent<keyof typeof STORY>;

export const isStory = (event: LoopEvent): event is StoryEvent => Object.hasOwn(STORY, event.type);

/** Folds one event into `ledger`, in place; each must come once. Never throws. */
export function foldLedger(ledger: Ledger, event: StoryEvent): void {
  const { run, seq } = event;
  if (event.type === 'ledger.snapshot') {
    if (isLedger(event.data.ledger)) {
      delete ledger.renamed;
      delete ledger.total;
      delete ledger.move;
      Object.assign(ledger, structuredClone(event.data.ledger));
    }
  } else if (event.type === 'branch.intended') ledger.move = event.data;
  else if (event.type === 'branch.moved' || event.type === 'branch.stayed') {
    if (event.type === 'branch.moved' && ledger.move) followMove(ledger, ledger.move);
    delete ledger.move;
  } else if (event.type === 'failure.carried') {
    if (event.stage !== undefined) carryOver(ledger, { stage: event.stage, ...event.data });
  } else {
    countUse(ledger, event);
    const fold = STORY[event.type] as (entry: LedgerEntry, event: StoryEvent) => void;
    for (const entry of entriesFor(ledger, event)) fold(entry, event);
  }
  ledger.as_of = { run, seq };
  ledger.last_line = { run, seq };
}

/** Fixes go by another commit now, or are the base's. */
function followMove(ledger: Ledger, { base, fixes }: DataOf<'branch.intended'>): void {
  for (const fix of fixes) {
    const patch = patchIn(ledger, fix);
    if (patch && fix.to !== undefined) patch.commit = fix.to;
    if (patch && fix.landed) patch.landed = base;
  }
}

function countUse(ledger: Ledger, event: StoryEvent): void {
  const { day } = ledger;
  const date = event.time.slice(0, 10);
  // Only a later day starts anew: after a clock jumped back, what is used counts for the latest day seen.
  if (date > day.date) {
    Object.assign(day, { date, tries: 0, tokens: 0 });
    delete day.prompts;
    delete day.dollars;
  }
  const isTry = event.type === 'try.ended' || (event.type === 'fix.committed' && event.data.tried);
  if (!isTry && event.type !== 'model.used') return;
  const { tokens, dollars = 0 } = event.type === 'model.used' ? event.data : { tokens: 0 };
  const { total = { tries: 0, prompts: 0, tokens: 0, dollars: 0 } } = ledger;
  ledger.total = {
    tries: total.tries + (isTry ? 1 : 0),
    prompts: total.prompts + (isTry ? 0 : 1),
    tokens: total.tokens + tokens,
    dollars: total.dollars + dollars,
  };
  if (isTry) day.tries += 1;
  else {
    day.tokens += tokens;
    day.prompts = (day.prompts ?? 0) + 1;
    if (dollars > 0) day.dollars = (day.dollars ?? 0) + dollars;
  }
}

function entriesFor(ledger: Ledger, event: StoryEvent): LedgerEntry[] {
  if (event.type === 'model.used' || event.stage === undefined) return [];
  const { stage } = event;
  const fingerprint = 'fingerprint' in event.data ? event.data.fingerprint : undefined;
  // Without a fingerprint it concerns all failures of the stage.
  if (!fingerprint) return entriesOf(ledger, stage);
  const entry = entryOf(ledger, stage, fingerprint) ?? newEntry(stage, fingerprint, event.time);
  ledger.entries[entryKey(stage, entry.fingerprint)] = entry;
  return [entry];
}

const newEntry = (stage: string, fingerprint: string, time: string): LedgerEntry => ({
  stage,
  fingerprint,
  class: 'unknown',
  transient: false,
  external: false,
  excerpt: '',
  first_seen: time,
  last_seen: time,
  times_seen: 0,
  ended: { exit_code: null, signal: null, timed_out: false },
  executor_tries: 0,
  escalation_calls: 0,
  fruitless: 0,
  patches: [],
});

const EXCERPT_LINES = 2;
const EXCERPT_WIDTH = 200;

function recordSighting(entry: LedgerEntry, { data, time, run, stage, step = stage }: LoopEvent<'failure.seen'>): void {
  const lines = data.excerpt.split('\n').slice(0, EXCERPT_LINES);
  entry.class = data.class;
  entry.transient = data.transient;
  entry.external = data.external;
  entry.excerpt = lines.map((line) => line.slice(0, EXCERPT_WIDTH)).join('\n');
  if (entry.times_seen === 0) entry.first_seen = data.first_seen;
  entry.last_seen = time;
  Object.assign(entry, seenBy(entry, run, step));
  entry.run = run;
  if (data.algorithm !== undefined) entry.algorithm = data.algorithm;
  if (data.log === undefined) delete entry.log;
  else entry.log = data.log;
  entry.ended = data.ended;
}

function spendTry(entry: LedgerEntry): void {
  entry.executor_tries += 1;
}

/** An answer that was not taken, or a change that was to be the first and does not fit any more. */
function recordRefusal(entry: LedgerEntry, event: LoopEvent<'fix.refused'>): void {
  const { plugin, tier, code, reasons, note, hash } = event.data;
  if (hash !== undefined && entry.first?.hash === hash) delete entry.first;
  // Known fixes are looked for at every failure; no model learns from what one of them proposed.
  if (plugin === KNOWN_FIXES) return;
  addRefusedAnswer(entry, { plugin, tier, code, reason: reasons.join('; '), note, hash }, event.time);
}

const REASON_LENGTH = 300;

/** One that came before is there once, counted: repeated run after run it would push the others out. */
function addRefusedAnswer(entry: LedgerEntry, said: RefusedAnswer, time: string): void {
  const { plugin, tier, code, note, hash } = said;
  const reason = said.reason.slice(0, REASON_LENGTH);
  const isEqual = (other: RefusedAnswer) =>
    hash === undefined
      ? other.plugin === plugin && other.code === code && other.reason === reason && other.hash === undefined
      : other.hash === hash;
  const earlier = entry.refused ?? [];
  const times = 1 + (earlier.find(isEqual)?.times ?? 0);
  const answer = { plugin, tier, code, reason, ...(note && { note }), ...(hash && { hash }), times, time };
  entry.refused = [...earlier.filter((other) => !isEqual(other)), answer].slice(-MAX_REFUSED);
}

type FixData = Pick<Patch, 'hash' | 'tier' | 'plugin'> & Partial<Omit<Patch, 'outcome' | 'time'>>;

/** The patch as it stands now; an event without note, commit or author keeps the earlier ones. Returns how it stood before. */
function setState({ patches }: LedgerEntry, { time, run }: LoopEvent, data: FixData, outcome: FixState, why?: string) {
  const { hash, tier, plugin, left, unchecked, unjudged, base, unseen } = data;
  const index = patches.findIndex((patch) => patch.hash === hash);
  const earlier = patches[index];
  const now: Patch = {
    ...{ hash, outcome, tier, plugin },
    note: data.note?.fix ? data.note : earlier?.note,
    why,
    commit: data.commit || earlier?.commit,
    run,
    left: left?.length ? left : undefined,
    ...{ unchecked, unjudged },
    accepted: data.accepted || earlier?.accepted,
    shapes: data.shapes ?? earlier?.shapes,
    proposed_by: data.proposed_by ?? (earlier?.plugin === plugin ? earlier.proposed_by : undefined),
    answered_at: data.answered_at ?? earlier?.answered_at,
    base,
    unseen: unseen?.length ? unseen : undefined,
    time,
  };
  // What is not known is not stored.
  for (const [key, value] of Object.entries(now)) if (!value) delete now[key as keyof Patch];
  if (index === -1) patches.push(now);
  else patches[index] = now;
  return earlier;
}

const FRUITLESS: readonly (FixState | undefined)[] = ['no_effect', 'broke'];

/** How a fix ended: what that means for the counters of its failure. */
function recordEnd(entry: LedgerEntry, event: LoopEvent<'fix.judged'>): void {
  const { outcome, reason, tier, plugin, left = [] } = event.data;
  const before = setState(entry, event, event.data, outcome, reason);
  const isFruitless = FRUITLESS.includes(outcome);
  if (tier === 'escalation' && plugin !== PERSON && isFruitless && !FRUITLESS.includes(before?.outcome))
    entry.fruitless += 1;
  // The change that was to be tried again is the one that broke something.
  if (outcome === 'broke' && !hasAnswer(entry)) delete entry.first;
  const isMended = outcome === 'kept' && left.length === 0;
  // With the owner's text in its place the counters start anew.
  if (isMended || outcome === 'superseded') restart(entry);
  if (isMended) entry.kept_at = event.time;
  // The owner's word: that the failure returns is no flapping.
  if (outcome === 'superseded' || (outcome === 'declined' && before?.outcome === 'kept')) delete entry.kept_at;
}

/** What was decided last, because of the case, says how that stands now. */
function caseOver(entry: LedgerEntry, name: string, how: string): void {
  if (entry.last_reason?.startsWith(`case ${name} is `)) entry.last_reason = `case ${name} is ${how}`;
}

/** Only a person's latest answer counts. */
function recordPersonsAnswer(entry: LedgerEntry, event: LoopEvent<'case.answered'>): void {
  const { case: name, hash, tier, plugin, note, proposed_by, answered_at } = event.data;
  caseOver(entry, name, 'answered: that is applied first');
  delete entry.case;
  delete entry.suggestion;
  if (entry.first && hasAnswer(entry) && entry.first.hash !== hash) setState(entry, event, entry.first, 'declined');
  const by = { ...(proposed_by && { proposed_by }), ...(answered_at && { answered_at }) };
  entry.first = { hash, tier, plugin, note, because: 'answered', ...by };
}

function reset(entry: LedgerEntry): void {
  restart(entry);
  // Declined patches may be proposed again after a reset; the journal keeps that they were declined.
  entry.patches = entry.patches.filter((p) => p.outcome !== 'declined');
  delete entry.prepared;
  delete entry.gave_up_at;
  delete entry.case;
  delete entry.suggestion;
  delete entry.kept_at;
  delete entry.notified;
  delete entry.notified_at;
}

function restart(entry: LedgerEntry): void {
  Object.assign(entry, { executor_tries: 0, escalation_calls: 0, fruitless: 0 });
  delete entry.escalated;
  delete entry.passes;
}
