// A look at the worktree that costs no process: when nothing git would compare was touched since git last compared it,
// git need not be asked again.
import { join } from 'node:path';
import { type Stamps, stampsOf } from '../io/stamps.ts';
import type { TreeEntry } from './read.ts';
import { commonDirOf, type Tree } from './tree.ts';

export interface QuickLook {
  /** Runs `ask`, which asks git, unless everything is as it was when git was last asked: then `otherwise` is the answer. */
  orAsk<T>(otherwise: T, ask: () => Promise<T>): Promise<T>;
}

/** Beyond this many files git is as fast. */
const MOST_FILES = 2000;
/** Two changes within one tick of the file system's clock look like one: what is younger than this cannot be trusted yet. */
const TICK_MS = 20;
const SUBMODULE = '160000';

/** `files` are those of the commit that is checked out. */
export async function quickLook(
  tree: Tree,
  files: ReadonlyMap<string, TreeEntry>,
  now: () => number,
): Promise<QuickLook> {
  const paths = await watched(tree, files);
  let remembered: Stamps | undefined;
  return {
    async orAsk(otherwise, ask) {
      if (paths === undefined) return ask();
      // Before git looks: what changes while it looks must not pass for seen.
      const stamps = stampsOf(paths);
      if (stamps.text === remembered?.text) return otherwise;
      const settled = now() - stamps.newest > TICK_MS;
      const answer = await ask();
      remembered = settled ? stamps : undefined;
      return answer;
    },
  };
}

/** All that git looks at, or undefined when that is too much, or more than files. */
async function watched(tree: Tree, files: ReadonlyMap<string, TreeEntry>): Promise<string[] | undefined> {
  const beyondFiles = [...files.values()].some(({ mode }) => mode === SUBMODULE);
  if (beyondFiles || files.size > MOST_FILES) return undefined;
  const common = await commonDirOf(tree.home);
  return [
    ...[...files.keys()].map((path) => join(tree.path, path)),
    ...tree.links.map(({ path }) => join(tree.path, path)),
    ...['HEAD', 'index', 'logs/HEAD'].map((name) => join(tree.gitDir, name)),
    ...[`refs/heads/${tree.branch}`, 'packed-refs', 'reftable/tables.list'].map((name) => join(common, name)),
    join(tree.path, '.git'),
  ];
}
