// Writing a file of the worktree: only a regular file at exactly that path, never through a link of any kind.
import { chmodSync, closeSync, constants, lstatSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { onDisk } from './store.ts';

/**
 * Replaces `path` below `root`, or makes the file; its folder must exist. Keeps its mode, or makes it executable. Throws
 * when the way there leads through a link or out of `root`, or something else stands there.
 */
export function writeTreeFile(root: string, path: string, text: string, executable = false): void {
  const file = placeOf(root, path);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  onDisk(file, () => {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there && !there.isFile()) throw new Error(`${path} is no regular file`);
    const mode = (there?.mode ?? 0o644) & 0o777;
    // A new file in its place: the old one may have another name elsewhere, and what that holds is not ours.
    rmSync(file, { force: true });
    const out = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
    try {
      writeFileSync(out, text);
    } finally {
      closeSync(out);
    }
    chmodSync(file, executable ? mode | 0o111 : mode);
  });
}

/** Removes a file of the worktree; not there is fine. */
export function removeTreeFile(root: string, path: string): void {
  rmSync(placeOf(root, path), { force: true });
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
