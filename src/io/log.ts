// The log of an attempt: written by its processes directly with lines of the loop between them, printed, followed, and its
// end read. Never all of it in memory.
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { fileFacts, readTail } from './files.ts';
import { folderOf, onDisk } from './store.ts';

/** Copies the file to stdout. Resolves early when nobody reads any more. */
export async function printLog(path: string): Promise<void> {
  await withReader((reader) => copy(path, 0, reader));
}

const POLL_MS = 200;

/** Goes on printing while `more()` says that something is still writing, and somebody reads. */
export async function followLog(path: string, more: () => boolean, clock: Clock): Promise<void> {
  await withReader(async (reader) => {
    for (let at = 0; !reader.gone; ) {
      const last = !more();
      if ((fileFacts(path)?.size ?? 0) > at) at = await copy(path, at, reader);
      if (last) return;
      await clock.sleep(POLL_MS);
    }
  });
}

/** Copies from byte `from` on; resolves to the byte after the last one copied. */
async function copy(path: string, from: number, reader: Reader): Promise<number> {
  let at = from;
  for await (const chunk of createReadStream(path, { start: from })) {
    if (reader.gone) break;
    at += (chunk as Buffer).length;
    if (!process.stdout.write(chunk)) await reader.ready();
  }
  return at;
}

interface Reader {
  readonly gone: boolean;
  /** Resolves when stdout takes more, or never will. */
  ready(): Promise<void>;
}

async function withReader<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
  const { stdout } = process;
  let gone = false;
  let wake = () => {};
  const leave = () => {
    gone = true;
    wake();
  };
  const drained = () => wake();
  stdout.on('error', leave).on('close', leave).on('drain', drained);
  try {
    return await work({
      get gone() {
        return gone;
      },
      ready: () =>
        new Promise((resolve) => {
          wake = resolve;
          if (gone || !stdout.writableNeedDrain) resolve();
        }),
    });
  } finally {
    stdout.off('error', leave).off('close', leave).off('drain', drained);
  }
}

/** The last bytes of a file; `cut` when there are more before them. */
export interface FileEnd {
  text: string;
  cut: boolean;
}

/** Undefined when the file cannot be read: it vanished, or is none. Bytes that are no UTF-8 become U+FFFD. */
export function readLogEnd(path: string, bytes: number): FileEnd | undefined {
  try {
    const found = readTail(path, bytes);
    return found && { text: found.text, cut: found.size > bytes };
  } catch {
    // Nothing to read is an answer here, not a fault: the failure is then known by how it ended.
    return undefined;
  }
}

export interface LogFile {
  readonly path: string;
  readonly fd: number;
  /** Adds a line of the loop's own. */
  say(line: string): void;
  close(): void;
}

/** Opens a log for appending, readable by its owner alone. Throws MendError when the disk refuses. */
export function openLog(path: string): LogFile {
  folderOf(path);
  const fd = onDisk(path, () => openSync(path, 'a', 0o600));
  return {
    path,
    fd,
    say: (line) => onDisk(path, () => void writeSync(fd, `mendloop: ${line}\n`)),
    close: () => closeSync(fd),
  };
}
