// Submodules and LFS files of the worktree: fetched where that is possible, named as missing where it is not.
import { join } from 'node:path';
import { fields, type Git, openGit } from '../io/git.ts';
import { startsWith } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { shellWord } from './shell-word.ts';
import { type Tree, treeGit, WORKTREE } from './tree.ts';

/** A fetch that says nothing for so long waits for a password or a host that is off. */
const QUIET_MS = 60_000;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

type Place = Pick<Tree, 'path' | 'gitDir'>;

/** Fetches what the checkout only points to. Returns a notice, with the command, for each thing still missing. */
export async function populate(tree: Place): Promise<string[]> {
  return [...(await submodules(tree)), ...(await lfsFiles(tree))];
}

async function submodules(tree: Place): Promise<string[]> {
  if ((await entryAt(join(tree.path, '.gitmodules'))).kind !== 'file') return [];
  const git = treeGit(tree);
  const before = await unpopulated(tree, git);
  if (before.length === 0) return [];
  await openGit(tree.path, { quietMs: QUIET_MS }).attempt(['submodule', '--quiet', 'update', '--init', '--recursive']);
  const missing = await unpopulated(tree, git);
  return missing.map((path) => {
    const command = `git -C ${WORKTREE} submodule update --init --recursive -- ${shellWord(path)}`;
    return `submodule ${path} is missing; fetch it with: ${command}`;
  });
}

async function unpopulated(tree: Place, git: Git): Promise<string[]> {
  const rows = fields(await git.run(['ls-files', '-s', '-z']));
  const paths = rows.filter((row) => row.startsWith('160000 ')).map((row) => row.slice(row.indexOf('\t') + 1));
  const there = await Promise.all(paths.map((path) => entryAt(join(tree.path, path, '.git'))));
  return paths.filter((_, i) => there[i]?.kind === 'nothing');
}

async function lfsFiles(tree: Place): Promise<string[]> {
  const before = await pointers(tree);
  if (before.length === 0) return [];
  const git = openGit(tree.path, { quietMs: QUIET_MS });
  const installed = (await git.attempt(['lfs', 'version'])).ok;
  if (installed) await git.attempt(['lfs', 'pull']);
  const missing = installed ? await pointers(tree) : before;
  const command = `git -C ${WORKTREE} lfs pull`;
  const how = installed ? `fetch it with: ${command}` : `install git-lfs, then: ${command}`;
  return missing.map((path) => `LFS file ${path} is missing (only its pointer is there); ${how}`);
}

/** The LFS files whose text in the folder is still the pointer. */
async function pointers(tree: Place): Promise<string[]> {
  const paths = fields(await treeGit(tree).run(['ls-files', '-z', '--', ':(top,attr:filter=lfs)']));
  const pointing = await Promise.all(paths.map((path) => startsWith(join(tree.path, path), LFS_POINTER)));
  return paths.filter((_, i) => pointing[i]);
}
