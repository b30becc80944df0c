// The ledger on disk. ledger.jsonl has the lines of every failure's story as they stand in the journals, ledger.json what they
// fold to; what a crash kept from being copied is taken from the newest journals, by run and seq.
import type { LoopEvent } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { openLines, readLastLine, readLines } from '../io/lines.ts';
import { quarantine, readChecked, writeAtomic } from '../io/store.ts';
import { foldLedger, isStory, type StoryEvent } from '../triage/fold.ts';
import { emptyLedger, isLedger, type Ledger } from '../triage/ledger.ts';
import { parseEvent, readEvents } from './event-file.ts';
import { listJournals } from './runs.ts';

/** Opens the ledger for a process that holds the lock. Throws MendError when the disk refuses, never for what the files hold. */
export function openLedger(layout: Layout, now: number) {
  const { ledger, notices, lines } = load(layout, quarantine);
  let writer = openLines(layout.ledgerJournal, lines.end, false);
  const file = {
    /** As of now; only `append` changes it. */
    ledger,
    /** What a person must know: a file was broken. */
    notices,
    /** Copies events of a journal and folds them in. Throws MendError when the disk refuses. */
    append(events: readonly StoryEvent[]): void {
      writer.append(events);
      for (const event of events) foldLedger(ledger, event);
    },
    /** Writes ledger.json; everything up to `upTo` is in it. */
    project(upTo: Position): void {
      ledger.as_of = upTo;
      writeAtomic(layout.ledger, `${JSON.stringify(ledger)}\n`);
    },
    /** Puts one line in the place of all, where that makes it much shorter. Returns the bytes that are gained. */
    compact(): number {
      const gain = compactionGain(layout, ledger, now);
      if (gain === 0) return 0;
      file.project(ledger.as_of);
      const text = `${JSON.stringify(snapshot(ledger, now))}\n`;
      writeAtomic(layout.ledgerJournal, text);
      const next = openLines(layout.ledgerJournal, Buffer.byteLength(text), false);
      writer.close();
      writer = next;
      return gain;
    },
    close: () => writer.close(),
  };
  if (lines.startAnew) {
    writer.append([snapshot(ledger, now)]);
    file.project(ledger.as_of);
  } else if (lines.missing.length > 0) writer.append(lines.missing);
  return file;
}

/** How much shorter its journal would be as one line; 0 where it is not worth it. */
export function compactionGain(layout: Layout, ledger: Ledger, now: number): number {
  const after = Buffer.byteLength(JSON.stringify(snapshot(ledger, now))) + 1;
  const gain = (fileFacts(layout.ledgerJournal)?.size ?? 0) - after;
  return gain > after ? gain : 0;
}

/** The ledger for reading: nothing is written, nothing moved aside. */
export function readLedger(layout: Layout): { ledger: Ledger; notices: string[] } {
  const { ledger, notices } = load(layout, undefined);
  return { ledger, notices };
}

type Position = Ledger['as_of'];

const START: Position = { run: '', seq: 0 };

const isBefore = (a: Position, b: Position): boolean => a.run < b.run || (a.run === b.run && a.seq < b.seq);

/** The story that the journals hold behind a position, and where the newest of them ends. */
function readJournals(layout: Layout, from: Position): { story: StoryEvent[]; newest: Position | undefined } {
  const journals = listJournals(layout, from.run);
  const last = journals.at(-1);
  const files = journals
    .filter((journal) => journal.id >= from.run || journal === last)
    .map(({ path }) => readEvents(path));
  const events = files.flatMap((file) => file.events);
  return {
    story: events.filter((event): event is StoryEvent => isStory(event) && isBefore(from, event)),
    newest: last && { run: last.id, seq: files.at(-1)?.lastSeq ?? 0 },
  };
}

function snapshot(ledger: Ledger, now: number): LoopEvent {
  const time = new Date(now).toISOString();
  return { v: 1, ...ledger.last_line, time, type: 'ledger.snapshot', data: { ledger: structuredClone(ledger) } };
}

