// The one way to the owner: a sound fix waits for their word, for what it does or because they want to see each one. At a
// terminal they are asked; else, and when they say nothing, it becomes an open case.
import { excerptOf } from '../failure/fingerprint.ts';
import { limited } from '../io/signals.ts';
import type { Run, Suggestion } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import type { FoundFix } from './proposal.ts';

/** How long a person at a terminal is waited for. */
const ANSWER_MS = 120_000;

/** `apply`: they agree; `handed_over`: an open case has it; `spent`: they do not want it; `stopped`: the run was. */
export type OwnersWord = 'apply' | 'handed_over' | 'spent' | 'stopped';

/** Suggests a fix. A try that ended in it is spent, unless it is applied: then the fix itself counts. */
export async function suggestFix(
  run: Run,
  incident: Incident,
  { sound, origin, notes }: FoundFix,
  timeLeftMs: number,
): Promise<OwnersWord> {
  const { hash, note, ask, files, diff } = sound;
  const { plugin, tier, tried } = origin;
  const data = { tier, hash, plugin, note: { ...note } };
  record(run, incident, 'fix.suggested', { ...data, ...(ask && { ask }) });
  patchFiles(run.layout).write(hash, files, diff, note);
  const suggestion: Suggestion = {
    step: incident.step,
    plugin,
    tier,
    hash,
    note: { fix: run.mask(note.fix), reason: run.mask(note.reason) },
    excerpt: run.mask(excerptOf(incident.failure)),
    diff: run.mask(diff),
    ...(ask && { ask: { code: ask.code, reasons: ask.reasons.map(run.mask) } }),
  };
  const choice = await choiceOf(run, suggestion, timeLeftMs);
  if (choice === 'apply' || choice === 'stopped') return choice;
  if (choice === 'decline') record(run, incident, 'fix.declined', data);
  else {
    const { leaveSuggestion } = await import('./cases.ts');
    await leaveSuggestion(run, incident, suggestion, notes);
  }
  if (tried) record(run, incident, 'try.ended', {});
  return choice === 'decline' ? 'spent' : 'handed_over';
}

/** What the person at the terminal says, if there is one; their silence means later. */
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
