// Judging fixes by what came after them: the one on trial by the next ends of the steps that had its failure, all open ones
// by the last of these.

import { itemNumber } from '../backlog/stage-of-item.ts';
import { recordOf, type StepRecord, wasGreen } from '../journal/stages.ts';
import type { PlanStep } from '../plan/contract.ts';
import { stepLabel, stepNames } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import type { Fix, Incident, Trial } from '../triage/incident.ts';
import { helpedWords, judge } from '../triage/judge.ts';
import { fixData, madeFor, recordFixStays, takeBack } from './commit.ts';
import { currentIncident, type FailedAttempt, type Member } from './identify.ts';
import { bringBack, takeBackItem } from './item-changes.ts';
import { NO_NOTE } from './proposal.ts';
import { tripSafeModeIfReverted } from './trip-safe-mode.ts';

/** The failure to deal with, and those who have it, now that the fix before it is judged; or who runs once more first. */
export type Judged =
  | { incident: Incident; members: readonly Member[] }
  | { rerun: string; pauseMs: number; members: readonly Member[] };

/** Judges the fix on trial by all that failed with it, if there is one. */
export async function judgeTrial(run: Run, members: readonly Member[]): Promise<Judged> {
  const [first] = members as [Member];
  const incident = currentIncident(run, first.incident);
  const { trial } = incident;
  const judgement = judge(
    incident,
    members.map((member) => member.incident),
  );
  if (!trial || !judgement) return firstAlike(run, members);
  const { verdict, reason } = judgement;
  const { fix } = trial;
  if (verdict === 'rerun') {
    const unsure = members.filter((member) => judgement.again.includes(member.incident.step));
    const isTransient = unsure.some((member) => member.incident.failure.transient);
    const pauseMs = (isTransient && run.config.loop.wait.backoff[0]) || 0;
    const able = unsure.filter(({ failed }) => hasRoom(run, failed, pauseMs));
    // Without another attempt nobody can say: the end of the step takes the fix back unjudged.
    return able.length > 0 ? { rerun: `${reason}: once more`, pauseMs, members: able } : firstAlike(run, unsure);
  }
  if (verdict === 'provisional') recordFixStays(run, fix, verdict, reason);
  if (verdict === 'helped')
    for (const one of run.journal.failures.open(fix.stage))
      if (one.green.size > 0) recordFixStays(run, one.fix, 'holds', reason, stepsOf(members));
  if (verdict === 'provisional' || verdict === 'helped') return firstAlike(run, members);
  await takeBack(run, fix, verdict, reason);
  tripSafeModeIfReverted(run);
  return beforeTheFix(run, trial, members);
}

/** The tree is as it was before a fix, and so is what is wrong with it; what follows comes after these attempts. */
function beforeTheFix(run: Run, { fix, steps }: Trial, members: readonly Member[]): Judged {
  const asBefore = members.map(({ failed, incident }) => ({
    failed,
    incident: { ...incident, inputs: steps.get(incident.step) ?? incident.inputs },
  }));
  const same = asBefore.filter(({ incident }) => incident.failure.fingerprint === fix.fingerprint);
  const before = madeFor(run).get(fix.commit);
  if (!before) {
    if (same.length > 0) return firstAlike(run, same);
    const able = asBefore.filter(({ failed }) => hasRoom(run, failed, 0));
    return able.length > 0
      ? { rerun: 'the fix is taken back: once more', pauseMs: 0, members: able }
      : firstAlike(run, asBefore);
  }
  const isSpeaker = ({ incident }: Member) => incident.step === before.step;
  const speaker = same[0] ?? asBefore.find(isSpeaker) ?? (asBefore[0] as Member);
  const { step, log } = speaker.incident;
  const newest = { step, attempt: speaker.failed.attempt, ...(same.length > 0 && { log }), steps: stepsOf(asBefore) };
  return { incident: currentIncident(run, { ...before, ...newest }), members: asBefore };
}

/** The first failure, with all that have it. */
function firstAlike(run: Run, members: readonly Member[]): Judged {
  const [{ incident }] = members as [Member];
  const { fingerprint } = incident.failure;
  const alike = members.filter((member) => member.incident.failure.fingerprint === fingerprint);
  return { incident: currentIncident(run, { ...incident, steps: stepsOf(alike) }), members: alike };
}

