// ai/state/runs.jsonl: the summary of every run that will not change any more, one line each, so that looking back costs the
// same however many journals there are. A projection: what it lacks is read from the journals, and whoever holds the lock mends it.
import type { Layout } from '../io/layout.ts';
import { openLines, readLastLine, readLines } from '../io/lines.ts';
import { parseJson, writeAtomic } from '../io/store.ts';
import { damageOf, readEvents } from './event-file.ts';
import { endByRunFile } from './run-file.ts';
import { listRuns, timeOfRun } from './runs.ts';
import { isRunSummary, type RunSummary, summarize } from './summary.ts';

/** The summary of one run, from its journal. Never throws for what it holds. */
export function summaryOf(layout: Layout, run: string): RunSummary {
  const file = readEvents(layout.journal(run));
  const { events } = file;
  const last = events.at(-1);
  const ended = last?.type === 'run.ended' ? undefined : endByRunFile(layout, run, last?.time);
  const damage = damageOf(file);
  const summary = summarize(run, new Date(timeOfRun(run)).toISOString(), ended ? [...events, ended] : events);
  return { ...summary, ...(damage !== undefined && { damage }) };
}

/** The summaries of the runs from the name `from` on, oldest first. Reads only, and journals only where the index lacks them. */
export function readHistory(layout: Layout, from = ''): RunSummary[] {
  const runs = listRuns(layout);
  const lines = readIndex(layout, from);
  return runs.filter((run) => run >= from).map((run) => lines.get(run) ?? summaryOf(layout, run));
}

/** Every line begins with its run's name: those before `from` need not be parsed. */
const NAME_AT = '{"run":"'.length;
const NAME_LENGTH = '20260101-000000-0000'.length;

function readIndex(layout: Layout, from: string): Map<string, RunSummary> {
  const found = new Map<string, RunSummary>();
  for (const { line } of readLines(layout.history)) {
    if (line.slice(NAME_AT, NAME_AT + NAME_LENGTH) < from) continue;
    const value = parseJson(line);
    if (isRunSummary(value)) found.set(value.run, value);
  }
  return found;
}

/**
 * Adds the newest run, which has ended. The lock must be held. An index that does not have exactly the runs before it is made
 * again, with what can be used of it. Throws MendError when the disk refuses.
 */
export function recordInHistory(layout: Layout, run: string): void {
  const runs = listRuns(layout);
  const last = readLastLine(layout.history);
  const lastSummary = last && parseJson(last.line);
  let lines = 0;
  for (const _ of readLines(layout.history)) lines += 1;
  const isWhole =
    runs.at(-1) === run &&
    lines === runs.length - 1 &&
    (last === undefined || (isRunSummary(lastSummary) && lastSummary.run === runs.at(-2)));
  if (!isWhole) return rewriteHistory(layout);
  const writer = openLines(layout.history, last?.to ?? 0, false);
  try {
    writer.append([summaryOf(layout, run)]);
  } finally {
    writer.close();
  }
}

/** Writes the index of the runs that there are. The lock must be held. Throws MendError when the disk refuses. */
export function rewriteHistory(layout: Layout): void {
  const summaries = readHistory(layout);
  // Only the newest may still go on.
  if (summaries.at(-1)?.outcome === 'open') summaries.pop();
  writeAtomic(layout.history, summaries.map((summary) => `${JSON.stringify(summary)}\n`).join(''));
}
