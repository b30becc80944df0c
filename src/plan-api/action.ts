// What the steps of a caller's own plan can do: actions by name, and how their answers end an attempt.
import type { z } from 'zod';
import type { ExecutionContext, Plan, PlanStep } from '../plan/contract.ts';
import { type StageEnd, type StepResult, stopEnd } from '../plan/stage-end.ts';

/** One call of an action for one step. */
export interface ActionCall<P = unknown> {
  readonly step: PlanStep;
  readonly payload: P;
  readonly plan: Plan;
  readonly context: ExecutionContext;
  /** 1 for the first attempt of this execution, also when an earlier process made it. */
  readonly attempt: number;
  /** Aborts when the step must stop: its own timeout, the plan's, the deadline, or an interruption. */
  readonly signal: AbortSignal;
}

/** How a call ended. Only a bug throws, or what `signal` aborted with. */
export type Outcome =
  /** `fresh`: it was done before and still holds. */
  | { kind: 'done'; fresh?: boolean; result?: StepResult }
  /** Failed; `again: false` means that trying the same once more is pointless or not allowed. */
  | { kind: 'failed'; message: string; again?: boolean; context?: Record<string, unknown> }
  /** Stopped by the signal. */
  | { kind: 'stopped' }
  /** The whole plan cannot go on, whatever the step's `on_failure`. */
  | { kind: 'halt'; message: string; context?: Record<string, unknown> };

export interface Action<P = unknown> {
  readonly payload: z.ZodType<P>;
  /** The outcome of a step that needs no attempt; `undefined` when it needs one. */
  upToDate?(call: ActionCall<P>): Promise<Outcome | undefined>;
  run(call: ActionCall<P>): Promise<Outcome>;
}

export type ActionRegistry = ReadonlyMap<string, Action>;

/** An action as the registry holds it: every payload is checked against its schema before the first step. */
export function action<P>(definition: Action<P>): Action {
  return definition as unknown as Action;
}

/** What an answer means for the schedule; one that came after the stop counts only if it halts. Throws when it is no outcome. */
export function endOfAnswer(answer: unknown, signal: AbortSignal): StageEnd {
  if (!isOutcome(answer)) throw new TypeError(`the action answered with no outcome: ${JSON.stringify(answer)}`);
  if (answer.kind === 'halt') return { ...answer, kind: 'halted' };
  if (answer.kind === 'stopped' || signal.aborted) return stopEnd(signal);
  return answer.kind === 'done' ? { ...answer, kind: 'green' } : answer;
}

function isOutcome(answer: unknown): answer is Outcome {
  const { kind, message } = (answer ?? {}) as { kind?: unknown; message?: unknown };
  if (kind === 'failed' || kind === 'halt') return typeof message === 'string';
  return kind === 'done' || kind === 'stopped';
}
