// A fix becomes a commit of the trial, which its first fix opens. Each step is recorded before and after it is done, so that a later
// process can go on from any point between.

import { itemNumber } from '../backlog/stage-of-item.ts';
import { MendError } from '../errors.ts';
import type { DataOf, Fix, NewEvent } from '../events.ts';
import { perRun, type Run } from '../stage/run.ts';
import { recordStale, writeAgain } from '../stage/stale.ts';
import type { Incident, Sighting } from '../triage/incident.ts';
import { commitFix, isAsShown, putBack } from '../worktree/commit-fix.ts';
import { fixMessage } from '../worktree/fix-message.ts';
import { trackedStatus, treeGit } from '../worktree/tree.ts';
import { beginTrial, endTrial, extendTrial } from '../worktree/trial-tree.ts';
import { record, sharedBy } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import type { FixOrigin, SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/**
 * `moved`: another fix changed its files meanwhile; `safe_mode`: it was turned on meanwhile; `refused`: a hook of the owner's, or their
 * signing key, does not let it be committed.
 */
export type Committed = { fix: Fix } | { none: 'moved' | 'safe_mode' } | { none: 'refused'; why: MendError };

/** Patch → the failure that it is tried for, of fixes made by this process. */
export const madeFor = perRun(() => new Map<string, Sighting>());

/** Commits a fix that needs no question. Throws MendError when git or the disk refuses. */
export function commitToTrial(run: Run, incident: Incident, sound: SoundFix, origin: FixOrigin): Promise<Committed> {
  const { tree, config, journal } = run;
  const { stage, step, attempt, failure } = incident;
  const { files, hash } = sound;
  const { plugin, tier, tried, accepted, proposed_by, answered_at } = origin;
  // Commit messages may be pushed anywhere.
  const note = { fix: run.mask(sound.note.fix), reason: run.mask(sound.note.reason) };
  const paths = files.map(({ path }) => path);
  const created = files.filter(({ before }) => before === null).map(({ path }) => path);
  const { fingerprint, class: failureClass } = failure;
  const shapes = accepted ? [] : sound.shapes.map(run.mask);
  const more = {
    ...(accepted && { accepted }),
    ...(sound.ask &&
      !accepted &&
      !origin.judged && { ask: { code: sound.ask.code, reasons: sound.ask.reasons.map(run.mask) } }),
    ...(proposed_by && { proposed_by }),
    ...(answered_at && { answered_at }),
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
    if (!journal.failures.trial) {
      journal.append({ type: 'trial.opened', stage, data: { from: tree.head } });
      await beginTrial(tree, tree.head);
      tree.moved(tree.head, true);
    }
    record(run, incident, 'fix.intended', { ...data, created });
    const texts = files.map(({ path, after: text, executable }) => ({ path, text, ...(executable && { executable }) }));
    const commit = await commitFix(tree, texts, message, config.loop.git).catch((error) => asRefusal(run, error));
    if (commit instanceof MendError) {
      await recordRefused(run, incident, { ...data, tried: origin.tried }, commit);
      return { none: 'refused', why: commit };
    }
    await extendTrial(tree, commit);
    tree.moved(commit, true);
    record(run, incident, 'fix.committed', { ...data, commit });
    madeFor(run).set(hash, incident);
    await recordStale(run, commit, { changed: paths, putBack: [] });
    await writeAgain(run, restored);
    return { fix: { stage, step, fingerprint, hash, commit, tier, plugin, note } };
  });
}

/** What git said, where the owner's hooks or key may be why; anything else is thrown. */
function asRefusal({ config }: Run, error: unknown): MendError {
  const { hooks, sign } = config.loop.git;
  if (error instanceof MendError && error.code === 'E_GIT_FAILED' && (hooks || sign)) return error;
  throw error;
}

/** The try is spent, and the change is the first when its failure returns: no model is asked for it again. */
async function recordRefused(
  run: Run,
  incident: Incident,
  { hash, tier, plugin, note, tried }: Pick<DataOf<'fix.committed'>, 'hash' | 'tier' | 'plugin' | 'note' | 'tried'>,
  { message, problems }: MendError,
): Promise<void> {
  const { journal, tree } = run;
  const reasons = [message, ...problems].map(run.mask);
  record(run, incident, 'fix.refused', { tier, plugin, round: 1, code: 'git', reasons, note: { ...note } });
  if (tried) record(run, incident, 'try.ended', {});
  record(run, incident, 'fix.prepared', { tier, plugin, hash, note, because: 'undone' });
  const { trial } = journal.failures;
  if (!trial || trial.fixes.length > 0) return;
  const { stage, from } = trial;
  const reason = 'git refuses the commit';
  journal.append({ type: 'trial.ended', stage, data: { outcome: 'undone', reason, from, to: from } });
  await endTrial(tree, tree.base.branch);
  tree.moved(from);
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

/** A fix as a move of the branch has it. */
export const fixRow = ({ stage, step, fingerprint, tier, hash, plugin, note, commit }: Fix) => ({
  ...{ stage, step, fingerprint, tier, hash, plugin, note: { ...note }, commit },
});

export type FixEnd = Pick<DataOf<'fix.judged'>, 'outcome' | 'reason'> & Partial<DataOf<'fix.judged'>>;

/** How a fix ended. */
export function fixJudged(fix: Fix, end: FixEnd): NewEvent<'fix.judged'> {
  const { stage, step, ...data } = fixRow(fix);
  return { type: 'fix.judged', stage, step, data: { ...data, ...end } };
}
