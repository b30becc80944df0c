// The log of an attempt: written by a relay from its processes, with lines of the loop between them, printed, followed, and its
// end read. Never all of it in memory.
import { closeSync, writeSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { openFollow } from './log-window.ts';
import { plainLog } from './plain-text.ts';
import { openToAppend, readAt, withFile } from './regular-file.ts';
import { type Relay, startRelay } from './relay.ts';
import { ifPossible, makeFolderOf, onDisk } from './store.ts';

const POLL_MS = 200;

/**
 * Prints a log from byte `from` on, and goes on while `more()` says that something is still writing; `plain` for the person at a
 * terminal. Resolves early when nobody reads any more (`| head`).
 */
export async function printLog(
  path: string,
  clock: Clock,
  { plain, from = 0, more = () => false }: { plain: boolean; from?: number; more?: () => boolean },
): Promise<void> {
  const shown = plain ? plainLog() : undefined;
  const next = openFollow(path, from, false);
  for (let isLast = false; !isLast; ) {
    isLast = !more();
    for (let piece = next(); piece && piece.bytes.length > 0; piece = next())
      if (!(await print(shown?.push(piece.bytes) ?? piece.bytes))) return;
    if (!isLast) await clock.sleep(POLL_MS);
  }
  await print(shown?.end() ?? '');
}

/** Waits until it is taken; false when nobody reads any more. */
const print = (text: string | Buffer): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)));

const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** The byte where the last `count` lines of a file begin; 0 where there are not as many. */
export const lastLinesAt = (path: string, count: number): number =>
  withFile(path, ({ fd, size }) => {
    // The newline that ends the last line begins none.
    let end = size - 1;
    for (let left = count; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const bytes = readAt(fd, start, end - start);
      let at = bytes.lastIndexOf(NEWLINE);
      for (; at >= 0 && --left > 0; ) at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
      if (at >= 0) return start + at + 1;
      end = start;
    }
    return 0;
  });

/** Hands on how long a log is, and a reader of the bytes between two places; undefined when it cannot be read. */
export const withLog = <T>(
  path: string,
  work: (size: number, read: (from: number, to: number) => Buffer) => T,
): T | undefined =>
  ifPossible(() => withFile(path, ({ fd, size }) => work(size, (from, to) => readAt(fd, from, to - from))));

export interface LogFile {
  readonly path: string;
  /** Where commands write to; the first call starts the relay. Throws MendError when that cannot be. */
  output(): number;
  /** Adds a line of the loop's own, behind what was written before it. */
  say(line: string): void;
  /** Resolves when all that was written is in the file. Rejects with MendError when that could not be. */
  close(): Promise<void>;
}

/** Opens a log for appending, readable by its owner alone, of at most `maxBytes`. Throws MendError when the disk refuses. */
export function openLog(path: string, maxBytes: number): LogFile {
  makeFolderOf(path);
  const fd = onDisk(path, () => openToAppend(path));
  let relay: Relay | undefined;
  return {
    path,
    output: () => {
      relay ??= startRelay(path, maxBytes);
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
