// Which branch is the base, from the stored choice, ai/loop.yaml and the owner's checkout, and where the AI branch stands
// against it. Reads only.

import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fields, type Git, lines, openGit } from '../io/git.ts';
import { branchOfHead, commonDirOf, gitFile, samePlace } from '../io/git-dir.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { ifPossible, readText } from '../io/store.ts';
import { complaints, shellWord, short } from './messages.ts';

export interface Base {
  /** The AI branch. */
  readonly branch: string;
  /** The base branch. */
  readonly name: string;
  readonly commit: string;
  /** No base is stored yet: this run will store it. */
  readonly firstRun: boolean;
}

export interface Asked {
  readonly branch: string;
  readonly base?: string | null;
}

/** The git config key that stores the base of an AI branch. */
export const baseKey = (branch: string): string => `branch.${branch}.mendloop-base`;

/** The ref that keeps the commit of the base that an AI branch was last put onto, whatever becomes of the base. */
export const keptBaseRef = (branch: string): string => `refs/mendloop/base/${branch}`;

/** Keeps it. Throws a GitError. */
export const keepBase = async (git: Git, branch: string, commit: string): Promise<void> => {
  await git.run(['update-ref', keptBaseRef(branch), commit]);
};

/**
 * The base that the AI branch was last put onto; where that was never kept, the last commit that both have. Throws E_NO_COMMON_BASE
 * where there is none.
 */
export async function keptBase(git: Git, { branch, name, commit }: Base, tip: string): Promise<string> {
  const kept = await commitOf(git, keptBaseRef(branch));
  if (kept !== undefined) return kept;
  const common = await git.attempt(['merge-base', commit, tip]);
  if (common.ok) return common.stdout.trim();
  const isShallow = (await git.line(['rev-parse', '--is-shallow-repository'])) === 'true';
  return fail('E_NO_COMMON_BASE', { branch, base: name, ref: shellWord(keptBaseRef(branch)), isShallow });
}

/**
 * The base to run from. What is asked for may be read from the repository, once it is known to be one. Throws a MendError,
 * exit 2, for each state in which it would have to guess.
 */
export async function findBase(
  home: string,
  asked: Asked | ((objects: GitObjects) => Promise<Asked>),
  given?: GitObjects,
): Promise<Base> {
  const git = openGit(home);
  // First: git refuses a repository of another user here, and objects are read without that look.
  const head = await headBranch(git, home);
  return withObjects(given ?? home, async (objects) => {
    const refuseDamaged = async (branch: string) => refuseBroken(await commonDirOf(home), objects, branch);
    if (!(await commitAt(objects, 'HEAD'))) {
      const on = await branchOfHead(home);
      if (on !== undefined) await refuseDamaged(on);
      fail('E_NO_COMMIT', {});
    }
    const { branch, base } = typeof asked === 'function' ? await asked(objects) : asked;
    const [keys, tip] = await Promise.all([storedKeys(git), commitAt(objects, `refs/heads/${branch}`)]);
    const stored = keys.get(baseKey(branch)) || undefined;
    if (head === branch) fail('E_ON_AI_BRANCH', { branch, base: shellWord(stored ?? base ?? '<your branch>') });
    if (base === branch) fail('E_BASE_IS_AI', { branch });
    const key = shellWord(baseKey(branch));
    if (stored && base && base !== stored) fail('E_BASE_DIFFERS', { branch, kept: stored, asked: base, key });
    if (!tip) {
      await refuseDamaged(branch);
      await refuseNewBranch(git, branch);
    }
    const name = stored ?? base ?? head;
    if (name === undefined) fail('E_DETACHED', { branch });
    if (name === branch) fail('E_BASE_IS_AI', { branch });
    const commit = await commitAt(objects, `refs/heads/${name}`);
    if (commit === undefined) await refuseDamaged(name);
    if (commit === undefined)
      fail('E_BASE_MISSING', { base: shellWord(name), key, head: head === undefined ? '<branch>' : shellWord(head) });
    return { branch, name, commit, firstRun: stored === undefined };
  });
}

/** The commit that a name leads to; undefined when there is none, or it is torn: that ends the git that is asked for it. */
const commitAt = async (objects: GitObjects, name: string): Promise<string | undefined> =>
  (await objects.info(`${name}^{commit}`).catch(() => undefined))?.id;

/** What git tells to do about a repository of another user, the same in every language. */
const TRUST = /^\tgit config --global --add safe\.directory .+$/m;

/** The branch that is checked out, or undefined when HEAD is detached. Throws when `home` is no repository's top level. */
export async function headBranch(git: Git, home: string): Promise<string | undefined> {
  const answer = await git.attempt(['rev-parse', '--show-toplevel', '--symbolic-full-name', 'HEAD']);
  if (answer.code === -2) fail('E_GIT_MISSING', {});
  const [, top, ref = ''] = /^(.*)\n(.*)\n$/s.exec(answer.stdout) ?? [];
  if (top === undefined) await refuseBrokenHead(home);
  if (top === undefined) {
    const [trust] = TRUST.exec(answer.stderr) ?? [];
    const words = complaints(answer.stderr);
    fail('E_NOT_GIT', { home, trust: trust?.trim() }, trust ? words.slice(0, 1) : words);
  }
  if (!(await samePlace(top, home))) fail('E_NOT_TOP_LEVEL', { home, top: shellWord(top) });
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}

