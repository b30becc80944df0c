// Failed cells of a stage, and what follows for them: they are answered together.
import type { PlanStep } from '../plan/contract.ts';
import type { EndOf, Next } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';

export interface FailedAttempt {
  step: PlanStep;
  attempt: number;
  end: EndOf<'failed'>;
  /** Of the run, as of now. */
  timeLeftMs(): number;
}

/** A cell of a stage that failed, with all that is known of its failure. A stage without a matrix is one cell. */
export interface FailedCell {
  readonly failed: FailedAttempt;
  readonly incident: Incident;
}

/** Whether another attempt fits into the limits of the run, after a pause. */
export const hasRoom = ({ config }: Run, { attempt, timeLeftMs }: FailedAttempt, pauseMs: number): boolean =>
  attempt < config.loop.limits.stage_attempts && timeLeftMs() > pauseMs;

/** What follows for failed cells of a stage. */
export type Answers = ReadonlyMap<FailedCell, Next>;

export const answerAll = (cells: readonly FailedCell[], next: Next): Answers =>
  new Map(cells.map((cell) => [cell, next]));
