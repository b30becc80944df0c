// The base goes forward to a commit, with its checkout, as `git merge --ff-only` does it; and what a git that was killed there
// left is brought to an end. Writes no file but those between the two commits, and none that its owner has changed since.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import type { Landing } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import { fields, type Git, openGit } from '../io/git.ts';
import { commonDirOf, unfinished } from '../io/git-dir.ts';
import { clearDeadLock, hasEnded } from '../io/git-locks.ts';
import { liveness } from '../io/identity.ts';
import { commitOf, isAncestor } from './base.ts';
import { type Checkout, checkoutAt } from './checkout.ts';
import { bringPaths, isBefore, isBetween, isWritten, type LandingPath, landingPaths } from './landing-paths.ts';
import { shellWord, short } from './messages.ts';
import { checkoutsOf } from './tree.ts';

/** Writes down what is about to happen; on disk when it returns. */
type Record = (landing: Landing) => void;

/** A landing before its git exists. */
export type Planned = Omit<Landing, 'git'>;

/** The base, and its checkout, go forward. What git says when they did not; then something may be written: `settleLanding`. */
export async function goForward(home: string, plan: Planned, checkout: Checkout | undefined, record: Record) {
  const { base, to } = plan;
  if (!checkout) return (await moveRef(home, plan, record)) ?? followLate(home, plan, record);
  const git = recordedGit(checkout, plan, record);
  // Each setting of the owner's that would make something else of it is said otherwise.
  const settings = ['-c', 'gc.auto=0', '-c', `branch.${base}.mergeOptions=`];
  const how = ['--ff-only', '--no-squash', '--commit', '--no-verify-signatures', '--no-overwrite-ignore'];
  const quiet = ['--no-autostash', '--no-edit', '--no-stat', '-q'];
  const merged = await git.attempt([...settings, 'merge', ...how, ...quiet, to]);
  const look = openGit(checkout.path, { gitDir: checkout.gitDir });
  if ((await commitOf(look, refOf(base))) === to) return undefined;
  // Its owner went to another branch just then, and git took that one forward.
  if (merged.ok && (await commitOf(look, 'HEAD')) === to) await look.run(['reset', '-q', '--keep', 'ORIG_HEAD']);
  return merged.stderr || 'git did not move it';
}

/** Its owner came to the base after it was looked at and before it moved: their checkout is as it was then. */
async function followLate(home: string, plan: Planned, record: Record): Promise<undefined> {
  const { base, from, to } = plan;
  const [path] = await checkoutsOf(openGit(home), base);
  const late = path === undefined ? undefined : await checkoutAt(home, path);
  const paths = late ? await landingPaths(home, late, from, to) : [];
  if (late && paths.every(isBefore)) await bringPaths(late.path, recordedGit(late, plan, record), paths, 'to', to);
}

const recordedGit = ({ path, gitDir }: Checkout, plan: Planned, record: Record): Git =>
  openGit(path, { gitDir, durable: true, beforeStart: (git) => record({ ...plan, git }) });

/** The ref alone, where it still is where it was. */
async function moveRef(dir: string, plan: Planned, record: Record): Promise<string | undefined> {
  const { base, from, to, tip } = plan;
  const git = openGit(dir, { durable: true, beforeStart: (git) => record({ ...plan, git }) });
  const message = `mendloop promote: ${short(tip)}`;
  const moved = await git.attempt(['update-ref', '-m', message, refOf(base), to, from]);
  return moved.ok ? undefined : moved.stderr || 'git was ended';
}

const refOf = (base: string): string => `refs/heads/${base}`;

export interface Settled {
  /** The base has it. */
  readonly isDone: boolean;
  /** Why not. */
  readonly why: string;
  /** What its owner types where something of it is left in the checkout. */
  readonly left: readonly string[];
}

const DONE: Settled = { isDone: true, why: '', left: [] };
const notDone = (why: string, left: readonly string[] = []): Settled => ({ isDone: false, why, left });

/**
 * Ends a landing whose git ended before its time: finished (`to`), or as before it (`from`). Where its owner went on, nothing is
 * written. Throws E_LANDING_HELD while a git works there.
 */
