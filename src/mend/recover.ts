// A trial that an earlier process left open: judged once, from its journal. The worktree is on the AI branch again already.
import { type LoopEvent, noticeEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { readEvents } from '../journal/event-file.ts';
import { listRuns } from '../journal/runs.ts';
import { recordOf } from '../journal/stages.ts';
import { stepNames } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import { recordStale } from '../stage/stale.ts';
import { RunFailures, type Trial } from '../triage/incident.ts';
import { isAncestor } from '../worktree/base.ts';
import { unwriteFix } from '../worktree/commit-fix.ts';
import { treeGit } from '../worktree/tree.ts';
import { changedBetween, followTrial, forgetTrial, hasCommits } from '../worktree/trial-tree.ts';
import { recordAccepted, recordMissedTicks, tickItem } from './item.ts';
import { patchFiles } from './patch-files.ts';
import { recordKept, recordUndone, staleBy } from './trial.ts';

/**
 * Ends an open trial: kept where the AI branch has it already, or where all that it needs to be kept is on record; else undone. Throws
 * MendError when git or the disk refuses.
 */
export async function judgeOpenTrial(run: Run): Promise<void> {
  const { tree, layout } = run;
  // The oldest first: the end of a trial may be in the journal of a later start.
  const events = journalsToLastWork(layout).reverse().flat();
  await finishIntent(run, events);
  const { trial } = new RunFailures(events);
  if (trial && trial.fixes.length === 0) await recordUndone(run, trial, CUT_OFF);
  else if (trial) await judgeByJournal(run, trial);
  await forgetTrial(tree);
  await recordMissedTicks(run, events);
}

const CUT_OFF = 'the loop was stopped before it could be judged';

async function judgeByJournal(run: Run, trial: Trial): Promise<void> {
  const { tree, journal } = run;
  const git = treeGit(tree);
  const last = trial.fixes.at(-1)?.fix.commit as string;
  const isThere = tree.head !== trial.from && (await isAncestor(git, last, tree.head));
  const isGreen = stepNames(trial.stage, run.config.map.stages[trial.stage]).every(
    (step) => recordOf(journal.stages, step)?.status === 'green',
  );
  const isSeen =
    isGreen && staleBy(run, trial).length === 0 && tree.head === trial.from && (await hasCommits(git, last));
  if (isSeen) {
    await followTrial(tree, trial.from, last);
    tree.moved(last);
    const tick = await tickItem(run, trial.stage, trial.fixes);
    if (tick !== undefined) tree.moved(tick);
  }
  if (isThere || isSeen) {
    recordKept(run, trial, tree.head, 'the stage is green');
    return recordAccepted(run, trial.stage, tree.head);
  }
  const text = `a change for ${trial.stage} was being tried when the loop was stopped; it is undone, and tried first when its failure returns`;
  if (!(await hasCommits(git, last))) {
    // Collected by git meanwhile: nothing of it is in the tree.
    return recordUndone(run, trial, CUT_OFF, { isGone: true });
  }
  const changed = await changedBetween(tree, trial.from, last);
  await recordUndone(run, trial, CUT_OFF, { isCutOff: true });
  journal.append(noticeEvent(text));
  await recordStale(run, tree.head, { changed, putBack: [] });
}

/** The newest journals, down to the first with work on a step: those above it ended before anything could be recovered. */
export function journalsToLastWork(layout: Layout): LoopEvent[][] {
  const journals: LoopEvent[][] = [];
  for (const id of listRuns(layout).reverse()) {
    const { events } = readEvents(layout.journal(id));
    journals.push(events);
    if (events.some(({ type }) => type.startsWith('step.'))) return journals;
  }
  return journals;
}

/** Files of a fix that was being written: what was tracked is as it was already, what it created is removed. */
async function finishIntent({ layout, tree }: Run, events: readonly LoopEvent[]): Promise<void> {
  const intent = events.findLast((event): event is LoopEvent<'fix.intended'> => event.type === 'fix.intended');
  const isOver = ({ type, run, seq }: LoopEvent) =>
    /^fix\.committed$|^trial\.ended$/.test(type) && (run !== intent?.run || seq > intent.seq);
  if (!intent || events.some(isOver)) return;
  const { created, paths, hash } = intent.data;
  const texts = patchFiles(layout).textsOf(hash);
  const newFiles = created.flatMap((path) => (texts.has(path) ? [{ path, text: texts.get(path) as string }] : []));
  await unwriteFix(tree, paths, newFiles);
}
