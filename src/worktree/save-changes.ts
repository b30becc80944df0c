// What stages changed in tracked files: saved as a patch in home, then put back.
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { fileFacts, namesIn } from '../io/files.ts';
import { fields } from '../io/git.ts';
import { ownFolder, readBytes, writeAtomic } from '../io/store.ts';
import { type Tree, type TreePlace, treeGit } from './tree.ts';

const AS_PLAIN = ['--no-color', '--no-renames', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/'];
const DIFF = ['diff', '--binary', '--full-index', '--ignore-submodules=dirty', ...AS_PLAIN];

/** Tracked files that differ from HEAD, each with the hash of its part of the patch. */
export type Changes = ReadonlyMap<string, string>;

/** All tracked files that differ from HEAD, as a patch, and its parts by file. */
async function trackedDiff(tree: TreePlace): Promise<{ diff: Buffer; parts: ReadonlyMap<string, string> }> {
  const git = treeGit(tree);
  const inFolder = await git.bytes([...DIFF, 'HEAD']);
  // Staged, and put back in the folder: only the index knows it.
  const against = inFolder.length > 0 ? ['HEAD'] : ['--cached', 'HEAD'];
  const diff = inFolder.length > 0 ? inFolder : await git.bytes([...DIFF, ...against]);
  const names = diff.length > 0 ? fields(await git.run([...DIFF, '--name-only', '-z', ...against])) : [];
  return { diff, parts: partsOf(diff.toString('latin1'), names) };
}

/** git names files in the order of their parts; a file that became a link has two, with the same first line. */
function partsOf(diff: string, names: readonly string[]): Map<string, string> {
  const byHead = new Map<string, string>();
  for (const part of diff.split(/^(?=diff --git )/m)) {
    const head = part.slice(0, part.indexOf('\n'));
    byHead.set(head, (byHead.get(head) ?? '') + part);
  }
  const parts = [...byHead.values()];
  // Whatever else git may print: then each file counts as changed by any change.
  return new Map(names.map((name, i) => [name, parts.length === names.length ? (parts[i] as string) : diff]));
}

const hashed = (parts: ReadonlyMap<string, string>): Changes =>
  new Map([...parts].map(([name, part]) => [name, createHash('sha256').update(part).digest('hex')]));

/** The tracked changes as they are, in the form of `savePatch`. */
export const changesNow = async (tree: TreePlace): Promise<Changes> => hashed((await trackedDiff(tree)).parts);

function writePatch(file: string, diff: Buffer): void {
  ownFolder(dirname(file));
  writeAtomic(file, diff);
}

/** Saves all tracked changes to `patchFile` if any file is changed otherwise than in `seen`; returns which are. */
export async function savePatch(tree: TreePlace, patchFile: string, seen: Changes) {
  const { diff, parts } = await trackedDiff(tree);
  const changes = hashed(parts);
  const changed = [...changes.keys()].filter((path) => changes.get(path) !== seen.get(path));
  if (changed.length > 0) writePatch(patchFile, diff);
  return { changes, changed };
}

/** How patches are called that hold what was found, not what a stage was seen to change. */
const FOUND = 'worktree-';

/**
 * Makes sure that some patch in home holds the tracked changes; `file` is set when it had to be written now. `strange` are
 * the files whose change no stage was seen to make: a fix that was never committed, or an attempt that was cut off.
 */
export async function holdChanges(tree: TreePlace & Pick<Tree, 'home'>) {
  const { diff, parts } = await trackedDiff(tree);
  const changes = hashed(parts);
  const folder = join(tree.home, 'ai/patches');
  const patches = namesIn(folder).flatMap((name) => (name.endsWith('.stage.diff') ? [join(folder, name)] : []));
  const isFound = (path: string) => basename(path).startsWith(FOUND);
  const holders = patches.filter((path) => fileFacts(path)?.size === diff.length && readBytes(path)?.equals(diff));
  if (holders.some((path) => !isFound(path))) return { changes, strange: [] };
  const ofStages = patches.filter((path) => !isFound(path));
  const strange = strangeFiles(parts, ofStages);
  if (holders.length > 0) return { changes, strange };
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('.', '');
  const file = join(folder, `${FOUND}${time}.stage.diff`);
  writePatch(file, diff);
  return { changes, strange, file };
}

/** The files whose part is in none of the patches. */
function strangeFiles(parts: ReadonlyMap<string, string>, patches: readonly string[]): string[] {
  let strange = [...parts];
  for (const path of patches) {
    const patch = readBytes(path)?.toString('latin1') ?? '';
    strange = strange.filter(([, part]) => !patch.includes(part));
  }
  return strange.map(([name]) => name);
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
  const trackedPaths = paths.filter((path) => tracked.has(path));
  if (trackedPaths.length > 0)
    await git.run(['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], names(trackedPaths));
}

/** A path as the pattern that means it and nothing else. */
export const literalGlob = (path: string): string => path.replace(/[\\*?[]/g, '\\$&');

/** Writes `paths` again as the patch of an attempt has them, unless they are so; false when it does not fit any more. */
export async function applySaved(tree: TreePlace, patchFile: string, paths: readonly string[]): Promise<boolean> {
  const git = treeGit(tree);
  for (const path of paths) {
    const apply = ['apply', '--whitespace=nowarn', `--include=${literalGlob(path)}`];
    const isThere = async () => (await git.attempt([...apply, '--reverse', '--check', patchFile])).ok;
    if (!(await git.attempt([...apply, patchFile])).ok && !(await isThere())) return false;
  }
  return true;
}
