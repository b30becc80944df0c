// Blind retries: whether the same step is tried again, and after how long. Pure.
import type { ExecutionCode } from '../plan/codes.ts';
import type { Plan, PlanStep, RetryPolicy } from '../plan/contract.ts';

/** The policy that holds for a step: its own, else the plan's. */
export function policyOf(plan: Plan, step: PlanStep): RetryPolicy {
  return step.retry_policy ?? plan.retry_policy;
}

/** Milliseconds to wait before the next try after `tries` tries, or undefined when there is none. */
export function nextTry(plan: Plan, step: PlanStep, code: ExecutionCode, tries: number): number | undefined {
  const policy = policyOf(plan, step);
  const allowed = step.on_failure === 'retry' && policy.retryable_error_codes.includes(code);
  if (!allowed || tries >= policy.max_attempts) return undefined;
  if (policy.backoff_ms === 0) return 0;
  return Math.min(policy.backoff_ms * policy.backoff_multiplier ** (tries - 1), policy.max_backoff_ms);
}
