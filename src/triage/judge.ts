// Whether a fix helped, from how its stage ended after it. Pure.

/** How the attempt after a fix ended. `lost`: it was interrupted, or its backend failed. */
export type Ended =
  | { how: 'green' }
  | { how: 'failed'; fingerprint: string; transient: boolean; external: boolean; timed_out: boolean }
  | { how: 'lost' };

export interface Trial {
  /** What the fix was for. */
  fingerprint: string;
  ended: Ended;
  /** The other fingerprints this stage had in this run, before the fix. */
  earlier: readonly string[];
  /** Whether a file that the fix touched no longer parses. */
  broken_syntax: boolean;
  /** Fixes kept as provisional on this stage in this run. */
  provisional: number;
  /** Whether the stage was run again already because its end said nothing. */
  rerun: boolean;
}

/** `no_effect` and `broke` are to be reverted; `rerun`: nothing can be said yet. */
export interface Judgement {
  verdict: 'verified' | 'provisional' | 'no_effect' | 'broke' | 'rerun';
  reason: string;
}

/** Fixes that may be stacked on one stage in one run before it is green. */
export const MOST_PROVISIONAL = 3;

/** Judges a fix by the attempt after it. Total; the first line that holds decides. */
export function judgeFix({ fingerprint, ended, earlier, broken_syntax, provisional, rerun }: Trial): Judgement {
  if (ended.how === 'green') return { verdict: 'verified', reason: 'the stage is green' };
  if (broken_syntax) return { verdict: 'broke', reason: 'a file it touched no longer parses' };
  if (isNoise(ended) && !rerun) return { verdict: 'rerun', reason: 'this end says nothing about the fix' };
  const after = ended.how === 'failed' ? ended.fingerprint : undefined;
  if (after === fingerprint) return { verdict: 'no_effect', reason: 'the same failure again' };
  if (after !== undefined && earlier.includes(after)) {
    return { verdict: 'broke', reason: 'a failure is back that the stage had earlier in this run' };
  }
  // A stack that only grows is no progress. Reverting its top spends the budget of the failure below, so that a person
  // hears of it; withdrawing it would build the same stack in every run.
  if (provisional >= MOST_PROVISIONAL) {
    return { verdict: 'no_effect', reason: `${provisional} fixes are kept already and the stage is not green` };
  }
  return { verdict: 'provisional', reason: 'another failure came in its place' };
}

const isNoise = (ended: Ended): boolean =>
  ended.how === 'lost' || (ended.how === 'failed' && (ended.transient || ended.external || ended.timed_out));
