// Promotion: nothing lands unless its owner accepts exactly what was shown, and no run is at work.
import { fail, MendError } from '../errors.ts';
import type { Landing, NewEvent } from '../events.ts';
import { lines, openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, openRun } from '../journal/load-stages.ts';
import { bringOntoBase } from '../mend/move-branch.ts';
import { unwatchedHead } from '../run/resume.ts';
import { type Configuration, configurationNow } from '../stage/configuration.ts';
import { refuseStageCommits } from '../worktree/after-attempt.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import { readyCheckout } from '../worktree/checkout.ts';
import { goForward, settleLanding } from '../worktree/landing.ts';
import { gitFailed, shellWord, short } from '../worktree/messages.ts';
import { type HeldBranch, type Ports, withBranch } from './ai-branch.ts';
import { type PullRequest, pullRequestTexts, requestPull } from './pull-request.ts';
import { askRemote, type Pushed, pushBranch } from './push.ts';
import { squash } from './squash.ts';
import { acceptLine, promoteMessage, readStory, refusedFixes, type Story, whyNot } from './story.ts';

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
  /** Where the base is now; undefined in a dry run. */
  landed: string | undefined;
  /** Where the base is checked out; undefined when it is not. */
  checkout: string | undefined;
  notices: readonly string[];
}

/** Lands what is at `accepted`, in one commit if it is asked for. Throws a MendError for what speaks against it; then the base is as it was. */
export async function acceptPromotion(
  request: PromoteRequest & { squash?: boolean },
  accepted: string,
  ports: Ports,
): Promise<Promoted> {
  const { home, env } = request;
  if (request.dryRun) return { ...(await lookAt(home, accepted)), landed: undefined, notices: [] };
  // What was cut off and is finished now is what is asked for.
  const isDone = (landed: Landing | undefined) => landed?.tip === accepted;
  // Looked at before anything is written, too.
  const check = async (landed: Landing | undefined) => isDone(landed) || lookAt(home, accepted);
  return withBranch({ ...request, why: WHY, check }, ports, async (held) => {
    const { base, config, tip, record, notices } = held;
    if (isDone(held.landed)) {
      const story = await showPromotion(home, base);
      return { result: { story, landed: base.commit, checkout: held.landed?.checkout, notices } };
    }
    const { story } = await lookAt(home, accepted);
    const { hooks, sign } = config.loop.git;
    const isSquash = request.squash || hooks || sign;
    const message = promoteMessage(story);
    const to = isSquash ? await squash({ home, base: base.commit, tip, message, commit: { hooks, sign }, env }) : tip;
    const checkout = await land({ home, base, tip, to, record });
    // So the ledger knows at once that they have landed.
    const moved = await bringOntoBase({ ...held, base: { ...base, commit: to } }, tip);
    return { result: { story, landed: to, checkout, notices }, moved };
  });
}

const WHY = 'its fixes were promoted';

export interface ToLand {
  readonly home: string;
  readonly base: Base;
  /** The commit that its owner accepted. */
  readonly tip: string;
  /** What the base goes to: `tip`, or one commit with all of it. A descendant of the base. */
  readonly to: string;
  /** On disk when it returns. */
  record(event: NewEvent): void;
}

/**
 * Lands, and returns the checkout that went along, if there is one. Throws as `readyCheckout`, E_PROMOTE_MOVED for a base that
 * went elsewhere meanwhile, and E_GIT_FAILED.
 */
export async function land({ home, base, tip, to, record }: ToLand): Promise<string | undefined> {
  const { name, commit: from } = base;
  const checkout = await readyCheckout(home, name, from, to);
  const plan = { base: name, from, to, tip, ...(checkout && { checkout: checkout.path }) };
  let intended: Landing | undefined;
  const intend = (data: Landing) => {
    record({ type: 'landing.intended', data });
    intended = data;
  };
  const refused = await goForward(home, plan, checkout, intend);
  // It ran, so whatever is between the two commits is its doing.
  const back = refused === undefined || !intended ? undefined : { ...(intended as Landing), begun: true };
  const end = back && (await settleLanding(home, back, 'from', intend));
  if (refused === undefined || end?.isDone) {
    record({ type: 'landing.done', data: { base: name, to } });
    return checkout?.path;
  }
  if (end) record({ type: 'landing.dropped', data: { base: name, reason: end.why } });
  if ((await commitOf(openGit(home), `refs/heads/${name}`)) !== from) fail('E_PROMOTE_MOVED', { base: name });
  const [at, how] = checkout
    ? [` in ${checkout.path}`, `-C ${shellWord(checkout.path)} merge --ff-only ${short(to)}`]
    : ['', `log -1 ${shellWord(name)}`];
  return gitFailed(`bring ${name} forward${at}`, [`git ${how}`, ...(end?.left ?? [])].join('\n'), refused);
}

