// Journals: one numbered JSON record per line, appended and fsynced, readable from any of its lines on. What a record is,
// the caller knows.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { folderOf, onDisk } from '../io/store.ts';

interface Numbered {
  seq: number;
}

/** A record, and the byte its line begins at. */
export interface Line<T> {
  record: T;
  at: number;
}

export interface Lines<T> {
  lines: Line<T>[];
  /** Lines that are no records, or do not fit into their order. They are passed over, and stay where they are. */
  bad: number;
  /** Bytes up to the end of the last whole line. */
  end: number;
}

/** Where to read from: the line of record `seq`, which begins at byte `at`; `seq` 0 is the beginning. */
export interface Place {
  seq: number;
  at: number;
}

/**
 * Reads the records from `from` on, that one included. A torn last line is dropped. Undefined when `from` is not there:
 * the journal was cut, or is another one. Never throws for bad content.
 */
export function readLines<T extends Numbered>(
  path: string,
  isRecord: (value: unknown) => value is T,
  from: Place = { seq: 0, at: 0 },
): Lines<T> | undefined {
  const bytes = bytesFrom(path, from.at);
  const read: { record: T | undefined; at: number }[] = [];
  let at = 0;
  for (let end = bytes.indexOf('\n', at); end !== -1; end = bytes.indexOf('\n', at)) {
    read.push({ record: parse(bytes.toString('utf8', at, end), isRecord), at: from.at + at });
    at = end + 1;
  }
  const lines = inOrder(read, Math.max(0, from.seq - 1));
  const first = lines[0];
  if (from.seq > 0 && (first?.record.seq !== from.seq || first.at !== from.at)) return undefined;
  return { lines, bad: read.length - lines.length, end: from.at + at };
}

/** The records whose numbers grow. Where one is missing, what follows must agree: a number that rotted hides nothing. */
function inOrder<T extends Numbered>(
  read: readonly { record: T | undefined; at: number }[],
  before: number,
): Line<T>[] {
  const lines: Line<T>[] = [];
  let last = before;
  read.forEach(({ record, at }, i) => {
    if (!record || record.seq <= last) return;
    const next = read[i + 1]?.record;
    if (record.seq !== last + 1 && next && next.seq !== record.seq + 1) return;
    lines.push({ record, at });
    last = record.seq;
  });
  return lines;
}

function parse<T>(line: string, isRecord: (value: unknown) => value is T): T | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a file holds from a byte on; nothing when there is no file or it ends before. */
function bytesFrom(path: string, from: number): Buffer {
  return onDisk(path, () => {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
      let got = 0;
      for (let n = -1; n !== 0 && got < bytes.length; got += n) {
        n = readSync(fd, bytes, got, bytes.length - got, from + got);
      }
      return bytes.subarray(0, got);
    } finally {
      closeSync(fd);
    }
  });
}

export interface LineWriter {
  /**
   * Writes the records as one append and one fsync: all of them are on disk when this returns, with where each begins.
   * Throws MendError when the disk refuses, from then on always.
   */
  append<T>(records: readonly T[]): Line<T>[];
  close(): void;
}

/** Opens a journal for appending behind byte `end`; what is torn there is cut off. */
export function openLines(path: string, end: number): LineWriter {
  folderOf(path);
  const fd = onDisk(path, () => openSync(path, 'a', 0o600));
  onDisk(path, () => ftruncateSync(fd, end));
  let size = end;
  let refusal: unknown;
  return {
    append(records) {
      // A write that failed may have left half a line: what came behind it could not be read again.
      if (refusal) throw refusal;
      const texts = records.map((record) => `${JSON.stringify(record)}\n`);
      try {
        onDisk(path, () => {
          writeFileSync(fd, texts.join(''));
          fsyncSync(fd);
        });
      } catch (error) {
        refusal = error;
        throw error;
      }
      return records.map((record, i) => {
        const at = size;
        size += Buffer.byteLength(texts[i] as string);
        return { record, at };
      });
    },
    close: () => closeSync(fd),
  };
}
