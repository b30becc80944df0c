// Which steps may start now: pure answers from completion facts. The driver starts them.
import type { Plan, PlanStep } from './contract.ts';
import type { RunState } from './run-state.ts';

export interface RunScheduler {
  readonly name: string;
  /** The set of steps that may start now, in starting order; the driver takes as many as it has workers. Changes nothing. */
  ready(state: RunState, plan: Plan): Iterable<PlanStep>;
}

/** One step at a time, in the plan's order. */
export const linear: RunScheduler = {
  name: 'linear',
  ready: (state) => (state.running > 0 ? [] : first(1, state.frontier)),
};

/** Every step whose dependencies are done. */
export const parallel: RunScheduler = { name: 'parallel', ready: (state) => state.frontier };

/** The first `n` of a set that may be long, but for those left out. */
export function first(n: number, steps: Iterable<PlanStep>, isLeftOut?: (step: PlanStep) => boolean): PlanStep[] {
  const chosen: PlanStep[] = [];
  if (n < 1) return chosen;
  for (const step of steps) if (!isLeftOut?.(step) && chosen.push(step) >= n) break;
  return chosen;
}
