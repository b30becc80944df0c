// A log by windows of bytes: its end, what is before and behind, where a text stands in it. However long the file or a line of it
// is, no more than a window is in memory, and whoever waits for a search is answered in time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { plainLog } from './plain-text.ts';
import { type OpenFile, readAt, withPlainFile } from './regular-file.ts';
import { ifPossible } from './store.ts';

/** Bytes of one page of a log. */
export const WINDOW_BYTES = 65_536;

export interface LogWindow {
  /** The bytes shown: whole lines, where lines are shorter than a window. */
  readonly from: number;
  readonly to: number;
  readonly size: number;
  /** Plain, as on a terminal; in three parts where something in it is marked: before it, itself, behind it. */
  readonly parts: readonly string[];
}

/** Where to look: at a byte where a line begins, before one, or around a place of so many bytes. None: at the end. */
export interface Place {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
  readonly around?: { readonly at: number; readonly length: number };
}

/** Undefined when there is no such file, or no more. */
export const readWindow = (path: string, place: Place): LogWindow | undefined =>
  inLog(path, ({ fd, size }) => {
    const { from, around } = place;
    const wanted = around ? around.at + (WINDOW_BYTES >> 1) : (place.before ?? size);
    const end = from === undefined ? Math.min(size, wanted) : Math.min(size, from + WINDOW_BYTES);
    const start = Math.min(size, from ?? Math.max(0, end - WINDOW_BYTES));
    const bytes = readAt(fd, start, end - start);
    // Lines that the window cuts belong to the next window, unless one line fills it all.
    const line = bytes.indexOf(NEWLINE) + 1;
    const skipped = from !== undefined || start === 0 ? 0 : line > 0 && line < bytes.length ? line : halfSign(bytes);
    const last = bytes.lastIndexOf(NEWLINE) + 1;
    const isCut = start + bytes.length < size && (from !== undefined || around !== undefined);
    const to = isCut && last > skipped ? last : isCut ? bytes.length - cutSign(bytes) : bytes.length;
    const shown = bytes.subarray(skipped, to);
    const mark = around && around.at - start - skipped;
    const isInside = around && mark !== undefined && mark >= 0 && mark + around.length <= shown.length;
    const cuts = isInside ? [0, mark, mark + around.length, shown.length] : [0, shown.length];
    return {
      from: start + skipped,
      to: start + to,
      size,
      parts: cuts.slice(1).map((cut, i) => plain(shown.subarray(cuts[i], cut))),
    };
  });

const NEWLINE = 10;

/** How many bytes at the beginning belong to a UTF-8 character that began before; at most three. */
function halfSign(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && count < bytes.length && isInner(bytes[count])) count++;
  return count;
}

/** How many bytes at the end belong to a UTF-8 character that goes on. */
function cutSign(bytes: Buffer): number {
  let count = 1;
  while (count < 4 && count < bytes.length && isInner(bytes.at(-count))) count++;
  const lead = bytes.at(-count) ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > count ? count : 0;
}

const isInner = (byte = 0): boolean => (byte & 0xc0) === 0x80;

function plain(bytes: Buffer): string {
  const log = plainLog();
  return log.push(bytes) + log.end();
}

/** How many lines are before byte `to`: counted in pieces, so that whoever waits is answered. Undefined when there is no such file. */
export async function linesBefore(path: string, to: number): Promise<number | undefined> {
  let [at, lines]: [number, number] = [0, 0];
  while (at < to) {
    const piece = inLog(path, ({ fd }) => readAt(fd, at, Math.min(CHUNK_BYTES, to - at)));
    if (!piece) return undefined;
    if (piece.length === 0) break;
    for (let line = piece.indexOf(NEWLINE); line !== -1; line = piece.indexOf(NEWLINE, line + 1)) lines++;
    at += piece.length;
    await nextTurn();
  }
  return lines;
}

/** All of a log, as it is. Undefined when there is no such file. */
export function logStream(path: string): ReadableStream<Uint8Array> | undefined {
  let at = 0;
  const next = () => inLog(path, ({ fd }) => readAt(fd, at, WINDOW_BYTES));
  if (!next()) return undefined;
  return new ReadableStream({
    pull(stream) {
      const piece = next();
      if (!piece || piece.length === 0) return stream.close();
      at += piece.length;
      stream.enqueue(piece);
    },
  });
}

/** A line that has the text that was looked for, as much of it as fits: before, the text itself, behind. */
export interface Hit {
  readonly at: number;
  readonly parts: readonly [before: string, text: string, behind: string];
}

export interface Found {
  /** The last one first, one a line. */
  readonly hits: readonly Hit[];
  /** Everything from here on was looked at; 0: everything. */
  readonly reached: number;
  readonly size: number;
}

const CHUNK_BYTES = 4 * 1_048_576;
const BESIDE_BYTES = 160;

/**
 * Looks for a text from byte `before` backwards, until there are `most` lines that have it, or `budgetMs` are over; large and small
 * letters of ASCII are the same. Undefined when there is no such file.
 */
