// Whether files were touched, told by the file system alone.
import { lstatSync } from 'node:fs';

export interface Stamps {
  /** Equal for equal states: inode, kind and mode, size and change time of every path, links not followed. */
  readonly text: string;
  /** The latest change of any of them, in milliseconds. */
  readonly newest: number;
}

export function stampsOf(paths: readonly string[]): Stamps {
  let newest = 0;
  const parts = paths.map((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return '-';
    newest = Math.max(newest, stat.ctimeMs);
    return `${stat.ino} ${stat.mode} ${stat.size} ${stat.ctimeMs}`;
  });
  return { text: parts.join('\n'), newest };
}
