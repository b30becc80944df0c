// What commits hold, and what the owner's checkout holds beside them. Reads only, never through a link; the owner's index
// stays as it is.
import { join } from 'node:path';
import { fileFacts } from '../io/files.ts';
import { fields, type Git, openGit } from '../io/git.ts';
import type { GitObjects, TreeEntry } from '../io/git-objects.ts';
import { entryAt } from '../io/links.ts';
import { ifPossible, readText } from '../io/store.ts';
import { isBelow, OWN_FOLDERS } from './carry.ts';
import { fullStatus, type Tree, WORKTREE } from './tree.ts';

/** The text of a file at a commit; undefined when it is no regular file there; its size when that is over the limit. */
export async function readAt(objects: GitObjects, commit: string, path: string, limitBytes: number) {
  const bytes = await readEntry(objects, (await objects.files(commit)).get(path), limitBytes);
  return Buffer.isBuffer(bytes) ? bytes.toString('utf8') : bytes;
}

async function readEntry(objects: GitObjects, entry: TreeEntry | undefined, limitBytes: number) {
  if (!entry?.mode.startsWith('100')) return undefined;
  const size = (await objects.info(entry.id))?.size ?? 0;
  return size > limitBytes ? { tooBig: size } : objects.read(entry.id);
}

export interface Files {
  readonly files: ReadonlyMap<string, TreeEntry>;
  /** Path → where it points, for every symbolic link. */
  readonly links: ReadonlyMap<string, string>;
  /** The text of a regular file; undefined when there is none, it is no text, or larger than a source file. */
  text(path: string): Promise<string | undefined>;
}

export interface Snapshot extends Files {
  readonly commit: string;
}

const MAX_SOURCE_BYTES = 2 * 1024 * 1024;
const LINK = '120000';

/** The files of a commit: which there are, and their texts. Throws a GitError when there is no such commit. */
export async function snapshotOf({ objects }: Pick<Tree, 'objects'>, commit: string): Promise<Snapshot> {
  const files = await objects.files(commit);
  const linked = [...files].filter(([, { mode }]) => mode === LINK);
  const links = await Promise.all(
    linked.map(async ([path, { id }]) => [path, (await objects.read(id)).toString('utf8')] as const),
  );
  return {
    commit,
    files,
    links: new Map(links),
    async text(path) {
      const bytes = await readEntry(objects, files.get(path), MAX_SOURCE_BYTES);
      if (!Buffer.isBuffer(bytes)) return undefined;
      // What would not be the same bytes when written again is no text.
      const text = bytes.toString('utf8');
      return Buffer.from(text).equals(bytes) ? text : undefined;
    },
  };
}

/** What git tracks in the owner's checkout, with the texts that are there now; undefined where there is no repository. */
export async function checkoutFiles(home: string): Promise<Files | undefined> {
  const listed = await openGit(home).attempt(['ls-files', '-s', '-z']);
  if (!listed.ok) return undefined;
  const rows = fields(listed.stdout).map((row): [string, TreeEntry] => {
    const [mode = '', id = ''] = row.split(' ');
    return [row.slice(row.indexOf('\t') + 1), { mode, id }];
  });
  const linked = rows.filter(([, { mode }]) => mode === LINK).map(([path]) => path);
  const entries = await Promise.all(linked.map(async (path) => [path, await entryAt(join(home, path))] as const));
  const links = entries.flatMap(([path, entry]) => (entry.kind === 'link' ? [[path, entry.target] as const] : []));
  return {
    files: new Map(rows),
    links: new Map(links),
    async text(path) {
      const file = join(home, path);
      const size = (await entryAt(file)).kind === 'file' ? (fileFacts(file)?.size ?? 0) : Number.POSITIVE_INFINITY;
      return size > MAX_SOURCE_BYTES ? undefined : ifPossible(() => readText(file));
    },
  };
}

/** What a run does not include: the owner's changed and untracked files (folders of only such end in `/`). */
export async function uncommitted(home: string): Promise<string[]> {
  const { changed, untracked } = await fullStatus(openGit(home));
  // A file that was only taken out of the index is both.
  return [...new Set([...changed, ...untracked.filter((path) => !isBelow(path, WORKTREE))])];
}

/** Whether git ignores one of these paths; carried ones of the worktree are ignored. */
export const someIgnored = async (git: Git, paths: readonly string[]): Promise<boolean> =>
  (await git.attempt(['check-ignore', '-q', '--no-index', '--', ...paths])).ok;

/** The command that adds these paths of the owner's checkout, also where git ignores them. */
export const addCommand = async (home: string, paths: readonly string[]): Promise<string> =>
  ['git add', ...((await someIgnored(openGit(home), paths)) ? ['--force'] : []), ...paths].join(' ');

/** The ignored files and folders that lie at or in `dirs` of the owner's checkout, but for the loop's own. */
export async function ignoredBeside(home: string, dirs: readonly string[]): Promise<string[]> {
  if (dirs.length === 0) return [];
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory', '--', ...dirs];
  const paths = fields(await openGit(home).run(['--literal-pathspecs', ...args]));
  return paths.filter((path) => !OWN_FOLDERS.some((folder) => isBelow(path, folder)));
}

const NOT_SEARCHED = ['node_modules/', '.terraform/', `/${WORKTREE}/`, '/ai/state/'];

/** Terraform and OpenTofu state in the owner's checkout that git does not hold. */
export async function terraformState(home: string): Promise<string[]> {
  const skip = NOT_SEARCHED.flatMap((pattern) => ['-x', pattern]);
  const args = ['ls-files', '-z', '--others', ...skip, '--', ':(glob)**/*.tfstate'];
  return fields(await openGit(home).run(args));
}

/** Those of `paths` that `carry` does not bring along. */
export const notCarried = (paths: readonly string[], carry: readonly string[]): string[] =>
  paths.filter((path) => !carry.some((carried) => isBelow(path, carried)));
