// Rolling fixes back because a person asks for it: on the AI branch, by commits of their own, all of them or none. What was rolled
// back counts as tried and never comes again by itself.
import { fail } from '../errors.ts';
import type { DataOf, NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { type Git, openGit } from '../io/git.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { withLock } from '../io/lock.ts';
import { type ActionScope, newActionId, openJournal, recordAction } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { fixData } from '../mend/commit.ts';
import { bringOntoBase, supersededNote } from '../mend/move-branch.ts';
import { unrecordedReverts } from '../mend/recover.ts';
import { closeOpenRun } from '../run/close-run.ts';
import { configurationNow } from '../stage/configuration.ts';
import { runTree } from '../stage/run-tree.ts';
import { findStale, staleEvent } from '../stage/stale.ts';
import { patchIn } from '../triage/ledger.ts';
import { type Base, commitOf, isAncestor } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { revertMessage } from '../worktree/fix-message.ts';
import type { Reverted } from '../worktree/merge-tree.ts';
import { short } from '../worktree/messages.ts';
import { moveTree } from '../worktree/move-tree.ts';
import { landedCommits } from '../worktree/on-base.ts';
import { openWorktree } from '../worktree/open.ts';
import { trackedStatus, treeGit } from '../worktree/tree.ts';
import { afterMerge, fixesOfRun, fixNamed, type KnownFix, planRollback, standing } from './rollback-plan.ts';

export interface RollbackRequest {
  home: string;
  /** The command line, shown to others that find the lock taken. */
  command: string;
  /** The beginning of a fix's commit or hash; or all fixes of a run. */
  what: { fix: string } | { run: string };
  /** Only say what would be done; then no lock is taken either. */
  dryRun: boolean;
}

export interface RolledBackFix {
  commit: string;
  stage: string;
  fix: string;
  /** The base has it, and keeps it until the rollback is promoted. */
  promoted: boolean;
  /** The commit that takes it back; null in a dry run. */
  by: string | null;
  /** Nothing was left of it to take back. */
  empty: boolean;
}

export interface RolledBack {
  base: string;
  branch: string;
  /** The newest first. */
  fixes: RolledBackFix[];
  notices: readonly string[];
}

type Ports = { clock: Clock; graceMs: number };

/** Merges the base first. Throws a MendError for whatever cannot be rolled back; then nothing else was changed. */
export async function rollBack(request: RollbackRequest, ports: Ports): Promise<RolledBack> {
  if (request.dryRun) return rehearse(request);
  const { home, command } = request;
  const layout = layoutOf(home);
  return withLock(layout, command, () => withObjects(home, (objects) => work(request, layout, objects, ports)));
}

/** What would be done with the branch as it is now. Nothing moves. */
async function rehearse({ home, what }: RollbackRequest): Promise<RolledBack> {
  const { base } = await configurationNow(home);
  const git = openGit(home);
  const { tip, all, fixes } = await choose(git, base, what);
  await refuseTakenBack(git, base, tip, fixes);
  const how = { message: () => 'rehearsal\n', sign: false };
  const reverted = await planRollback(git, tip, standing(fixes), all, how);
  return { base: base.name, branch: base.branch, notices: [], fixes: await report(git, base, tip, reverted, true) };
}

async function work({ home, what }: RollbackRequest, layout: Layout, objects: GitObjects, ports: Ports) {
  const { base, config } = await configurationNow(home, objects);
  const { tip, all: before, fixes } = await choose(openGit(home), base, what);
  const { clock } = ports;
  const loaded = loadStages(layout);
  const scope = { layout, stages: loaded.state, clock };
  const close = () => closeOpenRun(loaded, 'a fix was rolled back', { layout, ...ports });
  // Records what an earlier process took back and did not record.
  const recordTakenBack = async (onBranch: readonly CommittedFix[], id = newId()) => {
    const events = unrecordedReverts(readLedger(layout).ledger, onBranch);
    if (events.length > 0) await close();
    recordAction({ ...scope, id }, ...events);
    return supersededNote(events, base.name) ?? [];
  };
  const newId = () => newActionId(scope);
  await recordTakenBack(before);
  await refuseTakenBack(openGit(home), base, tip, fixes);
  await close();
  const { sign } = config.loop.git;
  const opened = await openWorktree(home, base, { objects, carry: config.map.carry });
  const moveId = newId();
  const journal = openJournal({ ...scope, run: moveId, path: layout.action(moveId) });
  const mover = { tree: opened, base, sign, ledger: journal.ledger, record: journal.append };
  const moved = await bringOntoBase(mover, opened.head).finally(() => journal.close());
  const tree = { ...opened, head: moved?.to ?? opened.head, putBack: [...opened.putBack, ...(moved?.putBack ?? [])] };
  const git = treeGit(tree, { sign, durable: true });
  const all = await everyFix(git, tree.head);
  const notices = [...tree.notices, ...[await recordTakenBack(all)].flat()];
  const id = newId();
  const message = (fix: KnownFix) => revertMessage(fix, ROLLED_BACK, WHY, id);
  const { stillThere, superseded } = afterMerge(all, fixes);
  const reverted = await planRollback(git, tree.head, stillThere, all, { message, sign });
  const { changed } = await trackedStatus(git);
  const head = reverted.at(-1)?.commit ?? tree.head;
  await moveTree({ tree, git, base, dirty: changed.length > 0 }, tree.head, head);
  const rolledBack = [...reverted, ...superseded];
  const inTree = runTree({ ...tree, head }, layout);
  const putBack = [...tree.putBack, ...changed];
  const stale = await findStale({ config, layout, tree: inTree }, loaded.state, { putBack });
  const staleEvents = stale.map((stage) => staleEvent(stage, head, false));
  recordRollback(rolledBack, { ...scope, id }, staleEvents);
  const done = await report(git, base, tree.head, rolledBack, false);
  return { base: base.name, branch: base.branch, notices, fixes: done };
}

async function choose(git: Git, base: Base, what: RollbackRequest['what']) {
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  if (tip === undefined) fail('E_UNKNOWN_FIX', { what: `there is no ${base.branch} yet, so there is no fix` });
  const all = await everyFix(git, tip);
  return { tip, all, fixes: 'fix' in what ? [fixNamed(all, what.fix)] : fixesOfRun(all, what.run) };
}

/** All that the branch ever had, promoted or not, the newest first. */
async function everyFix(git: Git, tip: string): Promise<CommittedFix[]> {
  const [root = tip] = (await git.run(['rev-list', '--max-parents=0', tip])).split('\n');
  return committedFixes(git, root, tip);
}

async function refuseTakenBack(git: Git, base: Base, tip: string, fixes: readonly KnownFix[]): Promise<void> {
  if (standing(fixes).length > 0) return;
  const promoted = await promotedOf(git, base, tip);
  const left = await Promise.all(
    fixes.map(async (fix) => (await promoted(fix)) && !(await promoted(fix.takenBack as CommittedFix))),
  );
  const [first, ...more] = fixes.map(({ commit }) => short(commit));
  const what = more.length === 0 ? `${first} was` : 'all fixes of this run were';
  const rows = fixes.map(
    ({ commit, note, takenBack: by }) => `${short(commit)} ${note.fix}: by ${short(by?.commit ?? '')} (${by?.outcome})`,
  );
  fail('E_FIX_TAKEN_BACK', { what, base: base.name, pending: left.includes(true) }, rows);
}

/** Whether the base has a commit, merged or as another commit of the same change. */
async function promotedOf(git: Git, base: Base, tip: string) {
  const landed = await landedCommits(git, base.commit, tip);
  return async ({ commit }: CommittedFix): Promise<boolean> =>
    landed.has(commit) || isAncestor(git, commit, base.commit);
}

async function report(git: Git, base: Base, tip: string, rolledBack: readonly Reverted<KnownFix>[], dry: boolean) {
  const promoted = await promotedOf(git, base, tip);
  const rows = rolledBack.map(async ({ fix, commit, empty }) => ({
    commit: fix.commit,
    stage: fix.stage,
    fix: fix.note.fix,
    promoted: await promoted(fix),
    by: dry ? null : commit,
    empty,
  }));
  return Promise.all(rows);
}

/** How the ledger remembers it: a person does not want it. Like every patch that was tried it is not taken again. */
const ROLLED_BACK: DataOf<'fix.reverted'>['outcome'] = 'declined';
const WHY = 'rolled back by its owner';

/**
 * Records which commit rolled each fix back, where the ledger does not know it yet, and what no longer stands. Throws MendError
 * when the disk refuses.
 */
function recordRollback(
  rolledBack: readonly { fix: CommittedFix; commit: string }[],
  scope: ActionScope,
  stale: readonly NewEvent[],
): void {
  const { ledger } = readLedger(scope.layout);
  const unrecorded = rolledBack.filter(({ fix }) => patchIn(ledger, fix)?.outcome !== ROLLED_BACK);
  const events = unrecorded.map(({ fix, commit }) => ({
    type: 'fix.reverted' as const,
    stage: fix.stage,
    data: { ...fixData(fix), outcome: ROLLED_BACK, reason: WHY, commit, reverts: fix.commit },
  }));
  recordAction(scope, ...events, ...stale);
}
