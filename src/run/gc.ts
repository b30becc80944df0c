// Forgetting old runs: their journals, logs and prompts. What anything still refers to stays, and so do fixes, cases and the ledger.
import { join, relative } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { fileFacts, foldersIn, namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { removeAll, removeFile } from '../io/store.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, openRun } from '../journal/load-stages.ts';
import { expiredRuns, neededRuns, type StoredRun } from '../journal/retention.ts';
import { listRuns, timeOfRun } from '../journal/runs.ts';

/** What is removed, or would be. */
export interface Collected {
  readonly runs: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** All that runs and logs take. */
  readonly total: number;
}

/** Finds what `policy` lets go, and removes it unless it is only asked for. The lock must be held to remove. Throws MendError. */
export function collect(
  layout: Layout,
  policy: NonNullable<LoopConfig['retention']>,
  now: number,
  options: { readonly remove: boolean },
): Collected {
  const loaded = loadStages(layout, { look: true });
  const needed = neededRuns(loaded.state, readLedger(layout).ledger);
  const open = openRun(loaded);
  if (open) needed.add(open.run);
  const files = filesByRun(layout);
  const runs = listRuns(layout).map((id): StoredRun => {
    const bytes = (files.get(id) ?? []).reduce((sum, path) => sum + (fileFacts(path)?.size ?? 0), 0);
    return { id, time: timeOfRun(id), bytes };
  });
  const expired = expiredRuns(runs, needed, policy, now);
  if (options.remove) for (const { id } of expired) forget(layout, id, files.get(id) ?? []);
  return {
    runs: expired.map(({ id }) => id),
    files: expired.reduce((sum, { id }) => sum + (files.get(id)?.length ?? 0), 0),
    bytes: expired.reduce((sum, { bytes }) => sum + bytes, 0),
    total: runs.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The logs first: a run without its logs is told as what it is, logs without their run would stay for ever. */
function forget(layout: Layout, id: string, files: readonly string[]): void {
  const folder = join(layout.runs, id);
  for (const path of files.filter((each) => relative(folder, each).startsWith('..'))) removeFile(path);
  removeAll(folder);
}

/** Every file that belongs to one run: its own folder, and what bears its name among logs and prompts. */
function filesByRun(layout: Layout): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (run: string, path: string) => void found.set(run, [...(found.get(run) ?? []), path]);
  for (const run of listRuns(layout)) for (const path of filesBelow(join(layout.runs, run))) add(run, path);
  for (const path of filesBelow(layout.logs)) {
    const [, run] = /\/(\d{8}-\d{6}-[0-9a-f]{4})-[^/]*$/.exec(path) ?? [];
    if (run !== undefined) add(run, path);
  }
  return found;
}

/** Links are not followed. */
function filesBelow(folder: string): string[] {
  const here = namesIn(folder).map((name) => join(folder, name));
  return [...here, ...foldersIn(folder).flatMap((name) => filesBelow(join(folder, name)))];
}