export async function settleLanding(
  home: string,
  landing: Landing,
  side: 'from' | 'to',
  record: Record,
): Promise<Settled> {
  const { base, from, to } = landing;
  const git = openGit(home);
  const checkout = landing.checkout === undefined ? undefined : await checkoutAt(home, landing.checkout);
  const locks = await endOurs(home, landing, checkout, record);
  const now = await commitOf(git, refOf(base));
  if (now !== undefined && (await isAncestor(git, to, now))) return DONE;
  const moved = now === from ? await whyElsewhere(home, landing, checkout) : `${base} went elsewhere since`;
  if (moved === undefined && locks.held) fail('E_LANDING_HELD', { base, ...locks.held });
  if (!checkout) {
    if (moved !== undefined) return notDone(moved);
    const refused = side === 'to' ? await moveRef(home, landing, record) : 'git could not move it';
    return refused === undefined ? DONE : notDone(refused);
  }
  const paths = await landingPaths(home, checkout, from, to);
  const isBegun = landing.begun === true || locks.isIndexLocked || paths.some(isWritten);
  const isOurs = isBegun ? isBetween : isBefore;
  if (moved === undefined && paths.every(isOurs))
    return bring(home, { ...landing, begun: isBegun }, checkout, paths, side, record);
  return notDone(
    moved ?? `files of it were changed in ${checkout.path} since`,
    await leftThere(checkout, isBegun ? paths : []),
  );
}

/** Files and index first and the ref last, as git does it: killed in between, they still are between the two. */
async function bring(
  home: string,
  landing: Landing,
  checkout: Checkout,
  paths: readonly LandingPath[],
  side: 'from' | 'to',
  record: Record,
): Promise<Settled> {
  const { base, from, to } = landing;
  const git = recordedGit(checkout, landing, record);
  const refused =
    (await bringPaths(checkout.path, git, paths, side, landing[side])) ??
    (side === 'to' ? await moveRef(checkout.path, landing, record) : undefined);
  if (refused === undefined) return side === 'to' ? DONE : notDone(`git could not bring ${base} forward`);
  const now = await landingPaths(home, checkout, from, to);
  if (side === 'from') return notDone(`git could not put it back: ${refused.trim()}`, await leftThere(checkout, now));
  const back = await settleLanding(home, landing, 'from', record);
  return back.isDone ? back : { ...back, why: `git could not finish it: ${refused.trim()}` };
}

/** Why the base at `from` is not for us to bring forward; undefined: it is. */
async function whyElsewhere(home: string, { base, checkout: path }: Landing, checkout: Checkout | undefined) {
  const places = await checkoutsOf(openGit(home), base);
  if (path === undefined) return places.length === 0 ? undefined : `${base} was checked out since, in ${places[0]}`;
  if (!checkout) return `${path}, where ${base} was checked out, is gone`;
  if (places.length > 1) return `${base} is checked out twice, in ${places.join(' and ')}`;
  if (places[0] !== path) return `${base} is not checked out in ${path} any more`;
  const doing = await unfinished(checkout.gitDir);
  return doing && `a ${doing} was begun in ${path}`;
}

/** Waits for the git that was to write there, and removes its locks if it is proven dead. `held`: one that may be of another git. */
async function endOurs(home: string, landing: Landing, checkout: Checkout | undefined, record: Record) {
  const { base, git } = landing;
  if (!(await hasEnded(git))) fail('E_LANDING_HELD', { base, what: `git (pid ${git.pid}) works on it` });
  const isDead = liveness(git) === 'dead';
  const own = checkout ? ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(checkout.gitDir, name)) : [];
  const locks = [...own, join(await commonDirOf(home), `${refOf(base)}.lock`)].filter((file) => fileFacts(file));
  const isIndexLocked = locks.some((file) => file.endsWith('/index.lock'));
  // Without its lock nothing else may show that it had begun.
  if (isIndexLocked && isDead && !landing.begun) record({ ...landing, begun: true });
  for (const file of locks) {
    const dirs = [home, ...(checkout ? [checkout.path] : [])];
    const reason = isDead ? await clearDeadLock(file, dirs) : 'it may be of another git';
    if (reason) return { isIndexLocked, held: { what: `${file} is there, and ${reason}`, file: shellWord(file) } };
  }
  return { isIndexLocked };
}

/** What brings the files that may be left of it to what HEAD has, where its owner went on. */
async function leftThere({ path: folder, gitDir }: Checkout, paths: readonly LandingPath[]): Promise<string[]> {
  const git = openGit(folder, { gitDir });
  const ours = new Set(paths.flatMap((path) => (isBetween(path) && !isBefore(path) ? [path.path] : [])));
  const rows = fields(await git.run(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']));
  const left = rows
    .map((row) => ({ isNew: row.startsWith('??'), path: row.slice(3) }))
    .filter(({ path }) => ours.has(path));
  const tracked = left.filter(({ isNew }) => !isNew).map(({ path }) => shellWord(path));
  const untracked = left.filter(({ isNew }) => isNew).map(({ path }) => shellWord(join(folder, path)));
  const restore = `git -C ${shellWord(folder)} restore --source=HEAD --staged --worktree --`;
  return [
    ...(tracked.length > 0 ? [`${restore} ${tracked.join(' ')}`] : []),
    ...(untracked.length > 0 ? [`rm ${untracked.join(' ')}`] : []),
  ];
}
