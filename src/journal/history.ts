// ai/state/runs.jsonl: the summary of every run that will not change any more, one line each, so that looking back costs the
// same however many journals there are. A projection: what it lacks is read from the journals, and a process that holds the lock repairs it.
import { MendError } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { openLines, readLastLine, readLines } from '../io/lines.ts';
import { parseJson, writeAtomic } from '../io/store.ts';
import { damageOf, type EventFile, readEvents } from './event-file.ts';
import { endByRunFile, writeRunFile } from './run-file.ts';
import { listRuns, timeOfRun } from './runs.ts';
import { isRunSummary, outcomeOf, type RunSummary, summarize } from './summary.ts';

/** The summary of one run, from its journal. Never throws for what it holds. */
export function summaryOf(layout: Layout, run: string, file: EventFile = readEvents(layout.journal(run))): RunSummary {
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
  const summaries = new Map<string, RunSummary>();
  for (const { line } of readLines(layout.history)) {
    if (line.slice(NAME_AT, NAME_AT + NAME_LENGTH) < from) continue;
    const value = parseJson(line);
    // Older versions wrote `failure` for a run that was interrupted.
    if (isRunSummary(value)) summaries.set(value.run, { ...value, outcome: outcomeOf(value.outcome, value.exit) });
  }
  return summaries;
}

/** The base commits that runs began from, the newest first. */
export const startedBases = (layout: Layout): string[] =>
  readHistory(layout)
    .flatMap(({ base }) => base || [])
    .reverse();

/** Writes run.json of a run that has ended, and its line here. The lock must be held. Throws MendError when the disk refuses the former. */
export function recordEnd(layout: Layout, run: string): void {
  const file = readEvents(layout.journal(run));
  writeRunFile(layout, run, file.events);
  try {
    addLine(layout, run, file);
  } catch (error) {
    // The journal of the run has it all: readers use that, and the next end tries again.
    if (!(error instanceof MendError)) throw error;
  }
}

function addLine(layout: Layout, run: string, file: EventFile): void {
  const runs = listRuns(layout);
  const last = readLastLine(layout.history);
  const lastSummary = last && parseJson(last.line);
  const isNext =
    runs.at(-1) === run &&
    countLines(layout) === runs.length - 1 &&
    (last === undefined || (isRunSummary(lastSummary) && lastSummary.run === runs.at(-2)));
  // One that does not have exactly the runs before this one is made again, with what can be used of it.
  if (isNext) append(layout, last?.to ?? 0, summaryOf(layout, run, file));
  else rewriteHistory(layout);
}

function append(layout: Layout, end: number, summary: RunSummary): void {
  const writer = openLines(layout.history, end, false);
  try {
    writer.append([summary]);
  } finally {
    writer.close();
  }
}

function countLines(layout: Layout): number {
  let lines = 0;
  for (const _ of readLines(layout.history)) lines += 1;
  return lines;
}

/** Writes the index of the runs that there are. The lock must be held. Throws MendError when the disk refuses. */
export function rewriteHistory(layout: Layout): void {
  const summaries = readHistory(layout);
  // Only the newest may still go on.
  if (summaries.at(-1)?.ended === undefined) summaries.pop();
  writeAtomic(layout.history, summaries.map((summary) => `${JSON.stringify(summary)}\n`).join(''));
}
