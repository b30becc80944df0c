// A step that was green fails after a fix of another step changed its inputs: the fix is charged with the failure and taken
// back. When the step fails alike without it, the fix is cleared of the charge.
import { isItemStage } from '../backlog/stage-of-item.ts';
import type { Fix } from '../events.ts';
import { recordOf, stepRecords, wasGreen } from '../journal/stages.ts';
import { again, type Next } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import { isInconclusive } from '../triage/judge.ts';
import { fixesIn, type LedgerFix } from '../triage/ledger.ts';
import { recordWithdrawn, takeBack } from './commit.ts';
import { type Answers, answerAll, type FailedCell, hasRoom } from './failed-cell.ts';
import { bringBack, takeBackItem } from './item-changes.ts';
import { tripSafeModeIfReverted } from './trip-safe-mode.ts';

/** Fixes whose stage is green with them while stages that they made stale are not, of any run, the oldest first. */
export const holdingFixes = ({ journal }: Run): LedgerFix[] =>
  fixesIn(journal.ledger).filter(({ outcome }) => outcome === 'holds');

/**
 * Charges the newest unverified fix that made one of the steps stale, and takes it back: then all cells run again. A
 * failure that proves nothing about the fix is only rerun or left for the next run. Undefined: no fix is to blame.
 */
export async function chargeFix(run: Run, cells: readonly FailedCell[]): Promise<Answers | undefined> {
  for (const cell of cells) {
    const { step, failure } = cell.incident;
    const fix = newestChange(run, step);
    const item = fix && isItemStage(fix.stage) ? fix.stage : undefined;
    const charge = run.journal.failures.charges.get(step);
    // An item that was being taken back when the loop was stopped is taken back completely first.
    const isInterrupted = charge?.fixes.some((charged) => charged.fix.stage === item);
    if (!isInterrupted) await clearCharge(run, step, failure.fingerprint);
    if (!fix) {
      await judgeByReturn(run, cell);
      continue;
    }
    const by = `the fix of ${fix.stage} (${fix.note.fix})`;
    const unsure = ifInconclusive(run, cell, by);
    if (unsure) return answerAll([cell], unsure);
    const charged = { step, fingerprint: failure.fingerprint };
    const why = `${step} failed with it`;
    if (item) await takeBackItem(run, item, why, charged);
    else await takeBack(run, fix, 'broke', why, charged);
    return answerAll(cells, again(0, `it failed with ${by}, which is taken back: once more`));
  }
  return undefined;
}

/** The newest fix of another step, not verified yet, that made this step stale. */
function newestChange(run: Run, step: string): Fix | undefined {
  const { failures, stages } = run.journal;
  const commits = recordOf(stages, step)?.stale?.commits ?? [];
  const holding = holdingFixes(run).filter(({ left }) => !left?.includes(step));
  return [...holding, ...failures.openFixes()].findLast((fix) => fix.step !== step && commits.includes(fix.commit));
}

/** A failure that is back takes back the fix of it that holds, unless that fix helped other cells. */
async function judgeByReturn(run: Run, { incident: { stage, step, failure } }: FailedCell): Promise<void> {
  tripSafeModeIfReverted(run);
  const fix = holdingFixes(run).find((held) => held.stage === stage && held.fingerprint === failure.fingerprint);
  const hasHelped = stepRecords(run.journal.stages).some(
    (other) => other.stage === stage && other.step !== step && wasGreen(other.record),
  );
  if (fix && !hasHelped) await takeBack(run, fix, 'no_effect', 'the same failure again');
}

/** A transient, external or timed-out failure proves nothing about a fix: one rerun, then the step is left for the next run. */
function ifInconclusive(run: Run, { incident, failed }: FailedCell, by: string): Next | undefined {
  const { step, failure } = incident;
  if (!isInconclusive(incident)) return undefined;
  const pauseMs = (failure.transient && run.config.loop.wait.backoff[0]) || 0;
  if (!run.journal.failures.hasRerun(step) && hasRoom(run, failed, pauseMs)) {
    return again(pauseMs, `this end says nothing about ${by}: once more`);
  }
  const what = failure.advice ?? failure.errors[0]?.lines[0] ?? 'its last end';
  const reason = `${what} (this says nothing about ${by}, which changed what it is made from)`;
  return { end: { kind: 'stopped', left: true, message: reason } };
}

/** The step fails alike without the fixes taken back for it: an item's are brought back, others count as withdrawn. */
async function clearCharge(run: Run, step: string, fingerprint: string): Promise<void> {
  const charge = run.journal.failures.charges.get(step);
  if (charge?.fingerprint !== fingerprint) return;
  if (charge.fixes.some(({ fix }) => isItemStage(fix.stage))) return bringBack(run, step, charge);
  for (const { fix } of charge.fixes) recordWithdrawn(run, fix, `${step} fails alike without it`);
}
