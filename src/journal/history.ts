// The runs there have been. run.json, in the folder of a run, is the fold of its journal when it ended, so that looking back reads
// no journal; a run without a sound one is read from its journal.
import { isEvent, type LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { parseJson, readText, writeAtomic } from '../io/store.ts';
import { mapping } from '../shape.ts';
import { damageOf, type EventFile, readEvents } from './event-file.ts';
import { listRuns, timeOfRun } from './runs.ts';
import { isRunSummary, type RunSummary, summarize } from './summary.ts';

/** The summary of one run, from its journal. Never throws for what it holds. */
export function summaryOf(layout: Layout, run: string, file: EventFile = readEvents(layout.journal(run))): RunSummary {
  const { events } = file;
  const last = events.at(-1);
  const ended = last?.type === 'run.ended' ? undefined : endByRunFile(layout, run, last?.time);
  const damage = damageOf(file);
  const summary = summarize(run, new Date(timeOfRun(run)).toISOString(), ended ? [...events, ended] : events);
  return { ...summary, ...(damage !== undefined && { damage }) };
}

/** The summaries of the runs from the name `from` on, oldest first. Reads only, and journals only of runs without a run.json. */
export const readHistory = (layout: Layout, from = ''): RunSummary[] =>
  listRuns(layout)
    .filter((run) => run >= from)
    .map((run) => {
      const { summary } = runFile(layout, run) ?? {};
      return isRunSummary(summary) && summary.run === run ? summary : summaryOf(layout, run);
    });

/** Writes run.json of a run that has ended. The lock must be held. Throws MendError when the disk refuses. */
export function recordEnd(layout: Layout, run: string): void {
  const file = readEvents(layout.journal(run));
  const [first] = file.events;
  const last = file.events.at(-1);
  if (first?.type !== 'run.started' || last?.type !== 'run.ended') return;
  const { execution_id, asked } = first.data;
  const { exit, lab = first.data.lab, result } = last.data;
  const summary = summaryOf(layout, run, file);
  const content = { version: 1, run, execution_id, asked, lab, ended: last.time, exit, result, summary };
  writeAtomic(layout.runFile(run), `${JSON.stringify(content, null, 2)}\n`);
}

/** What run.json holds, nothing of it checked; undefined when there is none. */
function runFile(layout: Layout, run: string) {
  const text = readText(layout.runFile(run));
  return text === undefined ? undefined : mapping(parseJson(text));
}

/**
 * The end of a run by its run.json, for a journal that lost that line; undefined when there is none: then it has not ended.
 * A file that cannot be read proves only that it has.
 */
export function endByRunFile(layout: Layout, run: string, lastSeen = new Date(0).toISOString()) {
  const file = runFile(layout, run);
  if (file === undefined) return undefined;
  const { ended: time, exit, lab, result } = file;
  const event = { v: 1, seq: 0, run, type: 'run.ended', status: mapping(result).status as string } as const;
  const completed: unknown = { ...event, time, data: { exit, lab, result } };
  return isEvent(completed) ? (completed as LoopEvent<'run.ended'>) : { ...event, time: lastSeen, data: {} };
}
