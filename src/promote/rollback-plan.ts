// The commits that roll fixes back, made in git's store alone: all of them or none, and nothing moves until they are there.
import { fail } from '../errors.ts';
import type { Git } from '../io/git.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';
import { carryOver, treeOf } from '../worktree/rehearse-merge.ts';
import { shellWord } from '../worktree/shell-word.ts';
import { WORKTREE } from '../worktree/tree.ts';

export interface Reverted<F> {
  fix: F;
  /** The commit that takes it back. */
  commit: string;
  /** Its change was gone already. */
  empty: boolean;
}

/**
 * One commit for each fix, the newest fix first, the first of them onto `head`; the last one's commit is the new tip. Throws
 * E_ROLLBACK_CONFLICT with the later fixes (of `all`) that stand in the way.
 */
export async function planRollback<F extends CommittedFix>(
  git: Git,
  head: string,
  fixes: readonly F[],
  all: readonly CommittedFix[],
  { message, sign }: { message(fix: F): string; sign: boolean },
): Promise<Reverted<F>[]> {
  const made: Reverted<F>[] = [];
  let tip = head;
  let tree = await treeOf(git, head);
  for (const fix of fixes) {
    const next = await carryOver(git, fix.commit, `${fix.commit}^`, tree);
    if (next.conflicts.length > 0) conflict(fix, next.conflicts, fixes, all);
    const args = ['commit-tree', ...(sign ? ['-S'] : []), '-p', tip, next.tree];
    tip = (await git.run(args, message(fix))).trim();
    made.push({ fix, commit: tip, empty: next.tree === tree });
    tree = next.tree;
  }
  return made;
}

function conflict(
  fix: CommittedFix,
  paths: readonly string[],
  asked: readonly CommittedFix[],
  all: readonly CommittedFix[],
): never {
  const gone = new Set(all.flatMap(({ trailers }) => trailers.get('Reverts') ?? []));
  const newer = all.slice(
    0,
    all.findIndex(({ commit }) => commit === fix.commit),
  );
  const later = newer.filter(
    ({ commit, trailers, paths: own }) =>
      !trailers.has('Reverts') &&
      !gone.has(commit) &&
      !asked.some((one) => one.commit === commit) &&
      own.some((path) => paths.includes(path)),
  );
  const short = fix.commit.slice(0, 12);
  const first = later.map(({ commit }) => `mendloop rollback ${commit.slice(0, 12)}`);
  const byHand = [`git -C ${WORKTREE} revert ${short}`, '# edit the files named above, then', ...adds(paths)];
  const commands = [
    ...(first.length > 0 ? ['roll these back first:', ...first, 'or by hand:'] : ['by hand:']),
    ...byHand,
    `git -C ${WORKTREE} revert --continue`,
  ];
  fail('E_ROLLBACK_CONFLICT', { commit: short, commands: commands.join('\n') }, [
    ...paths.map(shellWord),
    ...later.map(({ commit, note }) => `later: ${commit.slice(0, 12)} ${note.fix}`),
  ]);
}

const adds = (paths: readonly string[]): string[] => paths.map((path) => `git -C ${WORKTREE} add ${shellWord(path)}`);
