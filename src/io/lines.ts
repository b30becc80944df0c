// Files of JSON lines: read whole or from the end, appended to and fsynced. What a line means, the caller knows.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, statSync, writeFileSync } from 'node:fs';
import { fail } from '../errors.ts';
import { openToAppend, readAt, withFile } from './regular-file.ts';
import { atPlace, makeFolderOf, onDisk, readBytes } from './store.ts';

/** The whole lines of a file and where each begins. A torn last line is left out. */
export function* readLines(path: string): Generator<{ line: string; from: number; to: number }> {
  const bytes = readBytes(path) ?? Buffer.alloc(0);
  let from = 0;
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', from)) {
    yield { line: bytes.toString('utf8', from, end), from, to: end + 1 };
    from = end + 1;
  }
}

/** The last whole line of a file, and where it ends; undefined when there is none. */
export function readLastLine(path: string): { line: string; to: number } | undefined {
  for (let window = 4096; ; window *= 8) {
    const end = bytesAtEnd(path, window);
    if (!end) return undefined;
    const last = end.bytes.lastIndexOf('\n');
    const before = last === -1 ? -1 : end.bytes.lastIndexOf('\n', last - 1);
    const whole = end.from === 0 || (last !== -1 && before !== -1 && before !== last);
    if (!whole) continue;
    if (last === -1) return undefined;
    return { line: end.bytes.toString('utf8', before + 1, last), to: end.from + last + 1 };
  }
}

const bytesAtEnd = (path: string, length: number): { bytes: Buffer; from: number } | undefined =>
  atPlace(path, () =>
    withFile(path, ({ fd, size }) => {
      const from = Math.max(0, size - length);
      return { bytes: readAt(fd, from, length), from };
    }),
  );

export interface LineWriter {
  /** Writes the values as one append: with `sync` they are on disk when this returns. Throws MendError when the disk refuses, from then on always. */
  append(values: readonly unknown[]): void;
  close(): void;
}

/** Opens a file for appending behind byte `end`; what is torn there is cut off. */
export function openLines(path: string, end: number, sync: boolean): LineWriter {
  makeFolderOf(path);
  const fd = onDisk(path, () => openToAppend(path));
  const { ino, dev } = onDisk(path, () => {
    ftruncateSync(fd, end);
    return fstatSync(fd);
  });
  let size = end;
  let refusal: unknown;
  return {
    append(values) {
      // A failed write may have left half a line, so nothing more may be appended.
      if (refusal) throw refusal;
      try {
        onDisk(path, () => {
          requireOurs();
          const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
          writeFileSync(fd, text);
          if (sync) fsyncSync(fd);
          size += Buffer.byteLength(text);
        });
      } catch (error) {
        refusal = error;
        throw error;
      }
    },
    close: () => closeSync(fd),
  };

  /** Refuses to write into a file that was removed, or that another process writes. */
  function requireOurs(): void {
    const now = statSync(path, { throwIfNoEntry: false });
    if (!now) fail('E_STATE_CHANGED', { path, what: 'was removed' });
    if (now.ino !== ino || now.dev !== dev) fail('E_STATE_CHANGED', { path, what: 'was replaced' });
    if (now.size !== size) fail('E_STATE_CHANGED', { path, what: 'was written by another' });
  }
}
