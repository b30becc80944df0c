// Promotion: nothing lands unless its owner accepts exactly what was shown, and no run is at work.
import { fail, MendError } from '../errors.ts';
import { lines, openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { withLock } from '../io/lock.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { type LoadedStages, loadStages, openRun } from '../journal/load-stages.ts';
import { unwatchedHead } from '../run/resume.ts';
import { type Configuration, configurationNow } from '../stage/configuration.ts';
import { refuseStageCommits } from '../worktree/after-attempt.ts';
import { type Base, commitOf, droppedBase, isAncestor } from '../worktree/base.ts';
import { shellWord, short, solveConflict } from '../worktree/messages.ts';
import { WORKTREE } from '../worktree/tree.ts';
import { judgeToday } from './judge-today.ts';
import { type Landed, land, readyCheckout } from './land.ts';
import { type PullRequest, pullRequestTexts, requestPull } from './pull-request.ts';
import { askRemote, type Pushed, pushBranch } from './push.ts';
import { promoteMessage, type Story, type Survey, surveyPromotion, toMakeAgain, unverified } from './story.ts';

export interface PromoteRequest {
  home: string;
  /** The command line, shown to others that find the lock taken. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Only say what would be done; then no lock is taken either. */
  dryRun: boolean;
}

export interface Promoted {
  story: Story;
  /** The merge; undefined in a dry run. */
  landed: Landed | undefined;
  /** Where the base is checked out; undefined when it is not. */
  checkout: string | undefined;
}

/** Lands what is at `accepted`. Throws a MendError for everything that speaks against it; then nothing was changed. */
export async function acceptPromotion(request: PromoteRequest, accepted: string): Promise<Promoted> {
  return alone(request, async () => {
    const { home, env, dryRun } = request;
    const { base, config, story, tip, rehearsal } = await toPromote(home);
    await refuseOther(home, base, tip, accepted);
    refuseUnverified(story);
    refuseConflict(story, rehearsal.plain);
    if (dryRun) {
      const checkout = await readyCheckout(home, base, rehearsal.tree);
      return { story, landed: undefined, checkout: checkout?.path };
    }
    const message = promoteMessage(story);
    const landed = await land({ home, base, tip, rehearsal, message, commit: config.loop.git, env });
    return { story, landed, checkout: landed.checkout };
  });
}

export interface Shared {
  story: Story;
  pushed?: Pushed;
  pull?: PullRequest;
}

/**
 * Pushes the AI branch, or writes and opens a pull request of what the remote has of it, or both. Throws a MendError; then
 * the remote is as it was, unless it is E_PULL_REQUEST: that comes after the push.
 */
export async function sharePromotion(request: PromoteRequest, how: { push: boolean; pr: boolean }): Promise<Shared> {
  return alone(request, async () => {
    const { home, env, dryRun: dry } = request;
    const { base, config, story, tip, rehearsal } = await toPromote(home);
    refuseUnverified(story);
    if (!rehearsal.plain && !(await isAncestor(openGit(home), base.commit, tip))) {
      fail('E_PUSH_BEHIND', { branch: base.branch, base: base.name });
    }
    const { push: name, hooks } = config.loop.git;
    // First of all: nothing is pushed when the text cannot be let out.
    const texts = how.pr && (await pullRequestTexts({ home, config, env }, story));
    const named = how.push || name !== null ? await askRemote(home, base, name) : undefined;
    const pushed = how.push && named && (await pushBranch(home, base, tip, named, { hooks, dry }));
    const remote = named && pushed ? { ...named, tip } : named;
    const pull = texts && (await requestPull(texts, { home, base, config, remote, tip, env, dry }));
    return { story, ...(pushed && { pushed }), ...(pull && { pull }) };
  });
}

/** As `showPromotion`, with today's verdict of the gate on each fix where the configuration is sound. */
export async function listPromotion(home: string, base: Base, withDiff: boolean): Promise<Survey> {
  const { story, rehearsal } = await showPromotion(home, base, withDiff);
  const config = story.nothing ? undefined : await soundConfiguration(home);
  if (!config) return { story, rehearsal };
  const fixes = await judgeToday(home, config, story.fixes);
  const shown = { ...story, fixes, ...(config.loop.git.protected && { protected: true as const }) };
  return { story: shown, rehearsal };
}

const soundConfiguration = (home: string): Promise<Configuration | undefined> =>
  configurationNow(home).then(
    ({ config }) => config,
    (error) => (error instanceof MendError ? undefined : Promise.reject(error)),
  );

/** What can be seen without the lock; a run at work may change it. Throws E_PROMOTE_REWRITTEN or E_HEAD_MOVED. */
export async function showPromotion(home: string, base: Base, withDiff?: boolean): Promise<Survey> {
  const layout = layoutOf(home);
  const loaded = loadStages(layout, { look: true });
  await refuseForeign(home, base, loaded);
  return surveyPromotion(home, base, { ledger: readLedger(layout).ledger, stages: loaded.state }, withDiff);
}

/** What the base dropped, or a stage committed, is on the AI branch, and would come with it. */
async function refuseForeign(home: string, base: Base, loaded: LoadedStages): Promise<void> {
  const git = openGit(home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  const dropped = tip && (await droppedBase(git, base, tip));
  if (dropped) fail('E_PROMOTE_REWRITTEN', { base: base.name, branch: base.branch, dropped: short(dropped) });
  if (tip) await refuseStageCommits(git, base, tip, unwatchedHead(openRun(loaded)?.events ?? []));
}

const alone = <T>({ home, command, dryRun }: PromoteRequest, work: () => Promise<T>): Promise<T> =>
  dryRun ? work() : withLock(layoutOf(home), command, work);

/** What there is to promote. Throws E_PROMOTE_NOTHING when there is nothing. */
async function toPromote(home: string) {
  const { base, config } = await configurationNow(home);
  const { story, rehearsal } = await showPromotion(home, base);
  if (story.nothing || !rehearsal) fail('E_PROMOTE_NOTHING', { branch: base.branch, base: base.name });
  return { base, config, story, tip: story.tip as string, rehearsal };
}

async function refuseOther(home: string, { branch }: Base, tip: string, accepted: string): Promise<void> {
  if (accepted === tip) return;
  if (tip.startsWith(accepted)) {
    fail('E_PROMOTE_PART', { given: accepted, line: `mendloop promote --accept ${tip}` });
  }
  const git = openGit(home);
  const commit = /^[0-9a-f]+$/.test(accepted) ? await commitOf(git, accepted) : undefined;
  const log = commit === undefined ? '' : await git.run(['log', '--format=%h %s', `${commit}..${tip}`]);
  const since = lines(log);
  fail('E_PROMOTE_STALE', { branch, tip: short(tip), since: since.length > 0 }, since);
}

function refuseUnverified(story: Story): void {
  const again = toMakeAgain(story);
  if (again.length > 0) fail('E_PROMOTE_STAGES_STALE', { command: `mendloop ${again.join(' ')}` }, again);
  const { items_undone: items = [] } = story;
  if (items.length > 0) fail('E_PROMOTE_ITEMS_UNDONE', { branch: story.branch, items: items.join(', ') });
  const open = unverified(story);
  if (open.length === 0) return;
  const commands = open.map(({ commit }) => `mendloop rollback ${short(commit)}`).join('\n');
  const problems = open.map(({ commit, stage, fix, outcome }) => `${short(commit)} ${stage}: ${fix} (${outcome})`);
  fail('E_PROMOTE_UNVERIFIED', { branch: story.branch, commands }, problems);
}

function refuseConflict(story: Story, plain: boolean): void {
  const { branch, base, conflicts } = story;
  const commands = conflictCommands(story, plain).join('\n');
  if (conflicts.length > 0) fail('E_PROMOTE_CONFLICT', { branch, base, commands }, conflicts.map(shellWord));
}

/** How a person solves it: on the AI branch, where the next run would meet it too. */
export function conflictCommands({ branch, base, conflicts }: Story, plain: boolean): string[] {
  const end = 'commit --no-edit';
  if (plain) return solveConflict(`git -C ${WORKTREE}`, `merge ${shellWord(base)}`, conflicts, end);
  // What has landed is in the way, and only a merge on the base can say what is to become of it.
  const solve = solveConflict('git', `merge --no-ff --no-commit ${shellWord(branch)}`, conflicts, end);
  return [`git switch ${shellWord(base)}`, ...solve];
}
