// What a promotion would bring: fixes with their verification, what was not seen with them, and what does not come. Reads only.
import { MAP_FILE, stageNames } from '../config/files.ts';
import { type FixState, type FixTier, PERSON } from '../events.ts';
import { fields, type Git, openGit } from '../io/git.ts';
import { groupBy } from '../io/group-by.ts';
import { readText } from '../io/store.ts';
import { lastWriters, type StageState } from '../journal/stages.ts';
import { entryOf, type Ledger, patchIn } from '../triage/ledger.ts';
import { authorOf, counted } from '../triage/words.ts';
import type { Base } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { clip, MAX_SUBJECT } from '../worktree/fix-message.ts';
import { short } from '../worktree/messages.ts';
import { isStuck, rehearse } from '../worktree/on-base.ts';
import { type FixFacts, fixFacts, type LedgerFacts, ledgerFacts } from './list-fixes.ts';

export interface StoryFix extends FixFacts, LedgerFacts {
  tier: FixTier;
  outcome: FixState | 'unknown';
  /** The commit of the base that it was verified on; absent: it is not known. */
  verified_on?: string;
  /** The fix that it takes back; the base has that one. */
  reverts?: string;
  /** A person agreed to it. */
  accepted?: true;
  /** Stages that it changed and that no run has seen with it. */
  not_seen?: string[];
  /** Stages that it changed and that have failed since, for a reason in the repository. */
  failed?: string[];
}

interface OtherCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface Story {
  branch: string;
  base: string;
  base_commit: string;
  /** Where the AI branch is once it is put onto the base. Null: there is none yet. */
  tip: string | null;
  /** It is not there yet: the base moved. */
  moves: boolean;
  /** The base has all of it. */
  nothing: boolean;
  /** The base takes changes by pull request only, says its owner. */
  protected?: true;
  /** The first one first. */
  fixes: readonly StoryFix[];
  /** What takes back a fix that the base has. */
  undone: readonly StoryFix[];
  /** Commits of people, ticks of the work queue. */
  others: readonly OtherCommit[];
  /** How many commits the base has already. */
  landed: number;
  /** Fixes that do not apply to the base any more, and are dropped. */
  superseded: readonly { commit: string; stage: string; fix: string }[];
  /** Commits of a person that do not apply to the base: they put the branch onto it themselves. */
  stuck: readonly { commit: string; paths: readonly string[] }[];
  stat: string;
  diff?: string;
  /** Tracked files that a stage, or one of its cells, wrote from what lands, and that no fix holds; `patch` has them. */
  written_anew?: readonly { stage: string; files: readonly string[]; patch: string }[];
}

/** Throws a GitError, E_NO_COMMON_BASE, or E_GIT_FAILED when git cannot put the branch onto its base at all. */
export async function readStory(
  home: string,
  base: Base,
  { ledger, stages }: { ledger: Ledger; stages: StageState },
  withDiff?: boolean,
): Promise<Story> {
  const git = openGit(home, { durable: true });
  const names = { branch: base.branch, base: base.name, base_commit: base.commit };
  const put = await rehearse(git, base);
  if (put === undefined) return { ...names, ...NOTHING };
  const { to: tip, fates } = put;
  const [all, commits] = await Promise.all([
    committedFixes(git, base.commit, tip),
    commitsBetween(git, base.commit, tip),
  ]);
  const known = new Map(all.map((fix) => [fix.commit, fix]));
  const { names: mapped } = stageNames(readText(`${home}/${MAP_FILE}`) ?? '');
  const before = new Map(fates.flatMap(({ commit, to }) => (to === undefined ? [] : [[to, commit]])));
  const fixes = all.toReversed().map((fix) => {
    const ids = [fix.commit, before.get(fix.commit) ?? ''];
    return { ...storyFix(fix, ledger), ...notGreen(ids, patchIn(ledger, fix)?.unseen ?? [], stages, mapped, ledger) };
  });
  const dropped = fates.filter(({ fate, fix }) => fate === 'superseded' && fix && fix.reverts === undefined);
  const diff = async (...how: string[]) =>
    (await git.run(['diff', '--no-color', '--no-ext-diff', '--no-textconv', ...how, base.commit, tip])).trimEnd();
  const nothing = tip === base.commit && !isStuck(put);
  return {
    ...names,
    tip,
    moves: tip !== put.tip,
    nothing,
    fixes: fixes.filter(({ reverts }) => reverts === undefined),
    undone: fixes.filter(({ reverts }) => reverts !== undefined),
    others: commits.filter(({ commit }) => !known.has(commit)),
    landed: fates.filter(({ fate }) => fate === 'landed').length,
    superseded: dropped.map(({ commit, fix }) => ({ commit, stage: fix?.stage ?? '', fix: fix?.note.fix ?? '' })),
    stuck: isStuck(put) ? [...put.stuck, ...put.solved.map((commit) => ({ commit, paths: [] }))] : [],
    stat: nothing ? '' : await diff('--stat=100'),
    ...(withDiff && !nothing ? { diff: await diff() } : {}),
    ...writtenFrom(new Set([...commits.map(({ commit }) => commit), ...before.values()]), stages),
  };
}

const NOTHING = {
  tip: null,
  moves: false,
  nothing: true,
  fixes: [],
  undone: [],
  others: [],
  landed: 0,
  superseded: [],
  stuck: [],
  stat: '',
};

/** The first one first. */
async function commitsBetween(git: Git, base: string, tip: string): Promise<OtherCommit[]> {
  const rows = fields(await git.run(['log', '--reverse', '--topo-order', '-z', '--format=%H %s', `${base}..${tip}`]));
  return rows.map((row) => ({ commit: row.slice(0, row.indexOf(' ')), subject: row.slice(row.indexOf(' ') + 1) }));
}

