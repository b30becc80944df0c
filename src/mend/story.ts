// A failure that came in the place of another stands on the fix of that one. An answer to it is made on top of that fix, so
// both are applied together, and one attempt judges them.
import type { Run } from '../stage/run.ts';
import type { Fix, Incident } from '../triage/incident.ts';
import { entryOf, restOfStory } from '../triage/ledger.ts';
import { reapply } from './ask.ts';
import { applyFix, recordFixStays } from './commit.ts';

/** Applies what belongs behind a fix that came back: later fixes of its story, and a person's answer. Throws as `applyFix`. */
export async function goOnWithStory(run: Run, incident: Incident, first: Fix, timeLeftMs: () => number): Promise<void> {
  const { stage, failure } = incident;
  let fix = first;
  for (const { fingerprint, hash } of restOfStory(run.journal.ledger, stage, first)) {
    const history = entryOf(run.journal.ledger, stage, fingerprint);
    if (!history) return;
    const next = { ...incident, history, failure: { ...failure, fingerprint, class: history.class } };
    const answer = await reapply(run, next, [hash]);
    // The attempt that follows shows where things stand without it.
    if (!('sound' in answer)) return;
    recordFixStays(run, fix, 'provisional', 'what was made on top of it is applied with it');
    const applied = await applyFix(run, next, answer, timeLeftMs());
    if (!('fix' in applied)) return;
    fix = applied.fix;
  }
}
