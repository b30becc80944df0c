// Items of the work queue in a run: those that their commands accepted are ticked on the AI branch, and one that lost a change
// is open again, or gets it back.
import type { Item } from '../backlog/item.ts';
import { BACKLOG_FOLDER, INDEX_FILE, type QueuedItem, readQueue } from '../backlog/queue.ts';
import { isItemStage, itemStageName } from '../backlog/stage-of-item.ts';
import { acceptItem, logOf, tickEntry, withEntry } from '../backlog/ticks.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { recordOf } from '../journal/stages.ts';
import { recordFixStays } from '../mend/commit.ts';
import { bringBack, changesOf, isOnBranch, takeBackItem } from '../mend/item-changes.ts';
import { journalsToLastWork } from '../mend/recover.ts';
import type { Run } from '../stage/run.ts';
import { staleEvent } from '../stage/stale.ts';
import { type LedgerFix, lostChange } from '../triage/ledger.ts';
import { commitFix } from '../worktree/commit-fix.ts';
import { clip, MAX_SUBJECT } from '../worktree/fix-message.ts';
import { short } from '../worktree/messages.ts';
import { treeGit } from '../worktree/tree.ts';
import { backlogAt } from './items.ts';

/** Ticks the items that this run was asked for and that are green now: boxes, log and index in one commit each. */
export async function tickAccepted(run: Run, objects: GitObjects): Promise<void> {
  for (const name of run.requested.filter(isItemStage)) {
    if (recordOf(run.journal.stages, name)?.status !== 'green') continue;
    const files = await backlogAt(objects, run.tree.head);
    const item = itemOfStage(files, name);
    if (item && !item.done) await tick(run, item, files);
  }
}

async function tick(run: Run, item: QueuedItem, files: ReadonlyMap<string, string>): Promise<void> {
  const stage = itemStageName(item.number);
  const fixes = changesOf(run, stage).filter(isOnBranch).reverse();
  const what = fixes.map(({ note, commit }) => `${note.fix} (${short(commit)})`);
  const accepted = item.acceptance.map((command) => `\`${command.split('\n')[0]}\``).join(', ');
  const entry = run.mask(`${today(run)}: ${what.join('; ') || 'was true already'}; accepted by ${accepted}`);
  const commit = await commitTicks(run, item, files, acceptItem(files.get(item.file) ?? '', entry), true);
  recordAccepted(run, item, commit, entry);
}

function recordAccepted({ journal }: Run, { number: item, title }: Item, commit: string, entry: string): void {
  journal.append({ type: 'item.accepted', stage: itemStageName(item), data: { item, title, commit, entry } });
}

/** Records ticks that an earlier process committed and had no time to record. */
async function recordTicks(run: Run, objects: GitObjects): Promise<void> {
  const { journal, tree, layout } = run;
  if (!Object.keys(journal.stages.stages).some(isItemStage)) return;
  const events = journalsToLastWork(layout).flat();
  const recorded = new Set(events.flatMap(({ type, stage }) => (type === 'item.accepted' ? [stage] : [])));
  const green = events.filter(
    ({ type, stage = '' }) => type === 'stage.green' && isItemStage(stage) && !recorded.has(stage),
  );
  for (const [stage, { run: id }] of new Map(green.map((event) => [event.stage ?? '', event]))) {
    const files = await backlogAt(objects, tree.head);
    const item = itemOfStage(files, stage);
    const ticks = ['--all-match', `--grep=^Item: ${item?.number}$`, `--grep=^Run: ${id}$`, '--grep=^Tick '];
    const range = `${tree.base.commit}..${tree.head}`;
    const commit = item?.done && (await treeGit(tree).run(['log', '-1', '--format=%H', ...ticks, range])).trim();
    if (item && commit) recordAccepted(run, item, commit, logOf(files.get(item.file) ?? '').at(-1) ?? '');
  }
}

/**
 * Settles items that lost a change: a stage failed with it, a person took it back, or the owner's text is in its place. The
 * other changes are taken back too and the item is open again; or, where the stage fails alike without them, all are brought
 * back. `isOver`: no stage of this run is left to decide that.
 */
export async function settleItems(run: Run, objects: GitObjects, isOver: boolean): Promise<void> {
  if (!isOver) await recordTicks(run, objects);
  const { entries } = run.journal.ledger;
  const stages = new Set(Object.values(entries).flatMap(({ stage, patches }) => (patches.length > 0 ? [stage] : [])));
  for (const stage of stages)
    if (isItemStage(stage) && !run.requested.includes(stage)) await settleItem(run, stage, objects, isOver);
}

async function settleItem(run: Run, stage: string, objects: GitObjects, isOver: boolean): Promise<void> {
  const { charges } = run.journal.failures;
  const [step, charge] = [...charges].find(([, { fixes }]) => fixes.some(({ fix }) => fix.stage === stage)) ?? [];
  const isComingBack = ({ outcome, left = [] }: LedgerFix) => outcome === 'applied' || left.includes(step ?? '');
  if (step !== undefined && charge && changesOf(run, stage).some(isComingBack)) {
    for (const fix of changesOf(run, stage).filter(({ outcome }) => outcome === 'applied'))
      recordFixStays(run, fix, { outcome: 'holds', reason: `${step} fails alike without it`, left: [step] });
    return bringBack(run, step, charges.get(step) ?? { ...charge, fixes: [] });
  }
  const lost = lostChange(run.journal.ledger, stage, recordOf(run.journal.stages, stage)?.since);
  if (!lost) return;
  const why = lost.why ?? 'a change of it was taken back';
  const charged = step !== undefined && charge ? { step, fingerprint: charge.fingerprint } : undefined;
  if (lost.outcome !== 'superseded') await takeBackItem(run, stage, why, charged);
  // A stage that is still to run without the changes may yet clear them.
  if (charged && !isOver) return;
  await reopen(run, stage, why, objects);
}

async function reopen(run: Run, stage: string, why: string, objects: GitObjects): Promise<void> {
  const files = await backlogAt(objects, run.tree.head);
  const item = itemOfStage(files, stage);
  if (item?.done) {
    const entry = run.mask(`${today(run)}: open again, ${why} (run ${run.id})`);
    await commitTicks(run, item, files, withEntry(files.get(item.file) ?? '', entry), false);
  }
  run.journal.append(staleEvent({ stage, why, remake: true }, run.tree.head, true));
}

const itemOfStage = (files: ReadonlyMap<string, string>, stage: string): QueuedItem | undefined =>
  readQueue(files).items.find(({ number }) => itemStageName(number) === stage);

const today = ({ clock }: Run): string => new Date(clock.now()).toISOString().slice(0, 10);

/** Commits the item's new text and its line in the index, ticked or not. Returns the commit. */
function commitTicks(
  run: Run,
  { file, number, title }: Item,
  files: ReadonlyMap<string, string>,
  itemText: string,
  isDone: boolean,
): Promise<string> {
  const name = file.slice(BACKLOG_FOLDER.length + 1);
  const texts = [
    { path: file, text: itemText },
    { path: INDEX_FILE, text: tickEntry(files.get(INDEX_FILE) ?? '', name, isDone) },
  ];
  const subject = isDone ? `Tick ${number}: ${title}` : `Open ${number} again: ${title}`;
  const message = `${clip(subject, MAX_SUBJECT)}\n\nItem: ${number}\nRun: ${run.id}\n`;
  return run.barrier.alone(async () => {
    run.journal.flush();
    const commit = await commitFix(run.tree, texts, message, run.config.loop.git);
    run.tree.moved(commit);
    return commit;
  });
}
