// Writing a file of the worktree: only a regular file at exactly that path, never through a link.
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { onDisk } from './store.ts';

/**
 * Replaces the text of `path` below `root`, or makes the file; its folder must exist. Keeps its mode, or makes it executable.
 * Throws when the way there leads through a link, or something else stands there.
 */
export function writeTreeFile(root: string, path: string, text: string, executable = false): void {
  const file = placeOf(root, path);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  onDisk(file, () => {
    const fd = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o644);
    try {
      if (!fstatSync(fd).isFile()) throw new Error(`${path} is no regular file`);
    } finally {
      closeSync(fd);
    }
    const out = openSync(file, O_WRONLY | O_TRUNC | O_NOFOLLOW);
    try {
      writeFileSync(out, text);
    } finally {
      closeSync(out);
    }
    if (executable) chmodSync(file, lstatSync(file).mode | 0o111);
  });
}

/** Removes a file of the worktree; not there is fine. */
export function removeTreeFile(root: string, path: string): void {
  rmSync(placeOf(root, path), { force: true });
}

/** The file's real place. Throws when a folder on the way is a link. */
function placeOf(root: string, path: string): string {
  const file = join(root, path);
  const real = realpathSync(dirname(file));
  if (real !== join(realpathSync(root), dirname(path)).replace(/\/\.$/, '')) {
    throw new Error(`the folder of ${path} is not where it seems to be`);
  }
  return file;
}
