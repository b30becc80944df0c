// What the steps that had a failure say about the fixes of its trial, by how they ended with them. Pure.
import { cellNames } from '../plan/matrix.ts';
import type { Incident, Trial } from './incident.ts';

/**
 * `off`: the fixes from this one on did not help, or broke something, and are taken off; `helped`: cells are green with them;
 * `progress`: another failure came in the place of the first; `rerun`: `steps` must run once more before there is a verdict.
 */
export type Judgement = { reason: string } & (
  | { verdict: 'helped' | 'progress' }
  | { verdict: 'off'; outcome: 'no_effect' | 'broke'; from: number }
  | { verdict: 'rerun'; steps: readonly string[] }
);

/** Fixes that may stand in one trial. */
export const MAX_FIXES = 3;

/** A step that failed with the trial. */
type Red = Pick<Incident, 'step' | 'failure' | 'ended' | 'changedCheckFiles' | 'item'>;

/**
 * Judges a trial when all steps that had the failure of its latest fix have ended: by those that failed again, of which there is
 * one at least. The first line that holds decides.
 */
export function judge({ fixes }: Trial, reds: readonly Red[]): Judgement {
  const last = fixes.length - 1;
  const { green, rerun, wasTimeOut } = fixes[last] as Trial['fixes'][number];
  const off = (reason: string, outcome: 'no_effect' | 'broke' = 'no_effect', from = last): Judgement => ({
    verdict: 'off',
    outcome,
    from,
    reason,
  });
  if (reds.some((red) => red.changedCheckFiles)) return off('with it the stage changed what checks run', 'broke');
  if (!wasTimeOut && reds.some(({ ended }) => ended.timed_out)) return off('with it the stage runs out of time');
  const unsure = reds.filter((red) => isInconclusive(red) && !rerun.has(red.step));
  if (unsure.length > 0) {
    const reason = 'this end says nothing about the fix';
    return { verdict: 'rerun', reason, steps: unsure.map(({ step }) => step) };
  }
  const [item] = reds.flatMap((red) => red.item ?? []);
  if (item?.testsFailed) return off('its tests fail with it', 'broke');
  // A change may do one step of several: what accepts the item need not hold before the last.
  if (item)
    return fixes.length < item.steps
      ? { verdict: 'progress', reason: 'its tests pass, and what accepts it does not hold yet' }
      : off('as many changes as steps, and what accepts it does not hold');
  if (green.size > 0)
    return {
      verdict: 'helped',
      reason: helpedWords(
        [...green],
        reds.map(({ step }) => step),
      ),
    };
  const seen = new Set(reds.map(({ failure }) => failure.fingerprint));
  const back = fixes.findIndex(({ fix }) => seen.has(fix.fingerprint));
  if (back === last) return off('the same failure again');
  if (back >= 0) return off('a failure is back that it had earlier in this trial', 'no_effect', back);
  // A stack that only grows is no progress.
  if (fixes.length >= MAX_FIXES) return off(`${fixes.length} fixes stand and the stage is not green`);
  return { verdict: 'progress', reason: 'another failure came in its place' };
}

/** Whether an end proves nothing about a fix. */
export const isInconclusive = ({ failure }: Pick<Incident, 'failure'>): boolean =>
  failure.transient || failure.external;

/** The cells that a fix helped, and those that it did not. */
export const helpedWords = (green: readonly string[], red: readonly string[]): string =>
  `green with it: ${cellNames(green)}; not: ${cellNames(red)}`;
