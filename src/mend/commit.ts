// A fix that passed the gate is committed to the AI branch, and taken back when it did not help. Each step is recorded before
// and after it is done, so that a later process can go on from any point between.

import { itemNumber } from '../backlog/stage-of-item.ts';
import type { DataOf, Fix } from '../events.ts';
import { excerptOf } from '../failure/fingerprint.ts';
import { limited } from '../io/signals.ts';
import { perRun, type Run, type Suggestion } from '../stage/run.ts';
import { madeOnceFrom, recordStale, writeAgain } from '../stage/stale.ts';
import type { Incident, Sighting } from '../triage/incident.ts';
import { changedIn, commitFix, isAsShown, putBack, revertFix } from '../worktree/commit-fix.ts';
import { fixMessage, revertMessage } from '../worktree/fix-message.ts';
import { trackedStatus, treeGit } from '../worktree/tree.ts';
import { record, sharedBy } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { changesOnce, type FixOrigin, type ProposedFix, type SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/**
 * The committed fix, or why it was not. `moved`: another fix changed its files meanwhile; `safe_mode`: it was turned on
 * meanwhile; `handed_over`: it is in an open case; `spent`: a person declined it.
 */
export type Applied = { fix: Fix } | { none: 'moved' | 'safe_mode' | 'handed_over' | 'spent' | 'stopped' };

/** Commit → the failure that its fix was made for, of fixes made by this process. */
export const madeFor = perRun(() => new Map<string, Sighting>());

/** Commits a fix; one that the owner must be asked about only when they agree. Throws MendError when git or the disk refuses. */
export async function applyFix(
  run: Run,
  incident: Incident,
  proposed: ProposedFix,
  timeLeftMs: number,
): Promise<Applied> {
  const { sound, origin } = proposed;
  // Checked again: a stage may have turned green since the gate's verdict.
  const ask = sound.ask ?? changesOnce(await madeOnceFrom(run, pathsOf(sound)));
  const isAgreed = origin.accepted || (run.config.loop.mode !== 'suggest' && !ask);
  if (isAgreed) return commitToBranch(run, incident, sound, origin);
  const word = await suggestFix(run, incident, { ...proposed, sound: { ...sound, ask } }, timeLeftMs);
  return word === 'apply' ? commitToBranch(run, incident, sound, { ...origin, accepted: true }) : { none: word };
}

const pathsOf = ({ files }: SoundFix): string[] => files.map(({ path }) => path);

/** Commits a fix that was accepted or needs no question. */
function commitToBranch(run: Run, incident: Incident, sound: SoundFix, origin: FixOrigin): Promise<Applied> {
  const { tree, config } = run;
  const { stage, step, attempt, failure } = incident;
  const { files, hash } = sound;
  const { plugin, tier, tried, accepted, proposed_by } = origin;
  // Commit messages may be pushed anywhere.
  const note = { fix: run.mask(sound.note.fix), reason: run.mask(sound.note.reason) };
  const paths = pathsOf(sound);
  const created = files.filter(({ before }) => before === null).map(({ path }) => path);
  const { fingerprint, class: failureClass } = failure;
  const more = { ...(accepted && { accepted }), ...(proposed_by && { proposed_by }), ...sharedBy(incident) };
  const data = { hash, class: failureClass, tier, plugin, note, paths, tried, ...more };
  const place = { stage, step, attempt, fingerprint, run: run.id, item: itemNumber(stage), case: origin.case };
  const message = fixMessage({ ...data, ...place });
  // Recorded and done while nothing else writes, so that there is never more than one intended fix.
  return run.barrier.alone(async () => {
    if (readSafeMode(run.layout) !== undefined) return { none: 'safe_mode' };
    if (!(await isAsShown(tree, files))) return { none: 'moved' };
    patchFiles(run.layout).write(hash, files, sound.diff, note);
    const restored = await restoreTracked(run);
    record(run, incident, 'fix.intended', { ...data, created });
    const texts = files.map(({ path, after: text, executable }) => ({ path, text, ...(executable && { executable }) }));
    const commit = await commitFix(tree, texts, message, config.loop.git);
    tree.moved(commit);
    record(run, incident, 'fix.committed', { ...data, commit });
    madeFor(run).set(commit, incident);
    await recordStale(run, commit, { changed: paths, putBack: [] });
    await writeAgain(run, restored);
    return { fix: { stage, step, fingerprint, hash, commit, tier, plugin, note } };
  });
}

/** Puts back tracked files that stages changed, after recording which stages that makes stale. Returns the files. */
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
    journal.flush();
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

type Judgement = Pick<DataOf<'fix.judged'>, 'outcome' | 'reason' | 'left' | 'unchecked'>;

/** Records the outcome of a fix that stays on the branch. */
export function recordFixStays({ journal }: Run, fix: Fix, { left = [], unchecked, ...judgement }: Judgement): void {
  const { stage, step, commit } = fix;
  const more = { ...(left.length > 0 && { left }), ...(unchecked && { unchecked }) };
  const data = { ...fixData(fix), ...judgement, commit, ...more };
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

/** How long to wait for a person at a terminal. */
const ANSWER_MS = 120_000;

/** `apply`: they agree; `handed_over`: it is in an open case; `spent`: they decline; `stopped`: the run was. */
type OwnersChoice = 'apply' | 'handed_over' | 'spent' | 'stopped';

/** Asks the owner about a fix. Unless it is applied, which counts as a try itself, the try that ended in it is spent. */
async function suggestFix(
  run: Run,
  incident: Incident,
  { sound, origin, notes }: ProposedFix,
  timeLeftMs: number,
): Promise<OwnersChoice> {
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