/** Every git config key of the loop, with its value. */
export async function storedKeys(git: Git): Promise<Map<string, string>> {
  const pattern = String.raw`^branch\..*\.mendloop-(base|pushed)$`;
  const { stdout } = await git.attempt(['config', '--local', '-z', '--get-regexp', pattern]);
  return new Map(fields(stdout).map((row) => row.split('\n', 2) as [string, string]));
}

/** Throws a MendError where the AI branch, which is not there, may not be made. */
async function refuseNewBranch(git: Git, branch: string): Promise<void> {
  const [remotes, valid] = await Promise.all([
    git.run(['for-each-ref', '--format=%(refname:lstrip=2)', `refs/remotes/*/${branch}`]),
    git.attempt(['check-ref-format', `refs/heads/${branch}`]),
  ]);
  const [remote] = lines(remotes);
  if (remote) fail('E_AI_ONLY_REMOTE', { branch: shellWord(branch), remote: shellWord(remote) });
  if (!valid.ok || branch.startsWith('-')) fail('E_BRANCH_NAME', { branch });
}

/** The commit that `name` stands for, or undefined. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const answer = await git.attempt(['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
  return answer.ok ? answer.stdout.trim() : undefined;
}

/** Says that commits of the checkout are no part of a run; undefined where the base and the AI branch have them all. */
export async function notOnBase(home: string, { name, branch: aiBranch }: Base): Promise<string | undefined> {
  const branch = await branchOfHead(home);
  if (branch === name) return undefined;
  // Before the first run there is no AI branch: hence --ignore-missing.
  const included = [`refs/heads/${name}`, `refs/heads/${aiBranch}`];
  const answer = await openGit(home).attempt(['rev-list', '--ignore-missing', '--count', 'HEAD', '--not', ...included]);
  const commits = Number(answer.stdout);
  if (!(commits > 0)) return undefined;
  return `not on ${name}, so not included: ${commits} commit${commits === 1 ? '' : 's'} of ${branch ?? 'a detached HEAD'}`;
}

/** Whether `commit` is `of` or lies behind it; false when there is no such commit. */
export const isAncestor = async (git: Git, commit: string, of: string): Promise<boolean> =>
  (await git.attempt(['merge-base', '--is-ancestor', commit, of])).ok;

/** The commit that the AI branch has from the base and that the base has no longer: it was amended, reset or rebased. */
export async function droppedBase(git: Git, base: Base, tip: string): Promise<string | undefined> {
  const kept = await commitOf(git, keptBaseRef(base.branch));
  if (kept === undefined || kept === base.commit) return undefined;
  const common = await git.attempt(['merge-base', kept, tip]);
  return common.ok && !(await isAncestor(git, common.stdout.trim(), base.commit)) ? common.stdout.trim() : undefined;
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Throws E_REF_BROKEN when `branch` has a file that names no commit, or one that git does not have. For when git said that
 * there is no such branch; a branch that was never there has no file.
 */
async function refuseBroken(commonDir: string, objects: GitObjects, branch: string): Promise<void> {
  const file = join(commonDir, 'refs/heads', branch);
  const text = ifPossible(() => readText(file));
  if (text === undefined || text.startsWith('ref: ')) return;
  const named = COMMIT.test(text.trim());
  if (named && (await commitAt(objects, text.trim()))) return;
  const commit = await lastKnown(commonDir, objects, branch);
  const ref = shellWord(`refs/heads/${branch}`);
  const commands = [
    ...(named ? [] : [`rm ${shellWord(file)}`]),
    ...(commit ? [] : ['git fsck --lost-found   # lists commits that nothing leads to']),
    `git update-ref ${ref} ${commit ?? '<commit>'}`,
  ];
  const what = named ? `names ${text.trim()}, which git does not have` : 'names no commit';
  const logSays = commit ? `its log says ${short(commit)}` : 'it has no log';
  fail('E_REF_BROKEN', { branch, what, logSays, commands: commands.join('\n') });
}

/** Throws E_HEAD_BROKEN when `home` has a HEAD that says nothing: git takes that for no repository, and nothing of it is lost. */
async function refuseBrokenHead(home: string): Promise<void> {
  const gitDir = (await gitFile(home))?.target ?? join(home, '.git');
  const file = join(gitDir, 'HEAD');
  const text = ifPossible(() => readText(file));
  if (text === undefined || text.startsWith('ref: ') || COMMIT.test(text.trim())) return;
  const log = ifPossible(() => readText(join(gitDir, 'logs/HEAD'))) ?? '';
  const packed = ifPossible(() => readText(join(gitDir, 'packed-refs'))) ?? '';
  const isBranch = (name: string) =>
    ifPossible(() => readText(join(gitDir, 'refs/heads', name))) !== undefined ||
    packed.split('\n').some((line) => line.endsWith(` refs/heads/${name}`));
  // The last move tells it, unless that was to a commit; where none was made, it is the one that a repository begins with.
  const moved = [...log.matchAll(/checkout: moving from \S+ to (\S+)$/gm)].at(-1)?.[1] ?? [];
  const branch = [moved, 'main', 'master'].flat().find(isBranch) ?? '<your branch>';
  fail('E_HEAD_BROKEN', { file: shellWord(file), ref: shellWord(`ref: refs/heads/${branch}`) });
}

/** The newest commit of the branch's log that git has. */
async function lastKnown(commonDir: string, objects: GitObjects, branch: string): Promise<string | undefined> {
  const log = ifPossible(() => readText(join(commonDir, 'logs/refs/heads', branch))) ?? '';
  for (const line of log.split('\n').reverse()) {
    const [, to = ''] = line.split(' ');
    if (COMMIT.test(to) && (await commitAt(objects, to))) return to;
  }
  return undefined;
}
