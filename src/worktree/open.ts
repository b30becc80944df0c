// Opening the worktree: leftovers recovered and the AI branch checked out; then, once the branch is where it is to be, carried files
// linked, submodules and LFS files fetched.
import { basename, join, relative } from 'node:path';
import { fields, type Git, GitError, openGit } from '../io/git.ts';
import { addExcludes, commonDirOf, realPath, startsWith } from '../io/git-dir.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { entryAt } from '../io/links.ts';
import { refuseStageCommits } from './after-attempt.ts';
import { attach, recover, type Site } from './attach.ts';
import type { Base } from './base.ts';
import { carryPaths, dropLinks, excludeLine, overlap, placeCarry, refuseTracked } from './carry.ts';
import { indexEntries } from './listing.ts';
import { gitFailed, shellWord } from './messages.ts';
import { holdChanges, restoreTree } from './save-changes.ts';
import { type Status, type TreePlace, treeGit, WORKTREE, type Worktree, worktreePath } from './tree.ts';
import { leaveDeadTrial } from './trial-tree.ts';
import { moveUnstorable } from './unstorable.ts';

export interface OpenOptions {
  /** The repository's, open for as long as the worktree is used. */
  readonly objects: GitObjects;
  readonly carry: readonly string[];
  /** Attempts of this run are under way on other machines: what they write stays. */
  readonly inUse?: boolean;
  /** The cut-off run is closed or taken up: marks that are done with are forgotten. Until then they hold the word of a person. */
  readonly isSettled?: boolean;
}

/** The worktree on the AI branch, without what is not git's: carried files, submodules, LFS files. */
export interface AttachedTree extends Worktree {
  readonly carry: readonly string[];
  /** Links that were taken away: their paths are carried no longer. */
  readonly dropped: readonly string[];
}

/**
 * The worktree, ready to run stages in. Writes nothing into the owner's checkout but `ai/worktree` and `ai/patches`.
 * Throws a MendError: exit 2 for a state it may not touch, 3 when a person has to settle something.
 */
export async function openWorktree(home: string, base: Base, options: OpenOptions): Promise<Worktree> {
  const attached = await attachWorktree(home, base, options);
  const { links, unlinked, notices } = await furnish(attached, attached.head);
  return { ...attached, links, unlinked, notices: [...attached.notices, ...notices] };
}

/** The worktree, to be furnished once the branch is where it is to be. Throws as `openWorktree`. */
export const attachWorktree = (home: string, base: Base, options: OpenOptions): Promise<AttachedTree> =>
  readableErrors(async () => attachAt(await realPath(home), base, options));

/** Links what is carried and fetches what the checkout of `head` only points to. Throws as `openWorktree`. */
export const furnish = (tree: AttachedTree, head: string) => readableErrors(() => furnishAt(tree, head));

async function readableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return gitFailed(`open ${WORKTREE}`, error.args, error.stderr);
  }
}

async function attachAt(home: string, base: Base, options: OpenOptions): Promise<AttachedTree> {
  const { objects, inUse = false, isSettled = false } = options;
  const carry = carryPaths(options.carry);
  const [commonDir] = await Promise.all([commonDirOf(home), refuseTracked(objects, base.commit, carry)]);
  const site: Site = { home, path: worktreePath(home), commonDir, branch: base.branch };
  const recovered = await recover(site);
  const excludes = addExcludes(commonDir, [`/${WORKTREE}/`, ...carry.map(excludeLine)]);
  const dropped = await dropLinks(home, site.path, carry, excludes);
  const attached = await attach(site, base);
  const place = { home, path: site.path, gitDir: attached.gitDir };

  const missing = inUse ? new Set<string>() : await putBackMissing(place, attached.status);
  const changed = attached.status.changed.filter((path) => !missing.has(path));
  const unstorable = moveUnstorable(site.path, changed);
  const held = changed.length > 0 ? await holdChanges(place) : undefined;
  // Its commits stay on their ref until the trial is judged.
  if (attached.isTrial) await leaveDeadTrial(place, base.branch);
  const head = attached.isTrial ? await treeGit(place).line(['rev-parse', 'HEAD']) : attached.status.head;
  const done = await refuseStageCommits(treeGit(place), base, head);
  for (const ref of isSettled ? done : []) await treeGit(place).run(['update-ref', '-d', ref]);
  // What no stage was seen to change would be judged in the place of what is committed.
  const strange = inUse ? [] : (held?.strange ?? []);
  await restoreTree(place, strange);
  const back = attached.isTrial ? changed : strange;
  return {
    ...place,
    branch: base.branch,
    base,
    head,
    objects,
    carry,
    dropped,
    links: [],
    unlinked: [],
    putBack: [...missing, ...back],
    changed: changed.filter((path) => !back.includes(path)),
    seen: (back.length > 0 ? undefined : held?.changes) ?? new Map<string, string>(),
    notices: [
      ...recovered,
      ...attached.notices,
      ...missingNotices([...missing]),
      ...unstorable,
      ...changeNotices(home, changed.length, held?.file, strange),
    ],
  };
}

