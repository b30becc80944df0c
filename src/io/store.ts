// Files and folders of state: written whole or not at all, read only when they match their schema.

import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, type MendError, mendError } from '../errors.ts';
import { tempName } from './half-made.ts';
import { ifPossible, ifThere } from './if-possible.ts';
import { readWhole } from './regular-file.ts';

export { ifPossible, ifThere };

/** Replaces `path` with `text`: unique temp file, fsync, rename. Throws MendError when the disk will not take it. */
export const writeAtomic = (path: string, text: string | Buffer, mode = 0o600): void =>
  onDisk(path, () => replaceFile(path, text, mode));

/** The same with a file that a person named, for whom their umask says. Throws E_FILE_UNWRITABLE. */
export function writeNamedFile(path: string, text: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    fail('E_FILE_UNWRITABLE', { path, why: REFUSALS[code] ?? message });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'what should be its folder is a file',
  EISDIR: 'a folder stands there',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

function replaceFile(path: string, text: string | Buffer, mode?: number): void {
  const temp = tempName(path);
  try {
    const fd = openSync(temp, 'wx', mode);
    try {
      // What others are to read, they can whatever the umask is.
      if (mode !== undefined && mode !== 0o600) fchmodSync(fd, mode);
      // Not writeSync: on an almost full disk it writes a part without an error.
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

/** Creates a file of the owner's with its folders; false when something exists there, which stays. Throws MendError. */
export const createText = (path: string, text: string): boolean =>
  onDisk(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    try {
      writeFileSync(path, text, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });

/** Copies a file beside files of state. Throws MendError when the disk refuses. */
export const copyFile = (from: string, to: string): void =>
  onDisk(to, () => writeFileSync(to, readWhole(from), { mode: 0o600 }));

/** Removes a file of state, if it is there. */
export const removeFile = (path: string): void => onDisk(path, () => rmSync(path, { force: true }));

/** The same with a folder and all that is in it. */
export const removeAll = (path: string): void => onDisk(path, () => rmSync(path, { recursive: true, force: true }));

/** What stands at `path` itself; undefined for nothing, also below what is no folder. */
export const entryStat = (path: string) => ifPossible(() => lstatSync(path));

/** Renames what is at `path` to `to`; on another disk it is removed in place. */
export const moveAway = (path: string, to: string): void =>
  onDisk(path, () => {
    try {
      renameSync(path, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      rmSync(path, { recursive: true, force: true });
    }
  });

export type Read<T> = { found: true; value: T } | { found: false; quarantined?: string };

/** Reads JSON that must pass `check`. A file that does not is moved to `<path>.corrupt-<time>`, or what `aside` does is done. */
export function readChecked<T>(path: string, check: (value: unknown) => value is T, aside = quarantine): Read<T> {
  const text = readText(path);
  if (text === undefined) return { found: false };
  const value = parseJson(text);
  return check(value) ? { found: true, value } : { found: false, quarantined: aside(path) };
}

/** For those who only read: a broken file stays where it is. */
export const leaveInPlace = (path: string): string => path;

/** Moves a broken file aside; returns where it is now. */
export const quarantine = (path: string): string => putAside(path, renameSync);

/** Copies a broken file aside; returns where the copy is. */
export const copyAside = (path: string): string => putAside(path, copyFileSync);

function putAside(path: string, put: (from: string, to: string) => void): string {
  const aside = `${path}.corrupt-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  onDisk(path, () => put(path, aside));
  return aside;
}

/** When a file of this name was put aside, in epoch milliseconds; undefined for any other name. */
export function quarantinedAt(name: string): number | undefined {
  const [, day, h, m, s] = /\.corrupt-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d-\d{3})Z$/.exec(name) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${h}:${m}:${s?.replace('-', '.')}Z`);
}

/** The text of a file, or undefined when there is none. */
export const readText = (path: string): string | undefined => readBytes(path)?.toString('utf8');

/** The bytes of a file, or undefined when there is none. */
export const readBytes = (path: string): Buffer | undefined => atPlace(path, () => readWhole(path));

/** What `look` finds at a path of state; undefined when nothing stands there. Throws MendError for a link to nowhere. */
export const atPlace = <T>(path: string, look: () => T): T | undefined =>
  onDisk(path, () => {
    const result = ifThere(look);
    if (result === undefined && isLinkToNowhere(path)) fail('E_STATE_PLACE', { path, what: LINK_TO_NOWHERE });
    return result;
  });

/** Makes a folder that only its owner can enter. */
export const privateFolder = (path: string): void =>
  onDisk(path, () => void mkdirSync(path, { recursive: true, mode: 0o700 }));

/** Makes a private folder that git does not see. */
export function ownFolder(path: string): void {
  // The parent folder is the owner's, and gets their usual mode.
  onDisk(path, () => mkdirSync(dirname(path), { recursive: true }));
  privateFolder(path);
  const ignore = join(path, '.gitignore');
  // Keep what the owner wrote; replace what a full disk or a power loss left empty.
  const text = ifPossible(() => readText(ignore)) ?? '';
  if (text.trim() === '' || text.includes('\0')) writeAtomic(ignore, '*\n');
}

/** Makes the folder a file will stand in. */
export const makeFolderOf = (file: string): void => privateFolder(dirname(file));

/** Runs `work` on a file of state; what the disk refuses becomes an error a person can act on. */
export function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(path, error as NodeJS.ErrnoException) ?? error;
  }
}

/** How programs say that a disk is full. */
export const NO_SPACE = /No space left|Out of diskspace|quota exceeded/i;

function storageError(path: string, { code = '' }: NodeJS.ErrnoException): MendError | undefined {
  if (['ENOSPC', 'EDQUOT'].includes(code)) return mendError('E_DISK_FULL', { path });
  if (code === 'EFBIG') return mendError('E_LOG_LOST', { path, reason: 'it may not grow any more' });
  if (code === 'EISDIR') return mendError('E_STATE_PLACE', { path, what: 'a folder, where a file belongs' });
  const link = ['ELOOP', 'ENOENT', 'EEXIST', 'ENOTDIR'].includes(code)
    ? upwards(path).find(isLinkToNowhere)
    : undefined;
  if (link) return mendError('E_STATE_PLACE', { path: link, what: LINK_TO_NOWHERE });
  if (code === 'ENOENT') return readOnlyAbove(path) ?? mendError('E_STATE_CHANGED', { path, what: 'went away' });
  const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code);
  return unwritable ? mendError('E_STATE_UNWRITABLE', { path, reason: code }) : undefined;
}

/** Node says of a folder that it cannot make on a disk that is mounted read-only that it is not there. */
function readOnlyAbove(path: string): MendError | undefined {
  const folder = upwards(path).find((one) => existsSync(one)) ?? path;
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'EROFS' ? mendError('E_STATE_UNWRITABLE', { path: folder, reason: code }) : undefined;
  }
}

const LINK_TO_NOWHERE = 'a link that leads nowhere, or in a circle';

const upwards = (path: string): string[] => (dirname(path) === path ? [path] : [path, ...upwards(dirname(path))]);

const isLinkToNowhere = (path: string): boolean =>
  ifPossible(() => lstatSync(path).isSymbolicLink() && !existsSync(path)) ?? false;

/** Undefined for what is no JSON. */
export const parseJson = (text: string): unknown => ifPossible(() => JSON.parse(text));

/** Refuses a root whose state folder cannot be written, before anything else is done. */
export function requireWritable(folder: string): void {
  ownFolder(folder);
  const probe = tempName(join(folder, '.probe'));
  onDisk(folder, () => {
    writeFileSync(probe, '');
    rmSync(probe);
  });
  if (!existsSync(folder)) fail('E_STATE_UNWRITABLE', { path: folder, reason: 'ENOENT' });
}

type UnpackedFile = { readonly path: string; readonly bytes: Buffer };

/**
 * Makes `folder` hold these files and no others, as a whole. One that is there is compared first: its name says what it should
 * hold, and somebody may have changed it since. Throws MendError when the disk refuses.
 */
export function unpack(folder: string, files: readonly UnpackedFile[]): void {
  if (ifPossible(() => holdsExactly(folder, files))) return;
  const [draft, other] = [tempName(folder, 'draft'), tempName(folder, 'other')];
  onDisk(folder, () => {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    for (const { path, bytes } of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), bytes);
    }
    if (lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, other);
    renameSync(draft, folder);
    rmSync(other, { recursive: true, force: true });
  });
}

/** No links and no other files: Node could resolve a module to one of them. */
function holdsExactly(folder: string, files: readonly UnpackedFile[]): boolean {
  if (!lstatSync(folder).isDirectory()) return false;
  const wanted = new Map(files.map(({ path, bytes }) => [join(folder, path), bytes]));
  const there = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return (
    there.length === wanted.size &&
    there.every((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() && wanted.get(path)?.equals(readWhole(path));
    })
  );
}
