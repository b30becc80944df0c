// How a plan ended, from the facts of its steps.
import { type ExecutionError, gravest } from './codes.ts';
import type { PlanResult, PlanStatus } from './contract.ts';

export interface PlanEnd extends Omit<PlanResult, 'status' | 'error'> {
  errors: readonly ExecutionError[];
  /** The plan was stopped before its steps were through: by `halt`, or by something fatal. */
  halted: boolean;
}

/** success: all done, no error. partial: went on past non-fatal errors and something is done. failure: the rest. */
export function planStatus(end: Pick<PlanEnd, 'steps_total' | 'steps_executed' | 'errors' | 'halted'>): PlanStatus {
  if (end.errors.length === 0 && end.steps_executed === end.steps_total && !end.halted) return 'success';
  const fatal = end.errors.some((e) => e.severity === 'fatal');
  return !fatal && !end.halted && end.steps_executed > 0 ? 'partial' : 'failure';
}

export function planResult(end: PlanEnd): PlanResult {
  const { plan_id, execution_id, errors, halted: _, ...facts } = end;
  Object.freeze(facts.result_payload);
  return Object.freeze({ plan_id, execution_id, status: planStatus(end), ...facts, error: gravest(errors) });
}
