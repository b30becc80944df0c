// What a run would do, and why, for each step. Reads only.
import { submissionText } from '../backend/describe.ts';
import { MANY_JOBS } from '../backend/open.ts';
import type { Stage } from '../config/context-map.ts';
import { unattendedLines } from '../config/unattended.ts';
import { MendError } from '../errors.ts';
import { openGit } from '../io/git.ts';
import { withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { type LoadedStages, loadStages, openRun } from '../journal/load-stages.ts';
import { RunSteps } from '../journal/run-steps.ts';
import { isReset, recordOf, type StepRecord } from '../journal/stages.ts';
import { compareInputs, stageInputs, type Tree } from '../plan/inputs.ts';
import { type Cell, cellsOf, stepNameOf } from '../plan/matrix.ts';
import { cutOffRun, unwatchedHead } from '../run/resume.ts';
import { askedText, type Selection, selectStages } from '../run/select.ts';
import { movedNotice, shortList } from '../run/start-notices.ts';
import { type Beside, besideInputs } from '../stage/carried.ts';
import { hasChecks } from '../stage/checks.ts';
import { baseOf, type Configuration, configurationAt, loopDifference } from '../stage/configuration.ts';
import { otherLab } from '../stage/one-lab.ts';
import { neededOutputs } from '../stage/outputs.ts';
import { waitsForHuman } from '../stage/rerun.ts';
import { staleWords } from '../triage/words.ts';
import { refuseStageCommits } from '../worktree/after-attempt.ts';
import { type Base, commitOf, isAncestor, notOnBase } from '../worktree/base.ts';
import { rehearse } from '../worktree/on-base.ts';
import { uncommitted } from '../worktree/read.ts';

type PlanState = 'DONE' | 'IN_PROGRESS' | 'TODO' | 'FAILED';

interface PlanRow {
  step: string;
  stage: string;
  needs: readonly string[];
  state: PlanState;
  why: string;
}

interface PlanView {
  base: string;
  base_commit: string;
  /** Where a run would start: the AI branch, where that has the base. */
  commit: string;
  lab: string;
  rows: PlanRow[];
  /** The owner's changed and untracked files: no part of a run. */
  uncommitted: string[];
  notices: string[];
}

export type PlanSelection = Selection & {
  recheck: boolean;
  lab?: string | undefined;
  backend?: string | undefined;
  workers?: number | undefined;
};

/** Throws MendError as a run would. `given`: a configuration that counts as if it were committed. */
export async function explainPlan(home: string, selection: PlanSelection, given?: Configuration): Promise<PlanView> {
  const layout = layoutOf(home);
  const current = await baseOf(home);
  const loaded = loadStages(layout, { look: true });
  const git = openGit(home);
  const now = await rehearse(git, current);
  const isInBase = (commit: string) => isAncestor(git, commit, current.commit);
  const open = (await cutOffRun(loaded, askedText(selection), Date.now(), isInBase))?.open;
  const base = open ? { ...current, commit: open.head.base.commit } : current;
  const { backend } = selection;
  const config = given ?? (await configurationAt(home, base, { backend }));
  const isMoved = current.commit !== base.commit;
  const settings = given || isMoved ? [] : (await loopDifference(home, base, selection)).notices;
  const stages = open?.head.stages ?? selectStages(config.map, selection, loaded.state);
  const start = open?.treeOpened ? undefined : now;
  const commit = start?.to ?? (await commitOf(git, `refs/heads/${base.branch}`)) ?? base.commit;
  const tree = await withObjects(home, (objects) => objects.files(commit));
  const holder = runAtWork(layout);
  const atWork = holder?.isRun ? holder : undefined;
  const scope = { config, tree, selection, atWork };
  const rows: PlanRow[] = [];
  const doneBefore = open && new RunSteps(open.events);
  /** Stages that the run would work on; of what waits for a person, the run leaves what needs it as it is. */
  const worked = new Set<string>();
  for (const name of stages) {
    const stage = config.map.stages[name] as Stage;
    const outputs = await neededOutputs(config.map, stage, layout);
    const beside = await besideInputs(stage, { layout, carry: config.map.carry, written: loaded.state.written });
    const waitsFor = stage.needs.filter((need) => worked.has(need));
    const wasReset = isReset(loaded.state, name);
    for (const cell of cellsOf(stage)) {
      const step = stepNameOf(name, cell);
      const record = recordOf(loaded.state, step);
      const waits = waitsForHuman(stage, step, loaded.state, layout);
      const [state, why]: Judgement = doneBefore?.isDone(step)
        ? ['DONE', 'green in the run that goes on']
        : judge({ name, stage, cell, record, wasReset, outputs, beside, waitsFor, waits }, scope);
      rows.push({ step, stage: name, needs: stage.needs, state, why });
      const isLeft = waits !== undefined || record?.status === 'give_up' || !config.loop.retry_failed;
      if (state !== 'DONE' && !(state === 'FAILED' && isLeft)) worked.add(name);
    }
  }
  const lab = selection.lab ?? config.loop.lab;
  const other = otherLab(layout, lab);
  const edits = await uncommitted(home);
  const missed = await notOnBase(home, current);
  const refused = await refusedNotes(home, current, loaded);
  const notices = [
    ...loaded.notices,
    ...(other ? [`ai/state is from the ${other} lab; a run for the ${lab} one is refused (E_OTHER_LAB)`] : []),
    ...(holder?.isCertain === false ? [`${holder.words}; a run is refused (E_LOCK_UNPROVEN)`] : []),
    ...(open ? [`run ${open.run} ${openWords(atWork)}`] : []),
    ...(isMoved ? [atWork ? `${base.name} moved since it began; the next run has that` : movedNotice(base)] : []),
    ...refused,
    ...(start && start.to !== start.tip && refused.length === 0
      ? [`${base.name} ${start.dropped ? 'was rewritten' : 'moved'}; a run puts ${base.branch} onto it first`]
      : []),
    ...settings,
    ...(missed ? [missed] : []),
    ...(edits.length > 0 ? [`not committed, so not included: ${shortList(edits)}`] : []),
    ...unattendedLines(
      Object.fromEntries(stages.map((name) => [name, config.map.stages[name] as Stage])),
      config.loop,
    ).map(({ text }) => text),
    ...submissionText(
      config,
      rows.filter(({ state }) => state !== 'DONE').map(({ stage }) => stage),
      { most: MANY_JOBS, workers: selection.workers ?? config.loop.workers },
    ),
  ];
  return { base: base.name, base_commit: base.commit, commit, lab, rows, uncommitted: edits, notices };
}

/** Why no run begins, where commits of a stage are on the AI branch. */
async function refusedNotes(home: string, base: Base, loaded: LoadedStages): Promise<string[]> {
  const git = openGit(home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  if (tip === undefined) return [];
  const unwatched = unwatchedHead(openRun(loaded)?.events ?? []);
  return refuseStageCommits(git, base, tip, unwatched).then(
    () => [],
    (error) => {
      if (!(error instanceof MendError)) throw error;
      return [`no run begins (${error.code}): ${error.message}; mendloop promote says how to settle it`];
    },
  );
}

type Judgement = [state: PlanState, why: string];

interface Candidate {
  name: string;
  stage: Stage;
  cell: Cell;
  record: StepRecord | undefined;
  wasReset: boolean;
  outputs: ReadonlyMap<string, string>;
  beside: Beside;
  /** Needs that a run would work on first. */
  waitsFor: string[];
  /** Why only a person's word runs it. */
  waits: string | undefined;
}

interface Scope {
  config: Configuration;
  tree: Tree;
  selection: PlanSelection;
  /** A run is at work, or may be. */
  atWork: { isCertain: boolean } | undefined;
}

function judge(candidate: Candidate, scope: Scope): Judgement {
  const { name, stage, cell, record, wasReset, outputs, beside, waitsFor, waits } = candidate;
  const { config, tree, selection } = scope;
  if (selection.forced && selection.stages.includes(name)) return ['TODO', 'asked for by retry'];
  if (waits && !(scope.atWork && record?.status === 'running')) return ['FAILED', `${waits}; use retry`];
  if (record?.status !== 'green' && record?.status !== 'give_up') return notGreen(record, wasReset, scope);
  const givenUp = record.status === 'give_up';
  if (stage.always && !givenUp) return ['TODO', 'always runs'];
  const inputs = compareInputs(record.inputs, { ...stageInputs(stage, cell, tree, outputs), ...beside });
  if (!inputs.fresh) return ['TODO', givenUp ? 'given up, but its inputs changed' : inputs.why];
  if (givenUp) {
    const reason = record.reason ?? '';
    return ['FAILED', `given up: ${reason}; it stays so until its checks hold, or: mendloop reset ${name}`];
  }
  const publishes = waitsFor.filter((need) => Object.keys(config.map.stages[need]?.outputs ?? {}).length > 0);
  if (publishes.length > 0) return ['TODO', `green, but ${publishes.join(', ')} may publish something new`];
  if (!hasChecks(stage)) {
    // A stage that must not run twice stays green.
    if (waitsFor.length === 0 || !stage.rerun) return ['DONE', 'green; nothing to check'];
    const are = waitsFor.length === 1 ? 'is' : 'are';
    return ['TODO', `green, but ${waitsFor.join(', ')} ${are} to be made again, and it has no checks`];
  }
  return ['DONE', selection.recheck ? 'green; its checks are run again' : 'green'];
}

/** Its own reason, unless that is why an earlier run did not come to it. */
const staleReason = ({ why = '' }: NonNullable<StepRecord['stale']>, reason = ''): string =>
  reason.endsWith(why) ? reason || 'no longer stands' : staleWords({ why });

function openWords(atWork: { isCertain: boolean } | undefined): string {
  if (!atWork) return 'was cut off; the next start finishes it';
  return atWork.isCertain ? 'is at work' : 'has not ended, as far as can be seen from here';
}

function notGreen(record: StepRecord | undefined, wasReset: boolean, { config, atWork }: Scope): Judgement {
  const because = record?.reason ? `: ${record.reason}` : '';
  switch (record?.status) {
    case 'running':
      if (!atWork) return ['TODO', 'was cut off'];
      return ['IN_PROGRESS', atWork.isCertain ? 'running now' : 'it began, and its end is not known here'];
    case 'failed':
      return ['FAILED', `failed${because}; ${config.loop.retry_failed ? 'it is tried again' : 'retry_failed is off'}`];
    case 'skipped':
      return ['TODO', `was skipped${because}`];
    default:
      if (wasReset) return ['TODO', 'was reset'];
      if (record?.stale) return ['TODO', staleReason(record.stale, record.reason)];
      return ['TODO', record?.last ? `was stopped${because}` : 'never run'];
  }
}
