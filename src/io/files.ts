// Questions about files and folders: does it exist, what does it hold, was it changed. Never reads a whole log into memory.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  createReadStream,
  type Dirent,
  lstatSync,
  readdirSync,
  rmdirSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { openToRead, readAt, withFile } from './regular-file.ts';
import { atPlace, ifPossible, onDisk } from './store.ts';

/** What is at `path`, links followed; undefined when nothing can be reached there. */
export const fileFacts = (path: string) =>
  ifPossible(() => {
    const stat = statSync(path);
    return { isFile: stat.isFile(), isFolder: stat.isDirectory(), size: stat.size };
  });

/** The size of what is at `path`, no link followed; 0 when nothing is. */
export const fileSize = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** When it was last changed, in epoch milliseconds; now, when it is not there. */
export const changedAt = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();

/** Every file below a folder; links are neither followed nor named. Empty when it is not there. Throws MendError when it cannot be read. */
export function filesBelow(folder: string): string[] {
  const entries = atPlace(folder, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

/** Removes every folder below `folder` that holds nothing but such folders. Throws MendError when one cannot be read or removed. */
export function removeEmptyFolders(folder: string): void {
  for (const name of foldersIn(folder)) {
    const path = join(folder, name);
    removeEmptyFolders(path);
    if (namesIn(path, () => true).length === 0) onDisk(path, () => rmdirSync(path));
  }
}

/** sha256 of a file's content, read as a stream. Rejects when it cannot be read. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { fd: openToRead(path) })) hash.update(chunk);
  return hash.digest('hex');
}

const MAX_WALKED = 10_000;

/** Changes whenever something is written below `path`: names, sizes and times, links followed once. `-`: nothing is there. */
export function changeMark(path: string): string {
  const stat = ifPossible(() => statSync(path));
  if (!stat) return '-';
  if (!stat.isDirectory()) return `${stat.size} ${stat.mtimeMs}`;
  const hash = createHash('sha256');
  const queue = [''];
  for (let walked = 0, at = queue.pop(); at !== undefined && walked < MAX_WALKED; at = queue.pop(), walked++) {
    const folder = at;
    // An unreadable folder counts as empty; its own mtime is in the hash.
    for (const name of ifPossible(() => readdirSync(join(path, folder)).sort()) ?? []) {
      const below = join(folder, name);
      const entry = ifPossible(() => lstatSync(join(path, below)));
      hash.update(`${below}\0${entry?.size} ${entry?.mtimeMs}\0`);
      if (entry?.isDirectory()) queue.push(below);
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/** What a file holds, or a folder by its `changeMark`; `-` when nothing is there or it cannot be read. */
export async function contentMark(path: string): Promise<string> {
  if (!fileFacts(path)?.isFile) return changeMark(path);
  return hashFile(path).then(
    (hash) => hash.slice(0, 32),
    () => '-',
  );
}

/** Where `tool` is on `path`, or undefined. */
export function findTool(tool: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, tool)).find(isExecutable);
}

/** Whether `path` is a file that may be executed. */
export const isExecutable = (path: string): boolean => mayAccess(path, constants.X_OK) && !!fileFacts(path)?.isFile;

export const isWritable = (path: string): boolean => mayAccess(path, constants.W_OK);

const mayAccess = (path: string, mode: number): boolean =>
  ifPossible(() => {
    accessSync(path, mode);
    return true;
  }) ?? false;

/**
 * The last `bytes` of a file as text; `cut` when there are more before them. Undefined when it cannot be read. Bytes that are no UTF-8
 * become U+FFFD.
 */
export const readTail = (path: string, bytes: number): { text: string; cut: boolean } | undefined =>
  ifPossible(() =>
    withFile(path, ({ fd, size }) => {
      const length = Math.min(bytes, size);
      return { text: readAt(fd, size - length, length).toString('utf8'), cut: size > bytes };
    }),
  );

/** Bytes this user may still write on the disk of `path`. */
export function diskFree(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The names of the folders in `path`, sorted; links and files are none. Empty when it is not there. Throws MendError when it cannot be read. */
export const foldersIn = (path: string): string[] => namesIn(path, (entry) => entry.isDirectory());

/** The same for its files, or for whatever `wanted` lets through. */
export function namesIn(path: string, wanted = (entry: Dirent): boolean => entry.isFile()): string[] {
  const entries = atPlace(path, () => readdirSync(path, { withFileTypes: true }));
  return (entries ?? []).flatMap((entry) => (wanted(entry) ? [entry.name] : [])).sort();
}

/** The names that pass `isName` and `wanted`, from `from` on, or else the last of them: stats few entries of a large folder. */
export function lastNamesIn(path: string, from: string, isName: (name: string) => boolean, wanted: Wanted): string[] {
  const names = atPlace(path, () => readdirSync(path)) ?? [];
  const isWanted = (name: string): boolean => {
    if (!isName(name)) return false;
    const entry = lstatSync(join(path, name), { throwIfNoEntry: false });
    return entry !== undefined && wanted(entry);
  };
  const near = names.filter((name) => name >= from && isWanted(name));
  if (near.length > 0) return near.sort();
  const last = names.sort().findLast(isWanted);
  return last === undefined ? [] : [last];
}

type Wanted = (entry: Pick<Dirent, 'isFile' | 'isDirectory'>) => boolean;

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
