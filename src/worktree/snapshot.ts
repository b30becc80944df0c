// The files of the worktree as they are at its commit: which there are, and their texts. Never through a link.
import { fields } from '../io/git.ts';
import { listTree, type TreeEntry } from './read.ts';
import { type Tree, treeGit } from './tree.ts';

export interface Snapshot {
  readonly commit: string;
  readonly files: ReadonlyMap<string, TreeEntry>;
  /** Path → where it points, for every symbolic link. */
  readonly links: ReadonlyMap<string, string>;
  /** The text of a regular file; undefined when there is none, it is no text, or larger than a source file. */
  text(path: string): Promise<string | undefined>;
}

const LARGEST = 2 * 1024 * 1024;
const LINK = '120000';

/** Throws a GitError when there is no such commit. */
export async function snapshotOf(tree: Pick<Tree, 'path' | 'gitDir'>, commit: string): Promise<Snapshot> {
  const git = treeGit(tree);
  const files = await listTree(tree.path, commit);
  const links = new Map<string, string>();
  for (const [path, { mode, id }] of files) if (mode === LINK) links.set(path, await git.run(['cat-file', 'blob', id]));
  return {
    commit,
    files,
    links,
    async text(path) {
      const entry = files.get(path);
      if (!entry?.mode.startsWith('100')) return undefined;
      const [size = '0'] = fields(await git.run(['cat-file', '-s', entry.id])).map((line) => line.trim());
      return Number(size) > LARGEST ? undefined : textOf(await git.bytes(['cat-file', 'blob', entry.id]));
    },
  };
}

/** What would not be the same bytes when written again is no text. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
