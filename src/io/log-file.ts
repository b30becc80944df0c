// The log of one attempt: processes write to its descriptor directly, the loop adds its own lines between them.
import { closeSync, openSync, writeSync } from 'node:fs';
import { folderOf, onDisk } from './store.ts';

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
