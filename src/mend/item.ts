// An item of the work queue is a trial whose judge is its acceptance: kept with its boxes, log and line ticked in one commit of the same
// trial.
import type { Item } from '../backlog/item.ts';
import { BACKLOG_FOLDER, INDEX_FILE, type QueuedItem, readQueue } from '../backlog/queue.ts';
import { isItemStage, itemStageName } from '../backlog/stage-of-item.ts';
import { acceptItem, logOf, tickEntry } from '../backlog/ticks.ts';
import type { LoopEvent } from '../events.ts';
import { lines } from '../io/git.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { recordOf } from '../journal/stages.ts';
import type { Run } from '../stage/run.ts';
import type { Trial } from '../triage/incident.ts';
import { commitFix } from '../worktree/commit-fix.ts';
import { clip, MAX_SUBJECT } from '../worktree/fix-message.ts';
import { short } from '../worktree/messages.ts';
import { readAt } from '../worktree/read.ts';
import { treeGit } from '../worktree/tree.ts';

const MAX_ITEM_BYTES = 256 * 1024;

/** The files of the queue at a commit, by their path. */
export async function backlogAt(objects: GitObjects, commit: string): Promise<Map<string, string>> {
  const paths = [...(await objects.files(commit)).keys()].filter(
    (path) => path.startsWith(`${BACKLOG_FOLDER}/`) && path.endsWith('.md'),
  );
  const texts = await Promise.all(paths.map((path) => readAt(objects, commit, path, MAX_ITEM_BYTES)));
  return new Map(paths.flatMap((path, i) => (typeof texts[i] === 'string' ? [[path, texts[i]] as const] : [])));
}

const itemOfStage = (files: ReadonlyMap<string, string>, stage: string): QueuedItem | undefined =>
  readQueue(files).items.find(({ number }) => itemStageName(number) === stage);

/** Commits the ticks of an accepted item on top of its trial; undefined: the stage is no item, or is ticked. */
export async function tickItem(run: Run, stage: string, fixes: Trial['fixes'] = []): Promise<string | undefined> {
  if (!isItemStage(stage)) return undefined;
  const files = await backlogAt(run.tree.objects, run.tree.head);
  const item = itemOfStage(files, stage);
  if (!item || item.done) return undefined;
  const what = fixes.map(({ fix }) => `${fix.note.fix} (${short(fix.commit)})`);
  const accepted = item.acceptance.map((command) => `\`${command.split('\n')[0]}\``).join(', ');
  const day = new Date(run.clock.now()).toISOString().slice(0, 10);
  const entry = run.mask(`${day}: ${what.join('; ') || 'was true already'}; accepted by ${accepted}`);
  const { file, number, title } = item;
  const texts = [
    { path: file, text: acceptItem(files.get(file) ?? '', entry) },
    { path: INDEX_FILE, text: tickEntry(files.get(INDEX_FILE) ?? '', file.slice(BACKLOG_FOLDER.length + 1), true) },
  ];
  const message = `${clip(`Tick ${number}: ${title}`, MAX_SUBJECT)}\n\nItem: ${number}\nRun: ${run.id}\n`;
  return commitFix(run.tree, texts, message, run.config.loop.git);
}

/** Records that the item of a stage is accepted, whose ticks are at `commit`; nothing for any other stage. */
export async function recordAccepted({ journal, tree }: Run, stage: string, commit: string): Promise<void> {
  const files = isItemStage(stage) ? await backlogAt(tree.objects, commit) : new Map<string, string>();
  const item: Item | undefined = itemOfStage(files, stage);
  if (!item) return;
  const entry = logOf(files.get(item.file) ?? '').at(-1) ?? '';
  journal.append({ type: 'item.accepted', stage, data: { item: item.number, title: item.title, commit, entry } });
}

/** Ticks the items that this run was asked for, that are green and that nothing had to be changed for. */
export async function tickAccepted(run: Run): Promise<void> {
  for (const stage of run.requested.filter(isItemStage)) {
    if (recordOf(run.journal.stages, stage)?.status !== 'green') continue;
    await run.barrier.alone(async () => {
      run.journal.flush();
      const commit = await tickItem(run, stage);
      if (commit === undefined) return;
      run.tree.moved(commit);
      await recordAccepted(run, stage, commit);
    });
  }
}

/** Records ticks that the runs of these events committed and had no time to record. */
export async function recordMissedTicks(run: Run, events: readonly LoopEvent[]): Promise<void> {
  const { tree } = run;
  const recorded = new Set(events.flatMap((event) => (event.type === 'item.accepted' ? [event.data.commit] : [])));
  const runs = new Set(events.map((event) => event.run));
  if (!events.some(({ type, stage = '' }) => type === 'stage.green' && isItemStage(stage))) return;
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=)`;
  const format = `--format=%H ${trailer('Item')} ${trailer('Run')}`;
  const range = `${tree.base.commit}..${tree.head}`;
  for (const row of lines(await treeGit(tree).run(['log', '--reverse', format, '--grep=^Tick ', range]))) {
    const [commit = '', number = '', id = ''] = row.split(' ');
    if (runs.has(id) && !recorded.has(commit)) await recordAccepted(run, itemStageName(number), commit);
  }
}