const stepsOf = (members: readonly Member[]): string[] => members.map(({ incident }) => incident.step);

function hasRoom({ config }: Run, { attempt, timeLeftMs }: FailedAttempt, pauseMs: number): boolean {
  return attempt < config.loop.limits.stage_attempts && timeLeftMs() > pauseMs;
}

/**
 * A failure of a step that unverified fixes of others made stale is charged to the newest of them: it is taken back, and all
 * that are asked about run again. `leave`: nothing can be said, and the step waits for the next run. Undefined: the failures
 * are their own.
 */
export async function chargeFix(run: Run, members: readonly Member[]): Promise<Charged | undefined> {
  for (const member of members) {
    const charged = await chargeFixFor(run, member);
    if (charged) return { members: 'isTakenBack' in charged ? members : [member], ...charged };
  }
  return undefined;
}

type Charge = { rerun: string; pauseMs: number; isTakenBack?: true } | { leave: string };
type Charged = Charge & { members: readonly Member[] };

async function chargeFixFor(run: Run, { incident, failed }: Member): Promise<Charge | undefined> {
  const { stage, step, failure, ended } = incident;
  const { failures, stages } = run.journal;
  const since = recordOf(stages, step)?.stale?.commits ?? [];
  const holding = holdingFixes(run).filter(({ left }) => !left?.includes(step));
  const open = [...holding, ...failures.allOpenFixes()].filter((fix) => fix.step !== step);
  const fix = open.filter(({ commit }) => since.includes(commit)).at(-1);
  const item = fix && itemNumber(fix.stage) !== undefined ? fix.stage : undefined;
  // Of an item that was being taken back when the loop was stopped, the rest goes first.
  const isRest = failures.charges.get(step)?.fixes.some((charged) => charged.fix.stage === item);
  if (!isRest) await clearCharge(run, step, failure.fingerprint);
  if (!fix) {
    tripSafeModeIfReverted(run);
    const own = holdingFixes(run).find((one) => one.stage === stage && one.fingerprint === failure.fingerprint);
    // A cell that fails like others did, which are green with it, is one more that it did not help.
    const helped = cellsOf(run, stage).some(({ step: other, record }) => other !== step && wasGreen(record));
    if (own && !helped) await takeBack(run, own, 'no_effect', 'the same failure again');
    return undefined;
  }
  const by = `the fix of ${fix.stage} (${fix.note.fix})`;
  if (failure.transient || failure.external || ended.timed_out) {
    const pauseMs = (failure.transient && run.config.loop.wait.backoff[0]) || 0;
    if (!failures.hasRerun(step) && hasRoom(run, failed, pauseMs)) {
      return { rerun: `this end says nothing about ${by}: once more`, pauseMs };
    }
    const what = failure.advice ?? failure.errors[0]?.lines[0] ?? 'its last end';
    return { leave: `${what} (this says nothing about ${by}, which changed what it is made from)` };
  }
  const { fingerprint } = failure;
  const why = `${step} failed with it`;
  if (item) await takeBackItem(run, item, why, { step, fingerprint });
  else await takeBack(run, fix, 'broke', why, { step, fingerprint });
  return { rerun: `it failed with ${by}, which is taken back: once more`, pauseMs: 0, isTakenBack: true };
}

/** The cells of a stage that there is a record of. */
const cellsOf = ({ journal }: Run, stage: string) =>
  Object.entries(journal.stages.stages[stage]?.cells ?? {}).map(([cell, record]) => ({
    step: `${stage}[${cell}]`,
    record,
  }));

/** The step failed alike without the fix that was taken back for it: that fix is none the worse for it. */
async function clearCharge(run: Run, step: string, fingerprint: string): Promise<void> {
  const { journal } = run;
  const charge = journal.failures.charges.get(step);
  if (charge?.fingerprint !== fingerprint) return;
  if (charge.fixes.some(({ fix }) => itemNumber(fix.stage) !== undefined)) return bringBack(run, step, charge);
  for (const { fix } of charge.fixes) {
    const reason = `${step} fails alike without it`;
    const data = { ...fixData(fix), outcome: 'withdrawn', reason, commit: '', reverts: fix.commit } as const;
    journal.append({ type: 'fix.reverted', stage: fix.stage, step: fix.step, data });
  }
}

