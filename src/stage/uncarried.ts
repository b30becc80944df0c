// Ignored files of the owner's checkout that stages name and `carry` does not: they are not in the worktree.
import { join } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { globFolder, isGlob, pathMatcher } from '../config/paths.ts';
import { fileFacts, namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { namedPaths } from '../plan/inputs.ts';
import { ignoredBeside, notCarried } from '../worktree/read.ts';

/**
 * What `files` and `requires` of these stages name, as git ignores it: the folder, where that is ignored. Asks git only when
 * something is there that `tracked` does not have. A pattern for a whole tree names its folder and nothing below it.
 */
export async function uncarriedIgnored(
  home: string,
  stages: readonly Pick<Stage, 'files' | 'requires'>[],
  { carry, tracked }: { carry: readonly string[]; tracked: Iterable<string> },
): Promise<string[]> {
  const trackedFiles = new Set(tracked);
  const folders = new Set(
    [...trackedFiles].flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))),
  );
  const named = new Set(stages.flatMap((stage) => [...stage.requires.files, ...stage.files].flatMap(pathsOf)));
  const unknown = notCarried([...named], carry).filter((path) => !trackedFiles.has(path) && !folders.has(path));
  const existing = unknown.filter((path) => fileFacts(join(home, path)));
  return askGit(home, existing, carry);

  /** The path itself, the folder of a tree, or what a pattern finds in its folder. */
  function pathsOf(name: string): string[] {
    const folder = globFolder(name);
    if (!isGlob(name)) return [name.replace(/^\.\//, '').replace(/\/+$/, '')];
    const last = name.split('/').at(-1) as string;
    const isTree = /^\**$/.test(last);
    if (isTree || name.includes('**')) return folder === '.' ? [] : [folder];
    const matches = pathMatcher([name]);
    const names = fileFacts(join(home, folder))?.isFolder ? namesIn(join(home, folder)) : [];
    return [...(folder === '.' ? [] : [folder]), ...names.map((name) => join(folder, name)).filter(matches)];
  }
}

/**
 * What else green stages name: the owner has it, git ignores it, and the worktree has it not, though they ran there. Before
 * they ran it could have been something that they make.
 */
export async function missedIgnored(
  { home, worktree }: Pick<Layout, 'home' | 'worktree'>,
  stages: readonly Stage[],
  carry: readonly string[],
): Promise<string[]> {
  const named = [...new Set(stages.flatMap((stage) => [...namedPaths(stage)]))];
  const missed = named.filter((path) => fileFacts(join(home, path)) && !fileFacts(join(worktree, path)));
  return askGit(home, missed, carry);
}

async function askGit(home: string, paths: readonly string[], carry: readonly string[]): Promise<string[]> {
  const ignored = (await ignoredBeside(home, paths)).map((path) => path.replace(/\/$/, ''));
  return notCarried([...new Set(ignored)], carry);
}

/** One line for each: what to do. */
export const uncarriedNotice = (path: string): string =>
  `${path} is ignored by git and not carried, so stages do not find it: add ${path} to carry`;
