// Judging fixes by how the steps that had their failure end afterwards: the fix on trial when all of them failed again or
// ended, every other open fix when the last of them is over.
import { isItemStage } from '../backlog/stage-of-item.ts';
import type { Fix } from '../events.ts';
import { recordOf, type StepRecord, stepRecords } from '../journal/stages.ts';
import type { PlanStep } from '../plan/contract.ts';
import { stagePayload, stepLabel, stepNames } from '../plan/matrix.ts';
import { again } from '../plan/stage-end.ts';
import { hasChecks } from '../stage/checks.ts';
import type { Run } from '../stage/run.ts';
import type { Incident, Trial } from '../triage/incident.ts';
import { helpedWords, judge } from '../triage/judge.ts';
import { holdingFixes } from './charge-fix.ts';
import { madeFor, recordFixStays, takeBack } from './commit.ts';
import { type Answers, answerAll, type FailedCell, hasRoom } from './failed-cell.ts';
import { currentIncident } from './identify.ts';
import { tripSafeModeIfReverted } from './trip-safe-mode.ts';

/** The failure to decide about and the cells that have it, now that the fix on trial is judged; or what follows at once. */
type TrialEnd = { incident: Incident; cells: readonly FailedCell[] } | { answers: Answers };

/** Judges the fix on trial, if there is one, by the cells that failed with it. */
export async function judgeTrial(run: Run, cells: readonly FailedCell[]): Promise<TrialEnd> {
  const incidents = cells.map(({ incident }) => incident);
  const first = currentIncident(run, incidents[0] as Incident);
  const { trial } = first;
  const judgement = judge(first, incidents);
  if (!trial || !judgement) return firstAlike(run, cells);
  const { verdict, reason } = judgement;
  const { fix } = trial;
  if (verdict === 'rerun') {
    const unsure = cells.filter(({ incident }) => judgement.steps.includes(incident.step));
    const isTransient = unsure.some(({ incident }) => incident.failure.transient);
    const pauseMs = (isTransient && run.config.loop.wait.backoff[0]) || 0;
    // Without another attempt there is no verdict: the fix is withdrawn at the end of the step.
    return rerun(run, unsure, pauseMs, `${reason}: once more`) ?? firstAlike(run, unsure);
  }
  if (verdict === 'provisional') {
    recordFixStays(run, fix, { outcome: verdict, reason });
    return firstAlike(run, cells);
  }
  if (verdict === 'helped') {
    const helped = run.journal.failures.open(fix.stage).filter(({ green }) => green.size > 0);
    for (const open of helped) recordFixStays(run, open.fix, { outcome: 'holds', reason, left: stepsOf(cells) });
    return firstAlike(run, cells);
  }
  await takeBack(run, fix, verdict, reason);
  tripSafeModeIfReverted(run);
  return beforeTheFix(run, trial, cells);
}

/** Those of the cells that may run again do; undefined when none may. */
function rerun(run: Run, cells: readonly FailedCell[], pauseMs: number, reason: string): TrialEnd | undefined {
  const able = cells.filter(({ failed }) => hasRoom(run, failed, pauseMs));
  return able.length > 0 ? { answers: answerAll(able, again(pauseMs, reason)) } : undefined;
}

/** With the fix taken back the failure that it was made for is there again: decide about that one, as of these attempts. */
function beforeTheFix(run: Run, { fix, steps }: Trial, cells: readonly FailedCell[]): TrialEnd {
  const asBefore = cells.map(({ failed, incident }) => ({
    failed,
    incident: { ...incident, inputs: steps.get(incident.step) ?? incident.inputs },
  }));
  const same = asBefore.filter(({ incident }) => incident.failure.fingerprint === fix.fingerprint);
  const before = madeFor(run).get(fix.commit);
  if (!before) {
    if (same.length > 0) return firstAlike(run, same);
    return rerun(run, asBefore, 0, 'the fix is taken back: once more') ?? firstAlike(run, asBefore);
  }
  const isSpeaker = ({ incident }: FailedCell) => incident.step === before.step;
  const speaker = same[0] ?? asBefore.find(isSpeaker) ?? (asBefore[0] as FailedCell);
  const { step, log } = speaker.incident;
  const newest = { step, attempt: speaker.failed.attempt, ...(same.length > 0 && { log }), steps: stepsOf(asBefore) };
  return { incident: currentIncident(run, { ...before, ...newest }), cells: asBefore };
}

/** The failure of the first cell, with all cells that have it. */
function firstAlike(run: Run, cells: readonly FailedCell[]): TrialEnd {
  const [{ incident }] = cells as [FailedCell];
  const { fingerprint } = incident.failure;
  const alike = cells.filter((cell) => cell.incident.failure.fingerprint === fingerprint);
  return { incident: currentIncident(run, { ...incident, steps: stepsOf(alike) }), cells: alike };
}

const stepsOf = (cells: readonly FailedCell[]): string[] => cells.map(({ incident }) => incident.step);

