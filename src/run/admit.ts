// What must hold before a plan may start: contract, known actions, payloads, a window that is open, an id that is new.

import type { ActionRegistry } from '../plan/action.ts';
import { executionError } from '../plan/codes.ts';
import type { ExecutionContext, Plan } from '../plan/contract.ts';
import { stepLabel } from '../plan/step-label.ts';
import { type Checked, invalid, validateContext, validatePlan, violations } from '../plan/validate.ts';

export interface Admission {
  actions: ActionRegistry;
  maxSteps: number;
  now: number;
  finished(executionId: string): boolean;
}

/** Plan and context, frozen; or the first error that keeps them from running, with all its violations. */
export function admit(
  planInput: unknown,
  contextInput: unknown,
  admission: Admission,
): Checked<{ plan: Plan; context: ExecutionContext }> {
  const plan = validatePlan(planInput, admission.maxSteps);
  if (!plan.ok) return plan;
  const context = validateContext(plan.value, contextInput);
  if (!context.ok) return context;
  const { execution_id: id, deadline_ms: deadline } = context.value;
  if (admission.finished(id)) {
    return invalid('context', [`execution_id: ${id} has ended before and cannot run again`]);
  }
  if (admission.now > deadline) {
    const message = `the deadline ${new Date(deadline).toISOString()} has passed`;
    return { ok: false, error: executionError('DEADLINE_EXCEEDED', message) };
  }
  return admitSteps(plan.value, admission.actions) ?? { ok: true, value: { plan: plan.value, context: context.value } };
}

function admitSteps(plan: Plan, actions: ActionRegistry): Checked<never> | undefined {
  const unknown = plan.steps.find((s) => !actions.has(s.action));
  if (unknown) {
    const names = [...new Set(plan.steps.map((s) => s.action).filter((name) => !actions.has(name)))];
    const context = { actions: names, registered: [...actions.keys()] };
    const message = `no such action is registered: ${names.join(', ')}`;
    return { ok: false, error: executionError('ACTION_NOT_FOUND', message, { step_id: unknown.id, context }) };
  }
  const broken = plan.steps.flatMap((s) => {
    const parsed = actions.get(s.action)?.payload.safeParse(s.payload);
    return parsed?.success === false ? violations(parsed.error).map((v) => `step ${stepLabel(s)}: payload.${v}`) : [];
  });
  return broken.length > 0 ? invalid('plan', broken) : undefined;
}
