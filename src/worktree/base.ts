// Which branch is the base, from the kept choice, ai/loop.yaml and the owner's checkout. Reads only.
import { fail } from '../errors.ts';
import { type Git, openGit } from '../io/git.ts';
import { samePlace } from '../io/git-dir.ts';
import { shellWord } from './shell-word.ts';

export interface Base {
  /** The AI branch. */
  readonly branch: string;
  /** The base branch. */
  readonly name: string;
  readonly commit: string;
  /** No base is kept yet: this run will keep it. */
  readonly firstRun: boolean;
}

export interface Asked {
  readonly branch: string;
  readonly base?: string | null;
}

/** The git config key that keeps the base of an AI branch. */
export const baseKey = (branch: string): string => `branch.${branch}.mendloop-base`;

/** The base to run from. Throws a MendError, exit 2, for each state in which it would have to guess. */
export async function findBase(home: string, asked: Asked): Promise<Base> {
  const git = openGit(home);
  await checkRepository(git, home);
  const { branch } = asked;
  const [head, kept, refs] = await Promise.all([headBranch(git), keptBase(git, branch), branches(git, branch)]);
  if (head === branch) fail('E_ON_AI_BRANCH', { branch, base: shellWord(kept ?? asked.base ?? '<your branch>') });
  if (asked.base === branch) fail('E_BASE_IS_AI', { branch });
  const key = shellWord(baseKey(branch));
  if (kept !== undefined && asked.base && asked.base !== kept) {
    fail('E_BASE_DIFFERS', { branch, kept, asked: asked.base, key });
  }
  if (!refs.local) {
    if (refs.remote) fail('E_AI_ONLY_REMOTE', { branch: shellWord(branch), remote: shellWord(refs.remote) });
    const valid = await git.attempt(['check-ref-format', `refs/heads/${branch}`]);
    if (!valid.ok || branch.startsWith('-')) fail('E_BRANCH_NAME', { branch });
  }
  const name = kept ?? asked.base ?? head;
  if (name === undefined) fail('E_DETACHED', { branch });
  if (name === branch) fail('E_BASE_IS_AI', { branch });
  const commit = await commitOf(git, `refs/heads/${name}`);
  if (commit === undefined) fail('E_BASE_MISSING', { base: shellWord(name), key });
  return { branch, name, commit, firstRun: kept === undefined };
}

async function checkRepository(git: Git, home: string): Promise<void> {
  const [top, head] = await Promise.all([git.attempt(['rev-parse', '--show-toplevel']), commitOf(git, 'HEAD')]);
  if (top.code === -2) fail('E_GIT_MISSING', {});
  if (!top.ok) fail('E_NOT_GIT', { home }, said(top.stderr));
  const path = top.stdout.replace(/\n$/, '');
  if (!(await samePlace(path, home))) fail('E_NOT_TOP_LEVEL', { home, top: shellWord(path) });
  if (head === undefined) fail('E_NO_COMMIT', {});
}

/** The branch that is checked out, or undefined when HEAD is detached. */
async function headBranch(git: Git): Promise<string | undefined> {
  const ref = await git.attempt(['symbolic-ref', '-q', 'HEAD']);
  return ref.ok ? ref.stdout.trim().replace(/^refs\/heads\//, '') : undefined;
}

async function keptBase(git: Git, branch: string): Promise<string | undefined> {
  const kept = await git.attempt(['config', '--local', '-z', '--get', baseKey(branch)]);
  return kept.ok ? kept.stdout.replace(/\0$/, '') || undefined : undefined;
}

async function branches(git: Git, branch: string): Promise<{ local: boolean; remote: string | undefined }> {
  const found = await git.run([
    'for-each-ref',
    '--format=%(refname)',
    `refs/heads/${branch}`,
    `refs/remotes/*/${branch}`,
  ]);
  const refs = found.split('\n');
  const remote = refs.find((ref) => ref.startsWith('refs/remotes/'));
  return { local: refs.includes(`refs/heads/${branch}`), remote: remote?.replace(/^refs\/remotes\//, '') };
}

/** The commit that `name` stands for, or undefined. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const found = await git.attempt(['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
  return found.ok ? found.stdout.trim() : undefined;
}

/** git's own words, one problem a line. */
export function said(stderr: string): string[] {
  return stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '));
}
