// Whether a fix helped, from the failure that came after it. Pure.
import type { Incident } from './incident.ts';

/** `no_effect` and `broke` are to be reverted; `rerun`: nothing can be said yet. */
export interface Judgement {
  verdict: 'provisional' | 'no_effect' | 'broke' | 'rerun';
  reason: string;
}

/** Fixes that may be stacked on one stage in one run before it is green. */
export const MAX_PROVISIONAL = 3;

type Judged = Pick<Incident, 'failure' | 'ended' | 'trial' | 'provisional' | 'changedJudges' | 'item'>;

/** Judges the fix on trial by the failure after it; undefined when there is none. The first line that holds decides. */
export function judge({ failure, ended, trial, provisional, changedJudges, item }: Judged): Judgement | undefined {
  if (!trial) return undefined;
  if (changedJudges) return { verdict: 'broke', reason: 'with it the stage changed what checks run' };
  const isInconclusive = failure.transient || failure.external || ended.timed_out;
  if (isInconclusive && !trial.rerun) return { verdict: 'rerun', reason: 'this end says nothing about the fix' };
  if (item?.testsFailed) return { verdict: 'broke', reason: 'its tests fail with it' };
  // A change may do one step of several: what accepts the item need not hold before the last.
  if (item && provisional.length + 1 < item.steps) {
    return { verdict: 'provisional', reason: 'its tests pass, and what accepts it does not hold yet' };
  }
  const { fingerprint } = failure;
  if (fingerprint === trial.fix.fingerprint) return { verdict: 'no_effect', reason: 'the same failure again' };
  if (trial.earlier.includes(fingerprint)) {
    return { verdict: 'broke', reason: 'a failure is back that the stage had earlier in this run' };
  }
  // A stack that only grows is no progress. `no_effect` counts as a failed try of the failure below, so that a person
  // hears of it in the end; withdrawing it would spend nothing and build the same stack in every run.
  if (provisional.length >= MAX_PROVISIONAL) {
    return { verdict: 'no_effect', reason: `${provisional.length} fixes are kept already and the stage is not green` };
  }
  return { verdict: 'provisional', reason: 'another failure came in its place' };
}
