// The trial held against how steps end: by the steps that had its failure, by stages that it made stale, and by those that could not run.
import { recordOf } from '../journal/stages.ts';
import { stepNames } from '../plan/matrix.ts';
import { again, type Next } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Trial } from '../triage/incident.ts';
import { isInconclusive, judge } from '../triage/judge.ts';
import { madeFor } from './commit.ts';
import { type Answers, answerAll, type FailedCell, hasRoom } from './failed-cell.ts';
import { currentIncident } from './identify.ts';
import { keepTrial, recordEnd, staleBy, takeOff, undoTrial } from './trial.ts';
import { tripSafeMode } from './trip-safe-mode.ts';

/** How the other steps of a run stand, as far as a trial asks. */
export interface OtherSteps {
  /** Whether a step may still run before this trial is over. */
  canRun(step: string): boolean;
  /** Whether a cell of a stage failed and has not ended yet. */
  isMending(stage: string): boolean;
}

/** The failure to decide about and the cells that have it; or what follows at once: cells without an answer wait. */
type TrialEnd = { incident: ReturnType<typeof currentIncident>; cells: readonly FailedCell[] } | { answers: Answers };

/**
 * A step that was green before the trial of another one, and whose inputs that changed, fails: the trial is undone, and the step runs
 * without it. Undefined: the trial, if there is one, has nothing to do with these cells.
 */
export async function blameTrial(run: Run, cells: readonly FailedCell[]): Promise<Answers | undefined> {
  const { trial } = run.journal.failures;
  const stale = new Set(trial ? staleBy(run, trial).map(({ step }) => step) : []);
  const isHarmed = (step: string, stage: string) =>
    stale.has(step) || (stage !== trial?.stage && trial?.stale.has(stage) === true);
  const cell = cells.find(({ incident: { step, stage } }) => isHarmed(step, stage) && !isJudge(trial as Trial, step));
  if (!trial || !cell) return undefined;
  const { step, failure } = cell.incident;
  const by = `the trial of ${trial.stage} (${trial.fixes.map(({ fix }) => fix.note.fix).join('; ')})`;
  const unsure = ifInconclusive(run, cell, by);
  if (unsure) return answerAll([cell], unsure);
  await undoTrial(run, `${step} failed with it`, { step, fingerprint: failure.fingerprint });
  return answerAll(cells, again(0, `it failed with ${by}, which is undone: once more`));
}

const isJudge = ({ fixes }: Trial, step: string): boolean => fixes.some(({ steps }) => steps.has(step));

/** A transient or external failure proves nothing about a trial: one rerun, then the step is left for the next run. */
function ifInconclusive(run: Run, { incident, failed }: FailedCell, by: string): Next | undefined {
  const { step, failure } = incident;
  if (!isInconclusive(incident)) return undefined;
  const pauseMs = (failure.transient && run.config.loop.wait.backoff[0]) || 0;
  if (!run.journal.failures.hasRerun(step) && hasRoom(run, failed, pauseMs))
    return again(pauseMs, `this end says nothing about ${by}: once more`);
  const what = failure.advice ?? failure.errors[0]?.lines[0] ?? 'its last end';
  const reason = `${what} (this says nothing about ${by}, which changed what it is made from)`;
  return { end: { kind: 'stopped', left: true, message: reason } };
}

/** A step is green without the trial that was undone for it: the fixes of that broke it. Throws as `journal.append`. */
export function settleSuspicion(run: Run, step: string): void {
  const suspicion = run.journal.failures.suspicions.get(step);
  if (!suspicion) return;
  for (const fix of suspicion.fixes) recordEnd(run, fix, { outcome: 'broke', reason: `${step} is green without it` });
  tripSafeMode(run);
}

