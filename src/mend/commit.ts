// A fix that passed the gate, on its way to the AI branch and, when it did not help, back. Each step is recorded before and
// after it is done, so that a later process can go on from any point between.
import { itemNumber } from '../backlog/stage-of-item.ts';
import { excerptOf } from '../failure/fingerprint.ts';
import { limited } from '../io/signals.ts';
import { perRun, type Run, type Suggestion } from '../stage/run.ts';
import { madeOnceFrom, recordStale, writeAgain } from '../stage/stale.ts';
import type { Incident, Sighting } from '../triage/incident.ts';
import type { Fix } from '../triage/ledger.ts';
import { changedIn, commitFix, isAsShown, putBack, revertFix } from '../worktree/commit-fix.ts';
import { fixMessage, revertMessage } from '../worktree/fix-message.ts';
import { trackedStatus, treeGit } from '../worktree/tree.ts';
import { record, sharedBy } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { changesOnce, type FixOrigin, type FoundFix, type SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/**
 * What became of a fix. `moved`: another fix changed its files meanwhile; `safe_mode`: it came on meanwhile;
 * `handed_over`: a person has it; `spent`: a person does not want it.
 */
export type Applied = { fix: Fix } | { none: 'moved' | 'safe_mode' | 'handed_over' | 'spent' | 'stopped' };

/** Commit → the failure that its fix was made for, as far as this process met it. */
export const madeFor = perRun(() => new Map<string, Sighting>());

/** Applies a fix; one that waits for the owner's word only when they agree. Throws MendError when git or the disk refuses. */
export async function applyFix(run: Run, incident: Incident, found: FoundFix, timeLeftMs: number): Promise<Applied> {
  const { sound, origin } = found;
  // Looked at again: a stage may have turned green since it was judged.
  const ask = sound.ask ?? changesOnce(await madeOnceFrom(run, pathsOf(sound)));
  const isAgreed = origin.accepted || (run.config.loop.mode !== 'suggest' && !ask);
  if (isAgreed) return commitToBranch(run, incident, sound, origin);
  const word = await suggestFix(run, incident, { ...found, sound: { ...sound, ask } }, timeLeftMs);
  return word === 'apply' ? commitToBranch(run, incident, sound, { ...origin, accepted: true }) : { none: word };
}

const pathsOf = ({ files }: SoundFix): string[] => files.map(({ path }) => path);

/** Commits a fix that nobody is to be asked about. */
function commitToBranch(run: Run, incident: Incident, sound: SoundFix, origin: FixOrigin): Promise<Applied> {
  const { tree, config } = run;
  const { stage, step, attempt, failure } = incident;
  const { files, hash } = sound;
  const { plugin, tier, tried, accepted } = origin;
  // It goes into commits, which may go anywhere.
  const note = { fix: run.mask(sound.note.fix), reason: run.mask(sound.note.reason) };
  const paths = pathsOf(sound);
  const created = files.filter(({ before }) => before === null).map(({ path }) => path);
  const { fingerprint, class: failureClass } = failure;
  const more = { ...(accepted && { accepted }), ...sharedBy(incident) };
  const data = { hash, class: failureClass, tier, plugin, note, paths, tried, ...more };
  const messageFields = {
    stage,
    step,
    attempt,
    fingerprint,
    class: failureClass,
    hash,
    note,
    plugin,
    tier,
    run: run.id,
    item: itemNumber(stage),
  };
  // Recorded and done while nobody else writes: no two fixes are ever on their way at once.
  return run.barrier.alone(async () => {
    if (readSafeMode(run.layout) !== undefined) return { none: 'safe_mode' };
    if (!(await isAsShown(tree, files))) return { none: 'moved' };
    patchFiles(run.layout).write(hash, files, sound.diff, note);
    const restored = await restoreTracked(run);
    record(run, incident, 'fix.intended', { ...data, created });
    const texts = files.map(({ path, after, executable }) => ({
      path,
      text: after,
      ...(executable ? { executable } : {}),
    }));
    const commit = await commitFix(tree, texts, fixMessage({ ...messageFields, case: origin.case }), config.loop.git);
    tree.moved(commit);
    record(run, incident, 'fix.committed', { ...data, commit });
    madeFor(run).set(commit, incident);
    await recordStale(run, commit, { changed: paths, putBack: [] });
    await writeAgain(run, restored);
    return { fix: { stage, step, fingerprint, hash, commit, paths, tier, plugin, note } };
  });
}

/** Puts back what stages changed in tracked files; before that is done, it is recorded whose work is lost. Returns the files. */
export async function restoreTracked(run: Run): Promise<readonly string[]> {
  const { tree } = run;
  const { changed } = await trackedStatus(treeGit(tree));
  if (changed.length === 0) return [];
  await recordStale(run, tree.head, { changed: [], putBack: changed });
  await putBack(tree);
  return changed;
}

/** Takes a fix back by a commit of its own; `outcome` says why. Throws E_FIX_STUCK when it cannot be. */
export function takeBack(
  run: Run,
  fix: Fix,
  outcome: 'no_effect' | 'broke' | 'withdrawn' | 'superseded',
  reason: string,
  charged?: { step: string; fingerprint: string },
): Promise<void> {
  const { tree, journal, config } = run;
  return run.barrier.alone(async () => {
    const restored = await restoreTracked(run);
    const message = revertMessage(fix, outcome, reason, run.id, charged);
    const commit = await revertFix(tree, fix.commit, message, config.loop.git);
    tree.moved(commit);
    journal.append({
      type: 'fix.reverted',
      stage: fix.stage,
      step: fix.step,
      data: { ...fixData(fix), outcome, reason, commit, reverts: fix.commit, ...(charged && { charged }) },
    });
    await recordStale(run, commit, { changed: await changedIn(tree, fix.commit), putBack: [] });
    await writeAgain(run, restored);
  });
}

/** Records how a fix that stays stands now; `left`: the cells that it did not help. */
export function recordFixStays(
  { journal }: Run,
  fix: Fix,
  outcome: 'provisional' | 'holds' | 'verified',
  reason: string,
  left: readonly string[] = [],
): void {
  const { stage, step, commit } = fix;
  const data = { ...fixData(fix), outcome, reason, commit, ...(left.length > 0 && { left: [...left] }) };
  journal.append({ type: 'fix.judged', stage, step, data });
}

/** Records that a fix which is not on the branch counts as withdrawn: its failure is not charged to it any more. */
export function recordWithdrawn({ journal }: Run, fix: Fix, reason: string): void {
  const data = { ...fixData(fix), outcome: 'withdrawn', reason, commit: '', reverts: fix.commit } as const;
  journal.append({ type: 'fix.reverted', stage: fix.stage, step: fix.step, data });
}

export const fixData = ({ fingerprint, tier, hash, plugin, note }: Fix) => ({
  fingerprint,
  tier,
  hash,
  plugin,
  note: { ...note },
});

/** How long a person at a terminal is waited for. */
const ANSWER_MS = 120_000;

/** `apply`: they agree; `handed_over`: an open case has it; `spent`: they do not want it; `stopped`: the run was. */
type OwnersWord = 'apply' | 'handed_over' | 'spent' | 'stopped';

/** Suggests a fix. A try that ended in it is spent, unless it is applied: then the fix itself counts. */
async function suggestFix(
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
