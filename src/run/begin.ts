// From an open journal to a tree that stages can run in: what an earlier process left open is closed, the AI branch is put onto its
// base, what is not git's is linked and fetched, and what no longer stands is recorded.
import { type LoopEvent, noticeEvent } from '../events.ts';
import type { GitObjects } from '../io/git-objects.ts';
import type { StageState } from '../journal/stages.ts';
import { takeAnswers } from '../mend/answers.ts';
import { carriedEvents } from '../mend/identify.ts';
import { bringOntoBase, closeMove, moverOf } from '../mend/move-branch.ts';
import { journalsToLastWork, judgeOpenTrial } from '../mend/recover.ts';
import type { Run } from '../stage/run.ts';
import { findStale, lostWork, type StaleStage, staleEvent, writeAgain } from '../stage/stale.ts';
import { refuseTracked } from '../worktree/carry.ts';
import { furnish } from '../worktree/open.ts';
import { hearAnswers } from './hear-answers.ts';
import type { Prepared } from './prepare.ts';
import { isConflict, isRefusal, recordRefusal } from './refusal.ts';
import { began, recordCutOff } from './resume.ts';
import { type RunRequest, refuseStaleNeeds } from './select.ts';
import { configurationNotices } from './start-notices.ts';

/** Throws a MendError where no stage may run; one that a person must mend is recorded, and ends the run. */
export async function begin(prepared: Prepared, request: RunRequest, objects: GitObjects): Promise<void> {
  const { run, open, head, elsewhere, latest } = prepared;
  const { journal } = run;
  journal.append(began(run.lab, request, head, journal.steps, open !== undefined), ...elsewhere.takenIn);
  if (open) journal.append(...recordCutOff(journal.steps, (step) => elsewhere.followed.has(step)));
  journal.catchUp();
  journal.append(...carriedEvents(run));
  try {
    await readyTree(prepared, request, objects);
  } catch (error) {
    // One that was cut off is gone on with once that is done.
    if (isConflict(error) || (!open && isRefusal(error)))
      await recordRefusal(run, run.tree.base, error, latest?.events);
    throw error;
  }
}

async function readyTree(prepared: Prepared, request: RunRequest, objects: GitObjects): Promise<void> {
  const { run, open, head, worktree, notices } = prepared;
  const { journal, config, tree } = run;
  const mover = moverOf(run);
  await closeMove(mover);
  await judgeOpenTrial(run);
  await hearAnswers(run);
  takeAnswers(run);
  const isResumed = open?.treeOpened === true;
  const check = (to: string) => refuseTracked(objects, to, config.map.carry);
  const moved = isResumed ? undefined : await bringOntoBase(mover, tree.head, check);
  if (moved) tree.moved(moved.to);
  const furnished = await furnish(worktree, tree.head);
  tree.furnished(furnished.links);
  const changed = worktree.changed.filter((path) => !moved?.putBack.includes(path));
  const lost = lostWork(config.map, journal.stages, changed);
  const putBack = [...new Set([...worktree.putBack, ...(moved?.putBack ?? []), ...lost])];
  const stale = await staleAtStart(run, journal.stages, head.stages, putBack, open !== undefined);
  if (!open) refuseStaleNeeds(request, head.stages, run.requested, stale);
  const lacking = await configurationNotices(run, head.stages);
  // The simulated lab needs no credentials.
  const unlinked = run.lab === 'simulated' ? [] : furnished.unlinked;
  const [opened] = journalsToLastWork(run.layout).flatMap((events) => events.findLast(isOpened) ?? []);
  const before = opened?.data.unlinked ?? [];
  const { branch, base, head: commit } = tree;
  const merged = moved && { merged: { from: moved.from, to: moved.to } };
  notices.push(...furnished.notices, ...unlinked.filter((text) => !before.includes(text)));
  notices.push(...lacking.filter((notice) => typeof notice === 'string'));
  journal.append(
    {
      type: 'tree.opened',
      data: { branch, commit, base: base.name, ...merged, ...(unlinked.length > 0 && { unlinked }) },
    },
    // A resumed run is where it was: its own fixes made them stale.
    ...stale.map((stage) => staleEvent(stage, commit, isResumed)),
    ...notices.map(noticeEvent),
  );
  await writeAgain(run, putBack);
}

const isOpened = (event: LoopEvent): event is LoopEvent<'tree.opened'> => event.type === 'tree.opened';

/** Green stages that no longer stand. A new run looks at the stages asked for anyway, unless they must be made again. */
async function staleAtStart(
  run: Run,
  state: StageState,
  stages: readonly string[],
  putBack: readonly string[],
  isResumed: boolean,
): Promise<StaleStage[]> {
  const isAll = Object.keys(run.config.map.stages).every((name) => stages.includes(name));
  if (isAll && !isResumed && putBack.length === 0) return [];
  const stale = await findStale(run, state, { putBack });
  return stale.filter(({ stage, remake }) => isResumed || remake || !stages.includes(stage));
}
