// What stages changed in tracked files: saved as a patch in home, then put back.
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { fileFacts, namesIn } from '../io/files.ts';
import { fields } from '../io/git.ts';
import { ownFolder, readBytes, writeAtomic } from '../io/store.ts';
import { type Tree, type TreePlace, treeGit } from './tree.ts';

const AS_PLAIN = ['--no-color', '--no-renames', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/'];
const DIFF = ['diff', '--binary', '--full-index', '--ignore-submodules=dirty', ...AS_PLAIN];

/** All tracked files that differ from HEAD, as a patch, and its hash. */
async function trackedDiff(tree: TreePlace) {
  const git = treeGit(tree);
  const inFolder = await git.bytes([...DIFF, 'HEAD']);
  // Staged, and put back in the folder: only the index knows it.
  const against = inFolder.length > 0 ? ['HEAD'] : ['--cached', 'HEAD'];
  const diff = inFolder.length > 0 ? inFolder : await git.bytes([...DIFF, ...against]);
  const names = async () => fields(await git.run([...DIFF, '--name-only', '-z', ...against]));
  return { diff, hash: createHash('sha256').update(diff).digest('hex'), names };
}

/** The hash of the tracked changes, as `savePatch` tells it. */
export const changesHash = async (tree: TreePlace): Promise<string> => (await trackedDiff(tree)).hash;

function writePatch(file: string, diff: Buffer): void {
  ownFolder(dirname(file));
  writeAtomic(file, diff);
}

/** Saves the tracked changes to `patchFile` unless they are those of `seen`; returns their hash and whether it saved. */
export async function savePatch(tree: TreePlace, patchFile: string, seen: string) {
  const { diff, hash } = await trackedDiff(tree);
  const saved = hash !== seen;
  if (saved) writePatch(patchFile, diff);
  return { hash, saved };
}

export interface HeldChanges {
  readonly hash: string;
  readonly file?: string;
  readonly strange: readonly string[];
}

/** How patches are called that hold what was found, not what a stage was seen to change. */
const FOUND = 'worktree-';

/**
 * Makes sure that some patch in home holds the tracked changes; `file` is set when it had to be written now. `strange` are
 * the files whose change no stage was seen to make: a fix that was never committed, or an attempt that was cut off.
 */
export async function holdChanges(tree: TreePlace & Pick<Tree, 'home'>): Promise<HeldChanges> {
  const { diff, hash, names } = await trackedDiff(tree);
  const folder = join(tree.home, 'ai/patches');
  const patches = namesIn(folder).flatMap((name) => (name.endsWith('.stage.diff') ? [join(folder, name)] : []));
  const isFound = (path: string) => basename(path).startsWith(FOUND);
  const holders = patches.filter((path) => fileFacts(path)?.size === diff.length && readBytes(path)?.equals(diff));
  if (holders.some((path) => !isFound(path))) return { hash, strange: [] };
  const strange = strangeFiles(
    await names(),
    diff,
    patches.filter((path) => !isFound(path)),
  );
  if (holders.length > 0) return { hash, strange };
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('.', '');
  const file = join(folder, `${FOUND}${time}.stage.diff`);
  writePatch(file, diff);
  return { hash, strange, file };
}

/** The files whose part of `diff` is in none of the patches. */
function strangeFiles(names: readonly string[], diff: Buffer, patches: readonly string[]): string[] {
  const strange = new Set(diff.toString('latin1').split(/^(?=diff --git )/m));
  const parts = [...strange];
  for (const path of patches) {
    const patch = readBytes(path)?.toString('latin1') ?? '';
    for (const part of strange) if (patch.includes(part)) strange.delete(part);
  }
  return names.filter((name) => {
    const head = Buffer.from(`diff --git a/${name} b/${name}\n`).toString('latin1');
    const own = parts.filter((part) => part.startsWith(head));
    return own.length === 0 || own.some((part) => strange.has(part));
  });
}

/**
 * Puts tracked files back to HEAD, in the index and in the folder; all of them, or only `paths`. Files that a stage made
 * stay, also those it staged. Throws a GitError.
 */
export async function restoreTree(tree: TreePlace, paths?: readonly string[]): Promise<void> {
  if (paths?.length === 0) return;
  const git = treeGit(tree);
  if (!paths) {
    await git.run(['reset', '-q', '--mixed', 'HEAD']);
    await git.run(['checkout-index', '-q', '-f', '-a', '-u']);
    return;
  }
  const names = (list: readonly string[]) => list.map((path) => `${path}\0`).join('');
  // Through the input: half a repository may be missing, and a command line has its limits.
  const listed = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  await git.run(['--literal-pathspecs', 'reset', '-q', 'HEAD', ...listed], names(paths));
  const tracked = new Set(fields(await git.run(['ls-files', '-z'])));
  const there = paths.filter((path) => tracked.has(path));
  if (there.length > 0) await git.run(['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], names(there));
}

/** Writes `paths` again as the patch of an attempt has them; false when it does not fit any more. */
export async function applySaved(tree: TreePlace, patchFile: string, paths: readonly string[]): Promise<boolean> {
  const only = paths.map((path) => `--include=${path.replace(/[\\*?[]/g, '\\$&')}`);
  return (await treeGit(tree).attempt(['apply', '--whitespace=nowarn', ...only, patchFile])).ok;
}
