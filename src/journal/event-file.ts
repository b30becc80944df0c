// The journal of a run, or of what a person did between runs: one JSON event per line, appended and fsynced. It is the
// truth; everything else is made from it. A line that rotted costs nothing but itself.
import { basename, dirname } from 'node:path';
import { isEvent, type LoopEvent } from '../events.ts';
import { namesIn } from '../io/files.ts';
import { type LineWriter, openLines, readLines } from '../io/lines.ts';
import { copyAside, parseJson } from '../io/store.ts';
import { integer, shaped } from '../shape.ts';

export interface EventFile {
  /** In order; their numbers rise, and leave out those of lines that were lost. */
  events: LoopEvent[];
  /** Bytes up to the end of the last whole line. */
  end: number;
  /** The highest number that a line of it may have had. */
  lastSeq: number;
  /** The lines, counted from 1, that are no event of this journal. */
  badLines: number[];
  /** Some of them have a later format. */
  isNewer?: true;
}

/** Reads all of a journal that is sound. A torn last line is dropped; never throws for bad content. */
export function readEvents(path: string): EventFile {
  const run = basename(path) === 'events.jsonl' ? basename(dirname(path)) : basename(path, '.jsonl');
  const parsed: Found[] = [];
  let end = 0;
  let lines = 0;
  let isNewer = false;
  for (const { line, to } of readLines(path)) {
    lines++;
    end = to;
    const event = parseEvent(line);
    if (event?.run === run && event.seq > 0) parsed.push({ event, line: lines });
    else isNewer ||= isLaterFormat(parseJson(line));
  }
  const readable = rising(parsed);
  const good = new Set(readable.map(({ line }) => line));
  const last = readable.at(-1);
  // Each line that cannot be read may have had a number of its own.
  const lastSeq = Math.max(lines, last ? last.event.seq + lines - last.line : 0);
  const badLines = Array.from({ length: lines }, (_, i) => i + 1).filter((line) => !good.has(line));
  return { events: readable.map(({ event }) => event), end, lastSeq, badLines, ...(isNewer && { isNewer }) };
}

const isFormat = shaped({ v: integer });
const isLaterFormat = (value: unknown): boolean => isFormat(value) && value.v > 1;

interface Found {
  event: LoopEvent;
  line: number;
}

/** The longest row whose numbers rise: where one rotted, or a line came twice, that one falls out. */
function rising(found: readonly Found[]): Found[] {
  /** Length of a row, less one → the lowest end of such a row, with what comes before it. */
  const rows: { last: Found; before: (typeof rows)[number] | undefined }[] = [];
  for (const last of found) {
    const { seq } = last.event;
    const length = rows.findLastIndex((row) => row.last.event.seq < seq) + 1;
    const rival = rows[length]?.last;
    // Of two that exclude each other, the one whose number is that of its line is right.
    const isWorse = rival && (rival.event.seq === seq || (rival.event.seq === rival.line && seq !== last.line));
    if (!isWorse) rows[length] = { last, before: rows[length - 1] };
  }
  const row: Found[] = [];
  for (let at = rows.at(-1); at; at = at.before) row.push(at.last);
  return row.reverse();
}

/** The event of one line; undefined when it is none. */
export function parseEvent(line: string): LoopEvent | undefined {
  const value = parseJson(line);
  return isEvent(value) ? value : undefined;
}

/** The notice for a damaged journal; undefined when it is whole. */
export function damageOf({ events, badLines, lastSeq, isNewer }: EventFile): string | undefined {
  if (badLines.length > 0) {
    const lines = `${badLines.slice(0, MAX_NAMED).join(', ')}${badLines.length > MAX_NAMED ? ' …' : ''}`;
    return isNewer
      ? `has lines of a newer version of mendloop (${lines}): they are left out, and stay as they are`
      : `has unreadable lines (${lines}): what they said is lost, all else is kept`;
  }
  return events.length < lastSeq ? `lacks lines (${lastSeq - events.length}): all else is kept` : undefined;
}

const MAX_NAMED = 10;

/** Opens a journal for appending; what was torn at its end is cut off. A damaged one is copied aside, once. */
export function openEvents(path: string): EventFile & { writer: LineWriter; quarantined?: string } {
  const file = readEvents(path);
  const isCopied = () => namesIn(dirname(path)).some((name) => name.startsWith(`${basename(path)}.corrupt-`));
  const aside = file.badLines.length > 0 && !isCopied() ? copyAside(path) : undefined;
  return { ...file, writer: openLines(path, file.end, true), ...(aside ? { quarantined: aside } : {}) };
}
