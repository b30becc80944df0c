// The loop, top to bottom: run a step; when it fails, take its fingerprint, judge the fix before it, decide, ask for a fix
// that passes the gate, commit it, make again what it made stale, run again. A plan of the caller's own has no mending.
import { applyFix } from '../mend/commit.ts';
import { currentIncident, identify, type Member, record, sharedBy } from '../mend/identify.ts';
import { chargeFix, judgeTrial } from '../mend/judge-fixes.ts';
import { conclude, decideNow, stopped, type Unreachable } from '../mend/situation.ts';
import { tripSafeModeIfFixBroke } from '../mend/trip-safe-mode.ts';
import type { Ended } from '../plan/action.ts';
import type { PlanStep } from '../plan/contract.ts';
import { eventLabel } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { type Answers, again, type Next } from './fleet.ts';
import { endOfStep, makesWay, restsAfter } from './mended-step.ts';
import {
  blindRetry,
  endIfUpToDate,
  failedAttempt,
  finishWait,
  haltedBy,
  mayRetryLoss,
  type PlanRun,
  runAttempt,
  type StepEnd,
} from './step.ts';

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
    const rest = ended.kind === 'returned' ? restsAfter(step, plan) : undefined;
    if (rest) return endOfStep(step, plan, rest);
    if (ended.kind === 'returned') continue;
    const next = await afterAttempt(step, plan, attempt, ended);
    if ('end' in next) return endOfStep(step, plan, next.end);
    plan.emit({ type: 'step.retry', ...eventLabel(step), attempt, data: next.again });
    await plan.clock.sleep(next.again.pause_ms, plan.signal);
  }
}

/** Blind retries come first; then, in a run of stages, the failure is mended, with those of the other cells of its stage. */
async function afterAttempt(step: PlanStep, plan: PlanRun, attempt: number, ended: Ended): Promise<Next> {
  const failed = failedAttempt(step, plan, attempt, ended);
  if (!failed) return { end: ended };
  if (ended.kind === 'lost') return mayRetryLoss(step, plan, ended.again) ? again(0, ended.message) : { end: ended };
  if (failed.error.context.run_alone === true) return again(0, failed.error.message);
  const pause = blindRetry(plan, failed);
  const { run } = plan;
  if (!run || !failed.isMendable) return pause === undefined ? { end: ended } : again(pause, failed.error.message);
  try {
    // Seen, also where nobody decides about it.
    const member = { failed, incident: identify(run, failed) };
    if (pause !== undefined) return again(pause, failed.error.message);
    return await plan.fleets.decide(run, member, (members) => judgeAndAnswer(run, members));
  } catch (error) {
    return { end: haltedBy(error, step) };
  }
}

/** The fix that cells judge stays or is taken back; then it is decided what is done about the first of their failures. */
async function judgeAndAnswer(run: Run, members: readonly Member[]): Promise<Answers> {
  const charged = await chargeFix(run, members);
  if (charged && 'leave' in charged) return answers(charged, { end: { kind: 'left', reason: charged.leave } });
  if (charged) return answers(charged, again(charged.pauseMs, charged.rerun));
  for (const { incident } of members) await tripSafeModeIfFixBroke(run, incident);
  const judged = await judgeTrial(run, members);
  if ('rerun' in judged) return answers(judged, again(judged.pauseMs, judged.rerun));
  return answerFailure(run, judged.incident, judged.members);
}

const MORE_TURNS = 12; // That spend no limit: known fixes, fixes applied again, a tier that is down.

/** Decides and acts until those that have it run again or end. What comes to nothing is decided anew, with what it spent. */
async function answerFailure(run: Run, seen: Incident, members: readonly Member[]): Promise<Answers> {
  const { failed } = members.find(({ incident }) => incident.step === seen.step) as Member;
  const rerun = (...how: Parameters<typeof again>) => answers({ members }, again(...how));
  const { executor_tries, escalation_calls } = run.config.loop.limits;
  const unreachable: Unreachable = {};
  for (let turn = 0; turn < executor_tries + escalation_calls + MORE_TURNS; turn++) {
    const incident = currentIncident(run, seen);
    // A known fix is looked for where that decides; it needs no model.
    const { decision, knownFix } = await decideNow(run, incident, failed, unreachable);
    record(run, incident, 'failure.decided', { ...decision, ...sharedBy(incident) });
    if (decision.tier === 'wait') return rerun(decision.pause_ms, decision.reason, 'wait');
    if (decision.tier === 'none' || decision.tier === 'give_up') return fail(incident, decision);
    const { askForFix } = await import('../mend/ask.ts');
    const answer = await askForFix(run, incident, decision, knownFix, failed.timeLeftMs());
    const result = 'sound' in answer ? await applyFix(run, incident, answer, failed.timeLeftMs()) : answer;
    if ('fix' in result) {
      const { goOnWithStory } = await import('../mend/story.ts');
      await goOnWithStory(run, incident, result.fix, failed.timeLeftMs);
      return rerun(0, `${result.fix.plugin}: ${result.fix.note.fix}`, 'fix');
    }
    if (result.none === 'moved') return rerun(0, 'another fix changed its files meanwhile: once more');
    if (result.none === 'stopped') return fail(incident, stopped(run, incident));
    // Spent, handed over or safe mode: the ledger has it, and the next decision follows from it.
    if (result.none === 'down') Object.assign(unreachable, { [decision.tier]: true, prompt: result.prompt });
  }
  throw new Error(`no end is found for ${seen.stage}/${seen.failure.fingerprint}`);

  async function fail(incident: Incident, decision: Decision): Promise<Answers> {
    const errorOf = await conclude(run, incident, decision, unreachable.prompt);
    return new Map(members.map((member) => [member, { end: { kind: 'error', error: errorOf(member) } }]));
  }
}

const answers = ({ members }: { members: readonly Member[] }, next: Next): Answers =>
  new Map(members.map((member) => [member, next]));
