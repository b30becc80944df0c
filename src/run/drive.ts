// The loop, top to bottom: run a step; when it fails, take its fingerprint, judge the trial that it ran with, decide, ask for a fix
// that passes the gate, commit it to the trial, make again what that made stale, run again.
import { applyFix } from '../mend/apply.ts';
import { conclude, recordRefused, recordStopped } from '../mend/conclude.ts';
import { type Answers, answerAll, type FailedCell } from '../mend/failed-cell.ts';
import { currentIncident, identify, record, sharedBy } from '../mend/identify.ts';
import { blameItem } from '../mend/item-fault.ts';
import { blameTrial, judgeTrial, type OtherSteps } from '../mend/judge-trial.ts';
import { decideNow, type Unreachable } from '../mend/situation.ts';
import type { PlanStep } from '../plan/contract.ts';
import { eventLabel } from '../plan/matrix.ts';
import { again, blindRetry, haltedBy, type Next, type StageEnd } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { tryAnswer } from './answered.ts';
import {
  type Execution,
  endBeforeAttempt,
  endIfUpToDate,
  endStep,
  failedAttempt,
  finishWait,
  mayRetryLoss,
  runAttempt,
} from './step.ts';

/** Drives one step until it is green, failed, stopped or suspended. Never rejects, unless an event cannot be recorded. */
export async function driveStep(step: PlanStep, execution: Execution, isResumed: boolean): Promise<StageEnd> {
  const { fleets, run } = execution;
  const upToDate = isResumed ? undefined : await endIfUpToDate(step, execution);
  // Nothing has begun, so nothing is recorded: the step is what it was.
  if (upToDate?.kind === 'stopped') return upToDate;
  if (upToDate) return endStep(step, execution, upToDate);
  if (!isResumed) execution.emit({ type: 'step.started', ...eventLabel(step), status: 'running', data: {} });
  await finishWait(step, execution);
  const refused = await tryAnswer(step, execution);
  if (refused) return endStep(step, execution, refused);
  for (;;) {
    const before = endBeforeAttempt(step, execution);
    if (before) return endStep(step, execution, before);
    const { attempt, end } = await runAttempt(step, execution);
    if (end.kind === 'unbegun' && !execution.halted && !fleets.isHeld(step)) continue;
    const next = await afterAttempt(step, execution, attempt, end);
    if ('end' in next) return endStep(step, execution, next.end);
    execution.emit({ type: 'step.retry', ...eventLabel(step), attempt, data: next.again });
    await run.clock.sleep(next.again.pause_ms, execution.signal);
  }
}

/** Blind retries come first; then the failure is mended together with those of the stage's other cells. */
async function afterAttempt(step: PlanStep, execution: Execution, attempt: number, end: StageEnd): Promise<Next> {
  if (end.kind === 'lost') return mayRetryLoss(step, execution, end) ? again(0, end.loss.what ?? end.message) : { end };
  if (end.kind !== 'failed') return { end };
  if (end.context?.run_alone === true) return again(0, end.message);
  const { run, plan, fleets } = execution;
  const pause = blindRetry(end, attempt, step, plan);
  const failed = failedAttempt(step, execution, attempt, end);
  if (!failed) return pause === undefined ? { end } : again(pause, end.message);
  try {
    // Recorded also when the step is only retried.
    const cell = { failed, incident: identify(run, failed) };
    if (pause !== undefined) return again(pause, end.message);
    return await fleets.decide(cell);
  } catch (error) {
    return { end: haltedBy(error) };
  }
}

/** What follows for failed cells of one stage: judges the trial that they ran with, then decides about the first of their failures. */
export async function answerCells(run: Run, cells: readonly FailedCell[], others: OtherSteps): Promise<Answers> {
  const blamed = (await blameTrial(run, cells)) ?? (await blameItem(run, cells));
  if (blamed) return blamed;
  const judged = await judgeTrial(run, cells, others);
  return 'answers' in judged ? judged.answers : answerFailure(run, judged.incident, judged.cells);
}

const MORE_TURNS = 12; // That spend no limit: known fixes, changes that wait for this failure, a tier that is down.

/** Decides and acts until the cells run again or end. After an action without result it decides anew: something was spent. */
async function answerFailure(run: Run, seen: Incident, cells: readonly FailedCell[]): Promise<Answers> {
  const { failed } = cells.find(({ incident }) => incident.step === seen.step) as FailedCell;
  const rerun = (...how: Parameters<typeof again>) => answerAll(cells, again(...how));
  const { executor_tries, escalation_calls } = run.config.loop.limits;
  const unreachable: Unreachable = {};
  const end = (incident: Incident, decision: Decision) => conclude(run, incident, decision, cells, unreachable);
  for (let turn = 0; turn < executor_tries + escalation_calls + MORE_TURNS; turn++) {
    const incident = currentIncident(run, seen);
    const { decision, knownFix } = await decideNow(run, incident, failed, unreachable);
    record(run, incident, 'failure.decided', { ...decision, ...sharedBy(incident) });
    if (decision.tier === 'wait') return rerun(decision.pause_ms, decision.reason, 'wait');
    if (decision.tier === 'none' || decision.tier === 'give_up') return end(incident, decision);
    const { askForFix } = await import('../mend/ask.ts');
    const answer = await askForFix(run, incident, decision, knownFix, failed.timeLeftMs());
    const result = 'sound' in answer ? await applyFix(run, incident, answer, failed.timeLeftMs()) : answer;
    if ('fix' in result) return rerun(0, `${result.fix.plugin}: ${result.fix.note.fix}`, 'fix');
    if (result.none === 'moved') return rerun(0, 'another fix changed its files meanwhile: once more');
    if (result.none === 'refused') return end(incident, recordRefused(run, incident, result.why));
    if (result.none === 'stopped') return end(incident, recordStopped(run, incident));
    if (result.none === 'down') Object.assign(unreachable, { [decision.tier]: true, prompt: result.prompt });
    // Spent, handed over, safe mode: the ledger or the disk has it, and the next decision follows from it.
  }
  throw new Error(`no end is found for ${seen.stage}/${seen.failure.fingerprint}`);
}
