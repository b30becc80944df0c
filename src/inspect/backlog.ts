// The work queue as committed, with how each item stands. Reads only.
import type { Queue } from '../backlog/queue.ts';
import { itemStageName } from '../backlog/stage-of-item.ts';
import type { LoopEvent } from '../events.ts';
import { openGit } from '../io/git.ts';
import { withObjects } from '../io/git-objects.ts';
import type { Layout } from '../io/layout.ts';
import { readEvents } from '../journal/event-file.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { listJournals } from '../journal/runs.ts';
import { type LoggedItem, queueAt } from '../run/items.ts';
import { configurationNow } from '../stage/configuration.ts';
import { commitOf } from '../worktree/base.ts';

export interface ListedItem extends LoggedItem {
  readonly state: 'done' | 'stuck' | 'open';
  /** Why it is stuck, or what is known of its last try. */
  readonly note?: string;
  /** What was changed for it and did not stay, and how that ended. */
  readonly tried: readonly string[];
}

const STAYS: readonly string[] = ['applied', 'kept'];

/** Throws MendError as a run would. */
export async function listBacklog(layout: Layout): Promise<{ items: ListedItem[]; problems: Queue['problems'] }> {
  const queue = await withObjects(layout.home, async (objects) => {
    const { base, config } = await configurationNow(layout.home, objects);
    const git = openGit(layout.home);
    const branch = await commitOf(git, `refs/heads/${base.branch}`);
    const isMerged =
      branch !== undefined && (await git.attempt(['merge-base', '--is-ancestor', base.commit, branch])).ok;
    return queueAt(objects, base.commit, branch, isMerged, config.map);
  });
  const { state } = loadStages(layout, { look: true });
  const { ledger } = readLedger(layout);
  const entries = Object.values(ledger.entries);
  const items = queue.items.map((item): ListedItem => {
    const stage = itemStageName(item.number);
    const record = state.stages[stage];
    const ofItem = entries.filter((entry) => entry.stage === stage);
    const open = ofItem.find((entry) => entry.case !== undefined)?.case;
    const gone = ofItem.flatMap(({ patches }) => patches.filter((patch) => !STAYS.includes(patch.outcome)));
    const tried = gone.map(({ note, outcome }) => `${note?.fix ?? 'a change'} (${outcome.replace('_', ' ')})`);
    const as = (how: ListedItem['state'], note?: string): ListedItem => ({
      ...item,
      state: how,
      tried,
      ...(note && { note }),
    });
    if (item.done) return as('done');
    if (open !== undefined) return as('stuck', `case ${open} waits for you: mendloop cases show ${open}`);
    return record?.status === 'give_up' ? as('stuck', record.reason ?? 'given up') : as('open', record?.reason);
  });
  return { items, problems: queue.problems };
}

/** What became of an item in each run, as the journals have it: kept, undone, dropped, stuck; the oldest first. */
export function outcomesOf(layout: Layout, number: string): string[] {
  const stage = itemStageName(number);
  return listJournals(layout).flatMap(({ path }) =>
    readEvents(path).events.flatMap((event) => {
      const words = event.stage === stage ? outcomeOf(event) : undefined;
      return words === undefined ? [] : [`${event.time.slice(0, 10)} ${words}`];
    }),
  );
}

function outcomeOf({ type, status, data }: LoopEvent): string | undefined {
  switch (type) {
    case 'item.accepted':
      return `kept: ${data.entry}`;
    case 'item.dropped':
      return `dropped: ${data.failing} failed with it`;
    case 'item.restored':
      return `back: ${data.failing} fails alike without it`;
    case 'fix.judged':
      return `${data.outcome.replace('_', ' ')}: ${data.note.fix || 'a change'}: ${data.reason}`;
    case 'case.opened':
      return `stuck: case ${data.case}`;
    case 'case.closed':
      return `case ${data.case} is closed: ${data.reason}`;
    case 'step.failed':
      return `${status === 'give_up' ? 'stuck' : 'failed'}: ${data.reason}`;
    default:
      return undefined;
  }
}
