// A copy of an untracked file in memory, to compare and restore it later.
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { fileFacts, hashFile, stampsOf } from './files.ts';
import { readBytes } from './store.ts';
import { createTreeFile, replaceTreeFile } from './tree-file.ts';

export interface KeptFile {
  readonly stamp: string | undefined;
  /** `same`: it is as it was; `stuck`: it is not, and could not be put back. */
  putBack(): Promise<'same' | 'put back' | 'stuck'>;
}

const MAX_KEPT_BYTES = 256 * 1024;

/** The file at `path` below `root`, or undefined when there is none. `before` is returned again while nothing touched it. */
export async function keepFile(root: string, path: string, before?: KeptFile): Promise<KeptFile | undefined> {
  const file = join(root, path);
  // Links are not followed.
  const isPlain = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const stamp = isPlain ? stampsOf([file]).text : undefined;
  if (before && stamp !== undefined && before.stamp === stamp) return before;
  const facts = fileFacts(file);
  if (!facts?.isFile) return undefined;
  const bytes = isPlain && facts.size <= MAX_KEPT_BYTES ? readBytes(file) : undefined;
  const hash = bytes ? createHash('sha256').update(bytes).digest('hex') : await hashFile(file);
  const executable = (lstatSync(file).mode & 0o111) !== 0;
  return {
    stamp,
    async putBack() {
      const now = isPlain ? stampsOf([file]).text : undefined;
      if (now !== undefined && now === stamp) return 'same';
      if (fileFacts(file)?.isFile && (await hashFile(file)) === hash) return 'same';
      try {
        if (!bytes) return 'stuck';
        if (!createTreeFile(root, path, bytes, executable)) replaceTreeFile(root, path, bytes, executable);
        return 'put back';
      } catch {
        // Its folder is gone, or something else is in its place: the caller reports it.
        return 'stuck';
      }
    },
  };
}
