// The changes of an item of the work queue stay or go together: all are taken back for a stage that failed with them, and all
// are brought back when it fails alike without them.
import { MendError } from '../errors.ts';
import type { Fix } from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import { recordStale, writeAgain } from '../stage/stale.ts';
import type { Charge } from '../triage/incident.ts';
import { entryOf, fixesIn, type LedgerFix } from '../triage/ledger.ts';
import { changedIn, revertFix } from '../worktree/commit-fix.ts';
import { committedFixes, standingFixes } from '../worktree/find-fix.ts';
import { treeGit } from '../worktree/tree.ts';
import { fixData, recordFixStays, recordWithdrawn, restoreTracked, takeBack } from './commit.ts';

/** What was changed for an item, however it ended, the newest first. */
export const changesOf = ({ journal }: Run, stage: string): LedgerFix[] =>
  fixesIn(journal.ledger)
    .filter((fix) => fix.stage === stage)
    .reverse();

export const isOnBranch = ({ outcome, commit }: Pick<LedgerFix, 'outcome' | 'commit'>): boolean =>
  (outcome === 'holds' || outcome === 'verified') && commit !== '';

/** Takes back the changes of an item, the newest first; fixes that stand on them are superseded. Throws E_FIX_STUCK. */
export async function takeBackItem(
  run: Run,
  stage: string,
  why: string,
  charged?: { step: string; fingerprint: string },
) {
  // The newest is charged with the failure; the others are applied again with it.
  let outcome: 'broke' | 'withdrawn' = charged ? 'broke' : 'withdrawn';
  for (const change of changesOf(run, stage).filter(isOnBranch)) {
    const go = () => takeBack(run, change, outcome, why, charged);
    await go().catch(async (error) => {
      const above = isStuck(error) ? await standingOn(run, change) : [];
      if (above.length === 0) throw error;
      for (const fix of above)
        await takeBack(run, fix, 'superseded', `it stands on "${change.note.fix}", which was taken back`);
      await go();
    });
    outcome = 'withdrawn';
  }
}

const isStuck = (error: unknown): boolean => error instanceof MendError && error.code === 'E_FIX_STUCK';

/** Later fixes that stand and changed the same files, the newest first. */
async function standingOn({ tree }: Run, { commit }: Fix): Promise<Fix[]> {
  const all = standingFixes(await committedFixes(treeGit(tree), tree.base.commit, tree.head));
  const at = all.findIndex((fix) => fix.commit === commit);
  const paths = new Set(all[at]?.paths);
  return all.slice(0, Math.max(0, at)).filter((fix) => fix.paths.some((path) => paths.has(path)));
}

/** Brings back, in their order, what was taken back for the failure of a step that fails alike without it. */
export async function bringBack(run: Run, step: string, { fixes }: Charge): Promise<void> {
  const reason = `${step} fails alike without it`;
  for (const { fix, takenBackBy } of [...fixes].reverse())
    await commitAgain(run, fix, takenBackBy, reason, step).catch((error) => {
      if (!isStuck(error)) throw error;
      // Another fix is in its place by now: it is applied again with its item.
      recordWithdrawn(run, fix, reason);
    });
}

/** Commits a fix again, as it was first: intent, commit, outcome. */
function commitAgain(run: Run, fix: Fix, takenBackBy: string, reason: string, failing: string): Promise<void> {
  const { tree, journal, config } = run;
  const { stage, step, fingerprint } = fix;
  return run.barrier.alone(async () => {
    const restored = await restoreTracked(run);
    const git = treeGit(tree);
    const paths = await changedIn(tree, takenBackBy);
    const files = await tree.files();
    const { class: failureClass = 'unknown' } = entryOf(journal.ledger, stage, fingerprint) ?? {};
    const data = { ...fixData(fix), class: failureClass, paths, tried: false };
    const created = paths.filter((path) => !files.has(path));
    journal.append({ type: 'fix.intended', stage, step, data: { ...data, created } });
    const message = (await git.run(['log', '-1', '--format=%B', fix.commit])).replace(/^Run: .*$/m, `Run: ${run.id}`);
    const commit = await revertFix(tree, takenBackBy, `${message.trimEnd()}\n`, config.loop.git);
    tree.moved(commit);
    journal.append({ type: 'fix.committed', stage, step, data: { ...data, commit } });
    recordFixStays(run, { ...fix, commit }, { outcome: 'holds', reason, left: [failing] });
    await recordStale(run, commit, { changed: paths, putBack: [] });
    // The failing stage must still turn green with it.
    const { stage: failed } = splitStepName(failing);
    journal.append({
      type: 'stage.stale',
      stage: failed,
      status: 'idle',
      data: { why: reason, commit, by_fix: true, back: true },
    });
    await writeAgain(run, restored);
  });
}
