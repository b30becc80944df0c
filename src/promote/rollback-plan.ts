// Which fixes a person means, and the commits that take them back: made in git's store alone, all of them or none.
import { fail } from '../errors.ts';
import type { Git } from '../io/git.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';
import { type Reverted, revertAll } from '../worktree/merge-tree.ts';
import { shellWord, short, solveConflict } from '../worktree/messages.ts';
import { WORKTREE } from '../worktree/tree.ts';

export interface KnownFix extends CommittedFix {
  /** Was taken back, and by which commit. */
  readonly takenBack: CommittedFix | undefined;
}

type Fixes = readonly CommittedFix[];

/** Shorter beginnings would soon mean another commit. */
const MIN_CHARS = 7;

/** Fixes with what took them back, in the order given. A fix and its rebased copy on the base count as one. */
function knownFixes(all: Fixes): KnownFix[] {
  const reverts = new Map(all.map((fix) => [fix.reverts, fix]));
  const fixes = new Map<string, KnownFix>();
  for (const fix of all.filter(({ reverts }) => reverts === undefined)) {
    const same = fixes.get(keyOf(fix));
    const takenBack = same?.takenBack ?? reverts.get(fix.commit);
    fixes.set(keyOf(fix), { ...(same ?? fix), takenBack });
  }
  return [...fixes.values()];
}

/** The same for a fix and for what a rebase made of it. */
const keyOf = ({ stage, fingerprint, hash, run }: CommittedFix): string =>
  JSON.stringify([stage, fingerprint, hash, run]);

/** The fix that `word` begins the commit or the hash of. Throws E_UNKNOWN_FIX or E_AMBIGUOUS_FIX. */
export function fixNamed(all: Fixes, word: string): KnownFix {
  const unknown = (what: string) => fail('E_UNKNOWN_FIX', { what });
  const given = JSON.stringify(word);
  if (word.length < MIN_CHARS) unknown(`${given} is too short: give ${MIN_CHARS} letters of the commit or more`);
  const back = all.find(({ commit, reverts }) => commit.startsWith(word) && reverts !== undefined);
  if (back) unknown(`${word} is no fix; it took ${back.reverts} back`);
  const named = all.filter(({ commit, hash }) => commit.startsWith(word) || hash.startsWith(word));
  const keys = new Set(named.map(keyOf));
  const meant = knownFixes(all).filter((fix) => keys.has(keyOf(fix)));
  // The same change may have come and gone before; the one that is there is meant.
  const standing = meant.filter(({ takenBack }) => !takenBack);
  const [fix, ...more] = standing.length > 0 ? standing : meant.slice(0, 1);
  if (!fix) return unknown(`no fix of this branch begins with ${given}`);
  const rows = [fix, ...more].map(({ commit, stage, note }) => `${commit} ${stage}: ${note.fix}`);
  if (more.length > 0) fail('E_AMBIGUOUS_FIX', { word }, rows);
  return fix;
}

export const standing = (fixes: readonly KnownFix[]): KnownFix[] => fixes.filter(({ takenBack }) => !takenBack);

/** What of `fixes` stood before the base was brought in: still there, under its new name; and what had to make way. */
export function afterMerge(all: Fixes, fixes: readonly KnownFix[]) {
  const now = new Map(knownFixes(all).map((fix) => [keyOf(fix), fix]));
  const stillThere: KnownFix[] = [];
  const superseded: Reverted<KnownFix>[] = [];
  for (const fix of standing(fixes)) {
    const current = now.get(keyOf(fix));
    const by = current?.takenBack ?? all.find(({ reverts }) => reverts === fix.commit);
    if (current && !by) stillThere.push(current);
    else superseded.push({ fix, commit: by?.commit ?? '', empty: true });
  }
  return { stillThere, superseded };
}

/** All fixes of a run, in the order given. Throws E_UNKNOWN_FIX when there is none. */
export function fixesOfRun(all: Fixes, run: string): KnownFix[] {
  const fixes = knownFixes(all).filter((fix) => fix.run === run);
  if (fixes.length === 0) fail('E_UNKNOWN_FIX', { what: `no fix of this branch is of run ${JSON.stringify(run)}` });
  return fixes;
}

/**
 * One commit for each fix, the newest fix first, the first of them onto `head`; the last one's commit is the new tip. Throws
 * E_ROLLBACK_CONFLICT with the later fixes (of `all`) that stand in the way.
 */
export async function planRollback<F extends CommittedFix>(
  git: Git,
  head: string,
  fixes: readonly F[],
  all: Fixes,
  options: { message(fix: F): string; sign: boolean },
): Promise<Reverted<F>[]> {
  const back = await revertAll(git, head, fixes, options);
  return 'stuck' in back ? conflict(back.stuck, back.conflicts, fixes, all) : back.reverted;
}

function conflict(fix: CommittedFix, paths: readonly string[], asked: Fixes, all: Fixes): never {
  const over = new Set([...all.map(({ reverts }) => reverts), ...asked.map(({ commit }) => commit)]);
  const position = all.findIndex(({ commit }) => commit === fix.commit);
  const standing = all.slice(0, position).filter(({ reverts, commit }) => reverts === undefined && !over.has(commit));
  const later = standing.filter((other) => other.paths.some((path) => paths.includes(path)));
  const commit = short(fix.commit);
  const first = later.map(({ commit }) => `mendloop rollback ${short(commit)}`);
  const commands = [
    ...(first.length > 0 ? ['roll these back first:', ...first, 'or by hand:'] : ['by hand:']),
    ...solveConflict(`git -C ${WORKTREE}`, `revert ${commit}`, paths, 'commit --no-edit'),
  ].join('\n');
  const problems = [...paths.map(shellWord), ...later.map(({ commit, note }) => `later: ${short(commit)} ${note.fix}`)];
  fail('E_ROLLBACK_CONFLICT', { commit, commands }, problems);
}
