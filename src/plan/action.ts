// What a step can do: actions by name. A stage is one of them.
import type { z } from 'zod';
import type { DataOf } from '../events.ts';
import type { ExecutionError } from './codes.ts';
import type { ExecutionContext, Plan, PlanStep } from './contract.ts';

/** One call of an action for one step. */
export interface ActionCall<P = unknown> {
  readonly step: PlanStep;
  readonly payload: P;
  readonly plan: Plan;
  readonly context: ExecutionContext;
  /** 1 for the first attempt of this run, also when an earlier process made it. */
  readonly attempt: number;
  /** Aborts when the step must stop: its own timeout, the plan's, the deadline, or an interruption. */
  readonly signal: AbortSignal;
}

/** What a done step returned; `inputs` and `head` are a stage's. */
export type StepResult = DataOf<'step.done'> & Record<string, unknown>;

/** How an attempt ended. Only a bug throws. */
export type Outcome =
  /** `fresh`: it was done before and still holds. */
  | { kind: 'done'; fresh?: boolean; result?: StepResult }
  /** Failed; `again: false` means that trying the same once more is pointless or not allowed. */
  | { kind: 'failed'; message: string; again?: boolean; context?: Record<string, unknown> }
  /** Stopped by the signal; `late`: by its own time limit. */
  | { kind: 'stopped'; late?: true }
  /** It did not begin, and counts as no attempt: call again. */
  | { kind: 'returned'; reason: string }
  /** Its end is unknown; `again: false` as above. */
  | { kind: 'lost'; message: string; again?: boolean; context?: Record<string, unknown> }
  /** The whole run cannot go on, whatever the step's `on_failure`. */
  | { kind: 'halt'; message: string; context?: Record<string, unknown> };

/** How a call ended, or why there was none. */
export type Ended =
  | Outcome
  | { kind: 'error'; error: ExecutionError }
  /** Left for the next run. */
  | { kind: 'left'; reason: string }
  /** The plan was stopped before it began. */
  | { kind: 'unbegun'; error: ExecutionError }
  /** It goes on when what it needs was made again, or its stage is no longer held. */
  | { kind: 'suspended' };

/** What follows an attempt: the step's end, or another attempt after a pause. */
export type Next = { end: Ended } | { again: DataOf<'step.retry'> };

export const again = (pause_ms: number, reason: string, tier?: 'wait' | 'fix'): Next => ({
  again: { pause_ms, reason, ...(tier && { tier }) },
});

export interface Action<P = unknown> {
  readonly payload: z.ZodType<P>;
  /** `run` keeps the step's time limit itself, and answers `stopped` and `late`. */
  readonly keepsTime?: boolean;
  /** The outcome of a step that needs no attempt; `undefined` when it needs one. */
  upToDate?(call: ActionCall<P>): Promise<Outcome | undefined>;
  run(call: ActionCall<P>): Promise<Outcome>;
}

export type ActionRegistry = ReadonlyMap<string, Action>;

/** An action as the registry holds it: the executor checks every payload against its schema before the first step. */
export function action<P>(definition: Action<P>): Action {
  return definition as unknown as Action;
}
