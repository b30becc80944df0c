// A fix that passed the gate is committed, or its owner is asked about it first.
import { isItemStage } from '../backlog/stage-of-item.ts';
import { excerptOf } from '../failure/excerpt.ts';
import type { Ask } from '../fix/edit.ts';
import { limited } from '../io/signals.ts';
import type { Run, Suggestion } from '../stage/run.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import type { Incident } from '../triage/incident.ts';
import { type Committed, commitToTrial } from './commit.ts';
import { record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { changesOnce, type ProposedFix } from './proposal.ts';

/** Commits a fix; one that the owner must be asked about only when they agree. Throws as `commitToTrial`. */
export async function applyFix(
  run: Run,
  incident: Incident,
  proposed: ProposedFix,
  timeLeftMs: number,
): Promise<Committed | { none: Exclude<OwnersChoice, 'apply'> }> {
  const { sound, origin } = proposed;
  if (origin.judged) return commitToTrial(run, incident, sound, origin);
  // Checked again: a stage may have turned green since the gate's verdict.
  const once = await madeOnceFrom(
    run,
    sound.files.map(({ path }) => path),
  );
  const ask = sound.ask ?? changesOnce(once);
  if (origin.accepted || !ask) return commitToTrial(run, incident, sound, origin);
  // Queueing an item allows that its changes are tried; its owner is asked when its acceptance holds.
  if (isItemStage(incident.stage) && ask.code !== 'every_change' && ask.code !== 'changes_once')
    return commitToTrial(run, incident, { ...sound, ask }, origin);
  const word = await suggestFix(run, incident, proposed, ask, timeLeftMs);
  if (word !== 'apply') return { none: word };
  return commitToTrial(run, incident, sound, { ...origin, accepted: true, answered_at: 'terminal' });
}

/** How long to wait for a person at a terminal. */
const ANSWER_MS = 120_000;

/** `apply`: they agree; `handed_over`: it is in an open case; `spent`: they decline; `stopped`: the run was. */
type OwnersChoice = 'apply' | 'handed_over' | 'spent' | 'stopped';

/** Asks the owner about a fix. Unless it is applied, which counts as a try itself, the try that ended in it is spent. */
async function suggestFix(
  run: Run,
  incident: Incident,
  { sound, origin }: ProposedFix,
  ask: Ask,
  timeLeftMs: number,
): Promise<OwnersChoice> {
  const { hash, note, files, diff } = sound;
  const { plugin, tier, tried } = origin;
  const data = { tier, hash, plugin, note: { ...note } };
  patchFiles(run.layout).write(hash, files, diff, note);
  record(run, incident, 'fix.suggested', { ...data, ask });
  const suggestion: Suggestion = {
    step: incident.step,
    plugin,
    tier,
    hash,
    note: { fix: run.mask(note.fix), reason: run.mask(note.reason) },
    excerpt: run.mask(excerptOf(incident.failure)),
    diff: run.mask(diff),
    ask: { code: ask.code, reasons: ask.reasons.map(run.mask) },
  };
  const choice = await choiceOf(run, suggestion, timeLeftMs);
  if (choice === 'apply' || choice === 'stopped') return choice;
  if (choice === 'decline') record(run, incident, 'fix.declined', { ...data, answered_at: 'terminal' });
  else {
    const { leaveSuggestion } = await import('./cases.ts');
    await leaveSuggestion(run, incident, suggestion, files);
  }
  if (tried) record(run, incident, 'try.ended', {});
  return choice === 'decline' ? 'spent' : 'handed_over';
}

/** The choice of the person at the terminal, if there is one; no answer in time means later. */
async function choiceOf(run: Run, suggestion: Suggestion, timeLeftMs: number) {
  const { signal, end } = limited(timeLeftMs, run.signal);
  let isLate = false;
  try {
    if (!run.person) return signal.aborted ? 'stopped' : 'leave';
    void run.clock.sleep(ANSWER_MS, signal).then(() => {
      isLate = !signal.aborted;
      end();
    });
    const choice = await run.person(suggestion, signal);
    return isLate ? 'leave' : signal.aborted ? 'stopped' : choice;
  } finally {
    end();
  }
}
