// A failed attempt on its way to whoever mends, and what they say to do about it.
import type { ExecutionError } from '../plan/codes.ts';
import type { PlanStep } from '../plan/contract.ts';

/** A failed attempt, as triage is told of it. */
export interface FailedAttempt {
  step: PlanStep;
  attempt: number;
  error: ExecutionError;
  /** False when the same command must not run once more. */
  mayRunAgain: boolean;
  /** Of the run, as of now. */
  timeLeftMs(): number;
}

export interface Triaged {
  /** Run the step again after this long: a failure was waited for, or something was changed. */
  pauseMs?: number;
  tier?: 'wait' | 'fix';
  reason: string;
  /** What the step's end tells besides: who the failure is. */
  context: Record<string, unknown>;
}

/** Knows failures and says what to do about them, and what to do when a step is over. Throws only for bugs, and MendError. */
export interface Mender {
  failed(attempt: FailedAttempt): Promise<Triaged>;
  /** Before the step's own end is told. */
  ended(step: PlanStep, green: boolean): Promise<void>;
}
