// The log of an attempt: written by a relay from its processes, with lines of the loop between them, printed, followed, and its
// end read. Never all of it in memory.
import { closeSync, createReadStream, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Clock } from './clock.ts';
import { fileFacts, readTail } from './files.ts';
import { type PlainLog, plainLog } from './plain-text.ts';
import { type Relay, startRelay } from './relay.ts';
import { ifPossible, makeFolderOf, onDisk } from './store.ts';

/**
 * Copies the file from byte `from` on to stdout; `plain` for the person at a terminal. Resolves early when nobody reads any more
 * (`| head`).
 */
export async function printLog(path: string, plain: boolean, from = 0): Promise<void> {
  const shown = plain ? plainLog() : undefined;
  await copy(path, from, shown);
  process.stdout.write(shown?.end() ?? '');
}

const POLL_MS = 200;

/** Goes on printing, from byte `from` on, while `more()` says that something is still writing, and somebody reads. */
export async function followLog(
  path: string,
  more: () => boolean,
  clock: Clock,
  plain: boolean,
  from = 0,
): Promise<void> {
  const shown = plain ? plainLog() : undefined;
  for (let at: number | undefined = from; at !== undefined; await clock.sleep(POLL_MS)) {
    const last = !more();
    if ((fileFacts(path)?.size ?? 0) > at) at = await copy(path, at, shown);
    if (last) return void process.stdout.write(shown?.end() ?? '');
  }
}

const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** The byte where the last `count` lines of a file begin; 0 where there are not as many. */
export function lastLinesAt(path: string, count: number): number {
  const fd = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    // The newline that ends the last line begins none.
    let end = fstatSync(fd).size - 1;
    for (let left = count; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const bytes = chunk.subarray(0, readSync(fd, chunk, 0, end - start, start));
      let at = bytes.lastIndexOf(NEWLINE);
      for (; at >= 0 && --left > 0; ) at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
      if (at >= 0) return start + at + 1;
      end = start;
    }
    return 0;
  } finally {
    closeSync(fd);
  }
}

/** Copies from byte `from` on; the byte after the last one copied, or undefined when nobody reads any more. */
async function copy(path: string, from: number, shown: PlainLog | undefined): Promise<number | undefined> {
  const log = createReadStream(path, { start: from });
  async function* pieces(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) yield shown?.push(chunk) ?? chunk;
  }
  try {
    await pipeline(log, pieces, process.stdout, { end: false });
    return from + log.bytesRead;
  } catch (error) {
    if (['open', 'read'].includes((error as NodeJS.ErrnoException).syscall ?? '')) throw error;
    return undefined;
  }
}

/**
 * The last bytes of a file; `cut` when there are more before them. Undefined when it cannot be read, which is no fault here:
 * the failure is then known by how it ended. Bytes that are no UTF-8 become U+FFFD.
 */
export function readLogEnd(path: string, bytes: number): { text: string; cut: boolean } | undefined {
  const tail = ifPossible(() => readTail(path, bytes));
  return tail && { text: tail.text, cut: tail.size > bytes };
}

/** Hands on how long a log is, and a reader of the bytes between two places; undefined when it cannot be read. */
export function withLog<T>(
  path: string,
  work: (size: number, read: (from: number, to: number) => Buffer) => T,
): T | undefined {
  const fd = ifPossible(() => openSync(path, 'r'));
  if (fd === undefined) return undefined;
  try {
    return ifPossible(() => work(fstatSync(fd).size, (from, to) => bytesOf(fd, from, to)));
  } finally {
    closeSync(fd);
  }
}

function bytesOf(fd: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from);
  return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from));
}

export interface LogFile {
  readonly path: string;
  /** Where commands write to; the first call starts the relay. Throws MendError when that cannot be. */
  output(): number;
  /** Adds a line of the loop's own, behind what was written before it. */
  say(line: string): void;
  /** Resolves when all that was written is in the file. Rejects with MendError when that could not be. */
  close(): Promise<void>;
}

/** Opens a log for appending, readable by its owner alone. Throws MendError when the disk refuses. */
export function openLog(path: string): LogFile {
  makeFolderOf(path);
  const fd = onDisk(path, () => openSync(path, 'a', 0o600));
  let relay: Relay | undefined;
  return {
    path,
    output: () => {
      relay ??= startRelay(path);
      return relay.fd;
    },
    say: (line) => onDisk(path, () => void write(relay?.fd ?? fd, `mendloop: ${line}\n`)),
    close: async () => {
      try {
        await relay?.close();
      } finally {
        closeSync(fd);
      }
    },
  };
}

function write(fd: number, text: string): void {
  try {
    writeSync(fd, text);
  } catch (error) {
    // The relay is gone; close() reports why.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