export async function searchLog(
  path: string,
  text: string,
  { before = Number.POSITIVE_INFINITY, most = 50, budgetMs = 1200 } = {},
): Promise<Found | undefined> {
  const began = performance.now();
  const needle = Buffer.from(text);
  const find = finder(text, needle);
  let found: Found = { hits: [], reached: before, size: 0 };
  // Search at least one chunk, so that a repeated search makes progress.
  do {
    const next = inLog(path, (file) => searchChunk(file, found, needle.length, find, most));
    if (!next) return undefined;
    found = next;
    await nextTurn();
  } while (found.reached > 0 && found.hits.length < most && performance.now() - began < budgetMs);
  return found;
}

/** What was found, and what is in one chunk before that. */
function searchChunk({ fd, size }: OpenFile, found: Found, length: number, find: Finder, most: number): Found {
  const end = Math.min(found.reached, size);
  const start = Math.max(0, end - CHUNK_BYTES);
  // A match may reach into the chunk behind.
  const bytes = readAt(fd, start, Math.min(end + length - 1, size) - start);
  const places = find(bytes, end - start).reverse();
  const more = places.slice(0, most - found.hits.length).map((at) => hitAt(fd, start + at, length, size));
  const hits = [...found.hits, ...more];
  return { hits, reached: hits.length >= most ? (more.at(-1)?.at ?? start) : start, size };
}

/** The places before `end` in which a line has the text for the first time. */
type Finder = (bytes: Buffer, end: number) => number[];

function finder(text: string, needle: Buffer): Finder {
  const isAscii = needle.length === text.length;
  const small = text.toLowerCase();
  return (bytes, end) => {
    // latin1: offsets in the text are offsets in the bytes.
    const letters = isAscii ? bytes.toString('latin1').toLowerCase() : undefined;
    const next = (from: number) => letters?.indexOf(small, from) ?? bytes.indexOf(needle, from);
    const places: number[] = [];
    for (let at = next(0); at >= 0 && at < end; ) {
      places.push(at);
      const line = bytes.indexOf(NEWLINE, at);
      at = line < 0 ? -1 : next(line);
    }
    return places;
  };
}

function hitAt(fd: number, at: number, length: number, size: number): Hit {
  const start = Math.max(0, at - BESIDE_BYTES);
  const bytes = readAt(fd, start, Math.min(size, at + length + BESIDE_BYTES) - start);
  const mark = at - start;
  const line = bytes.lastIndexOf(NEWLINE, mark - 1) + 1;
  const from = mark === 0 ? 0 : line > 0 ? line : halfSign(bytes);
  const end = bytes.indexOf(NEWLINE, mark + length);
  const to = end < 0 ? bytes.length - (at + length + BESIDE_BYTES < size ? cutSign(bytes) : 0) : end;
  const [before = '', text = '', behind = ''] = [
    bytes.subarray(from, mark),
    bytes.subarray(mark, mark + length),
    bytes.subarray(mark + length, Math.max(to, mark + length)),
  ].map(plain);
  return { at, parts: [before, text, behind] };
}

/** Undefined for what is no log: a stage may have put something else in its place. */
const inLog = <T>(path: string, work: (file: OpenFile) => T): T | undefined =>
  ifPossible(() => withPlainFile(path, work));

/** So much of the beginning of a log always stays; what is left out when it has grown too long was behind it. */
export const HEAD_BYTES = 1_048_576;

/** The line that stands there then. */
export const leftOutLine = (mb: string, bytes: string): string =>
  `\nmendloop: note: … ${mb} MB left out here: ${bytes} bytes …\n`;

const LEFT_OUT = new RegExp(`^${leftOutLine('\\d+', '(\\d+)')}`);

/** A place in all that was ever written, and the same place in the file, which a line may stand in for a part of. */
function placesIn(fd: number) {
  const [line = '', count = '0'] = LEFT_OUT.exec(readAt(fd, HEAD_BYTES, 200).toString('utf8')) ?? [];
  const [length, leftOut] = [Buffer.byteLength(line), Number(count)];
  return {
    inFile: (at: number) => (at <= HEAD_BYTES ? at : Math.max(HEAD_BYTES, at - leftOut + length)),
    inAll: (at: number) => (at < HEAD_BYTES + length ? Math.min(at, HEAD_BYTES) : at - length + leftOut),
  };
}

/** The most that is passed on at one look. */
const MAX_BEHIND = 4 * WINDOW_BYTES;

export interface LogPiece {
  readonly bytes: Buffer;
  /** Bytes that were skipped before it. */
  readonly skipped: number;
  /** The byte behind it. */
  readonly to: number;
}

/**
 * Hands on what is written behind byte `from`, look by look; undefined when the file is gone, or was written anew. `skips`: of more
 * than anyone reads between two looks only the end.
 */
export function openFollow(path: string, from: number, skips: boolean): () => LogPiece | undefined {
  /** In all that was written: more of it may be left out between two looks. */
  let at: number | undefined;
  return () =>
    inLog(path, ({ fd, size }) => {
      const places = placesIn(fd);
      const place = places.inFile(at ?? places.inAll(from));
      if (place > size) return undefined;
      const skipped = skips && size - place > MAX_BEHIND ? size - place - WINDOW_BYTES : 0;
      const bytes = readAt(fd, place + skipped, Math.min(size - place - skipped, MAX_BEHIND));
      const to = place + skipped + bytes.length;
      at = places.inAll(to);
      return { bytes, skipped, to };
    });
}
