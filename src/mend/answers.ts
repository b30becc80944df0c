// What a person says to a case: as events, for whoever holds the lock; or left in a file while a run is at work, which takes it before
// its next attempt.
import { join } from 'node:path';
import { ANSWERED_AT, type AnsweredAt, type NewEvent, NO_NOTE, PERSON } from '../events.ts';
import { namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, ownFolder, readChecked, removeFile, writeAtomic } from '../io/store.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { type Checked, name, oneOf, optional, shaped, text, time } from '../shape.ts';
import type { Run } from '../stage/run.ts';
import { entryOf, type Ledger } from '../triage/ledger.ts';
import { type CaseStore, openCaseStore } from './case-store.ts';

/** An answer to a case, or one that was not taken, to be put on record. */
const isAnswer = shaped({
  version: oneOf([1]),
  case: optional(text),
  what: oneOf(['accept', 'decline', 'refused']),
  at: optional(oneOf(ANSWERED_AT)),
  /** The change that it is about; another one is not meant. */
  patch: optional(name),
  /** Why it was refused. */
  reason: optional(text),
  time,
});
type Answer = Checked<typeof isAnswer>;

/** What is recorded of an answer, and the case as it is then. */
export interface Spoken {
  readonly events: readonly NewEvent[];
  readonly summary: CaseSummary;
}

/** The change `hash` is to be tried before the stage runs again. `proposed_by`: whose suggestion was accepted. */
export function accepted(
  summary: CaseSummary,
  change: { hash: string; note: { fix: string; reason: string }; proposed_by?: string | undefined },
  answered_at: AnsweredAt,
): Spoken {
  const { hash, note, proposed_by } = change;
  const { stage, fingerprint, case: name } = summary;
  const by = {
    tier: 'escalation',
    plugin: PERSON,
    answered_at,
    ...(proposed_by !== undefined && { proposed_by }),
  } as const;
  const data = { fingerprint, case: name, hash, ...by, note: { ...note } };
  return {
    events: [{ type: 'case.answered', stage, data }],
    summary: { ...summary, state: 'answered', why: `answered: ${note.fix}` },
  };
}

/** The fix that is declined with a case, if there is one: the suggested one, or the answer that waits. */
export function declinedFix({ stage, fingerprint, state, patch, suggested }: CaseSummary, ledger: Ledger) {
  const { plugin, tier, note = NO_NOTE } = suggested ?? { plugin: 'unknown', tier: 'executor' as const };
  if (state === 'open') return patch === undefined ? undefined : { hash: patch, plugin, tier, note: { ...note } };
  const { first } = entryOf(ledger, stage, fingerprint) ?? {};
  if (first?.because !== 'answered') return undefined;
  return { hash: first.hash, plugin: first.plugin, tier: first.tier, note: first.note };
}

export function declined(summary: CaseSummary, ledger: Ledger, now: number, answered_at: AnsweredAt): Spoken {
  const { stage, fingerprint, case: name } = summary;
  const fix = declinedFix(summary, ledger);
  const why = `declined by its owner (${answered_at})`;
  return {
    events: [
      ...(fix ? [{ type: 'fix.declined' as const, stage, data: { fingerprint, ...fix, answered_at } }] : []),
      { type: 'case.closed', stage, data: { fingerprint, case: name, reason: why, answered_at } },
    ],
    summary: { ...summary, state: 'closed', closed: { time: new Date(now).toISOString(), why } },
  };
}

/** Leaves an answer for the run at work. The last one for a case counts. */
export function leaveAnswer(
  layout: Layout,
  answer: { case: string; what: 'accept' | 'decline'; patch?: string | undefined; at: AnsweredAt },
  now: number,
): void {
  write(layout, answer.case, { version: 1, ...answer, time: new Date(now).toISOString() });
}

/** So many refused answers wait to be put on record; more would only fill the disk. */
const MAX_REFUSED_FILES = 50;

/** Leaves a refused answer for the next run to put on record. */
export function leaveRefusal(
  layout: Layout,
  { at, reason, case: about }: { at: AnsweredAt; reason: string; case?: string | undefined },
  now: number,
): void {
  const before = namesIn(layout.answers).filter((file) => file.startsWith(REFUSED)).length;
  if (before >= MAX_REFUSED_FILES) return;
  const time = new Date(now).toISOString();
  write(layout, `${REFUSED}${now}-${before}`, { version: 1, what: 'refused', at, reason, case: about, time });
}

/** No name of a case begins so. */
const REFUSED = '_refused-';

function write({ answers }: Layout, file: string, answer: Answer): void {
  ownFolder(answers);
  writeAtomic(join(answers, `${file}.json`), `${JSON.stringify(answer)}\n`);
}

/** The answer to a case that waits for the run at work, or for the next one. */
export function answerLeft({ answers }: Layout, name: string): Answer['what'] | undefined {
  const read = readChecked(join(answers, `${name}.json`), isAnswer, leaveInPlace);
  return read.found ? read.value.what : undefined;
}

/** Takes the answers that were left: each is on record before its file goes. The stages that they are for. */
export function takeAnswers({ layout, journal, clock }: Pick<Run, 'layout' | 'journal' | 'clock'>): string[] {
  const store = openCaseStore(layout);
  return namesIn(layout.answers).flatMap((file) => {
    if (!file.endsWith('.json')) return [];
    const path = join(layout.answers, file);
    const read = readChecked(path, isAnswer, leaveInPlace);
    const spoken = read.found ? spokenOf(store, read.value, journal.ledger, clock.now()) : undefined;
    if (spoken) journal.append(...spoken.events);
    if (spoken?.summary) store.writeSummary(spoken.summary);
    removeFile(path);
    return spoken?.summary ? [spoken.summary.stage] : [];
  });
}

function spokenOf(
  store: CaseStore,
  answer: Answer,
  ledger: Ledger,
  now: number,
): (Pick<Spoken, 'events'> & Partial<Spoken>) | undefined {
  const { what, case: about, at: answered_at = 'terminal', patch, reason = '' } = answer;
  const refused = (reason: string) => {
    const data = { answered_at, reason, ...(about !== undefined && { case: about }) };
    return { events: [{ type: 'answer.refused' as const, data }] };
  };
  if (what === 'refused') return refused(reason);
  const listed = store.read(about ?? '');
  if (!listed || !('summary' in listed)) return refused('there is no such case any more');
  const { summary } = listed;
  const problem = whyNotAnswered(summary, { what, patch });
  if (problem !== undefined) return refused(problem);
  if (what === 'decline') return declined(summary, ledger, now, answered_at);
  const { patch: hash = '', suggested } = summary;
  return accepted(summary, { hash, note: suggested?.note ?? NO_NOTE, proposed_by: suggested?.plugin }, answered_at);
}

/** Why a person's word on a case means nothing any more; undefined: it counts. `patch`: the change that they saw. */
export function whyNotAnswered(
  { state, patch: hash, suggested, closed, case: name }: CaseSummary,
  { what, patch }: { what: 'accept' | 'decline'; patch?: string | undefined },
): string | undefined {
  if (state === 'closed') return `the case ${name} is closed: ${closed?.why ?? ''}`;
  if (state === 'answered') return `the case ${name} has its answer already`;
  if (state === 'asked') return `the case ${name} is with an escalation`;
  if (state === 'given_up' && what === 'decline') return `nothing in the case ${name} waits for a word`;
  if (patch !== undefined && patch !== hash)
    return `the case ${name} has another change now than the one that was answered`;
  return what === 'accept' && !(hash && suggested) ? `no change waits in the case ${name}` : undefined;
}
