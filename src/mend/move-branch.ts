// The AI branch is moved: what is intended is recorded, the ref moves once, then what it means for fixes is recorded. A start that
// finds a move that was not closed closes it, whichever way it went.

import { fail } from '../errors.ts';
import { type DataOf, type NewEvent, noticeEvent } from '../events.ts';
import type { Git } from '../io/git.ts';
import type { Run } from '../stage/run.ts';
import { fixesIn, type Ledger, patchIn } from '../triage/ledger.ts';
import { type Base, commitOf, droppedBase, isAncestor, keepBase, keptBase } from '../worktree/base.ts';
import { shellWord, short, solveConflict } from '../worktree/messages.ts';
import { keepBefore, keepNext, moveTree } from '../worktree/move-tree.ts';
import { type CommitFate, isStuck, putOnBase, type Stuck, whereGone } from '../worktree/on-base.ts';
import { type TreePlace, trackedStatus, treeGit, WORKTREE } from '../worktree/tree.ts';
import { fixJudged, fixRow } from './commit.ts';

/** What a move needs; the lock is held, and the AI branch is checked out in the worktree. */
export interface BranchMover {
  readonly tree: TreePlace;
  readonly base: Base;
  /** Sign what the loop has committed. */
  readonly sign: boolean;
  readonly ledger: Ledger;
  /** On disk when it returns. */
  record(...events: NewEvent[]): void;
}

/** For a run, in which no trial is open. */
export const moverOf = ({ tree, journal, config }: Run): BranchMover => ({
  tree,
  base: tree.base,
  sign: config.loop.git.sign,
  ledger: journal.ledger,
  record: journal.append,
});

type Move = DataOf<'branch.intended'>;
type MovedFix = Move['fixes'][number];

export interface Moved {
  readonly from: string;
  readonly to: string;
  /** Tracked files that stages had changed and that are as at the new tip. */
  readonly putBack: readonly string[];
}

const gitOf = ({ tree, sign }: BranchMover): Git => treeGit(tree, { sign, durable: true });

/**
 * Puts the branch, now at `tip`, onto its base; undefined when it stands there. `check` may refuse where it would go. Throws
 * E_BASE_CONFLICT, E_NO_COMMON_BASE or E_WORKTREE_IN_THE_WAY with branch and tree as they were.
 */
export async function bringOntoBase(
  on: BranchMover,
  tip: string,
  check: (to: string) => Promise<void> = async () => {},
): Promise<Moved | undefined> {
  const git = gitOf(on);
  const { base, sign } = on;
  const old = await keptBase(git, base, tip);
  if (old === base.commit && (await isAncestor(git, base.commit, tip))) return undefined;
  const put = await putOnBase(git, { old, base: base.commit, tip, sign });
  if (isStuck(put)) return refuse(on, git, put);
  await check(put.to);
  const dropped = await droppedBase(git, base, tip);
  const moved = dropped === undefined ? 'moved' : `was rewritten (${short(dropped)} is no longer in it)`;
  const why = `${base.name} ${moved}; ${base.branch} was put onto it (${short(put.to)})`;
  const fixes = [
    ...put.fates.flatMap((fate) => movedFix(on, fate)),
    ...(await goneFixes(on, git, { old, base: base.commit, to: put.to }, put.fates)),
  ];
  return moveBranch(on, { from: tip, to: put.to, why, fixes });
}

/** Moves the branch, and records what that means for `fixes`; undefined when it stays where it is. Throws as `moveTree`. */
export async function moveBranch(
  on: BranchMover,
  { from, to, why, fixes }: Pick<Move, 'from' | 'to' | 'why' | 'fixes'>,
): Promise<Moved | undefined> {
  const git = gitOf(on);
  const { tree, base } = on;
  const move = { branch: base.branch, from, to, base: base.commit, base_name: base.name, why, fixes };
  if (from === to && fixes.length === 0) {
    await keepBase(git, base.branch, base.commit);
    return undefined;
  }
  await keepNext(git, to);
  on.record({ type: 'branch.intended', data: move });
  let putBack: readonly string[] = [];
  try {
    if (from !== to) {
      const { changed } = await trackedStatus(git);
      putBack = changed;
      await keepBefore(git, from);
      await moveTree({ tree, git, base, dirty: changed.length > 0 }, from, to);
    }
  } catch (error) {
    await closeMove(on);
    throw error;
  }
  await closeMove(on);
  return from === to ? undefined : { from, to, putBack };
}

/** Closes the move that the ledger has open: as done where the branch is where it was to go. Whether there was one. */
export async function closeMove(on: BranchMover): Promise<boolean> {
  const { move } = on.ledger;
  if (move === undefined) return false;
  const git = gitOf(on);
  const { branch, from, to, base } = move;
  if ((await commitOf(git, `refs/heads/${branch}`)) === to) {
    await keepBase(git, branch, base);
    on.record(...outcomesOf(move), { type: 'branch.moved', data: { from, to } });
  } else on.record({ type: 'branch.stayed', data: { from, to } });
  return true;
}

