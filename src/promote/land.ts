// Landing: a merge that is ready, in its owner's name; the base moves to it if it is still what was shown, then its checkout
// follows, or the base goes back. No other branch moves, wherever its owner goes meanwhile.

import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fileFacts } from '../io/files.ts';
import { fields, type Git, openGit } from '../io/git.ts';
import { unfinished } from '../io/git-dir.ts';
import { clearDeadLock } from '../io/git-locks.ts';
import { withObjects } from '../io/git-objects.ts';
import { ifPossible, readBytes, removeFile } from '../io/store.ts';
import { createTreeFile } from '../io/tree-file.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import type { CommitOptions } from '../worktree/commit-fix.ts';
import { gitFailed, moveAside, shellWord, short } from '../worktree/messages.ts';
import { type Checkout, checkoutOf, inTheWay, placeOf } from './checkout.ts';
import type { Rehearsal } from './rehearse.ts';

export interface Landing {
  readonly home: string;
  readonly base: Base;
  readonly tip: string;
  /** Without conflicts. */
  readonly rehearsal: Rehearsal;
  readonly message: string;
  readonly commit: CommitOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Landed {
  readonly commit: string;
  /** The checkout that moved along; undefined: the base is checked out nowhere. */
  readonly checkout: string | undefined;
}

/**
 * Lands the rehearsed merge on the base. Throws E_PROMOTE_CHECKOUT, E_PROMOTE_DIRTY, E_PROMOTE_IN_THE_WAY, E_NO_IDENTITY,
 * E_PROMOTE_MOVED or E_GIT_FAILED; then base and checkout are as they were.
 */
export async function land(landing: Landing): Promise<Landed> {
  const { home, base, rehearsal } = landing;
  const checkout = await readyCheckout(home, base, rehearsal.tree);
  const lock = checkout && join(checkout.gitDir, 'index.lock');
  const wasLocked = lock === undefined || fileFacts(lock) !== undefined;
  try {
    return await landIn(checkout, landing);
  } catch (error) {
    // Of a git of ours that was killed, as by a limit on the size of files: the owner's next git must not meet it.
    if (!wasLocked) await clearDeadLock(lock, [checkout?.path ?? home]);
    throw error;
  }
}

async function landIn(checkout: Checkout | undefined, landing: Landing): Promise<Landed> {
  const { home, base, rehearsal } = landing;
  const owner = await asOwner(openGit(home), landing.env);
  if (checkout && landing.commit.hooks && rehearsal.plain) return mergeWithHooks(landing, checkout, owner);
  const commit = await prepare(landing, owner);
  await moveRef(landing, checkout?.path ?? home, commit);
  // Asked anew: since it was looked at, its owner may have left the base there, or come to it elsewhere.
  const now = await placeOf(home, base.name);
  const followed = now !== undefined && (await follow(landing, now, commit));
  return { commit, checkout: followed ? now.path : undefined };
}

/** The checkout to merge in, looked at from every side; undefined when there is none. Throws as `land` does. */
export async function readyCheckout(home: string, base: Base, tree: string): Promise<Checkout | undefined> {
  const checkout = await checkoutOf(home, base.name);
  const blocking = checkout ? await inTheWay(checkout, base.commit, tree) : [];
  if (checkout && blocking.length > 0) {
    const commands = moveAside(checkout.path, blocking);
    fail('E_PROMOTE_IN_THE_WAY', { base: base.name, commands }, blocking.map(shellWord));
  }
  return checkout;
}

/** The merge commit, in git's store; nothing points to it yet. */
async function prepare({ home, base, tip, rehearsal, message, commit }: Landing, owner: string[]): Promise<string> {
  const sign = commit.sign ? ['-S'] : [];
  const args = [...owner, 'commit-tree', ...sign, '-p', base.commit, '-p', tip, rehearsal.tree];
  const committed = await openGit(home, { ...commit, durable: true }).attempt(args, message);
  if (!committed.ok) {
    const command = `git commit-tree ${[...sign, '-m', 'try', 'HEAD^{tree}'].map(shellWord).join(' ')}`;
    gitFailed('make the merge commit', command, committed.stderr);
  }
  return committed.stdout.trim();
}

// Given explicitly: branch.<name>.mergeOptions of the owner may say otherwise.
const AS_WRITTEN = ['-q', '--no-squash', '--commit', '--no-autostash', '--no-verify-signatures'];

/**
 * The checkout's index and files go where its branch went; false when its owner left the branch just then. Where they
 * cannot, the branch goes back, and it throws.
 */
async function follow(landing: Landing, checkout: Checkout, to: string): Promise<boolean> {
  const { base, commit } = landing;
  const git = openGit(checkout.path, { ...commit, durable: true, gitDir: checkout.gitDir });
  const ref = refOf(base);
  await git.attempt(['update-index', '-q', '--refresh']);
  const moved = await git.attempt(['read-tree', '-m', '-u', base.commit, to]);
  const isOnBase = (await headOf(git)) === ref;
  if (!isOnBase && moved.ok) await git.run(['read-tree', '-m', '-u', to, base.commit]);
  if (!isOnBase) return false;
  if (moved.ok) {
    // It runs afterwards: even if it fails, the merge stays.
    if (commit.hooks) await git.attempt(['hook', 'run', '--ignore-missing', 'post-merge', '--', '0']);
    return true;
  }
  const back = await git.attempt(['update-ref', '-m', 'mendloop promote: taken back', ref, base.commit, to]);
  if (!back.ok) {
    const command = `git -C ${shellWord(checkout.path)} read-tree -m -u ${short(base.commit)} ${short(to)}`;
    gitFailed(`bring ${checkout.path} to ${base.name}, which has the merge`, command, moved.stderr);
  }
  await putBack(landing, checkout, git, to);
  return refused(landing, checkout, git, moved.stderr);
}

const refOf = ({ name }: Base): string => `refs/heads/${name}`;

/** The branch that is checked out; undefined for a detached HEAD. */
async function headOf(git: Git): Promise<string | undefined> {
  const answer = await git.attempt(['symbolic-ref', '-q', 'HEAD']);
  return answer.ok ? answer.stdout.trim() : undefined;
}

/**
 * A merge that broke off, as on a full disk, may have written files, and the index, but not the ref. What it wrote, whole or in
 * part, is put back; nothing tracked was changed here before it, and what the owner changed since is left alone.
 */
async function putBack({ home, base }: Landing, { path: root }: Checkout, git: Git, to: string): Promise<void> {
  const paths = fields(await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base.commit, to]));
  await withObjects(home, async (objects) => {
    const [before, after] = await Promise.all([objects.files(base.commit), objects.files(to)]);
    for (const path of paths) {
      const [old, merged] = [before.get(path), after.get(path)];
      const [wanted, written] = await Promise.all([old, merged].map((entry) => entry && objects.read(entry.id)));
      const bytes = ifPossible(() => readBytes(join(root, path)));
      // Git removes a file before it writes the new one: what is missing, it may not have come to.
      const isOurs = !bytes || (written?.subarray(0, bytes.length).equals(bytes) && !wanted?.equals(bytes));
      if (!isOurs) continue;
      if (bytes) removeFile(join(root, path));
      if (wanted) createTreeFile(root, path, wanted, old?.mode === '100755');
    }
  });
  await git.attempt(['reset', '--quiet']);
}

