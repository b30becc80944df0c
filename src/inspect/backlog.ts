// The work queue as committed, with how each item stands. Reads only.
import type { Queue, QueuedItem } from '../backlog/queue.ts';
import { itemStageName } from '../backlog/stage-of-item.ts';
import { openGit } from '../io/git.ts';
import { withObjects } from '../io/git-objects.ts';
import type { Layout } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { queueAt } from '../run/items.ts';
import { configurationNow } from '../stage/configuration.ts';
import { commitOf } from '../worktree/base.ts';

export interface ListedItem extends QueuedItem {
  readonly state: 'done' | 'stuck' | 'open';
  /** Why it is stuck, or what is known of its last try. */
  readonly note?: string;
}

/** Throws MendError as a run would. */
export async function listBacklog(layout: Layout): Promise<{ items: ListedItem[]; problems: Queue['problems'] }> {
  const queue = await withObjects(layout.home, async (objects) => {
    const { base, config } = await configurationNow(layout.home, objects);
    const branch = await commitOf(openGit(layout.home), `refs/heads/${base.branch}`);
    return queueAt(objects, base.commit, branch, config.map);
  });
  const { state } = loadStages(layout, { look: true });
  const entries = Object.values(readLedger(layout).ledger.entries);
  const items = queue.items.map((item): ListedItem => {
    const stage = itemStageName(item.number);
    const record = state.stages[stage];
    const open = entries.find((entry) => entry.stage === stage && entry.case !== undefined)?.case;
    if (item.done) return { ...item, state: 'done' };
    if (open !== undefined)
      return { ...item, state: 'stuck', note: `case ${open} waits for you: mendloop cases show ${open}` };
    if (record?.status === 'give_up') return { ...item, state: 'stuck', note: record.reason ?? 'given up' };
    return { ...item, state: 'open', ...(record?.reason && { note: record.reason }) };
  });
  return { items, problems: queue.problems };
}
