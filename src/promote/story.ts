// What a promotion would bring: fixes with their verification and the merge, as its owner reads it and as the merge commit
// tells it. Reads only.

import { MAP_FILE, stageNames } from '../config/files.ts';
import { type FixState, type FixTier, PERSON } from '../events.ts';
import { lines, openGit } from '../io/git.ts';
import { groupBy } from '../io/group-by.ts';
import { readText } from '../io/store.ts';
import { lastWriters, type StageState } from '../journal/stages.ts';
import { entryOf, type Ledger, patchIn } from '../triage/ledger.ts';
import { authorOf, counted } from '../triage/words.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';
import { clip, MAX_SUBJECT } from '../worktree/fix-message.ts';
import { treeOf } from '../worktree/merge-tree.ts';
import { short } from '../worktree/messages.ts';
import { type FixFacts, fixFacts, type LedgerFacts, ledgerFacts } from './list-fixes.ts';
import { type OtherCommit, promoteRange } from './range.ts';
import { type Rehearsal, rehearsePromotion } from './rehearse.ts';

export interface StoryFix extends FixFacts, LedgerFacts {
  tier: FixTier;
  outcome: FixState | 'unknown';
  /** The commit that it takes back; the base has that one. */
  reverts?: string;
  /** A person agreed to it. */
  accepted?: true;
  /** Today's verdict of the gate, where it is not `apply`. */
  today?: { verdict: 'ask' | 'refuse'; code: string; reasons: readonly string[] };
  /** Stages that it made stale and that are not green with it yet; `external`: for a reason outside of the repository. */
  not_standing?: { stage: string; external: boolean }[];
}

export interface Story {
  branch: string;
  base: string;
  base_commit: string;
  /** Null: there is no AI branch yet. */
  tip: string | null;
  /** True: the base has all of it. */
  nothing: boolean;
  /** The base takes changes by pull request only, says its owner. */
  protected?: true;
  /** The first one first. */
  fixes: readonly StoryFix[];
  undone: readonly StoryFix[];
  others: readonly OtherCommit[];
  taken_back: number;
  landed: number;
  clean: boolean;
  conflicts: readonly string[];
  stat: string;
  diff?: string;
  /** Tracked files that a stage, or one of its cells, wrote from what lands, and that no fix holds; `patch` has them. */
  written_anew?: readonly { stage: string; files: readonly string[]; patch: string }[];
  /** Numbers of items whose ticks would land though a change of theirs was taken back. */
  items_undone?: readonly string[];
}

export interface Survey {
  story: Story;
  /** Undefined when there is no AI branch yet. */
  rehearsal: Rehearsal | undefined;
}

/** Throws a GitError, or E_GIT_FAILED when the merge cannot be rehearsed at all. */
export async function surveyPromotion(
  home: string,
  base: Base,
  { ledger, stages }: { ledger: Ledger; stages: StageState },
  withDiff?: boolean,
): Promise<Survey> {
  const git = openGit(home, { durable: true });
  const { names: mapped } = stageNames(readText(`${home}/${MAP_FILE}`) ?? '');
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  const names = { branch: base.branch, base: base.name, base_commit: base.commit };
  if (tip === undefined) return { story: { ...names, ...NOTHING }, rehearsal: undefined };
  const range = await promoteRange(git, base.commit, tip);
  const rehearsal = await rehearsePromotion(git, base.commit, tip, range);
  const { conflicts } = rehearsal;
  const clean = conflicts.length === 0;
  const nothing = clean && rehearsal.tree === (await treeOf(git, base.commit));
  const ends = clean ? [base.commit, rehearsal.tree] : [`${base.commit}...${tip}`];
  const diff = async (...how: string[]) =>
    (await git.run(['diff', '--no-color', '--no-ext-diff', '--no-textconv', ...how, ...ends])).trimEnd();
  const shown = nothing ? { fixes: [], undone: [], others: [] } : range;
  const story: Story = {
    ...names,
    tip,
    nothing,
    fixes: shown.fixes.map((fix) => ({ ...storyFix(fix, ledger), ...notStandingWith(fix, stages, mapped, ledger) })),
    undone: shown.undone.map((fix) => storyFix(fix, ledger)),
    others: shown.others,
    taken_back: range.takenBack,
    landed: range.landed.size,
    clean,
    conflicts,
    stat: nothing ? '' : await diff('--stat=100'),
    ...(withDiff && !nothing ? { diff: await diff() } : {}),
    ...writtenFrom(new Set(nothing ? [] : lines(await git.run(['rev-list', `${base.commit}..${tip}`]))), stages),
  };
  return { story, rehearsal };
}

