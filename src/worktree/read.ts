// What commits hold, and what the owner's checkout holds beside them. Reads only; the owner's index stays as it is.
import { fields, openGit } from '../io/git.ts';
import { isBelow } from './carry-path.ts';
import { fullStatus } from './status.ts';
import { WORKTREE } from './tree.ts';

export interface TooBig {
  readonly tooBig: number;
}

/** The text of a file at a commit; undefined when it is no regular file there; its size when that is over the limit. */
export async function readAt(
  home: string,
  commit: string,
  path: string,
  limitBytes: number,
): Promise<string | TooBig | undefined> {
  const git = openGit(home);
  const [row = ''] = fields(await git.run(['--literal-pathspecs', 'ls-tree', '-z', '-l', commit, '--', path]));
  const [, id, size] = row.match(/^100\d{3} blob (\S+) +(\d+)\t/) ?? [];
  if (id === undefined) return undefined;
  if (Number(size) > limitBytes) return { tooBig: Number(size) };
  return git.run(['cat-file', 'blob', id]);
}

export interface TreeEntry {
  /** 100644, 100755, 120000 (a link) or 160000 (a submodule). */
  readonly mode: string;
  readonly id: string;
}

/** Every file of a commit. Throws a GitError when there is no such commit. */
export async function listTree(dir: string, commit: string): Promise<Map<string, TreeEntry>> {
  const rows = fields(await openGit(dir).run(['ls-tree', '-r', '-z', '--full-tree', commit]));
  return new Map(
    rows.map((row) => {
      const tab = row.indexOf('\t');
      const [mode = '', , id = ''] = row.slice(0, tab).split(' ');
      return [row.slice(tab + 1), { mode, id }];
    }),
  );
}

/** What a run does not include: the owner's changed and untracked files (folders of only such end in `/`). */
export async function uncommitted(home: string): Promise<string[]> {
  const { changed, untracked } = await fullStatus(openGit(home));
  // A file that was only taken out of the index is both.
  return [...new Set([...changed, ...untracked.filter((path) => !isBelow(path, WORKTREE))])];
}

/** The ignored files and folders that lie in `dirs` of the owner's checkout. */
export async function ignoredBeside(home: string, dirs: readonly string[]): Promise<string[]> {
  if (dirs.length === 0) return [];
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory', '--', ...dirs];
  const found = fields(await openGit(home).run(['--literal-pathspecs', ...args]));
  return found.filter((path) => !isBelow(path, WORKTREE));
}

const NOT_SEARCHED = ['node_modules/', '.terraform/', `/${WORKTREE}/`, '/ai/state/'];

/** Terraform and OpenTofu state in the owner's checkout that git does not hold and `carry` does not bring along. */
export async function uncarriedState(home: string, carry: readonly string[]): Promise<string[]> {
  const skip = NOT_SEARCHED.flatMap((pattern) => ['-x', pattern]);
  const args = ['ls-files', '-z', '--others', ...skip, '--', ':(glob)**/*.tfstate'];
  const found = fields(await openGit(home).run(args));
  return found.filter((path) => !carry.some((carried) => isBelow(path, carried)));
}