/** What would land now, and where that is checked out. Throws a MendError for what speaks against it. */
async function lookAt(home: string, accepted: string) {
  const { base } = await configurationNow(home);
  const story = await showPromotion(home, base);
  refuseNothing(story);
  refuseUnfit(story);
  await refuseOther(home, story, accepted);
  const checkout = await readyCheckout(home, base.name, base.commit, story.tip as string);
  return { story, checkout: checkout?.path };
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
export async function sharePromotion(
  request: PromoteRequest,
  how: { push: boolean; pr: boolean },
  ports: Ports,
): Promise<Shared> {
  const { home, dryRun } = request;
  if (dryRun) return share(request, how, await configurationNow(home));
  const check = async () => toShare(home, (await configurationNow(home)).base);
  const work = async (held: HeldBranch) => ({ result: await share(request, how, held) });
  return withBranch({ ...request, why: WHY, check }, ports, work);
}

async function share(
  { home, env, dryRun: dry }: PromoteRequest,
  how: { push: boolean; pr: boolean },
  { base, config }: Pick<HeldBranch, 'base' | 'config'>,
): Promise<Shared> {
  const story = await toShare(home, base);
  const tip = story.tip as string;
  const { push: name, hooks } = config.loop.git;
  // First of all: nothing is pushed when the text cannot be let out.
  const texts = how.pr && (await pullRequestTexts({ home, config, env }, story));
  const named = how.push || name !== null ? await askRemote(home, base, name) : undefined;
  const pushed = how.push && named && (await pushBranch(home, base, tip, named, { hooks, dry }));
  const remote = named && pushed ? { ...named, tip } : named;
  const pull = texts && (await requestPull(texts, { home, base, config, remote, tip, env, dry }));
  return { story, ...(pushed && { pushed }), ...(pull && { pull }) };
}

/** What can be seen without the lock; a run at work may change it. Throws E_HEAD_MOVED, and as `readStory`. */
export async function showPromotion(home: string, base: Base, withDiff?: boolean): Promise<Story> {
  const layout = layoutOf(home);
  const loaded = loadStages(layout, { look: true });
  const git = openGit(home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  // What a stage committed is on the AI branch, and would come with it.
  if (tip) await refuseStageCommits(git, base, tip, unwatchedHead(openRun(loaded)?.events ?? []));
  const story = await readStory(home, base, { ledger: readLedger(layout).ledger, stages: loaded.state }, withDiff);
  const config = story.nothing ? undefined : await soundConfiguration(home);
  return { ...story, ...(config?.loop.git.protected && { protected: true as const }) };
}

const soundConfiguration = (home: string): Promise<Configuration | undefined> =>
  configurationNow(home).then(
    ({ config }) => config,
    (error) => (error instanceof MendError ? undefined : Promise.reject(error)),
  );

async function toShare(home: string, base: Base): Promise<Story> {
  const story = await showPromotion(home, base);
  refuseNothing(story);
  refuseUnfit(story);
  return story;
}

function refuseNothing({ nothing, branch, base }: Story): void {
  if (nothing) fail('E_PROMOTE_NOTHING', { branch, base });
}

async function refuseOther(home: string, story: Story, accepted: string): Promise<void> {
  const tip = story.tip as string;
  if (accepted === tip) return;
  const line = acceptLine(story) ?? 'mendloop promote';
  if (tip.startsWith(accepted) && accepted !== '') fail('E_PROMOTE_PART', { given: accepted, line });
  const git = openGit(home);
  const known = /^[0-9a-f]{7,}$/.test(accepted) ? await commitOf(git, accepted) : undefined;
  const diff =
    known === undefined ? '' : await git.run(['diff', '--no-color', '--no-ext-diff', '--stat=100', known, tip]);
  const log = known === undefined ? '' : await git.run(['log', '--format=%h %s', `${known}..${tip}`]);
  fail('E_PROMOTE_STALE', { branch: story.branch, tip: short(tip), line }, [...lines(log), ...lines(diff)]);
}

/** A commit of a person's that does not apply is told by who puts the branch onto its base. */
function refuseUnfit(story: Story): void {
  const refused = refusedFixes(story);
  if (refused.length === 0) return;
  const stages = [...new Set(refused.flatMap(({ failed = [] }) => failed))];
  const commands = refused.map(({ commit }) => `mendloop rollback ${short(commit)}`).join('\n');
  const problems = refused.map((fix) => `${short(fix.commit)} ${fix.stage}: ${fix.fix} (${whyNot(fix)})`);
  fail('E_PROMOTE_UNVERIFIED', { branch: story.branch, run: ['mendloop', ...stages].join(' '), commands }, problems);
}