const NOTHING = {
  tip: null,
  nothing: true,
  fixes: [],
  undone: [],
  others: [],
  taken_back: 0,
  landed: 0,
  clean: true,
  conflicts: [],
  stat: '',
};

function storyFix(fix: CommittedFix, ledger: Ledger): StoryFix {
  const patch = patchIn(ledger, fix);
  const { outcome = 'unknown', accepted } = patch ?? {};
  return {
    ...fixFacts(fix),
    tier: fix.tier,
    outcome,
    ...ledgerFacts(patch, true),
    ...((accepted || fix.plugin === PERSON) && { accepted: true }),
    ...(fix.reverts === undefined ? {} : { reverts: fix.reverts }),
  };
}

function notStandingWith(
  { commit }: CommittedFix,
  { stages }: StageState,
  names: readonly string[],
  ledger: Ledger,
): Pick<StoryFix, 'not_standing'> {
  const open = Object.entries(stages).flatMap(([stage, record]) => {
    // Cells that left the matrix keep what they were; of a green stage nothing is open.
    const steps = record.status === 'green' ? [] : [record, ...Object.values(record.cells ?? {})];
    const stale = names.includes(stage) ? steps.find((step) => step.stale?.commits.includes(commit)) : undefined;
    const failure = stale?.fingerprint === undefined ? undefined : entryOf(ledger, stage, stale.fingerprint);
    return stale ? [{ stage, external: failure?.external === true }] : [];
  });
  return open.length > 0 ? { not_standing: open } : {};
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

/** The stages that must be green again before the fixes can be accepted. */
export const toMakeAgain = ({ fixes }: Pick<Story, 'fixes'>): string[] => [
  ...new Set(
    fixes.flatMap((fix) => fix.not_standing ?? []).flatMap(({ stage, external }) => (external ? [] : [stage])),
  ),
];

/** Fixes on the branch that no green stage has verified. */
export const unverified = ({ fixes }: Pick<Story, 'fixes'>): StoryFix[] =>
  fixes.filter(({ outcome, not_standing: open = [] }) => {
    // All that is left to do for it waits for something outside of the repository.
    const isBlocked = outcome === 'kept' && open.length > 0 && open.every(({ external }) => external);
    return outcome !== 'kept' && !isBlocked;
  });

/** The line that accepts exactly what was shown; undefined when it would be refused. */
export function acceptLine(story: Story): string | undefined {
  const isOpen = unverified(story).length > 0 || toMakeAgain(story).length > 0 || story.items_undone !== undefined;
  if (story.nothing || !story.clean || isOpen) return undefined;
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

export function promoteMessage(story: Story): string {
  const { branch, base, tip, fixes, undone, others } = story;
  const trailers = [
    ...fixes.map(({ commit }) => `Promoted-fix: ${commit}`),
    ...undone.map(({ reverts }) => `Undone-fix: ${reverts}`),
    `Promoted-tip: ${tip}`,
  ];
  return [
    promoteTitle(story),
    '',
    `Merges ${branch} into ${base}.`,
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
export function promoteTitle({ fixes, undone, others }: Story): string {
  const what = [
    ...(fixes.length > 0 ? [counted(fixes.length, 'fix', 'fixes')] : []),
    ...(undone.length > 0 ? [counted(undone.length, 'rollback')] : []),
    ...(others.length > 0 ? [counted(others.length, 'other commit')] : []),
  ];
  const stages = [...new Set([...fixes, ...undone].map(({ stage }) => stage))];
  return clip(`Promote ${what.join(', ')}${stages.length > 0 ? ` of ${stages.join(', ')}` : ''}`, MAX_SUBJECT);
}
