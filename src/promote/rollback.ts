// Rolling fixes back because a person asks for it: one that has not landed is dropped from the AI branch, one that has is taken
// back by a commit there, to be promoted. All of them or none; what was rolled back counts as declined.
import { itemNumber } from '../backlog/stage-of-item.ts';
import { fail } from '../errors.ts';
import type { DataOf } from '../events.ts';
import { type Git, lines, openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { fixRow } from '../mend/commit.ts';
import { moveBranch } from '../mend/move-branch.ts';
import { configurationNow } from '../stage/configuration.ts';
import { fixesIn, type Ledger } from '../triage/ledger.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { revertMessage } from '../worktree/fix-message.ts';
import { shellWord, short, solveConflict } from '../worktree/messages.ts';
import { type CommitFate, isStuck, putOnBase, rehearse, type Stuck } from '../worktree/on-base.ts';
import { revertAll } from '../worktree/pick.ts';
import { WORKTREE } from '../worktree/tree.ts';
import { type Ports, withBranch } from './ai-branch.ts';

export interface RollbackRequest {
  home: string;
  /** The command line, shown to others that find the lock taken. */
  command: string;
  /** The beginning of a fix's commit or hash; or all fixes of a run. */
  what: { fix: string } | { run: string };
  /** Only say what would be done; then no lock is taken either. */
  dryRun: boolean;
  /** Fixes may be dropped from the branch. */
  yes: boolean;
}

interface FixRow {
  commit: string;
  stage: string;
  fix: string;
}

export interface RolledBack {
  base: string;
  branch: string;
  /** Dropped from the branch, the newest first. */
  dropped: FixRow[];
  /** Later ones that do not apply without these, and go with them. */
  with_them: FixRow[];
  /** The base has them, and keeps them until `by` is promoted; null in a dry run. */
  undone: (FixRow & { by: string | null })[];
  /** False: this is what would be done. */
  done: boolean;
  notices: readonly string[];
}

/** Rolls back; or says what would be done, where fixes would be dropped and nobody said yes. Throws a MendError for what cannot be rolled back. */
export async function rollBack(request: RollbackRequest, ports: Ports): Promise<RolledBack> {
  const { home, command } = request;
  const branch = { home, command, why: 'a fix was rolled back' };
  // Cut off after the branch had moved: the fix would be unknown now, and its end never told.
  const isCutOff = request.yes && !request.dryRun && readLedger(layoutOf(home)).ledger.move !== undefined;
  if (isCutOff) await withBranch(branch, ports, async () => ({ result: undefined }));
  const shown = await rehearseRollback(request);
  if (request.dryRun || (shown.dropped.length > 0 && !request.yes)) return shown;
  return withBranch(branch, ports, async (held) => {
    const { base, ledger, tip, id, sign, notices } = held;
    const plan = await planRollback(
      openGit(home, { durable: true }),
      { base, tip, ledger, landed: [], what: request.what },
      { id, sign },
    );
    const moved = await moveBranch(held, { from: tip, to: plan.to, why: plan.why, fixes: plan.moved });
    return { result: { ...report(base, plan, true), notices }, moved };
  });
}

async function rehearseRollback({ home, what }: RollbackRequest): Promise<RolledBack> {
  const { base } = await configurationNow(home);
  const git = openGit(home);
  const put = await rehearse(git, base);
  if (put === undefined) fail('E_UNKNOWN_FIX', { what: `there is no ${base.branch} yet, so there is no fix` });
  const { ledger } = readLedger(layoutOf(home));
  const landed = put.fates.flatMap(({ fate, fix }) => (fate === 'landed' && fix ? [fix] : []));
  return report(
    base,
    await planRollback(git, { base, tip: put.to, ledger, landed, what }, { id: 'rehearsal', sign: false }),
    false,
  );
}

interface Branch {
  readonly base: Base;
  /** Where it is on its base. */
  readonly tip: string;
  readonly ledger: Ledger;
  /** Fixes that the base was just found to have; the ledger does not know yet. */
  readonly landed: readonly CommittedFix[];
  readonly what: RollbackRequest['what'];
}

type Plan = Awaited<ReturnType<typeof planRollback>>;

/** Where the branch goes, in git's store alone. `id`: the journal that the commits name. */
async function planRollback(git: Git, branch: Branch, { id, sign }: { id: string; sign: boolean }) {
  const { base, tip } = branch;
  const asked = await chooseFixes(git, branch);
  const drop = asked.filter(({ hasLanded }) => !hasLanded);
  const undo = asked.filter(({ hasLanded }) => hasLanded);
  const put = await putOnBase(git, {
    old: base.commit,
    base: base.commit,
    tip,
    drop: new Set([...drop.map(({ commit }) => commit), ...(await ticksOf(git, drop, `${base.commit}..${tip}`))]),
    sign,
  });
  if (isStuck(put)) return refuseStuck(put, drop);
  const landedTicks = (await ticksOf(git, undo, base.commit)).map((commit) => ({ commit }));
  const message = (row: CommittedFix | { commit: string }) =>
    'hash' in row ? revertMessage(row, WHY, id) : `Open again what ${short(row.commit)} ticked\n`;
  const back = await revertAll(git, put.to, [...landedTicks, ...undo], { message, sign });
  if ('stuck' in back) {
    const commit = short(back.stuck.commit);
    const solve = solveConflict(`git -C ${WORKTREE}`, `revert ${commit}`, back.conflicts, 'commit --no-edit');
    fail('E_ROLLBACK_CONFLICT', { commit, commands: ['by hand:', ...solve].join('\n') }, back.conflicts.map(shellWord));
  }
  const gone = put.fates.filter(
    ({ fate, fix }) => fix && fix.reverts === undefined && (fate === 'landed' || fate === 'superseded'),
  );
  const withThem = gone.flatMap(({ fix }) => fix ?? []).reverse();
  const ended = (fix: CommittedFix, why: string) => ({ ...fixRow(fix), outcome: 'declined' as const, reason: why });
  const moved = [
    ...put.fates.flatMap(carriedRow),
    ...asked.map((fix) => ended(fix, WHY)),
    ...withThem.map((fix) => ended(fix, 'it stood on a fix that was rolled back')),
  ];
  const why = `rolled back on ${base.branch}: ${[...asked, ...withThem].map(({ note }) => note.fix).join('; ')}`;
  const undone = back.reverted.flatMap(({ fix, commit }) => ('hash' in fix ? [{ fix, commit }] : []));
  return { to: back.tip, drop, withThem, undo: undone, moved, why };
}

/** The commits that ticked the items which these fixes are part of: without a change of it an item is open again. */
async function ticksOf(git: Git, fixes: readonly CommittedFix[], range: string): Promise<string[]> {
  const numbers = new Set(fixes.flatMap(({ stage }) => itemNumber(stage) ?? []));
  const log = (number: string) =>
    git.run(['log', '--format=%H', '--all-match', '--grep=^Tick ', `--grep=^Item: ${number}$`, range]);
  return (await Promise.all([...numbers].map(log))).flatMap(lines);
}

/** A person's commits do not apply without the fixes; the oldest of these is where they begin. */
function refuseStuck({ stuck, solved }: Stuck, drop: readonly CommittedFix[]): never {
  const oldest = short(drop.at(-1)?.commit ?? '');
  const paths = stuck.flatMap((one) => one.paths);
  const at = `git -C ${WORKTREE}`;
  const [begin = '', ...more] = solveConflict(at, `rebase --onto ${oldest}^ ${oldest}`, paths, '');
  const commands = ['by hand:', begin, ...more.slice(0, -1), `GIT_EDITOR=true ${at} rebase --continue`].join('\n');
  const rows = stuck.map((one) => `${short(one.commit)} is yours: ${one.paths.map(shellWord).join(', ')}`);
  const merges = solved.map((merge) => `${short(merge)} is a merge that you solved by hand`);
  return fail('E_ROLLBACK_CONFLICT', { commit: oldest, commands }, [...rows, ...merges]);
}

type MovedFix = DataOf<'branch.intended'>['fixes'][number];

const carriedRow = ({ fix, commit, to }: CommitFate): MovedFix[] =>
  fix && fix.reverts === undefined && to !== undefined && to !== commit ? [{ ...fixRow(fix), to }] : [];

const WHY = 'rolled back by its owner';

function report(base: Base, { drop, withThem, undo }: Plan, done: boolean): RolledBack {
  const row = ({ commit, stage, note }: CommittedFix): FixRow => ({ commit, stage, fix: note.fix });
  return {
    base: base.name,
    branch: base.branch,
    dropped: drop.map(row),
    with_them: withThem.map(row),
    undone: undo.map(({ fix, commit }) => ({ ...row(fix), by: done ? commit : null })),
    done,
    notices: [],
  };
}

interface KnownFix extends CommittedFix {
  readonly hasLanded: boolean;
  /** The commit that takes it back, and whether the base has that, too. */
  readonly undoneBy: CommittedFix | undefined;
  readonly isOver: boolean;
}

/** The fixes that are meant, the newest first. Throws E_UNKNOWN_FIX, E_AMBIGUOUS_FIX, or E_FIX_TAKEN_BACK when nothing of them stands. */
async function chooseFixes(git: Git, branch: Branch): Promise<KnownFix[]> {
  const { base, ledger, what } = branch;
  const all = await knownFixes(git, branch);
  const meant = 'run' in what ? fixesOfRun(all, what.run) : await fixesNamed(git, all, what.fix, ledger);
  const standing = meant.filter(({ undoneBy }) => undoneBy === undefined);
  if (standing.length === 0) {
    const [first, ...more] = meant.map(({ commit }) => short(commit));
    const pending = meant.some(({ hasLanded, isOver }) => hasLanded && !isOver);
    const rows = meant.map(
      ({ commit, note, undoneBy }) => `${short(commit)} ${note.fix}${undoneBy ? `: by ${short(undoneBy.commit)}` : ''}`,
    );
    fail(
      'E_FIX_TAKEN_BACK',
      { what: more.length === 0 ? `${first} was` : 'all fixes of this run were', base: base.name, pending },
      rows,
    );
  }
  if ('fix' in what && standing.length > 1) {
    const rows = standing.map(({ commit, stage, note }) => `${commit} ${stage}: ${note.fix}`);
    fail('E_AMBIGUOUS_FIX', { word: what.fix }, rows);
  }
  return standing;
}

/** Shorter beginnings would soon mean another commit. */
const MIN_CHARS = 7;

const keyOf = ({ stage, fingerprint, hash }: Pick<CommittedFix, 'stage' | 'fingerprint' | 'hash'>): string =>
  JSON.stringify([stage, fingerprint, hash]);

/** Fixes of the branch and of the base, also of one that got them squashed, the newest first. */
async function knownFixes(git: Git, { base: { commit: base }, tip, ledger, landed }: Branch): Promise<KnownFix[]> {
  const [root = tip] = (await git.run(['rev-list', '--max-parents=0', tip])).split('\n');
  const [ahead, behind] = await Promise.all([committedFixes(git, base, tip), committedFixes(git, root, base)]);
  const undone = new Map([...ahead, ...behind].toReversed().map((by) => [by.reverts, by]));
  const squashed = fixesIn(ledger).filter(({ commit, landed }) => landed !== undefined || undone.has(commit));
  const kept = await Promise.all(squashed.map(async ({ commit }) => committedAt(git, commit)));
  const all = [...ahead, ...behind, ...landed, ...kept.flat()];
  const known = new Map<string, KnownFix>();
  for (const fix of all) {
    if (fix.reverts !== undefined || known.has(keyOf(fix))) continue;
    const undoneBy = undone.get(fix.commit);
    const isOver = undoneBy !== undefined && !ahead.includes(undoneBy);
    known.set(keyOf(fix), { ...fix, hasLanded: !ahead.includes(fix), undoneBy, isOver });
  }
  return [...known.values()];
}

/** The fix that a commit is; none where git does not have that commit. */
const committedAt = async (git: Git, commit: string): Promise<CommittedFix[]> =>
  commit !== '' && (await commitOf(git, `${commit}^`)) ? committedFixes(git, `${commit}^`, commit) : [];

function fixesOfRun(all: readonly KnownFix[], run: string): KnownFix[] {
  const fixes = all.filter((fix) => fix.run === run);
  if (fixes.length === 0) fail('E_UNKNOWN_FIX', { what: `no fix of this branch is of run ${JSON.stringify(run)}` });
  return fixes;
}

/** Those that `word` begins the commit or the hash of, or the commit that it was before the branch was put onto its base. */
async function fixesNamed(git: Git, all: readonly KnownFix[], word: string, ledger: Ledger): Promise<KnownFix[]> {
  const unknown = (what: string) => fail('E_UNKNOWN_FIX', { what });
  const given = JSON.stringify(word);
  if (word.length < MIN_CHARS) unknown(`${given} is too short: give ${MIN_CHARS} letters of the commit or more`);
  const back = all.find(({ undoneBy }) => undoneBy?.commit.startsWith(word));
  if (back) unknown(`${word} is no fix; it took ${back.commit} back`);
  const earlier = /^[0-9a-f]+$/.test(word) ? await committedAt(git, word) : [];
  const keys = new Set(earlier.map(keyOf));
  const named = all.filter((fix) => fix.commit.startsWith(word) || fix.hash.startsWith(word) || keys.has(keyOf(fix)));
  if (named.length > 0) return named;
  const dropped = fixesIn(ledger).find(({ commit, hash }) => commit.startsWith(word) || hash.startsWith(word));
  if (!dropped) return unknown(`no fix of this branch begins with ${given}`);
  const row = `${short(dropped.commit)} ${dropped.note.fix} (${dropped.outcome})`;
  return fail('E_FIX_TAKEN_BACK', { what: `${short(dropped.commit)} was`, base: '', pending: false }, [row]);
}
