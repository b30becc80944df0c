// The folder of saved patches: private to this user, ignored by git, and able to say whether it holds a patch already.
import { createHash } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes the folder of `patchFile` (mode 0700, ignoring itself) and returns an empty file in it, mode 0600, to write to. */
export async function draftPatch(patchFile: string): Promise<string> {
  const folder = dirname(patchFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const draft = `${patchFile}.${process.pid}.draft`;
  await rm(draft, { force: true });
  await (await open(draft, 'wx', 0o600)).close();
  return draft;
}

/** The sha256 of a file's bytes, and their number. */
export async function fileHash(path: string): Promise<{ hash: string; size: number }> {
  const bytes = await readFile(path);
  return { hash: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

/** Gives the draft its name. */
export async function keepPatch(draft: string, patchFile: string): Promise<void> {
  await chmod(draft, 0o600);
  await rename(draft, patchFile);
}

export async function dropPatch(draft: string): Promise<void> {
  await rm(draft, { force: true });
}

/** The saved patch beside `draft` with the same bytes, or undefined. */
export async function samePatch(draft: string): Promise<string | undefined> {
  const folder = dirname(draft);
  const { hash, size } = await fileHash(draft);
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    if (!name.endsWith('.stage.diff') || name === basename(draft)) continue;
    if ((await stat(path)).size === size && (await fileHash(path)).hash === hash) return path;
  }
  return undefined;
}
