// What no git command tells: worktree folders, unfinished commands and excludes, read from the git folder itself.
import { lstat, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readAt, withFile } from './regular-file.ts';
import { ifPossible, makeFolderOf, readText, writeAtomic } from './store.ts';

/** One folder below `<common>/worktrees`. */
export interface AdminDir {
  readonly path: string;
  /** Where its checkout is; undefined when git was ended before it wrote that. */
  readonly checkout: string | undefined;
  /** Why it is locked; undefined when it is not. */
  readonly locked: string | undefined;
}

/** The line of a one-line file; empty when a power loss filled the file with zeros. Undefined for anything but a file. */
const text = (path: string): string | undefined => ifPossible(() => readText(path)?.replaceAll('\0', '').trim());

/** Every worktree folder of the repository; none when it has no worktree. */
export async function adminDirs(commonDir: string): Promise<AdminDir[]> {
  const root = join(commonDir, 'worktrees');
  const names = await readdir(root).catch(() => []);
  return names.sort().map((name) => {
    const path = join(root, name);
    const gitdir = text(join(path, 'gitdir'));
    return { path, checkout: gitdir ? dirname(resolve(path, gitdir)) : undefined, locked: text(join(path, 'locked')) };
  });
}

/** Where the `.git` file of a checkout points, and whether anything is there; undefined when it is no such file. */
export async function gitFile(checkout: string): Promise<{ target: string; alive: boolean } | undefined> {
  const pointer = text(join(checkout, '.git'))?.match(/^gitdir: (.*)$/s)?.[1];
  if (!pointer) return undefined;
  const target = resolve(checkout, pointer);
  return { target, alive: (await lstat(target).catch(() => undefined)) !== undefined };
}

/** The git folder that all worktrees of the repository share, found as git finds it. Throws when `home` has none. */
export async function commonDirOf(home: string): Promise<string> {
  const gitDir = (await gitFile(home))?.target ?? join(home, '.git');
  return realpath(resolve(gitDir, text(join(gitDir, 'commondir')) ?? '.'));
}

/** The branch that HEAD of the checkout `home` names, also where git cannot follow it; undefined when it names none. */
export async function branchOfHead(home: string): Promise<string | undefined> {
  const head = text(join((await gitFile(home))?.target ?? join(home, '.git'), 'HEAD'));
  return /^ref: refs\/heads\/(.+)$/.exec(head ?? '')?.[1];
}

const UNFINISHED: Record<string, string> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
};

/** The git command that was begun in a worktree and not ended, or undefined. */
export async function unfinished(adminDir: string): Promise<string | undefined> {
  const names = new Set(await readdir(adminDir));
  return Object.entries(UNFINISHED).find(([name]) => names.has(name))?.[1];
}

const excludesOf = (commonDir: string): string => join(commonDir, 'info/exclude');

/** Adds the lines that `info/exclude` does not have yet; what it has stays as it is. Returns the lines it had. Throws MendError. */
export function addExcludes(commonDir: string, lines: readonly string[]): string[] {
  const path = excludesOf(commonDir);
  const before = readText(path) ?? '';
  const present = before.split('\n');
  const missing = lines.filter((line) => !present.includes(line));
  if (missing.length === 0) return present;
  makeFolderOf(path);
  writeAtomic(path, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`, 0o644);
  return present;
}

/** Takes lines out of `info/exclude`; what else it has stays as it is. Throws MendError. */
export function removeExcludes(commonDir: string, lines: readonly string[]): void {
  const path = excludesOf(commonDir);
  const before = (readText(path) ?? '').split('\n');
  const after = before.filter((line) => !lines.includes(line));
  if (after.length < before.length) writeAtomic(path, after.join('\n'), 0o644);
}

/** Removes what a `git worktree add` left that ended before its checkout began: git's folder, the `.git` file, the empty folder. */
export async function removeHalfMade(adminDir: string, checkout: string): Promise<void> {
  await rm(adminDir, { recursive: true, force: true });
  await rm(join(checkout, '.git'), { force: true });
  await rmdir(checkout).catch(() => {});
}

/** Whether two paths lead to the same folder or file; false when either is not there. */
export async function samePlace(a: string, b: string): Promise<boolean> {
  const [x, y] = await Promise.all([a, b].map((path) => realpath(path).catch(() => undefined)));
  return x !== undefined && x === y;
}

/** The path with every link in it followed; throws when it is not there. */
export const realPath = (path: string): Promise<string> => realpath(path);

/** Whether a file begins with this text; false when it cannot be read. */
export const startsWith = (path: string, beginning: string): boolean =>
  ifPossible(() => withFile(path, ({ fd }) => readAt(fd, 0, beginning.length).toString('utf8'))) === beginning;
