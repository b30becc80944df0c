// The files of a branch that goes from one commit to another, as they lie in its checkout: each as before, as after, partly
// written, or somebody else's. Bringing them to either commit writes no other file.
import { join } from 'node:path';
import { fields, type Git, openGit } from '../io/git.ts';
import { tempName } from '../io/half-made.ts';
import { layout } from '../io/layout.ts';
import { blockAbove } from '../io/links.ts';
import { privateFolder, removeAll } from '../io/store.ts';
import { holdsPartOf, removeTreeFile } from '../io/tree-file.ts';
import { type Change, type Entry, idOf, indexEntries, treeDiff } from './listing.ts';
import type { TreePlace } from './tree.ts';

export interface LandingPath extends Change {
  readonly index: Entry | undefined;
  /** `partly`: it holds the beginning of what `to` has. `out`: absent, for its owner keeps it out of the folder. */
  readonly disk: 'from' | 'to' | 'absent' | 'partly' | 'out' | 'other';
}

/** Every file in which the two commits differ. Throws a GitError. */
export async function landingPaths(
  home: string,
  checkout: TreePlace,
  from: string,
  to: string,
): Promise<LandingPath[]> {
  const git = openGit(checkout.path, { gitDir: checkout.gitDir });
  const changes = await treeDiff(git, from, to);
  const index = await indexEntries(git);
  const unlikeFrom = await unlike(home, checkout, changes, 'from');
  const unlikeTo = await unlike(home, checkout, changes, 'to');
  const paths = changes.map(async (change): Promise<LandingPath> => {
    const { path } = change;
    const known = index.get(path);
    const disk = await onDisk(change);
    const isOut = known?.flag === 'S' && disk === 'absent';
    return { ...change, index: known?.entry, disk: isOut ? 'out' : disk };
  });
  return Promise.all(paths);

  async function onDisk({ path, from, to }: Change): Promise<LandingPath['disk']> {
    if ((await blockAbove(checkout.path, path)) !== undefined) return isReplaced(path) ? 'absent' : 'other';
    if (unlikeFrom.get(path) === 'D' || unlikeTo.get(path) === 'D') return 'absent';
    if (from !== undefined && !unlikeFrom.has(path)) return 'from';
    if (to === undefined) return 'other';
    if (!unlikeTo.has(path)) return 'to';
    const whole = await git.attempt(['cat-file', '--filters', `--path=${path}`, idOf(to)]);
    return whole.ok && holdsPartOf(checkout.path, path, whole.bytes) ? 'partly' : 'other';
  }

  /** One of the commits has a file where the other has a folder. */
  function isReplaced(path: string): boolean {
    return changes.some((other) => path.startsWith(`${other.path}/`));
  }
}

/** Whether git may have left it so, between the two commits; else its owner went on. */
export const isBetween = ({ from, to, index, disk }: LandingPath): boolean =>
  disk !== 'other' && (index === from || index === to);

/** Whether it is as if nothing had been begun. */
export const isBefore = ({ from, index, disk }: LandingPath): boolean =>
  index === from && (disk === 'out' || disk === (from === undefined ? 'absent' : 'from'));

/** Whether git has surely written something of `to` there. */
export const isWritten = ({ from, to, index, disk }: LandingPath): boolean =>
  (disk === 'to' && to !== undefined) || (index === to && index !== from);

/**
 * Brings files and index to one of the two commits, by the git of the checkout in `root`, and nothing else. Only for paths that
 * are all `isBetween`. What git says when it cannot; then they are still between.
 */
export async function bringPaths(
  root: string,
  git: Git,
  paths: readonly LandingPath[],
  side: 'from' | 'to',
  commit: string,
) {
  // git removes only what the index has.
  const known = paths.filter((path) => path[side] !== undefined || path.index !== undefined);
  for (const { path, disk } of paths.filter((one) => !known.includes(one)))
    if (disk !== 'absent') removeTreeFile(root, path);
  if (known.length === 0) return undefined;
  const restore = ['--literal-pathspecs', 'restore', '-q', `--source=${commit}`, '--staged', '--worktree'];
  const names = known.map(({ path }) => path).join('\0');
  const answer = await git.attempt([...restore, '--pathspec-from-file=-', '--pathspec-file-nul'], names);
  return answer.ok ? undefined : answer.stderr || 'git was ended';
}

/**
 * Those of the files of one commit that the folder has otherwise, by git's own comparison, with its filters and modes: path → M, T,
 * or D for one that is not there.
 */
async function unlike(home: string, { path, gitDir }: TreePlace, changes: readonly Change[], side: 'from' | 'to') {
  // Where a start sweeps away what was left by a process that was killed.
  const scratch = tempName(join(layout(home).state, 'landing'));
  privateFolder(scratch);
  const git = openGit(path, { gitDir, indexFile: join(scratch, 'index') });
  const rows = changes.flatMap((change) => (change[side] === undefined ? [] : [`${change[side]}\t${change.path}\0`]));
  try {
    await git.run(['update-index', '-z', '--index-info'], rows.join(''));
    await git.attempt(['update-index', '-q', '--refresh']);
    const answer = fields(await git.run(['diff-files', '-z', '--name-status', '--no-renames']));
    return new Map(answer.flatMap((kind, i) => (i % 2 === 0 ? [[answer[i + 1] ?? '', kind] as const] : [])));
  } finally {
    removeAll(scratch);
  }
}
