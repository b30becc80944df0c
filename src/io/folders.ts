// The folders inside a folder.
import { readdirSync } from 'node:fs';
import { onDisk } from './store.ts';

/** Their names, sorted; links and files are none. Empty when `path` is not there. Throws MendError when it cannot be read. */
export function foldersIn(path: string): string[] {
  return onDisk(path, () => {
    try {
      const found = readdirSync(path, { withFileTypes: true });
      return found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}
