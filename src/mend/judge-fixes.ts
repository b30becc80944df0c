// Judging fixes by what came after them: the one on trial by its step's next failure, all open ones by its end.

import { itemNumber } from '../backlog/stage-of-item.ts';
import { recordOf } from '../journal/stages.ts';
import type { PlanStep } from '../plan/contract.ts';
import { stepLabel, stepNames } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import type { Fix, Incident } from '../triage/incident.ts';
import { judge } from '../triage/judge.ts';
import { fixData, madeFor, recordFixStays, takeBack } from './commit.ts';
import { currentIncident, type FailedAttempt } from './identify.ts';
import { NO_NOTE } from './proposal.ts';
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
  // The tree is as it was before the fix, and so is what is wrong with it; what follows comes after this attempt.
  const before = madeFor(run).get(fix.commit);
  const same = failure.fingerprint === fix.fingerprint;
  const newest = { attempt: failed.attempt, ...(same && { log: incident.log }) };
  if (before) return { incident: currentIncident(run, { ...before, ...newest }) };
  if (same || !hasRoom(run, failed, 0)) return { incident: currentIncident(run, incident) };
  return { rerun: 'the fix is taken back: once more', pauseMs: 0 };
}

function hasRoom({ config }: Run, { attempt, timeLeftMs }: FailedAttempt, pauseMs: number): boolean {
  return attempt < config.loop.limits.stage_attempts && timeLeftMs() > pauseMs;
}

/**
 * A failure of a step that unverified fixes of others made stale is charged to the newest of them: it is taken back, and
 * the step runs again. `leave`: nothing can be said, and the step waits for the next run. Undefined: the failure is its own.
 */
export async function chargeFix(
  run: Run,
  { stage, step, failure, ended }: Incident,
  failed: FailedAttempt,
): Promise<{ rerun: string; pauseMs: number } | { leave: string } | undefined> {
  const { failures, stages } = run.journal;
  const since = recordOf(stages, step)?.stale?.commits ?? [];
  const open = [...holdingFixes(run), ...failures.allOpenFixes()].filter((fix) => fix.step !== step);
  const fix = open.filter(({ commit }) => since.includes(commit)).at(-1);
  clearCharge(run, step, failure.fingerprint);
  if (!fix) {
    tripSafeModeIfReverted(run);
    const own = holdingFixes(run).find((one) => one.stage === stage && one.fingerprint === failure.fingerprint);
    if (own) await takeBack(run, own, 'no_effect', 'the same failure again');
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
  await takeBack(run, fix, 'broke', `${step} failed with it`, { step, fingerprint });
  return { rerun: `it failed with ${by}, which is taken back: once more`, pauseMs: 0 };
}

/** The step failed alike without the fix that was taken back for it: that fix is none the worse for it. */
function clearCharge(run: Run, step: string, fingerprint: string): void {
  const { journal } = run;
  const charge = journal.failures.charges.get(step);
  if (charge?.fingerprint === fingerprint) {
    const { fix } = charge;
    const reason = `${step} fails alike without it`;
    const data = { ...fixData(fix), outcome: 'withdrawn', reason, commit: '', reverts: fix.commit } as const;
    journal.append({ type: 'fix.reverted', stage: fix.stage, step: fix.step, data });
  }
}

/** Fixes whose stage is green with them, of this run or an earlier one, while stages that they changed are not; oldest first. */
function holdingFixes({ journal }: Run): (Fix & { run?: string })[] {
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

/** The step is over: what is still open of its fixes holds, or is taken back unjudged, the newest first. */
export async function settleFixes(run: Run, step: PlanStep, green: boolean): Promise<void> {
  const open = run.journal.failures.openFixes(stepLabel(step));
  for (const fix of green ? open : open.reverse()) {
    // Those that need it are looked at again, now that it was made again.
    const needing = run.requested.filter((name) => run.config.map.stages[name]?.needs.includes(fix.stage));
    const standing = needing.filter((name) => green && run.journal.stages.stages[name]?.status === 'green');
    const others = [...new Set([...waitsFor(run, fix), ...standing])];
    const isForPerson = others.some((name) => !run.config.map.stages[name]?.rerun);
    if (green && others.length === 0) recordFixStays(run, fix, 'verified', 'the stage is green');
    else if (green || isForPerson) recordFixStays(run, fix, 'holds', `to be verified by ${others.join(', ')}, too`);
    else await takeBack(run, fix, 'withdrawn', 'the stage did not end green');
  }
}

/** Fixes that held and for which no stage of this run has to be made again any more are verified. */
export function verifyHolding(run: Run): void {
  for (const fix of holdingFixes(run)) {
    const isGreen = run.journal.stages.stages[fix.stage]?.status === 'green';
    if (!isGreen || waitsFor(run, fix).length > 0) continue;
    recordFixStays(run, fix, 'verified', 'every stage that it changed is green');
  }
}
