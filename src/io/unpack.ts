// A folder of files, made as a whole or not at all.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onDisk } from './store.ts';

/** Makes `folder` with these files unless it is there already: its name says what it holds. */
export function unpackOnce(folder: string, files: readonly { path: string; bytes: Buffer }[]): void {
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}.draft`;
  onDisk(folder, () => {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    for (const { path, bytes } of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), bytes);
    }
    renameSync(draft, folder);
  });
}