/** What is told of a move, and how fixes end with it. */
function outcomesOf({ from, to, why, base_name: base, fixes }: Move): NewEvent[] {
  const ended = fixes.flatMap(({ outcome, reason = '', ...fix }) =>
    outcome === undefined ? [] : [fixJudged(fix, { outcome, reason })],
  );
  const note = supersededNote(ended, base);
  return [...(from === to ? [] : [noticeEvent(why)]), ...ended, ...(note ? [noticeEvent(note)] : [])];
}

/** One note for all superseded fixes; undefined when there is none. */
export function supersededNote(ended: readonly NewEvent<'fix.judged'>[], base: string): string | undefined {
  const superseded = ended.filter(({ data }) => data.outcome === 'superseded');
  if (superseded.length === 0) return undefined;
  const fixes = superseded.map(({ stage, data }) => `${stage}: ${data.note.fix}`);
  const many = superseded.length === 1 ? 'a fix was; it is' : `${superseded.length} fixes were; they are`;
  return `${base} has another text where ${many} taken back, yours stands (${fixes.join('; ')})`;
}

const STANDING: ReadonlySet<string | undefined> = new Set(['kept']);

/** A fix as the intent has it; nothing for what is no fix, or whose end is known already. */
function movedFix({ base, ledger }: BranchMover, { commit, fate, to, fix, paths }: CommitFate): MovedFix[] {
  if (fix === undefined || fix.reverts !== undefined || fate === 'left_out') return [];
  const row = { ...fixRow(fix), commit };
  if (fate === 'carried') return to === undefined || to === commit ? [] : [{ ...row, to }];
  const patch = patchIn(ledger, fix);
  if (patch !== undefined && !STANDING.has(patch.outcome)) return [];
  if (fate === 'landed') return [{ ...row, landed: true }];
  return [{ ...row, outcome: 'superseded', reason: paths ? `${base.name} has another text there` : hadIt(base) }];
}

const hadIt = ({ name }: Base): string => `${name} had it, and has it no longer`;

/** Fixes that the ledger has as standing and that are not on the branch: the base has them, had them, or a person dropped them. */
async function goneFixes(
  { base, ledger }: BranchMover,
  git: Git,
  at: Parameters<typeof whereGone>[1],
  fates: readonly CommitFate[],
): Promise<MovedFix[]> {
  const isSame = (a: FixKey, b: FixKey) => a.stage === b.stage && a.fingerprint === b.fingerprint && a.hash === b.hash;
  const standing = fixesIn(ledger).filter(({ outcome, commit }) => STANDING.has(outcome) && commit !== '');
  const missing = standing.filter((fix) => !fates.some((fate) => fate.fix && isSame(fate.fix, fix)));
  const asked = missing.map(({ commit, landed }) => ({ commit, hasLanded: landed !== undefined }));
  const gone = await whereGone(git, at, asked);
  return missing.flatMap((fix): MovedFix[] => {
    const row = fixRow(fix);
    const where = gone.get(fix.commit);
    if (where === 'landed') return fix.landed === undefined ? [{ ...row, landed: true }] : [];
    const reason = fix.landed === undefined ? 'it is not on the branch any more' : hadIt(base);
    return where === undefined ? [] : [{ ...row, outcome: 'superseded', reason }];
  });
}

type FixKey = Readonly<Record<'stage' | 'fingerprint' | 'hash', string>>;

/** A person's work is in the way: how they put the branch onto the base themselves. */
async function refuse({ base }: BranchMover, git: Git, { to, stuck, solved }: Stuck): Promise<never> {
  const { changed } = await trackedStatus(git);
  await keepNext(git, to);
  const at = `git -C ${WORKTREE}`;
  const commands = [
    ...(changed.length > 0 ? [`${at} reset --hard   # what stages changed is saved in ai/patches`] : []),
    ...solved.map(
      (merge) => `${at} show --remerge-diff ${short(merge)}   # what you solved then: do it anew after this`,
    ),
    `${at} reset --keep ${short(to)}   # ${base.name}, with all that applies`,
    ...stuck.flatMap(({ commit, paths }) =>
      solveConflict(at, `cherry-pick ${short(commit)}`, paths, 'commit --no-edit'),
    ),
  ].join('\n');
  const problems = [
    ...stuck.map(
      ({ commit, paths }) => `${short(commit)} is yours and does not apply: ${paths.map(shellWord).join(', ')}`,
    ),
    ...solved.map((merge) => `${short(merge)} is a merge that you solved by hand`),
  ];
  return fail('E_BASE_CONFLICT', { base: base.name, branch: base.branch, commands }, problems);
}
