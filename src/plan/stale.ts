// Which green stages no longer stand after the tree was written: their inputs changed, or tracked files that they had
// written were put back. Pure.
import type { Inputs } from '../events.ts';
import { compareInputs } from './inputs.ts';

/** A green step as it was recorded, and what it would be made from now. */
export interface GreenStep {
  readonly stage: string;
  readonly recorded: Inputs | undefined;
  /** Undefined: nothing of it was touched. */
  readonly now: Inputs | undefined;
  /** Tracked files that it changed, and that only it writes again. */
  readonly wrote: readonly string[];
}

export interface StaleStage {
  readonly stage: string;
  readonly why: string;
  /** It must run again even when its inputs are what they were. */
  readonly remake: boolean;
}

const FRESH = { fresh: true } as const;

/** One row for each stage of which a step no longer stands. `putBack`: tracked files that are at HEAD again. */
export function staleStages(green: readonly GreenStep[], putBack: readonly string[]): StaleStage[] {
  const stale = new Map<string, StaleStage>();
  for (const { stage, recorded, now, wrote } of green) {
    const lost = wrote.filter((path) => putBack.includes(path));
    const inputs = now ? compareInputs(recorded, now) : FRESH;
    if (lost.length > 0)
      stale.set(stage, { stage, why: `${lost.join(', ')}, which it wrote, was put back`, remake: true });
    else if (!inputs.fresh && !stale.has(stage)) stale.set(stage, { stage, why: inputs.why, remake: false });
  }
  return [...stale.values()];
}