/** Stages that a fix made stale and that are not green yet, without its own step; of this run's fixes only requested ones. */
function waitsFor({ journal, requested, config }: Run, { commit, stage, step }: Fix, isOfThisRun: boolean): string[] {
  const { stages } = config.map;
  // Stages that an item made stale judge it, whether they were requested or not.
  const names = isOfThisRun && !isItemStage(stage) ? requested : Object.keys(stages);
  return names.filter((name) =>
    [...new Set([name, ...stepNames(name, stages[name])])].some(
      (label) => label !== step && recordOf(journal.stages, label)?.stale?.commits.includes(commit),
    ),
  );
}

/**
 * A step is over: the open fixes that it judges, and that no other step is still to judge (`isJudging`), hold if a step is
 * green with them, else they are withdrawn, the newest first.
 */
export async function settleFixes(
  run: Run,
  step: PlanStep,
  isGreen: boolean,
  isJudging: (label: string) => boolean,
): Promise<void> {
  const label = stepLabel(step);
  const { stage } = stagePayload(step);
  const open = run.journal.failures
    .open(stage, label)
    .filter(({ steps }) => ![...steps.keys()].some((other) => other !== label && isJudging(other)));
  const hasHelped = ({ green }: Trial) => isGreen || green.size > 0;
  keepHelpful(run, stage, isGreen ? label : undefined, open.filter(hasHelped));
  for (const { fix } of open.filter((trial) => !hasHelped(trial)).reverse()) await withdraw(run, fix);
}

/** Verifies fixes that helped, unless another stage, or the rest of this one, is to judge them. `green`: the step that is. */
function keepHelpful(run: Run, stage: string, green: string | undefined, helped: readonly Trial[]): void {
  const { stages } = run.config.map;
  const isGreenNow = (name: string) => recordOf(run.journal.stages, name)?.status === 'green';
  const isRestGreen = stepNames(stage, stages[stage]).every((name) => name === green || isGreenNow(name));
  // Green stages that need it are checked again, now that it was made again.
  const needing = run.requested.filter((name) => stages[name]?.needs.includes(stage) && isGreenNow(name));
  for (const { fix } of helped) {
    const others = new Set([...waitsFor(run, fix, true), ...needing].filter((name) => name !== stage));
    const judges = [...(isRestGreen ? [] : [`the rest of ${stage}`]), ...others];
    const verified = { outcome: 'verified', reason: 'the stage is green', unchecked: isUnchecked(run, fix) } as const;
    recordFixStays(run, fix, judges.length === 0 ? verified : toBeVerified(judges));
  }
}

/** Takes back a fix that did not help. A stage that must not run twice waits for its owner: the fix stays until it has run. */
async function withdraw(run: Run, fix: Fix): Promise<void> {
  const judges = waitsFor(run, fix, true);
  if (judges.some((name) => !run.config.map.stages[name]?.rerun))
    recordFixStays(run, fix, toBeVerified(judges.filter((name) => name !== fix.stage)));
  else await takeBack(run, fix, 'withdrawn', 'the stage did not end green');
}

/** Neither its stage, nor one that needs that, nor one that it made stale has checks: only exit codes speak for a fix. */
function isUnchecked({ config, requested, journal }: Run, { stage, commit }: Fix): boolean {
  const { stages } = config.map;
  const isJudge = (name: string) => stages[name]?.needs.includes(stage) || journal.failures.madeStale(commit, name);
  const judges = [stage, ...requested.filter(isJudge)];
  return stages[stage] !== undefined && !judges.some((name) => stages[name] && hasChecks(stages[name]));
}

const toBeVerified = (judges: readonly string[]) =>
  ({ outcome: 'holds', reason: `to be verified by ${judges.join(', ')}, too` }) as const;

/**
 * Verifies the fixes that hold and that no stage has to be made green with any more: when their stage is green, or, when the
 * run is over (`isOver`), for those of its cells that are.
 */
export function verifyHolding(run: Run, isOver = false): void {
  for (const fix of holdingFixes(run)) {
    const steps = stepRecords(run.journal.stages).filter(({ stage }) => stage === fix.stage);
    const isGreen = run.journal.stages.stages[fix.stage]?.status === 'green';
    const stepsThat = (are: (record: StepRecord) => boolean) =>
      steps.filter(({ record }) => are(record)).map(({ step }) => step);
    const green = stepsThat(({ status }) => status === 'green');
    if ((!isGreen && !(isOver && green.length > 0)) || waitsFor(run, fix, fix.run === run.id).length > 0) continue;
    const left = stepsThat(({ fingerprint }) => fingerprint === fix.fingerprint);
    const others = isGreen ? 'every stage that it changed is green' : 'every cell that had the failure is green';
    const reason = left.length === 0 ? others : helpedWords(green, left);
    recordFixStays(run, fix, { outcome: 'verified', reason, left, unchecked: isUnchecked(run, fix) });
  }
}
