// The loop, top to bottom: run a step; when it fails, take its fingerprint, judge the fix before it, decide, ask for a fix
// that passes the gate, commit it, make again what it made stale, run again. A plan of the caller's own has no mending.
import { applyFix } from '../mend/commit.ts';
import { currentIncident, type FailedAttempt, identify, record } from '../mend/identify.ts';
import { chargeFix, judgeTrial } from '../mend/judge-fixes.ts';
import { conclude, decideNow, stopped, type Unreachable } from '../mend/situation.ts';
import { tripSafeModeIfFixBroke } from '../mend/trip-safe-mode.ts';
import { endTurn } from '../mend/turn.ts';
import type { PlanStep } from '../plan/contract.ts';
import { eventLabel } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { endOfStep, makesWay, turnFor } from './mended-step.ts';
import {
  blindRetry,
  type Ended,
  endIfUpToDate,
  failedAttempt,
  finishWait,
  haltedBy,
  mayRetryLoss,
  type PlanRun,
  runAttempt,
  type StepEnd,
} from './step.ts';

/** What follows an attempt: the step's end, or another attempt after a pause. */
type Next = { end: Ended } | { again: { pause_ms: number; reason: string; tier?: 'wait' | 'fix' } };

/** Drives one step until it is green, failed or stopped. Never rejects, unless an event cannot be recorded. */
export async function driveStep(step: PlanStep, plan: PlanRun): Promise<StepEnd> {
  const goesOn = plan.begun.delete(step.id);
  const upToDate = goesOn ? undefined : await endIfUpToDate(step, plan);
  if (upToDate) return endOfStep(step, plan, upToDate);
  if (!goesOn) plan.emit({ type: 'step.started', ...eventLabel(step), status: 'running', data: {} });
  await finishWait(step, plan);
  for (;;) {
    if (plan.signal.aborted) return endOfStep(step, plan, { kind: 'stopped' });
    const way = makesWay(step, plan);
    if (way) return endOfStep(step, plan, way);
    const { attempt, ended } = await runAttempt(step, plan);
    if (ended.kind === 'returned') continue;
    const next = await afterAttempt(step, plan, attempt, ended);
    if ('end' in next) return endOfStep(step, plan, next.end);
    plan.emit({ type: 'step.retry', ...eventLabel(step), attempt, data: next.again });
    await plan.clock.sleep(next.again.pause_ms, plan.signal);
  }
}

/** Blind retries come first; then, in a run of stages, the failure is mended. */
async function afterAttempt(step: PlanStep, plan: PlanRun, attempt: number, ended: Ended): Promise<Next> {
  const failed = failedAttempt(step, plan, attempt, ended);
  if (!failed) return { end: ended };
  if (ended.kind === 'lost') return mayRetryLoss(step, plan, ended.again) ? again(0, ended.message) : { end: ended };
  if (failed.error.context.run_alone === true) return again(0, failed.error.message);
  const pause = blindRetry(plan, failed);
  const { run } = plan;
  if (!run || !failed.isMendable) return pause === undefined ? { end: ended } : again(pause, failed.error.message);
  try {
    if (pause === undefined) return await mendFailure(run, plan, failed);
    // Nobody decides about it, but it was seen.
    identify(run, failed);
    return again(pause, failed.error.message);
  } catch (error) {
    return { end: haltedBy(error, step) };
  }
}

/** A failure gets its fingerprint and its turn; the fix that it judges stays or is taken back; then it is decided what is done. */
async function mendFailure(run: Run, plan: PlanRun, failed: FailedAttempt): Promise<Next> {
  const incident = identify(run, failed);
  if (await turnFor(run, plan, incident, failed)) return again(0, 'what it is made from changed meanwhile');
  return judgeAndAnswer(run, incident, failed).finally(() => endTurn(run, incident.step));
}

async function judgeAndAnswer(run: Run, incident: Incident, failed: FailedAttempt): Promise<Next> {
  const charged = await chargeFix(run, incident, failed);
  if (charged && 'leave' in charged) return { end: { kind: 'left', reason: charged.leave } };
  if (charged) return again(charged.pauseMs, charged.rerun);
  await tripSafeModeIfFixBroke(run, incident);
  const judged = await judgeTrial(run, incident, failed);
  return 'rerun' in judged ? again(judged.pauseMs, judged.rerun) : answerFailure(run, judged.incident, failed);
}

const MORE_TURNS = 12; // That spend no limit: known fixes, fixes applied again, a tier that is down.

/** Decides and acts until the step runs again or ends. What comes to nothing is decided anew, with what it spent. */
async function answerFailure(run: Run, seen: Incident, failed: FailedAttempt): Promise<Next> {
  const { executor_tries, escalation_calls } = run.config.loop.limits;
  const unreachable: Unreachable = {};
  for (let turn = 0; turn < executor_tries + escalation_calls + MORE_TURNS; turn++) {
    const incident = currentIncident(run, seen);
    // A known fix is looked for where that decides; it needs no model.
    const { decision, knownFix } = await decideNow(run, incident, failed, unreachable);
    record(run, incident, 'failure.decided', decision);
    if (decision.tier === 'wait') return again(decision.pause_ms, decision.reason, 'wait');
    if (decision.tier === 'none' || decision.tier === 'give_up') return fail(incident, decision);
    const { askForFix } = await import('../mend/ask.ts');
    const answer = await askForFix(run, incident, decision, knownFix, failed.timeLeftMs());
    const result = 'sound' in answer ? await applyFix(run, incident, answer, failed.timeLeftMs()) : answer;
    if ('fix' in result) {
      const { goOnWithStory } = await import('../mend/story.ts');
      await goOnWithStory(run, incident, result.fix, failed.timeLeftMs);
      return again(0, `${result.fix.plugin}: ${result.fix.note.fix}`, 'fix');
    }
    if (result.none === 'moved') return again(0, 'another fix changed its files meanwhile: once more');
    if (result.none === 'stopped') return fail(incident, stopped(run, incident));
    // Spent, handed over or safe mode: the ledger has it, and the next decision follows from it.
    if (result.none === 'down') Object.assign(unreachable, { [decision.tier]: true, prompt: result.prompt });
  }
  throw new Error(`no end is found for ${seen.stage}/${seen.failure.fingerprint}`);

  async function fail(incident: Incident, decision: Decision): Promise<Next> {
    const context = await conclude(run, incident, decision, unreachable.prompt);
    return { end: { kind: 'error', error: { ...failed.error, context: { ...failed.error.context, ...context } } } };
  }
}

const again = (pause_ms: number, reason: string, tier?: 'wait' | 'fix'): Next => ({
  again: { pause_ms, reason, ...(tier ? { tier } : {}) },
});