/** Fixes whose stage is green with them, of this run or an earlier one, while stages that they changed are not; oldest first. */
function holdingFixes({ journal }: Run): (Fix & { run?: string; left?: readonly string[] | undefined })[] {
  const patches = Object.values(journal.ledger.entries).flatMap(({ stage, fingerprint, patches: all }) =>
    all.flatMap((patch) => (patch.outcome === 'holds' ? [{ ...patch, stage, fingerprint }] : [])),
  );
  return patches
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .map(({ note = NO_NOTE, commit = '', run = '', ...patch }) => ({
      ...patch,
      step: patch.stage,
      paths: [],
      note,
      commit,
      run,
    }));
}

/** The stages that a fix made stale and that are not green yet, the step it is for left out; a fix of this run has to do with its own. */
function waitsFor(
  { id, journal, requested, config }: Run,
  { commit, stage, step, run = id }: Fix & { run?: string },
): string[] {
  const { stages } = config.map;
  // Nobody asked for the stages that an item changes; they have their say all the same.
  const isOwn = run === id && itemNumber(stage) === undefined;
  return (isOwn ? requested : Object.keys(stages)).filter((name) =>
    [...new Set([name, ...stepNames(name, stages[name])])].some(
      (label) => label !== step && recordOf(journal.stages, label)?.stale?.commits.includes(commit),
    ),
  );
}

/**
 * A step is over. What is open of the fixes that it judges, and that nobody else is still to judge (`isMending`), holds if
 * anybody is green with it, or is taken back unjudged, the newest first.
 */
export async function settleFixes(
  run: Run,
  step: PlanStep,
  green: boolean,
  isMending: (label: string) => boolean,
): Promise<void> {
  const label = stepLabel(step);
  const { stage } = step.payload as { stage: string };
  const open = run.journal.failures
    .open(stage, label)
    .filter(({ steps }) => ![...steps.keys()].some((other) => other !== label && isMending(other)));
  const helped = open.filter(({ green: others }) => green || others.size > 0);
  for (const { fix } of [...helped, ...open.filter((trial) => !helped.includes(trial)).reverse()]) {
    const isGreen = helped.some((trial) => trial.fix === fix);
    // Those that need it are looked at again, now that it was made again.
    const needing = run.requested.filter((name) => run.config.map.stages[name]?.needs.includes(stage));
    const standing = needing.filter((name) => isGreen && run.journal.stages.stages[name]?.status === 'green');
    const others = [...new Set([...waitsFor(run, fix), ...standing])];
    const isForPerson = others.some((name) => !run.config.map.stages[name]?.rerun);
    const isRestGreen = stepNames(stage, run.config.map.stages[stage]).every(
      (name) => (green && name === label) || recordOf(run.journal.stages, name)?.status === 'green',
    );
    const rest = isGreen && !isRestGreen ? [`the rest of ${stage}`] : [];
    const judges = [...rest, ...others.filter((name) => name !== stage)];
    if (isGreen && judges.length === 0) recordFixStays(run, fix, 'verified', 'the stage is green');
    else if (isGreen || isForPerson) recordFixStays(run, fix, 'holds', `to be verified by ${judges.join(', ')}, too`);
    else await takeBack(run, fix, 'withdrawn', 'the stage did not end green');
  }
}

/**
 * Fixes that held and for which no stage of this run has to be made again any more are verified: when their stage is green,
 * and when the run is over (`isOver`) for those cells of it that are.
 */
export function verifyHolding(run: Run, isOver = false): void {
  for (const fix of holdingFixes(run)) {
    const cells = cellsOf(run, fix.stage);
    const isGreen = run.journal.stages.stages[fix.stage]?.status === 'green';
    const stepsThat = (are: (record: StepRecord) => boolean) =>
      cells.filter(({ record }) => are(record)).map(({ step }) => step);
    const green = stepsThat(({ status }) => status === 'green');
    if ((!isGreen && !(isOver && green.length > 0)) || waitsFor(run, fix).length > 0) continue;
    const left = stepsThat(({ fingerprint }) => fingerprint === fix.fingerprint);
    const others = isGreen ? 'every stage that it changed is green' : 'every cell that had the failure is green';
    const reason = left.length === 0 ? others : helpedWords(green, left);
    recordFixStays(run, fix, 'verified', reason, left);
  }
}
