// The end of a log of any size, as text: never more of it in memory than asked for.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The last bytes of a file; `cut` when there are more before them. */
export interface FileEnd {
  text: string;
  cut: boolean;
}

/** Undefined when the file cannot be read: it vanished, or is none. Bytes that are no UTF-8 become U+FFFD. */
export function readLogEnd(path: string, bytes: number): FileEnd | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    return { text: buffer.toString('utf8', 0, fill(fd, buffer, from)), cut: from > 0 };
  } catch {
    // Nothing to read is an answer here, not a fault: the failure is then known by how it ended.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function fill(fd: number, buffer: Buffer, from: number): number {
  let got = 0;
  while (got < buffer.length) {
    const read = readSync(fd, buffer, got, buffer.length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  return got;
}
