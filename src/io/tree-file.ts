// Writing a file of the worktree: only a regular file at exactly that path, never through a link of any kind.
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { readWhole } from './regular-file.ts';
import { ifThere, onDisk } from './store.ts';

/**
 * Replaces `path` below `root`, which keeps its mode or is made executable. Durable when it returns. Throws when the way there
 * leads through a link or out of `root`, or no regular file stands there; when the disk refuses, nothing stands there.
 */
export function replaceTreeFile(root: string, path: string, text: string | Buffer, executable = false): void {
  const file = placeOf(root, path);
  onDisk(file, () => {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (!there?.isFile()) throw new Error(`${path} is no regular file`);
    const mode = there.mode & 0o777;
    // Replace it by a new file: the old one may have hard links elsewhere.
    rmSync(file, { force: true });
    create(file, text, executable ? mode | 0o111 : mode);
  });
}

/** Makes the file, and its folder where there is none. False when anything stands there already: that stays as it is. Throws as above. */
export function createTreeFile(root: string, path: string, text: string | Buffer, executable = false): boolean {
  onDisk(join(root, path), () => makeFolders(root, dirname(path)));
  const file = placeOf(root, path);
  return onDisk(file, () => {
    try {
      create(file, text, executable ? 0o755 : 0o644);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Makes what is missing on the way; what stands there stays, and is judged by `placeOf`. */
function makeFolders(root: string, folder: string): void {
  if (
    folder === '.' ||
    folder === '..' ||
    isAbsolute(folder) ||
    lstatSync(join(root, folder), { throwIfNoEntry: false })
  )
    return;
  makeFolders(root, dirname(folder));
  mkdirSync(placeOf(root, folder));
}

function create(file: string, text: string | Buffer, mode: number): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const out = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    writeFileSync(out, text);
    fchmodSync(out, mode);
    fsyncSync(out);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(out);
  }
}

/** Removes a file of the worktree; not there is fine. */
export function removeTreeFile(root: string, path: string): void {
  rmSync(placeOf(root, path), { force: true });
}

/** Whether the file holds `text`, or the beginning of it. False for anything else that stands there, or nothing. */
export function holdsPartOf(root: string, path: string, text: string | Buffer): boolean {
  const file = ifThere(() => placeOf(root, path));
  const there = file === undefined ? undefined : lstatSync(file, { throwIfNoEntry: false });
  const whole = Buffer.from(text);
  if (file === undefined || !there?.isFile() || there.size > whole.length) return false;
  return whole.subarray(0, there.size).equals(readWhole(file));
}

/** The file's real place. Throws when a folder on the way is a link, or the way leads out of the root. */
function placeOf(root: string, path: string): string {
  const plain = normalize(path) === path && !isAbsolute(path) && path !== '..' && !path.startsWith('../');
  if (!plain) throw new Error(`${path} is no plain path`);
  const file = join(root, path);
  if (realpathSync(dirname(file)) !== join(realpathSync(root), dirname(path))) {
    throw new Error(`the folder of ${path} is not where it seems to be`);
  }
  return file;
}
