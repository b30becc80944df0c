// The one way to open a file: a regular one, and without waiting. Whoever opens a pipe waits for its other end, for ever, and hears
// no signal meanwhile; to open a device may already be to use it.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs';
import { fail } from '../errors.ts';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;

/** More than any file of state or of a person has; Node makes no longer text. */
const MAX_BYTES = 500 * 1024 * 1024;

export interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** Hands on an open file and closes it. Throws E_STATE_PLACE for what is no regular file, else what the system says. */
export function withFile<T>(path: string, work: (file: OpenFile) => T, flags = 0): T {
  const fd = openFile(path, O_RDONLY | flags);
  try {
    return work({ fd, size: fstatSync(fd).size });
  } finally {
    closeSync(fd);
  }
}

/** The same for what a stage may have put there: a link is not followed, and throws ELOOP. */
export const withPlainFile = <T>(path: string, work: (file: OpenFile) => T): T => withFile(path, work, O_NOFOLLOW);

/** A descriptor for a stream to read from, which closes it. Throws as above. */
export const openToRead = (path: string): number => openFile(path, O_RDONLY);

/** A descriptor for appending; a new file is readable by its owner alone. Throws as above. */
export const openToAppend = (path: string): number => openFile(path, O_WRONLY | O_APPEND | O_CREAT);

/** All of a file. Throws as above, and for one that nobody can mean. */
export const readWhole = (path: string): Buffer =>
  withFile(path, ({ fd, size }) => {
    if (size > MAX_BYTES) fail('E_STATE_PLACE', { path, what: `too large to be read (${size} bytes)` });
    return readFileSync(fd);
  });

/** The bytes of an open file from `at` on, `length` or as many as there are. */
export function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  for (let got = -1; got !== 0 && filled < bytes.length; filled += got) {
    got = readSync(fd, bytes, filled, bytes.length - filled, at + filled);
  }
  return bytes.subarray(0, filled);
}

function openFile(path: string, flags: number): number {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before) requireRegular(path, before);
  const fd = openSync(path, flags | O_NONBLOCK | O_NOCTTY, 0o600);
  try {
    // It may have been replaced meanwhile.
    requireRegular(path, fstatSync(fd));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function requireRegular(path: string, stat: Stats): void {
  if (!stat.isFile()) fail('E_STATE_PLACE', { path, what: `${kindOf(stat)}, where a file belongs` });
}

/** What stands somewhere, for people. */
export function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a pipe';
  if (stat.isSocket()) return 'a socket';
  return stat.isSymbolicLink() ? 'a link' : 'a device';
}
