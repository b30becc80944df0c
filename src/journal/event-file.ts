// The journal of a run: one JSON event per line, appended and fsynced. It is the truth; everything else is made from it.
import { copyFileSync } from 'node:fs';
import { isEvent, type LoopEvent } from '../events.ts';
import { onDisk, readBytes } from '../io/store.ts';
import { openLines } from './lines.ts';

export interface JournalText {
  events: LoopEvent[];
  /** Bytes up to the end of the last good line. */
  goodBytes: number;
  /** Line number of the first line that is no event, when it is not just the torn end of a write. */
  corruptLine?: number;
}

/** Reads a journal as far as it is sound. A torn last line is dropped; never throws for bad content. */
export function readJournal(path: string): JournalText {
  const bytes = readBytes(path) ?? Buffer.alloc(0);
  const events: LoopEvent[] = [];
  let at = 0;
  for (let end = bytes.indexOf('\n', at); end !== -1; end = bytes.indexOf('\n', at)) {
    const event = parseEvent(bytes.toString('utf8', at, end), events.length + 1);
    if (!event) return { events, goodBytes: at, corruptLine: events.length + 1 };
    events.push(event);
    at = end + 1;
  }
  return { events, goodBytes: at };
}

function parseEvent(line: string, seq: number): LoopEvent | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return isEvent(value) && value.seq === seq ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface Journal {
  /** Writes the events as one append and one fsync: all of them are on disk when this returns. Throws MendError when the disk refuses, from then on always. */
  append(events: readonly LoopEvent[]): void;
  close(): void;
}

export interface OpenedJournal {
  journal: Journal;
  events: LoopEvent[];
  /** Where a copy of a corrupt journal was kept. */
  quarantined?: string;
}

/** Opens a run's journal for appending; what was torn or corrupt at its end is cut off, a corrupt one is copied aside first. */
export function openJournal(path: string): OpenedJournal {
  const { events, goodBytes, corruptLine } = readJournal(path);
  const aside =
    corruptLine === undefined ? undefined : `${path}.corrupt-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  if (aside) onDisk(path, () => copyFileSync(path, aside));
  const lines = openLines(path, goodBytes);
  const journal: Journal = { append: (batch) => void lines.append(batch), close: lines.close };
  return { journal, events, ...(aside ? { quarantined: aside } : {}) };
}
