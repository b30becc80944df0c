// The files of the worktree as they are at its commit: which there are, and their texts. Never through a link.
import { openBlobs } from './blobs.ts';
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
  const files = await listTree(tree.path, commit);
  const blobs = openBlobs(treeGit(tree), LARGEST);
  const found = [...files].filter(([, { mode }]) => mode === LINK);
  const links = await Promise.all(
    found.map(async ([path, { id }]) => [path, (await blobs.read(id))?.toString('utf8') ?? ''] as const),
  );
  return {
    commit,
    files,
    links: new Map(links),
    async text(path) {
      const entry = files.get(path);
      const bytes = entry?.mode.startsWith('100') ? await blobs.read(entry.id) : undefined;
      return bytes && textOf(bytes);
    },
  };
}

/** What would not be the same bytes when written again is no text. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