function storyFix(fix: CommittedFix, ledger: Ledger): StoryFix {
  const patch = patchIn(ledger, fix);
  const { outcome = 'unknown', accepted, base } = patch ?? {};
  return {
    ...fixFacts(fix),
    tier: fix.tier,
    outcome,
    ...(base !== undefined && { verified_on: base }),
    ...ledgerFacts(patch),
    ...((accepted || fix.plugin === PERSON) && { accepted: true }),
    ...(fix.reverts === undefined ? {} : { reverts: fix.reverts }),
  };
}

/** Stages that a fix changed and that are not green with it. `ids`: commits that it was; `unseen`: those that its trial named. */
function notGreen(
  ids: readonly string[],
  unseen: readonly string[],
  { stages }: StageState,
  names: readonly string[],
  ledger: Ledger,
) {
  const open = Object.entries(stages).flatMap(([stage, record]) => {
    // Cells that left the matrix keep what they were; of a green stage nothing is open.
    const steps = record.status === 'green' ? [] : [record, ...Object.values(record.cells ?? {})];
    const stale = steps.find((step) => step.stale?.commits.some((commit) => ids.includes(commit)));
    const step = stale ?? (unseen.includes(stage) ? steps[0] : undefined);
    if (!step || !names.includes(stage)) return [];
    const failure = step.fingerprint === undefined ? undefined : entryOf(ledger, stage, step.fingerprint);
    const isFailed = failure?.external !== true && (step.status === 'failed' || step.status === 'give_up');
    return [{ stage, isFailed }];
  });
  const named = (failed: boolean) => open.flatMap(({ stage, isFailed }) => (isFailed === failed ? [stage] : []));
  const [not_seen, failed] = [named(false), named(true)];
  return { ...(not_seen.length > 0 && { not_seen }), ...(failed.length > 0 && { failed }) };
}

/** `landing`: the commits that come. */
function writtenFrom(landing: ReadonlySet<string>, { stages }: StageState): Pick<Story, 'written_anew'> {
  const from = Object.entries(stages).flatMap(([stage, record]) =>
    [record, ...Object.values(record.cells ?? {})].flatMap((step) =>
      step.status === 'green' && landing.has(step.green_head ?? '') ? [{ ...step, stage }] : [],
    ),
  );
  const writers = lastWriters(from);
  const written = from.flatMap((step) => {
    const files = (step.wrote ?? []).filter((path) => writers.get(path) === step);
    const { stage, wrote_patch: patch } = step;
    return files.length > 0 && patch !== undefined ? [{ stage, files, patch }] : [];
  });
  return written.length > 0 ? { written_anew: written } : {};
}

/** Why a fix may not land; undefined: it may. */
export function whyNot({ outcome, failed = [] }: Pick<StoryFix, 'outcome' | 'failed'>): string | undefined {
  if (outcome !== 'kept') return 'no green stage has verified it';
  return failed.length > 0 ? `failed with it since: ${failed.join(', ')}` : undefined;
}

/** Fixes that may not land. */
export const refusedFixes = ({ fixes }: Pick<Story, 'fixes'>): StoryFix[] => fixes.filter((fix) => whyNot(fix));

/** The line that accepts exactly what was shown; undefined when it would be refused. */
export function acceptLine(story: Story): string | undefined {
  if (story.nothing || story.stuck.length > 0 || refusedFixes(story).length > 0) return undefined;
  return `mendloop promote --accept ${story.tip}`;
}

/** Fixes by stage and the failure they are for, each in the order it first comes. Pure. */
export function byStage(fixes: readonly StoryFix[]) {
  return [...groupBy(fixes, ({ stage }) => stage)].map(([stage, ofStage]) => ({
    stage,
    failures: [...groupBy(ofStage, ({ fingerprint }) => fingerprint)].map(([fingerprint, fixes]) => ({
      fingerprint,
      class: fixes[0]?.class ?? '',
      fixes,
    })),
  }));
}

/** Of the one commit that a squash makes. */
export function promoteMessage(story: Story): string {
  const { branch, tip, fixes, undone, others } = story;
  const trailers = [
    ...fixes.map(({ commit }) => `Promoted-fix: ${commit}`),
    ...undone.map(({ reverts }) => `Undone-fix: ${reverts}`),
    `Promoted-tip: ${tip}`,
  ];
  return [
    promoteTitle(story),
    '',
    `All that ${branch} had and ${story.base} had not, in one commit.`,
    '',
    ...fixes.map((fix) => `- ${fix.stage}: ${fix.fix} (${short(fix.commit)}, ${authorOf(fix)}, ${fix.fingerprint})`),
    ...undone.map((fix) => `- ${fix.stage}: ${fix.fix} (${short(fix.commit)}, ${fix.fingerprint})`),
    ...others.map(({ commit, subject: text }) => `- ${text} (${short(commit)})`),
    '',
    ...trailers,
    '',
  ].join('\n');
}

/** In one line: how many of what, of which stages. */
export function promoteTitle({ fixes, undone, others }: Pick<Story, 'fixes' | 'undone' | 'others'>): string {
  const what = [
    ...(fixes.length > 0 ? [counted(fixes.length, 'fix', 'fixes')] : []),
    ...(undone.length > 0 ? [counted(undone.length, 'rollback')] : []),
    ...(others.length > 0 ? [counted(others.length, 'other commit')] : []),
  ];
  const stages = [...new Set([...fixes, ...undone].map(({ stage }) => stage))];
  return clip(`Promote ${what.join(', ')}${stages.length > 0 ? ` of ${stages.join(', ')}` : ''}`, MAX_SUBJECT);
}
