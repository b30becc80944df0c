// What a run reads of its owner's repository first: the base, its configuration, and whether a run that was cut off goes on.
import { openGit } from '../io/git.ts';
import type { GitObjects } from '../io/git-objects.ts';
import type { LoadedStages } from '../journal/load-stages.ts';
import { baseOf, configurationAt, loopDifference } from '../stage/configuration.ts';
import { type Base, isAncestor, notOnBase } from '../worktree/base.ts';
import { withItems } from './items.ts';
import { cutOffRun } from './resume.ts';
import { askedText, type RunRequest } from './select.ts';

/** The base and its configuration; with a cut-off run that this one goes on with (`open`), the commit that one began with. */
export async function readBase(request: RunRequest, objects: GitObjects, loaded: LoadedStages, now: number) {
  const { home, stages } = request;
  const current = await baseOf(home, objects);
  const missed = await notOnBase(home, current);
  const { open, why: whyClosed } =
    (await cutOffRun(loaded, askedText(request), now, (commit) => isAncestor(openGit(home), commit, current.commit))) ??
    {};
  // The names are masked in the journal when they hold a secret; they cannot have changed meanwhile.
  const base = open ? { ...current, commit: open.head.base.commit } : current;
  const isMoved = current.commit !== base.commit;
  const { committed, settings } = await readSettings(request, base, isMoved, objects);
  const config = await withItems(committed, open?.head.stages ?? stages, objects, base.commit);
  return { open, whyClosed, base, isMoved, missed, settings, config };
}

/** Base and configuration as a new run finds them. Throws MendError where they cannot be used. */
export async function readStart(request: RunRequest, objects: GitObjects) {
  const base = await baseOf(request.home, objects);
  return { base, ...(await readSettings(request, base, false, objects)) };
}

/** `settings`: what the working tree says otherwise, unless the base has moved on. */
async function readSettings(request: RunRequest, base: Base, isMoved: boolean, objects: GitObjects) {
  const { home, backend, ai } = request;
  const committed = await configurationAt(home, base, { objects, backend });
  if (isMoved) return { committed, settings: [] };
  const { notices, unasked } = await loopDifference(home, base, request, objects);
  if (unasked && ai) throw unasked;
  return { committed, settings: notices };
}
