// The ledger on disk. ledger.jsonl has the lines of every failure's story as they stand in the journals, ledger.json what they
// fold to; what a crash kept from being copied is taken from the newest journals, by run and seq.
import type { LoopEvent } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { openLines, readLastLine, readLines } from '../io/lines.ts';
import { parseJson, quarantine, readChecked, writeAtomic } from '../io/store.ts';
import { foldLedger, isStory, type StoryEvent } from '../triage/fold.ts';
import { emptyLedger, isLedger, type Ledger } from '../triage/ledger.ts';
import { parseEvent, readEvents } from './event-file.ts';
import { listJournals } from './runs.ts';
import { eventsOfRecord, isOldLedger } from './version-0-1.ts';

export interface LedgerFile {
  /** As of now; only `append` changes it. */
  readonly ledger: Ledger;
  /** What a person must know: a file was broken. */
  readonly notices: readonly string[];
  /** Copies events of a journal and folds them in. Throws MendError when the disk refuses. */
  append(events: readonly StoryEvent[]): void;
  /** Writes ledger.json; everything up to `upTo` is in it. */
  project(upTo: Ledger['as_of']): void;
  close(): void;
}

/** Opens the ledger for whoever holds the lock. Throws MendError when the disk refuses, never for what the files hold. */
export function openLedger(layout: Layout, now: number): LedgerFile {
  const { ledger, notices, lines } = load(layout, quarantine);
  const writer = openLines(layout.ledgerJournal, lines.end, false);
  const behind = lines.startAnew ? [snapshot(ledger, now)] : storySince(layout, lines.upTo);
  if (behind.length > 0) writer.append(behind);
  return {
    ledger,
    notices,
    append(events) {
      writer.append(events);
      for (const event of events) foldLedger(ledger, event);
    },
    project(upTo) {
      ledger.as_of = upTo;
      writeAtomic(layout.ledger, `${JSON.stringify(ledger)}\n`);
    },
    close: writer.close,
  };
}

/** The ledger for whoever only looks: nothing is written, nothing moved aside. */
export function readLedger(layout: Layout): { ledger: Ledger; notices: string[] } {
  const { ledger, notices } = load(layout, undefined);
  return { ledger, notices };
}

type Position = Ledger['as_of'];

const START: Position = { run: '', seq: 0 };

const isBefore = (a: Position, b: Position): boolean => a.run < b.run || (a.run === b.run && a.seq < b.seq);

/** The story that the journals hold behind a position. */
function storySince(layout: Layout, from: Position): StoryEvent[] {
  return listJournals(layout)
    .filter(({ id }) => id >= from.run)
    .flatMap(({ path }) => readEvents(path).events.filter(isStory))
    .filter((event) => isBefore(from, event));
}

function snapshot(ledger: Ledger, now: number): LoopEvent {
  const time = new Date(now).toISOString();
  return { v: 1, ...ledger.last_line, time, type: 'ledger.snapshot', data: { ledger: structuredClone(ledger) } };
}

/** What a person must know of the files, and where whoever writes goes on. */
interface Loaded {
  ledger: Ledger;
  notices: string[];
  /** Of ledger.jsonl: its last whole line ends at byte `end` and is the event `upTo`; or it begins anew with a snapshot. */
  lines: { end: number; upTo: Position; startAnew: boolean };
}

/** The projection, and what the journals hold beyond it. What was counted stays counted: without its journal the projection goes on. */
function load(layout: Layout, aside: ((path: string) => string) | undefined): Loaded {
  const notices: string[] = [];
  const setAside = (path: string, file: string, what: string, source: string): string => {
    const moved = aside && fileFacts(path) !== undefined;
    notices.push(`${file} ${what}${moved ? `, kept as ${aside(path)}` : ''}: ${source}`);
    return path;
  };
  const isEither = (value: unknown): value is Ledger => isLedger(value) || isOldLedger(value);
  const read = readChecked(layout.ledger, isEither, () =>
    setAside(layout.ledger, 'ai/state/ledger.json', 'is corrupt', 'made again from its journal'),
  );
  const loaded =
    read.found && isLedger(read.value)
      ? projected(layout, read.value)
      : rebuilt(layout, read.found ? read.value : undefined, !read.found && !read.quarantined, notices);
  if (loaded.isLost) {
    const what = 'was lost, cut or replaced';
    setAside(layout.ledgerJournal, 'ai/state/ledger.jsonl', what, 'ledger.json goes on without it');
  }
  const { ledger, lines } = loaded;
  for (const event of storySince(layout, ledger.as_of)) foldLedger(ledger, event);
  return { ledger, notices, lines };
}

interface Source extends Omit<Loaded, 'notices'> {
  isLost?: boolean;
}

/** A sound ledger.json: its journal reaches at least as far, or is lost. */
function projected(layout: Layout, ledger: Ledger): Source {
  const last = readLastLine(layout.ledgerJournal);
  const event = last && parseEvent(last.line);
  const isLost = ledger.last_line.run !== '' && (!event || isBefore(event, ledger.last_line));
  const upTo = event && isBefore(ledger.as_of, event) ? event : ledger.as_of;
  return { ledger, isLost, lines: { end: isLost ? 0 : (last?.to ?? 0), upTo, startAnew: isLost } };
}

/** The ledger from its journal. Version 0.1 told everything that its runs hold, so nothing of theirs is folded in again. */
function rebuilt(layout: Layout, old: Ledger | undefined, isMissing: boolean, notices: string[]): Source {
  const { ledger, end, lines, bad, isOld } = foldLines(layout.ledgerJournal);
  if (isMissing && lines > 0) notices.push('ai/state/ledger.json is missing: made again from its journal');
  if (bad > 0) {
    notices.push(`ai/state/ledger.jsonl has unreadable lines (${bad}): what they said is not in the ledger`);
  }
  const kept = lines === 0 && old ? old : ledger;
  const startAnew = isOld || kept === old;
  if (startAnew) Object.assign(kept, { as_of: newest(layout), last_line: newest(layout) });
  return { ledger: kept, lines: { end, upTo: kept.as_of, startAnew } };
}

function foldLines(path: string) {
  const ledger = emptyLedger();
  const counts = { lines: 0, bad: 0, end: 0, isOld: false };
  for (const { line, to } of readLines(path)) {
    counts.end = to;
    const record = eventsOfRecord(parseJson(line));
    const event = record ? undefined : parseEvent(line);
    const story = record ?? (event && isStory(event) ? [event] : undefined);
    for (const one of story ?? []) foldLedger(ledger, one);
    if (story) counts.isOld = record !== undefined;
    counts[story ? 'lines' : 'bad'] += 1;
  }
  return { ledger, ...counts };
}

/** The position of the last event there is. */
function newest(layout: Layout): Position {
  const journal = listJournals(layout).at(-1);
  return journal ? { run: journal.id, seq: readEvents(journal.path).events.at(-1)?.seq ?? 0 } : { ...START };
}
