// A stage that was green before an item of the work queue fails with what the item changed: the item, and later ones on the same files,
// leave the branch, ticks included, and the stage runs without them. Failing alike brings all of it back by one move of the branch.
import { itemNumber, itemStageName } from '../backlog/stage-of-item.ts';
import type { NewEvent } from '../events.ts';
import { lines } from '../io/git.ts';
import { recordOf } from '../journal/stages.ts';
import { again } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import { staleEvent } from '../stage/stale.ts';
import { isInconclusive } from '../triage/judge.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { isStuck, putOnBase } from '../worktree/on-base.ts';
import { treeGit } from '../worktree/tree.ts';
import { fixJudged, fixRow } from './commit.ts';
import { type Answers, answerAll, type FailedCell } from './failed-cell.ts';
import { moveBranch, moverOf } from './move-branch.ts';
import { moveInRun } from './trial.ts';

/** Undefined: no item is to blame. Throws MendError when git or the disk refuses. */
export async function blameItem(run: Run, cells: readonly FailedCell[]): Promise<Answers | undefined> {
  const { failures } = run.journal;
  for (const { incident } of cells) {
    const dropped = failures.dropped.get(incident.step);
    if (dropped && !isInconclusive(incident)) await restoreItems(run, incident.step, dropped.from);
  }
  const cell = cells.find(({ incident }) => !failures.cleared.has(incident.step) && !isInconclusive(incident));
  if (!cell || failures.trial) return undefined;
  const { step, failure } = cell.incident;
  const commits = recordOf(run.journal.stages, step)?.stale?.commits ?? [];
  const items = commits.length > 0 ? await itemsOn(run) : [];
  const guilty = items.find(({ fixes }) => fixes.some(({ commit }) => commits.includes(commit)));
  if (!guilty) return undefined;
  const paths = new Set(guilty.fixes.flatMap((fix) => fix.paths));
  const later = items.slice(items.indexOf(guilty) + 1);
  const out = [guilty, ...later.filter(({ fixes }) => fixes.some((fix) => fix.paths.some((path) => paths.has(path))))];
  if (!(await dropItems(run, out, step, failure.fingerprint))) return undefined;
  return answerAll(cells, again(0, `it failed with item ${guilty.number}, which left the branch: once more`));
}

/** A step is green without the items that left the branch for it: these are open again. Recorded at once: all of it or nothing. */
export async function settleDropped(run: Run, step: string): Promise<void> {
  const dropped = run.journal.failures.dropped.get(step);
  if (!dropped) return;
  const { tree, journal } = run;
  const fixes = await committedFixes(treeGit(tree), tree.base.commit, dropped.from);
  const broke = fixes.filter(({ commit }) => dropped.commits.includes(commit));
  const why = `${step} failed with it`;
  journal.append(
    ...broke.map((fix) => fixJudged(fix, { outcome: 'broke', reason: `${step} is green without it` })),
    ...dropped.stages.map((stage) => staleEvent({ stage, why, remake: true }, tree.head, true)),
  );
}

interface ItemOnBranch {
  readonly number: string;
  /** With the ticks. */
  readonly commits: readonly string[];
  readonly fixes: readonly CommittedFix[];
}

/** The items whose changes are on the branch and not in the base, the first one first. */
async function itemsOn({ tree }: Run): Promise<ItemOnBranch[]> {
  const git = treeGit(tree);
  const range = `${tree.base.commit}..${tree.head}`;
  const format = '--format=%H %(trailers:key=Item,valueonly,separator=%x20)';
  const rows = lines(await git.run(['log', '--reverse', '--topo-order', format, '--grep=^Item: ', range]));
  const fixes = await committedFixes(git, tree.base.commit, tree.head);
  const items = new Map<string, string[]>();
  for (const row of rows) {
    const [commit = '', number = ''] = row.split(' ');
    items.set(number, [...(items.get(number) ?? []), commit]);
  }
  return [...items].map(([number, commits]) => ({
    number,
    commits,
    fixes: fixes.filter(({ commit, stage }) => commits.includes(commit) && itemNumber(stage) !== undefined),
  }));
}

/** False where the branch cannot be had without them. */
function dropItems(run: Run, items: readonly ItemOnBranch[], failing: string, fingerprint: string): Promise<boolean> {
  const { tree, journal, config } = run;
  return run.barrier.alone(async () => {
    journal.flush();
    const from = tree.head;
    const drop = new Set(items.flatMap(({ commits }) => commits));
    const { commit: base } = tree.base;
    const put = await putOnBase(treeGit(tree), { old: base, base, tip: from, drop, sign: config.loop.git.sign });
    if (isStuck(put)) return false;
    const ends = items.flatMap((item) =>
      item.fixes.map((fix) => ({ ...fixRow(fix), outcome: 'undone' as const, reason: `${failing} failed with it` })),
    );
    const data = { failing, fingerprint, from, to: put.to };
    journal.append(
      ...items.map(
        ({ number, commits }): NewEvent<'item.dropped'> => ({
          type: 'item.dropped',
          stage: itemStageName(number),
          data: { ...data, commits: [...commits] },
        }),
      ),
    );
    await move(run, put.to, `${failing} failed with ${items.map(({ number }) => `item ${number}`).join(', ')}`, ends);
    return true;
  });
}

function restoreItems(run: Run, failing: string, to: string): Promise<void> {
  return run.barrier.alone(async () => {
    const { journal, tree } = run;
    const dropped = journal.failures.dropped.get(failing);
    const fixes = await committedFixes(treeGit(tree), tree.base.commit, to);
    const back = fixes.filter(({ commit }) => dropped?.commits.includes(commit));
    // What was put on the branch since would be lost.
    if (tree.head === dropped?.to) {
      const why = `${failing} fails alike without it`;
      await move(
        run,
        to,
        why,
        back.map((fix) => ({ ...fixRow(fix), outcome: 'kept' as const, reason: why })),
      );
    }
    for (const stage of dropped?.stages ?? []) journal.append({ type: 'item.restored', stage, data: { failing } });
  });
}

const move = (run: Run, to: string, why: string, fixes: Parameters<typeof moveBranch>[1]['fixes']) =>
  moveInRun(run, to, false, () => moveBranch(moverOf(run), { from: run.tree.head, to, why, fixes }));
