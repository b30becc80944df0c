// Plan and context against the contract: a frozen value, or the one error that lists every violation.
import type { z } from 'zod';
import { freeze, frozenCopy } from '../config/freeze.ts';
import { cyclesOf } from '../config/needs.ts';
import type { ActionRegistry } from './action.ts';
import { type ExecutionError, executionError } from './codes.ts';
import { contextSchema, type ExecutionContext, type Plan, planSchema } from './contract.ts';
import { duplicateIds, unknownDependencies } from './graph.ts';
import { stepLabel } from './step-label.ts';

export type Checked<T> = { ok: true; value: T } | { ok: false; error: ExecutionError };

export const DEFAULT_MAX_STEPS = 1024;

/** A deep-frozen copy of `input` as a Plan; never throws. */
export function validatePlan(input: unknown, maxSteps = DEFAULT_MAX_STEPS): Checked<Plan> {
  const copy = copied(input);
  if (!copy.ok) return copy;
  const parsed = planSchema.safeParse(copy.value);
  const broken = [...(parsed.success ? [] : violations(parsed.error)), ...brokenSteps(copy.value, maxSteps)];
  if (!parsed.success || broken.length > 0) return invalid('plan', broken);
  return resolveDependencies(freeze(parsed.data) as Plan);
}

/** What is wrong with the steps as a list, looked at as they were given: the schema sees them one by one. */
function brokenSteps(plan: unknown, maxSteps: number): string[] {
  const steps = (plan as { steps?: unknown } | null | undefined)?.steps;
  if (!Array.isArray(steps)) return [];
  const named = steps.filter((step) => typeof step?.id === 'string') as { id: string }[];
  return [
    ...(steps.length > maxSteps ? [`steps: ${steps.length} steps, at most ${maxSteps} are allowed`] : []),
    ...duplicateIds(named).map((id) => `steps: id ${id} occurs more than once`),
  ];
}

function resolveDependencies(plan: Plan): Checked<Plan> {
  const unknown = unknownDependencies(plan.steps);
  if (unknown.length > 0) {
    const lines = unknown.map((u) => `step ${u.step} depends on ${u.dependency}, which is not in the plan`);
    return refused(executionError('DEPENDENCY_UNRESOLVED', lines.join('; '), { context: { violations: lines } }));
  }
  const [cycle] = cyclesOf(new Map(plan.steps.map((s) => [s.id, s.depends_on])));
  if (cycle) {
    const names = new Map(plan.steps.map((s) => [s.id, stepLabel(s)]));
    const message = `the steps depend on each other in a circle: ${cycle.map((id) => names.get(id)).join(' → ')}`;
    return refused(executionError('DEPENDENCY_UNRESOLVED', message, { context: { cycle } }));
  }
  return { ok: true, value: plan };
}

/** A deep-frozen copy of `input` as the context of `plan`; never throws. */
export function validateContext(plan: Plan, input: unknown): Checked<ExecutionContext> {
  // The plan inside was checked and copied already; only which one it is matters here.
  const { plan: inside, ...rest } = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >;
  const copy = copied(rest);
  if (!copy.ok) return copy;
  const parsed = contextSchema.safeParse(copy.value);
  if (!parsed.success) return invalid('context', violations(parsed.error));
  const given = (inside as { id?: unknown } | null | undefined)?.id;
  if (given !== plan.id) {
    return invalid('context', [`plan: is ${typeof given === 'string' ? given : 'no plan'}, expected ${plan.id}`]);
  }
  const context = freeze({ ...parsed.data, plan }) as ExecutionContext;
  const window = context.deadline_ms - context.started_at;
  if (window < plan.timeout_ms) {
    const message = `the window to the deadline is ${window} ms, the plan may take ${plan.timeout_ms} ms`;
    return refused(executionError('DEADLINE_EXCEEDED', message, { context: { window_ms: window } }));
  }
  const missing = plan.context_requirements.filter((key) => !Object.hasOwn(context.environment, key));
  if (missing.length > 0) {
    const message = `the context lacks ${missing.join(', ')}`;
    return refused(executionError('CONTEXT_MISSING', message, { context: { missing } }));
  }
  return { ok: true, value: context };
}

/** `path: message` for each issue of a schema. */
function violations(error: z.ZodError): string[] {
  return error.issues.map((i) => `${i.path.join('.') || '(root)'}: ${i.message}`);
}

/** The refusal that lists everything wrong with `what`. */
function invalid(what: string, list: readonly string[]): { ok: false; error: ExecutionError } {
  const message = `the ${what} breaks the contract: ${list.join('; ')}`;
  return refused(executionError('INVALID_PAYLOAD', message, { context: { violations: list } }));
}

const refused = (error: ExecutionError): { ok: false; error: ExecutionError } => ({ ok: false, error });

/** The caller's own objects stay theirs: what they change later must not change a plan that was checked. */
function copied(input: unknown): Checked<unknown> {
  try {
    return { ok: true, value: frozenCopy(input) };
  } catch (error) {
    return invalid('input', [`it cannot be copied: ${(error as Error).message}`]);
  }
}

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
