// A log by windows of bytes: its end, what is before and behind, where a text stands in it. However long the file or a line of it
// is, no more than a window is in memory, and whoever waits for a search is answered in time.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { plainLog } from './plain-text.ts';

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
export async function readWindow(path: string, place: Place): Promise<LogWindow | undefined> {
  return withFile(path, async (file, size) => {
    const { from, around } = place;
    const wanted = around ? around.at + (WINDOW_BYTES >> 1) : (place.before ?? size);
    const end = from === undefined ? Math.min(size, wanted) : Math.min(size, from + WINDOW_BYTES);
    const start = Math.min(size, from ?? Math.max(0, end - WINDOW_BYTES));
    const bytes = await readAt(file, start, end - start);
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
}

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
  return withFile(path, async (file, size) => {
    const began = performance.now();
    const needle = Buffer.from(text);
    const find = finder(text, needle);
    const hits: Hit[] = [];
    let reached = Math.min(before, size);
    // Search at least one chunk, so that a repeated search makes progress.
    for (let looks = 0; reached > 0 && hits.length < most; looks++) {
      if (looks > 0 && performance.now() - began >= budgetMs) break;
      const start = Math.max(0, reached - CHUNK_BYTES);
      // A match may reach into the chunk behind.
      const bytes = await readAt(file, start, Math.min(reached + needle.length - 1, size) - start);
      const places = find(bytes, reached - start).reverse();
      for (const at of places.slice(0, most - hits.length))
        hits.push(await hitAt(file, start + at, needle.length, size));
      const isFull = hits.length >= most && places.length > 0;
      reached = isFull ? (hits.at(-1) as Hit).at : start;
    }
    return { hits, reached, size };
  });
}

/** The places before `end` in which a line has the text for the first time. */
function finder(text: string, needle: Buffer): (bytes: Buffer, end: number) => number[] {
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

async function hitAt(file: FileHandle, at: number, length: number, size: number): Promise<Hit> {
  const start = Math.max(0, at - BESIDE_BYTES);
  const bytes = await readAt(file, start, Math.min(size, at + length + BESIDE_BYTES) - start);
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

/** Does not follow a link or block on a pipe: a stage may have put one in the log's place. */
const ONLY_FILES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

async function withFile<T>(path: string, work: (file: FileHandle, size: number) => Promise<T>): Promise<T | undefined> {
  const file = await open(path, ONLY_FILES).catch((error: NodeJS.ErrnoException) => {
    if (NO_FILE.has(error.code ?? '')) return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    return stat.isFile() ? await work(file, stat.size) : undefined;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The most that is passed on of what was written between two looks; of more, the end. */
const MAX_BEHIND = 4 * WINDOW_BYTES;

interface LogPiece {
  /** Plain, behind what came before. */
  readonly text: string;
  /** Bytes that were skipped before it. */
  readonly skipped: number;
  /** The byte behind it. */
  readonly to: number;
}

/** Hands on what is written behind byte `from`, look by look; undefined when the file is gone, or was written anew. */
export function openFollow(path: string, from: number): () => Promise<LogPiece | undefined> {
  const log = plainLog();
  let at = from;
  return () =>
    withFile(path, async (file, size) => {
      if (size < at) return undefined;
      const skipped = size - at > MAX_BEHIND ? size - at - WINDOW_BYTES : 0;
      const bytes = await readAt(file, at + skipped, size - at - skipped);
      at += skipped + bytes.length;
      return { text: log.push(bytes), skipped, to: at };
    });
}
