// What a person says to a case: as events, for whoever holds the lock; or left in a file while a run is at work, which takes it before
// its next attempt.
import { join } from 'node:path';
import { type NewEvent, NO_NOTE, PERSON } from '../events.ts';
import { namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, ownFolder, readChecked, removeFile, writeAtomic } from '../io/store.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { type Checked, oneOf, shaped, text, time } from '../shape.ts';
import type { Run } from '../stage/run.ts';
import { entryOf, type Ledger } from '../triage/ledger.ts';
import { openCaseStore } from './case-store.ts';

const isAnswer = shaped({ version: oneOf([1]), case: text, what: oneOf(['accept', 'decline']), time });
type Answer = Checked<typeof isAnswer>;

/** What is recorded of an answer, and the case as it is then. */
export interface Spoken {
  readonly events: readonly NewEvent[];
  readonly summary: CaseSummary;
}

/** The change `hash` is to be tried before the stage runs again. `proposed_by`: whose suggestion was accepted. */
export function accepted(
  summary: CaseSummary,
  {
    hash,
    note,
    proposed_by,
  }: { hash: string; note: { fix: string; reason: string }; proposed_by?: string | undefined },
): Spoken {
  const { stage, fingerprint, case: name } = summary;
  const by = { tier: 'escalation', plugin: PERSON, ...(proposed_by !== undefined && { proposed_by }) } as const;
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

export function declined(summary: CaseSummary, ledger: Ledger, now: number): Spoken {
  const { stage, fingerprint, case: name } = summary;
  const fix = declinedFix(summary, ledger);
  const why = 'declined by its owner';
  return {
    events: [
      ...(fix ? [{ type: 'fix.declined' as const, stage, data: { fingerprint, ...fix } }] : []),
      { type: 'case.closed', stage, data: { fingerprint, case: name, reason: why } },
    ],
    summary: { ...summary, state: 'closed', closed: { time: new Date(now).toISOString(), why } },
  };
}

/** Leaves an answer for the run at work. The last one for a case counts. */
export function leaveAnswer({ answers }: Layout, name: string, what: Answer['what'], now: number): void {
  const answer: Answer = { version: 1, case: name, what, time: new Date(now).toISOString() };
  ownFolder(answers);
  writeAtomic(join(answers, `${name}.json`), `${JSON.stringify(answer)}\n`);
}

/** Takes the answers that were left: each is on record before its file goes. The stages that they are for. */
export function takeAnswers({ layout, journal, clock }: Pick<Run, 'layout' | 'journal' | 'clock'>): string[] {
  const store = openCaseStore(layout);
  return namesIn(layout.answers).flatMap((name) => {
    if (!name.endsWith('.json')) return [];
    const path = join(layout.answers, name);
    const read = readChecked(path, isAnswer, leaveInPlace);
    const listed = read.found ? store.read(read.value.case) : undefined;
    const summary = listed && 'summary' in listed && listed.summary.state === 'open' ? listed.summary : undefined;
    const spoken = read.found && summary ? spokenOf(summary, read.value, journal.ledger, clock.now()) : undefined;
    if (spoken) {
      journal.append(...spoken.events);
      store.writeSummary(spoken.summary);
    }
    removeFile(path);
    return spoken ? [spoken.summary.stage] : [];
  });
}

function spokenOf(summary: CaseSummary, { what }: Answer, ledger: Ledger, now: number): Spoken | undefined {
  if (what === 'decline') return declined(summary, ledger, now);
  const { patch: hash, suggested } = summary;
  return hash && suggested
    ? accepted(summary, { hash, note: suggested.note, proposed_by: suggested.plugin })
    : undefined;
}
