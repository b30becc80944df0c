// The journal of a run, or of what a person did between runs: one JSON event per line, appended and fsynced. It is the
// truth; everything else is made from it.
import { isEvent, type LoopEvent } from '../events.ts';
import { type LineWriter, openLines, readLines } from '../io/lines.ts';
import { copyAside, parseJson } from '../io/store.ts';
import { upgradedEvent } from './version-0-1.ts';

export interface EventFile {
  events: LoopEvent[];
  /** Bytes up to the end of the last good line. */
  goodBytes: number;
  /** Line number of the first line that is no event, when it is not just the torn end of a write. */
  corruptLine?: number;
}

/** Reads a journal as far as it is sound. A torn last line is dropped; never throws for bad content. */
export function readEvents(path: string): EventFile {
  const events: LoopEvent[] = [];
  let goodBytes = 0;
  for (const { line, to } of readLines(path)) {
    const event = parseEvent(line);
    if (event?.seq !== events.length + 1) return { events, goodBytes, corruptLine: events.length + 1 };
    events.push(event);
    goodBytes = to;
  }
  return { events, goodBytes };
}

/** The event of one line, also of one that version 0.1 wrote; undefined when it is none. */
export function parseEvent(line: string): LoopEvent | undefined {
  const value = parseJson(line);
  if (isEvent(value)) return value;
  const upgraded = upgradedEvent(value);
  return isEvent(upgraded) ? upgraded : undefined;
}

/** Opens a journal for appending; what was torn or corrupt at its end is cut off, a corrupt one is copied aside first. */
export function openEvents(path: string): { writer: LineWriter; events: LoopEvent[]; quarantined?: string } {
  const { events, goodBytes, corruptLine } = readEvents(path);
  const aside = corruptLine === undefined ? undefined : copyAside(path);
  return { writer: openLines(path, goodBytes, true), events, ...(aside ? { quarantined: aside } : {}) };
}
