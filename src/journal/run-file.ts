// run.json: a run at a glance, folded from its journal when it ended.
import { isEvent, type LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { parseJson, readText, writeAtomic } from '../io/store.ts';
import { mapping } from '../shape.ts';

/** The content of run.json; undefined while the run has not ended. */
export function foldRun(events: readonly LoopEvent[]) {
  const [first] = events;
  const last = events.at(-1);
  if (first?.type !== 'run.started' || last?.type !== 'run.ended') return undefined;
  const { execution_id, asked } = first.data;
  const { exit, lab = first.data.lab, result } = last.data;
  return { version: 1 as const, run: last.run, execution_id, asked, lab, ended: last.time, exit, result };
}

/** Writes run.json of a run that has ended with these events. Throws MendError when the disk refuses. */
export function writeRunFile(layout: Layout, run: string, events: readonly LoopEvent[]): void {
  const file = foldRun(events);
  if (file) writeAtomic(layout.runFile(run), `${JSON.stringify(file, null, 2)}\n`);
}

/**
 * The end of a run by its run.json, for a journal that lost that line; undefined when there is none: then it has not ended.
 * A file that cannot be read proves only that it has.
 */
export function endByRunFile(layout: Layout, run: string, lastSeen = new Date(0).toISOString()) {
  const text = readText(layout.runFile(run));
  if (text === undefined) return undefined;
  const file = parseJson(text);
  const { ended, exit, lab, result } = mapping(file) as Partial<NonNullable<ReturnType<typeof foldRun>>>;
  const event = { v: 1, seq: 0, run, type: 'run.ended', status: result?.status } as const;
  const completed = { ...event, time: ended, data: { exit, lab, result } };
  return isEvent(completed) ? (completed as LoopEvent<'run.ended'>) : { ...event, time: lastSeen, data: {} };
}
