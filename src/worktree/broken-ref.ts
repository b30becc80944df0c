// A branch whose file a power loss left empty or torn, or whose commit is gone: git takes it for no branch at all, and the
// loop must not. The reflog tells where it was.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { gitFile } from '../io/git-dir.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { ifPossible, readText } from '../io/store.ts';
import { shellWord } from './messages.ts';

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Throws E_REF_BROKEN when `branch` has a file that names no commit, or one that git does not have. For when git said that
 * there is no such branch; a branch that was never there has no file.
 */
export async function refuseBroken(commonDir: string, objects: GitObjects, branch: string): Promise<void> {
  const file = join(commonDir, 'refs/heads', branch);
  const text = ifPossible(() => readText(file));
  if (text === undefined || text.startsWith('ref: ')) return;
  const named = COMMIT.test(text.trim());
  if (named && (await isThere(objects, text.trim()))) return;
  const commit = await lastKnown(commonDir, objects, branch);
  const ref = shellWord(`refs/heads/${branch}`);
  const commands = [
    ...(named ? [] : [`rm ${shellWord(file)}`]),
    ...(commit ? [] : ['git fsck --lost-found   # lists commits that nothing leads to']),
    `git update-ref ${ref} ${commit ?? '<commit>'}`,
  ];
  const what = named ? `names ${text.trim()}, which git does not have` : 'names no commit';
  const known = commit ? `its log says ${commit.slice(0, 12)}` : 'it has no log';
  fail('E_REF_BROKEN', { branch, what, known, commands: commands.join('\n') });
}

/** Throws E_HEAD_BROKEN when `home` has a HEAD that says nothing: git takes that for no repository, and nothing of it is lost. */
export async function refuseBrokenHead(home: string): Promise<void> {
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
    if (COMMIT.test(to) && (await isThere(objects, to))) return to;
  }
  return undefined;
}

/** An object that is torn ends the git that is asked for it. */
const isThere = (objects: GitObjects, commit: string): Promise<boolean> =>
  objects.info(`${commit}^{commit}`).then(
    (info) => info !== undefined,
    () => false,
  );