/** From `dir`, so that the reflog of its HEAD has it as well. */
async function moveRef({ base, tip }: Landing, dir: string, to: string): Promise<void> {
  const git = openGit(dir, { durable: true });
  const ref = refOf(base);
  const moved = await git.attempt(['update-ref', '-m', `mendloop promote: ${short(tip)}`, ref, to, base.commit]);
  if (moved.ok) return;
  if ((await commitOf(git, ref)) !== base.commit) fail('E_PROMOTE_MOVED', { base: base.name });
  gitFailed(`move ${base.name}`, `git log -1 ${shellWord(base.name)}`, moved.stderr);
}

/**
 * The owner's hooks have to see a merge being made, so git makes it there; one they refuse is taken back, and so is one that
 * went to another branch because its owner had just gone there.
 */
async function mergeWithHooks(landing: Landing, checkout: Checkout, owner: string[]): Promise<Landed> {
  const { commit, message, tip, base } = landing;
  const git = openGit(checkout.path, { ...commit, durable: true, gitDir: checkout.gitDir });
  const before = await commitOf(git, 'HEAD');
  if (before !== base.commit || (await headOf(git)) !== refOf(base)) fail('E_PROMOTE_MOVED', { base: base.name });
  const sign = commit.sign ? '-S' : '--no-gpg-sign';
  const how = ['--no-ff', '--no-edit', '--no-log', '--cleanup=verbatim', '-s', 'ort', sign, '-m', message];
  const merged = await git.attempt([...owner, 'merge', ...AS_WRITTEN, ...how, tip]);
  const isMerge = async (name: string): Promise<boolean> =>
    (await commitOf(git, `${name}^2`)) === tip && (await commitOf(git, `${name}^1`)) === before;
  if (await isMerge(refOf(base))) {
    return { commit: (await commitOf(git, refOf(base))) as string, checkout: checkout.path };
  }
  if (await isMerge('HEAD')) {
    await git.run(['reset', '--keep', '--quiet', before]);
    fail('E_PROMOTE_MOVED', { base: base.name });
  }
  if ((await unfinished(checkout.gitDir)) === 'merge') {
    const aborted = await git.attempt(['merge', '--abort']);
    // A hook changed what was merged. Before the merge nothing tracked was changed here, so nothing of the owner's is lost.
    if (!aborted.ok) await git.run(['reset', '--hard', '--quiet', before]);
  }
  return refused(landing, checkout, git, merged.stderr);
}

async function refused({ base, tip }: Landing, { path }: Checkout, git: Git, stderr: string): Promise<never> {
  if ((await commitOf(git, refOf(base))) !== base.commit) fail('E_PROMOTE_MOVED', { base: base.name });
  const command = `git -C ${shellWord(path)} merge --no-ff ${short(tip)}`;
  return gitFailed(`merge into ${base.name} in ${path}`, command, stderr);
}

/** Options for a git command, before its name, that make its commit the owner's. Throws E_NO_IDENTITY when git knows none. */
async function asOwner(git: Git, env: Landing['env']): Promise<string[]> {
  const options: string[] = [];
  for (const who of ['author', 'committer']) {
    for (const what of ['name', 'email']) {
      // In git's own order. Its variables are not passed on to it, so they are given as options.
      const value =
        env[`GIT_${who}_${what}`.toUpperCase()] ||
        (await owners(git, `${who}.${what}`)) ||
        (await owners(git, `user.${what}`)) ||
        (what === 'email' && env.EMAIL);
      if (!value) fail('E_NO_IDENTITY', {});
      options.push('-c', `${who}.${what}=${value}`);
    }
  }
  return options;
}

/** The last value that is not from our own command line. */
async function owners(git: Git, key: string): Promise<string | undefined> {
  const answer = await git.attempt(['config', '--show-scope', '-z', '--get-all', key]);
  const parts = fields(answer.stdout);
  return parts.findLast((_, i) => i % 2 === 1 && parts[i - 1] !== 'command');
}
