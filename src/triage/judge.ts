// Whether a fix helped, from how the steps that had its failure ended after it. Pure.
import { cellNames } from '../plan/matrix.ts';
import type { Incident } from './incident.ts';

/**
 * `no_effect` and `broke` are to be reverted; `helped`: it stays, for the steps that are green with it; `rerun`: `steps` must
 * run once more before there is a verdict.
 */
export type Judgement = { reason: string } & (
  | { verdict: 'provisional' | 'no_effect' | 'broke' | 'helped' }
  | { verdict: 'rerun'; steps: readonly string[] }
);

/** Fixes that may be stacked on one stage in one run before it is green. */
export const MAX_PROVISIONAL = 3;

/** A step that failed with the fix. */
type Red = Pick<Incident, 'step' | 'failure' | 'ended' | 'changedCheckFiles' | 'item'>;

/**
 * Judges the fix on trial when all steps that had its failure have ended: by those that failed again, of which there is one
 * at least. Undefined when there is none on trial. The first line that holds decides.
 */
export function judge({ trial, provisional }: Pick<Incident, 'trial' | 'provisional'>, reds: readonly Red[]) {
  if (!trial) return undefined;
  const { green, rerun, earlier, fix } = trial;
  if (reds.some((red) => red.changedCheckFiles)) return say('broke', 'with it the stage changed what checks run');
  const unsure = reds.filter((red) => isInconclusive(red) && !rerun.has(red.step));
  if (unsure.length > 0) {
    const reason = 'this end says nothing about the fix';
    return { verdict: 'rerun', reason, steps: unsure.map(({ step }) => step) } satisfies Judgement;
  }
  const [item] = reds.flatMap((red) => red.item ?? []);
  if (item?.testsFailed) return say('broke', 'its tests fail with it');
  // A change may do one step of several: what accepts the item need not hold before the last.
  if (item)
    return provisional.length + 1 < item.steps
      ? say('provisional', 'its tests pass, and what accepts it does not hold yet')
      : say('no_effect', 'as many changes as steps, and what accepts it does not hold');
  const stillRed = reds.map(({ step }) => step);
  if (green.size > 0) return say('helped', helpedWords([...green], stillRed));
  const fingerprints = reds.map(({ failure }) => failure.fingerprint);
  if (fingerprints.includes(fix.fingerprint)) return say('no_effect', 'the same failure again');
  if (fingerprints.some((fingerprint) => earlier.includes(fingerprint))) {
    return say('broke', 'a failure is back that the stage had earlier in this run');
  }
  // A stack that only grows is no progress. `no_effect` counts as a failed try of the failure below, so that a person
  // is asked in the end; withdrawing it would spend nothing and build the same stack in every run.
  if (provisional.length >= MAX_PROVISIONAL) {
    return say('no_effect', `${provisional.length} fixes are kept already and the stage is not green`);
  }
  return say('provisional', 'another failure came in its place');
}

/** Whether an end proves nothing about a fix. */
export const isInconclusive = ({ failure, ended }: Pick<Incident, 'failure' | 'ended'>): boolean =>
  failure.transient || failure.external || ended.timed_out;

const say = (verdict: Exclude<Judgement['verdict'], 'rerun'>, reason: string): Judgement => ({ verdict, reason });

/** The cells that a fix helped, and those that it did not. */
export const helpedWords = (green: readonly string[], red: readonly string[]): string =>
  `green with it: ${cellNames(green)}; not: ${cellNames(red)}`;