/** Judges the trial of these cells' stage, if there is one, by the cells that failed with it. */
export async function judgeTrial(run: Run, cells: readonly FailedCell[], others: OtherSteps): Promise<TrialEnd> {
  const [first] = cells as [FailedCell];
  const trial = run.journal.failures.trialOf(first.incident.stage);
  const last = trial?.fixes.at(-1);
  if (!trial || !last) return firstAlike(run, cells);
  const reds = cells.filter(({ incident }) => last.steps.has(incident.step));
  // Cells with another failure, which waited for those that judge: all of these are green.
  if (reds.length === 0) return keepThen(run, trial, cells, others, 'every cell that had the failure is green');
  const judgement = judge(
    trial,
    reds.map(({ incident }) => incident),
  );
  const { verdict, reason } = judgement;
  if (verdict === 'rerun') {
    const unsure = reds.filter(({ incident }) => judgement.steps.includes(incident.step));
    const isTransient = unsure.some(({ incident }) => incident.failure.transient);
    const pauseMs = (isTransient && run.config.loop.wait.backoff[0]) || 0;
    return rerun(run, unsure, pauseMs, `${reason}: once more`) ?? firstAlike(run, unsure);
  }
  if (verdict === 'helped') return keepThen(run, trial, reds, others, reason);
  if (judgement.verdict !== 'off') return firstAlike(run, reds);
  const { fix, steps } = trial.fixes[judgement.from] as Trial['fixes'][number];
  await takeOff(run, judgement.from, { outcome: judgement.outcome, reason });
  return beforeTheFix(run, fix, steps, reds);
}

/** Some cells are green with the trial, and it is kept for these, once the green cells that it changed were seen with it. */
async function keepThen(
  run: Run,
  trial: Trial,
  cells: readonly FailedCell[],
  { canRun }: OtherSteps,
  reason: string,
): Promise<TrialEnd> {
  const stale = staleBy(run, trial).filter(({ stage, step }) => stage === trial.stage && !isJudge(trial, step));
  if (stale.some(({ step }) => canRun(step))) return { answers: new Map() };
  await keepTrial(run, reason);
  return firstAlike(run, cells);
}

/** Those of the cells that may run again do; undefined when none may. */
function rerun(run: Run, cells: readonly FailedCell[], pauseMs: number, reason: string): TrialEnd | undefined {
  const able = cells.filter(({ failed }) => hasRoom(run, failed, pauseMs));
  return able.length > 0 ? { answers: answerAll(able, again(pauseMs, reason)) } : undefined;
}

/** With the fix taken off the failure that it was made for is there again: decide about that one, as of these attempts. */
function beforeTheFix(
  run: Run,
  fix: Trial['fixes'][number]['fix'],
  steps: Trial['fixes'][number]['steps'],
  cells: readonly FailedCell[],
): TrialEnd {
  const asBefore = cells.map(({ failed, incident }) => ({
    failed,
    incident: { ...incident, inputs: steps.get(incident.step) ?? incident.inputs },
  }));
  const same = asBefore.filter(({ incident }) => incident.failure.fingerprint === fix.fingerprint);
  const before = madeFor(run).get(fix.hash);
  if (!before) {
    if (same.length > 0) return firstAlike(run, same);
    return rerun(run, asBefore, 0, 'the fix is taken off: once more') ?? firstAlike(run, asBefore);
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

/**
 * Ends the trial, if it is time: when no cell of its stage and no stage that it made stale can run any more. It is kept when some step is
 * green with it, else undone. `isOver`: nothing runs any more in this run.
 */
export async function settleTrial(run: Run, others: OtherSteps, isOver = false): Promise<void> {
  const { trial } = run.journal.failures;
  if (!trial || (!isOver && others.isMending(trial.stage))) return;
  const steps = [...new Set(trial.fixes.flatMap((fix) => [...fix.steps.keys()]))];
  const isGreen = (step: string) => recordOf(run.journal.stages, step)?.status === 'green';
  const green = steps.filter(isGreen);
  if (green.length === 0) return undoTrial(run, 'its stage is not green with it');
  const stale = staleBy(run, trial).filter(({ stage }) => isAsked(run, stage));
  const left = stepNames(trial.stage, run.config.map.stages[trial.stage]).filter((step) => !isGreen(step));
  // A cell of it that fails alike joins what the others had.
  const harmed = [...trial.stale]
    .filter((name) => name !== trial.stage && isAsked(run, name) && run.config.map.stages[name]?.rerun)
    .flatMap((name) => stepNames(name, run.config.map.stages[name]));
  const pending = [...stale.map(({ step }) => step), ...left, ...harmed.filter((step) => !isGreen(step))];
  if (!isOver && pending.some(others.canRun)) return;
  const asks = trial.fixes.flatMap(({ ask }) => ask ?? []);
  if (asks.length > 0) {
    const { offerTrial } = await import('./cases.ts');
    await offerTrial(run, trial, asks);
    return undoTrial(run, 'its acceptance holds, and its owner is asked first');
  }
  await keepTrial(run, left.length === 0 ? 'the stage is green' : 'some of its cells are green');
}

const isAsked = ({ requested }: Run, stage: string): boolean => requested.includes(stage);