/** Notices about the files, and where a writer goes on. */
interface Loaded {
  ledger: Ledger;
  notices: string[];
  /** Of ledger.jsonl: its last whole line ends at byte `end`; it lacks `missing`, or goes on with a snapshot. */
  lines: { end: number; missing: StoryEvent[]; startAnew: boolean };
}

/** The projection, and what the journals hold beyond it. What was counted stays counted: without its journal the projection goes on. */
function load(layout: Layout, aside: ((path: string) => string) | undefined): Loaded {
  const notices: string[] = [];
  const setAside = (path: string, file: string, what: string, source: string): string => {
    const moved = aside && fileFacts(path) !== undefined;
    notices.push(`${file} ${what}${moved ? `, kept as ${aside(path)}` : ''}: ${source}`);
    return path;
  };
  const read = readChecked(layout.ledger, isLedger, () =>
    setAside(layout.ledger, 'ai/state/ledger.json', 'is corrupt', 'made again from its journal'),
  );
  const { ledger, end, upTo, isLost, isRotten } = read.found
    ? projected(layout, read.value)
    : rebuilt(layout, !read.quarantined, notices);
  if (isLost) {
    const what = 'was lost, cut or replaced';
    setAside(layout.ledgerJournal, 'ai/state/ledger.jsonl', what, 'ledger.json goes on without it');
  }
  if (isRotten) notices.push('ai/state/ledger.jsonl has an unreadable last line: ledger.json has what it said');
  // A journal that lost its end takes new events under old numbers.
  const { story, newest } = readJournals(layout, ledger.as_of);
  const isAhead = newest !== undefined && isBefore(newest, ledger.as_of);
  if (isAhead) Object.assign(ledger, { as_of: newest ?? START, last_line: newest ?? START });
  for (const event of story) foldLedger(ledger, event);
  const missing = story.filter((event) => isBefore(upTo, event));
  return { ledger, notices, lines: { end, missing, startAnew: isLost || isAhead || isRotten } };
}

interface Source {
  ledger: Ledger;
  /** Where the last whole line of ledger.jsonl ends, and how far it, or the ledger, reaches. */
  end: number;
  upTo: Position;
  isLost: boolean;
  /** Its last line cannot be read, those before it can. */
  isRotten: boolean;
}

/** A sound ledger.json: its journal reaches at least as far, or is lost. */
function projected(layout: Layout, ledger: Ledger): Source {
  const last = readLastLine(layout.ledgerJournal);
  const event = last && parseEvent(last.line);
  const isRotten = last !== undefined && !event && foldLines(layout.ledgerJournal).lines > 0;
  const isLost = !isRotten && ledger.last_line.run !== '' && (!event || isBefore(event, ledger.last_line));
  const upTo = event && isBefore(ledger.as_of, event) ? event : ledger.as_of;
  return { ledger, end: isLost ? 0 : (last?.to ?? 0), upTo, isLost, isRotten };
}

/** The ledger from its journal. */
function rebuilt(layout: Layout, isMissing: boolean, notices: string[]): Source {
  const { ledger, end, lines, bad } = foldLines(layout.ledgerJournal);
  if (isMissing && lines > 0) notices.push('ai/state/ledger.json is missing: made again from its journal');
  if (bad > 0) {
    notices.push(`ai/state/ledger.jsonl has unreadable lines (${bad}): what they said is not in the ledger`);
  }
  return { ledger, end, upTo: ledger.as_of, isLost: false, isRotten: false };
}

/** Line by line, whatever their numbers: one that rotted costs nothing but itself. */
function foldLines(path: string) {
  const ledger = emptyLedger();
  const counts = { lines: 0, bad: 0, end: 0 };
  for (const { line, to } of readLines(path)) {
    counts.end = to;
    const event = parseEvent(line);
    const isTold = event !== undefined && isStory(event);
    if (isTold) foldLedger(ledger, event);
    counts[isTold ? 'lines' : 'bad'] += 1;
  }
  return { ledger, ...counts };
}