async function furnishAt(tree: AttachedTree, head: string) {
  const { home, path, objects, carry, dropped } = tree;
  await refuseTracked(objects, head, carry);
  const tracked = dropped.length > 0 ? overlap((await objects.files(head)).keys(), dropped) : [];
  const commonDir = await commonDirOf(home);
  const [{ links, missing }, absent] = await Promise.all([
    placeCarry(home, path, carry),
    populate(tree, commonDir, objects.files(head)),
  ]);
  return {
    links,
    unlinked: await Promise.all(missing.map((one) => unlinkedNotice(path, one))),
    notices: [...dropped.filter((one) => !tracked.includes(one)).map(droppedNotice), ...absent],
  };
}

/** Puts back tracked files that are not there (half the folder was removed, a killed git); which. */
async function putBackMissing(tree: TreePlace, { deleted }: Status): Promise<Set<string>> {
  const entries = await Promise.all(deleted.map((path) => entryAt(join(tree.path, path))));
  const missing = deleted.filter((_, i) => entries[i]?.kind === 'nothing');
  await restoreTree(tree, missing);
  return new Set(missing);
}

// The line stays, for it may be all that keeps a secret out of git; but `git add --all` passes the path over without a word.
const droppedNotice = (path: string): string =>
  `${path} is no longer carried; its line in .git/info/exclude still hides it; to track it: git add -f ${shellWord(path)}`;

async function unlinkedNotice(worktree: string, path: string): Promise<string> {
  if ((await entryAt(join(worktree, path))).kind === 'nothing')
    return `carry: ${path} does not exist, so it was not linked`;
  const command = `mv ${shellWord(`${WORKTREE}/${path}`)} ${shellWord(path)}`;
  return `carry: ${path} is only in ${WORKTREE}, where a stage made it; make it yours: ${command}`;
}

const MAX_NAMED = 5;

function missingNotices(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const many = missing.length === 1 ? 'a tracked file was' : `${missing.length} tracked files were`;
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  return [`${many} missing from ${WORKTREE}; put back: ${missing.slice(0, MAX_NAMED).join(', ')}${more}`];
}

function changeNotices(home: string, changed: number, file: string | undefined, strange: readonly string[]): string[] {
  const back = strange.length > 0 ? `put back, for no stage was seen to change them: ${strange.join(', ')}` : '';
  if (!file) return back ? [back] : [];
  const many = changed === 1 ? 'a tracked file was' : `${changed} tracked files were`;
  const saved = `${many} found changed in ${WORKTREE}; saved as ${relative(home, file)}`;
  return [back ? `${saved}, and ${back}` : saved];
}

/** A fetch that is silent for this long waits for a password, or for a host that is off. */
const QUIET_MS = 60_000;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Fetches what the checkout only points to. Returns a notice, with the command, for each thing still missing. */
async function populate(tree: TreePlace, commonDir: string, files: ReturnType<GitObjects['files']>): Promise<string[]> {
  const mayHaveFilters =
    [...(await files).keys()].some((path) => basename(path) === '.gitattributes') ||
    (await entryAt(join(commonDir, 'info/attributes'))).kind !== 'nothing';
  return [...(await submodules(tree)), ...(mayHaveFilters ? await lfsFiles(tree) : [])];
}

async function submodules(tree: TreePlace): Promise<string[]> {
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

async function unpopulated(tree: TreePlace, git: Git): Promise<string[]> {
  const paths = [...(await indexEntries(git))].flatMap(([path, { mode }]) => (mode === '160000' ? [path] : []));
  const entries = await Promise.all(paths.map((path) => entryAt(join(tree.path, path, '.git'))));
  return paths.filter((_, i) => entries[i]?.kind === 'nothing');
}

async function lfsFiles(tree: TreePlace): Promise<string[]> {
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
async function pointers(tree: TreePlace): Promise<string[]> {
  const paths = fields(await treeGit(tree).run(['ls-files', '-z', '--', ':(top,attr:filter=lfs)']));
  const pointing = paths.map((path) => startsWith(join(tree.path, path), LFS_POINTER));
  return paths.filter((_, i) => pointing[i]);
}
