// Judging fixes by what came after them: the one on trial by its step's next failure, all open ones by its end.
import type { PlanStep } from '../plan/contract.ts';
import { stepLabel } from '../plan/matrix.ts';
import { perRun, type Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { judge } from '../triage/judge.ts';
import { entryKey } from '../triage/ledger.ts';
import { madeFor, recordFixStays, takeBack } from './commit.ts';
import { currentIncident, type FailedAttempt } from './identify.ts';
import { tripSafeModeIfReverted } from './trip-safe-mode.ts';

/** The failure to deal with, now that the fix before it is judged; or why the step runs once more first. */
export async function judgeTrial(
  run: Run,
  incident: Incident,
  failed: FailedAttempt,
): Promise<{ incident: Incident } | { rerun: string; pauseMs: number }> {
  const { trial, failure } = incident;
  const judgement = judge(incident);
  if (!trial || !judgement) return { incident };
  const { verdict, reason } = judgement;
  const { fix } = trial;
  if (verdict === 'rerun') {
    const pauseMs = (failure.transient && run.config.loop.wait.backoff[0]) || 0;
    // Without another attempt nobody can say: the end of the step takes the fix back unjudged.
    return hasRoom(run, failed, pauseMs) ? { rerun: `${reason}: once more`, pauseMs } : { incident };
  }
  if (verdict === 'provisional') {
    recordFixStays(run, fix, verdict, reason);
    return { incident: currentIncident(run, incident) };
  }
  await takeBack(run, fix, verdict, reason);
  tripSafeModeIfReverted(run);
  // The tree is as it was before the fix, and so is what is wrong with it.
  const before = madeFor(run).get(fix.commit);
  if (before) return { incident: currentIncident(run, before) };
  const same = failure.fingerprint === fix.fingerprint;
  if (same || !hasRoom(run, failed, 0)) return { incident: currentIncident(run, incident) };
  return { rerun: 'the fix is taken back: once more', pauseMs: 0 };
}

function hasRoom({ config }: Run, { attempt, timeLeftMs }: FailedAttempt, pauseMs: number): boolean {
  return attempt < config.loop.limits.stage_attempts && timeLeftMs() > pauseMs;
}

/** The step is over: what is still open of its fixes is verified, or taken back unjudged, the newest first. */
export async function settleFixes(run: Run, step: PlanStep, green: boolean): Promise<void> {
  const open = run.journal.failures.openFixes(stepLabel(step));
  for (const fix of green ? open : open.reverse()) {
    if (green) recordFixStays(run, fix, 'verified', 'the stage is green');
    else await takeBack(run, fix, 'withdrawn', 'the stage did not end green');
  }
}

/** Stage and fingerprint → the last in the queue of steps with that failure. */
const turns = perRun(() => new Map<string, Promise<unknown>>());

/**
 * Of several steps with one failure (cells of a matrix) only one is dealt with at a time. `work` hears whether a fix of
 * another step is on the branch by now, so that its own step should just run again.
 */
export function oneAtATime<T>(
  run: Run,
  { stage, step, failure }: Incident,
  failed: FailedAttempt,
  work: (isBeingMended: boolean) => Promise<T>,
): Promise<T> {
  const key = entryKey(stage, failure.fingerprint);
  const before = turns(run).get(key) ?? Promise.resolve();
  const isBeingMended = () =>
    hasRoom(run, failed, 0) &&
    [...run.journal.failures.trials.values()].some(
      ({ fix }) => fix.stage === stage && fix.fingerprint === failure.fingerprint && fix.step !== step,
    );
  const turn = before.then(() => work(isBeingMended()));
  turns(run).set(
    key,
    turn.catch(() => {}),
  );
  return turn;
}
