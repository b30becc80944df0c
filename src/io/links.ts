// Symbolic links of the worktree: placed, looked at and taken away, never followed.
import { lstat, mkdir, readlink, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** What is at a path itself. `link` says where it points; `other`: a pipe, a socket, a device. */
export type Entry = { kind: 'nothing' | 'file' | 'folder' | 'other' } | { kind: 'link'; target: string };

/** Looks at `path` without following it; never throws for what is not there. */
export async function entryAt(path: string): Promise<Entry> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return { kind: 'link', target: await readlink(path) };
    return { kind: stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other' };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return { kind: 'nothing' };
    throw error;
  }
}

/**
 * Makes `root/path` a link to `target`, with the folders above it. `taken`: something real is there, and stays.
 * `no-folder`: one of the folders above is a link or a file, so that the link would lie elsewhere.
 */
export async function placeLink(root: string, path: string, target: string) {
  const at = join(root, path);
  if ((await blockAbove(root, path)) !== undefined) return 'no-folder';
  const entry = await entryAt(at);
  if (entry.kind === 'link' && entry.target === target) return 'kept';
  if (entry.kind !== 'nothing' && entry.kind !== 'link') return 'taken';
  await mkdir(dirname(at), { recursive: true });
  if (entry.kind === 'link') await unlink(at);
  await symlink(target, at);
  return 'placed';
}

/** The first folder above `root/path` that is none, so that writing to `path` would go elsewhere. */
export async function blockAbove(root: string, path: string): Promise<string | undefined> {
  const parts = path.split(sep).slice(0, -1);
  for (const folder of parts.map((_, i) => parts.slice(0, i + 1).join(sep))) {
    const { kind } = await entryAt(join(root, folder));
    if (kind !== 'folder' && kind !== 'nothing') return folder;
  }
  return undefined;
}

/** Takes `root/path` away when it is a link to `target`, with folders above it that are empty then; else returns false. */
export async function removeLink(root: string, path: string, target: string): Promise<boolean> {
  if ((await blockAbove(root, path)) !== undefined) return false;
  const at = join(root, path);
  const entry = await entryAt(at);
  if (entry.kind !== 'link' || entry.target !== target) return false;
  await unlink(at);
  for (let folder = dirname(at); folder !== root; folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!removed) break;
  }
  return true;
}
