// Which steps may start now: pure answers from completion facts. The driver starts them.
import type { Plan, PlanStep } from './contract.ts';
import type { RunState } from './run-state.ts';

export interface RunScheduler {
  readonly name: string;
  /** The set of steps that may start now, in starting order. Must not change `state`. */
  ready(state: RunState, plan: Plan): readonly PlanStep[];
}

/** One step at a time, in the plan's order. */
export const linear: RunScheduler = {
  name: 'linear',
  ready: (state) => (state.running > 0 ? [] : state.frontier.slice(0, 1)),
};

/** Every step whose dependencies are done. */
export const parallel: RunScheduler = {
  name: 'parallel',
  ready: (state) => state.frontier,
};
