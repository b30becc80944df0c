// A fix is committed to the AI branch, and taken back when it did not help. Each step is recorded before and after it is
// done, so that a later process can go on from any point between.

import { itemNumber } from '../backlog/stage-of-item.ts';
import type { DataOf, Fix } from '../events.ts';
import { perRun, type Run } from '../stage/run.ts';
import { recordStale, writeAgain } from '../stage/stale.ts';
import type { Incident, Sighting } from '../triage/incident.ts';
import { changedIn, commitFix, isAsShown, putBack, revertFix } from '../worktree/commit-fix.ts';
import { fixMessage, revertMessage } from '../worktree/fix-message.ts';
import { trackedStatus, treeGit } from '../worktree/tree.ts';
import { record, sharedBy } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import type { FixOrigin, SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/** `moved`: another fix changed its files meanwhile; `safe_mode`: it was turned on meanwhile. */
export type Committed = { fix: Fix } | { none: 'moved' | 'safe_mode' };

/** Commit → the failure that its fix was made for, of fixes made by this process. */
export const madeFor = perRun(() => new Map<string, Sighting>());

/** Commits a fix that needs no question. Throws MendError when git or the disk refuses. */
export function commitToBranch(run: Run, incident: Incident, sound: SoundFix, origin: FixOrigin): Promise<Committed> {
  const { tree, config } = run;
  const { stage, step, attempt, failure } = incident;
  const { files, hash } = sound;
  const { plugin, tier, tried, accepted, proposed_by } = origin;
  // Commit messages may be pushed anywhere.
  const note = { fix: run.mask(sound.note.fix), reason: run.mask(sound.note.reason) };
  const paths = files.map(({ path }) => path);
  const created = files.filter(({ before }) => before === null).map(({ path }) => path);
  const { fingerprint, class: failureClass } = failure;
  const shapes = accepted ? [] : sound.shapes.map(run.mask);
  const more = {
    ...(accepted && { accepted }),
    ...(proposed_by && { proposed_by }),
    ...(shapes.length > 0 && { shapes }),
    ...sharedBy(incident),
  };
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
export function recordFixStays(
  { journal, tree }: Run,
  fix: Fix,
  { left = [], unchecked, ...judgement }: Judgement,
): void {
  const { stage, step, commit } = fix;
  const more = { ...(left.length > 0 && { left }), ...(unchecked && { unchecked }) };
  const data = { ...fixData(fix), ...judgement, commit, base: tree.base.commit, ...more };
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
