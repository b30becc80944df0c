// All of a range as one commit in its owner's name, on the base: signed as theirs, and made under their hooks in a worktree of its
// own, so that nothing of their checkout is written before it lands.
import { join, resolve } from 'node:path';
import { fail } from '../errors.ts';
import { fields, type Git, openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { removeAll } from '../io/store.ts';
import type { CommitOptions } from '../worktree/commit-fix.ts';
import { gitFailed, shellWord } from '../worktree/messages.ts';
import { treeOf } from '../worktree/pick.ts';

export interface ToSquash {
  readonly home: string;
  /** The commit that it is put on, and the one whose files it has. */
  readonly base: string;
  readonly tip: string;
  readonly message: string;
  readonly commit: CommitOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The commit; nothing leads to it yet. Throws E_NO_IDENTITY, or E_GIT_FAILED where a hook or the signing program refuses. */
export async function squash(request: ToSquash): Promise<string> {
  const { home, base, tip, message, commit, env } = request;
  const git = openGit(home, { durable: true });
  const owner = await asOwner(git, env);
  const tree = await treeOf(git, tip);
  if (commit.hooks) return commitUnderHooks(request, owner, tree);
  const sign = commit.sign ? ['-S'] : [];
  const made = await git.attempt([...owner, 'commit-tree', ...sign, '-p', base, tree], message);
  if (made.ok) return made.stdout.trim();
  const command = `git commit-tree ${[...sign, '-m', 'try', 'HEAD^{tree}'].map(shellWord).join(' ')}`;
  return gitFailed('make the commit', command, made.stderr);
}

async function commitUnderHooks(
  { home, base, message, commit }: ToSquash,
  owner: string[],
  tree: string,
): Promise<string> {
  const place = join(layoutOf(home).state, 'squash');
  const git = openGit(home, { durable: true });
  await removeWorktree(git, place);
  try {
    await git.run(['worktree', 'add', '-q', '--detach', '--no-checkout', place, base]);
    const there = openGit(place, { ...commit, durable: true });
    await openGit(place, { durable: true }).run(['read-tree', '--reset', '-u', tree]);
    // A path that is relative leads to the hooks of the owner's checkout, not to those of this one.
    const hooks = resolve(home, await openGit(home, { hooks: true }).line(['rev-parse', '--git-path', 'hooks']));
    const sign = commit.sign ? '-S' : '--no-gpg-sign';
    const how = ['commit', '-q', '--cleanup=verbatim', '--allow-empty', sign, '-F', '-'];
    const made = await there.attempt([...owner, '-c', `core.hooksPath=${hooks}`, ...how], message);
    if (!made.ok) return gitFailed('make the commit', 'git hook run pre-commit', made.stderr);
    if ((await treeOf(there, 'HEAD')) !== tree) {
      const changed = await there.run(['diff-tree', '-r', '--name-only', tree, 'HEAD']);
      const files = changed.trim().split('\n').map(shellWord).join(', ');
      return gitFailed('make the commit', 'git hook run pre-commit', `a hook changed what you accepted: ${files}`);
    }
    return await there.line(['rev-parse', 'HEAD']);
  } finally {
    await removeWorktree(git, place);
  }
}

async function removeWorktree(git: Git, place: string): Promise<void> {
  removeAll(place);
  // Also one that a killed git left half-made. Not `prune`, which would forget worktrees of the owner's on a disk that is away.
  await git.attempt(['worktree', 'remove', '--force', '--force', place]);
}

/** Options for a git command, before its name, that make its commit the owner's. Throws E_NO_IDENTITY when git knows none. */
async function asOwner(git: Git, env: ToSquash['env']): Promise<string[]> {
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
