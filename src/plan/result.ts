// How a plan ended, from the facts of its steps.
import { type ExecutionError, gravest } from './codes.ts';
import type { PlanResult, PlanStatus } from './contract.ts';

export interface PlanEnd {
  planId: string;
  executionId: string;
  total: number;
  done: number;
  errors: readonly ExecutionError[];
  /** The plan was stopped before its steps were through: by `halt`, or by something fatal. */
  halted: boolean;
  payload: Record<string, unknown>;
  completedAt: number;
  durationMs: number;
}

/** success: all done, no error. partial: went on past non-fatal errors and something is done. failure: the rest. */
export function planStatus(end: Pick<PlanEnd, 'total' | 'done' | 'errors' | 'halted'>): PlanStatus {
  if (end.errors.length === 0 && end.done === end.total && !end.halted) return 'success';
  const fatal = end.errors.some((e) => e.severity === 'fatal');
  return !fatal && !end.halted && end.done > 0 ? 'partial' : 'failure';
}

export function planResult(end: PlanEnd): PlanResult {
  return Object.freeze({
    plan_id: end.planId,
    execution_id: end.executionId,
    status: planStatus(end),
    completed_at: end.completedAt,
    duration_ms: end.durationMs,
    steps_executed: end.done,
    steps_total: end.total,
    result_payload: Object.freeze(end.payload),
    error: gravest(end.errors),
  });
}
