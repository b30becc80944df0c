// Plan and context against the contract: a frozen value, or the one error that lists every violation.
import type { z } from 'zod';
import { freeze, frozenCopy } from '../config/freeze.ts';
import { cyclesOf } from '../config/needs.ts';
import type { ActionRegistry } from './action.ts';
import { type ExecutionCode, type ExecutionError, executionError } from './codes.ts';
import { contextSchema, type ExecutionContext, type Plan, planSchema } from './contract.ts';
import { stepLabel } from './matrix.ts';

type Refused = { ok: false; error: ExecutionError };
export type Checked<T> = { ok: true; value: T } | Refused;

export const DEFAULT_MAX_STEPS = 1024;

/** A deep-frozen copy of `input` as a Plan; never throws. */
export function validatePlan(input: unknown, maxSteps = DEFAULT_MAX_STEPS): Checked<Plan> {
  const copy = copied(input);
  if (!copy.ok) return copy;
  const parsed = planSchema.safeParse(copy.value);
  const broken = [...violations(parsed), ...brokenSteps(copy.value, maxSteps)];
  if (!parsed.success || broken.length > 0) return invalid('plan', broken);
  return resolveDependencies(freeze(parsed.data) as Plan);
}

/** What is wrong with the steps as a list, looked at as they were given: the schema sees them one by one. */
function brokenSteps(plan: unknown, maxSteps: number): string[] {
  const steps = (plan as { steps?: unknown } | null | undefined)?.steps;
  if (!Array.isArray(steps)) return [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const id of steps.map((step) => step?.id)) if (typeof id === 'string') (seen.has(id) ? repeated : seen).add(id);
  return [
    ...(steps.length > maxSteps ? [`steps: ${steps.length} steps, at most ${maxSteps} are allowed`] : []),
    ...[...repeated].map((id) => `steps: id ${id} occurs more than once`),
  ];
}

function resolveDependencies(plan: Plan): Checked<Plan> {
  const names = new Map(plan.steps.map((s) => [s.id, stepLabel(s)]));
  const violations = plan.steps.flatMap(({ id, depends_on }) =>
    depends_on.filter((d) => !names.has(d)).map((d) => `step ${id} depends on ${d}, which is not in the plan`),
  );
  if (violations.length > 0) return refused('DEPENDENCY_UNRESOLVED', violations.join('; '), { violations });
  const [cycle] = cyclesOf(new Map(plan.steps.map((s) => [s.id, s.depends_on])));
  if (cycle) {
    const message = `the steps depend on each other in a circle: ${cycle.map((id) => names.get(id)).join(' → ')}`;
    return refused('DEPENDENCY_UNRESOLVED', message, { cycle });
  }
  return { ok: true, value: plan };
}

/** A deep-frozen copy of `input` as the context of `plan`; never throws. */
export function validateContext(plan: Plan, input: unknown): Checked<ExecutionContext> {
  // The plan inside was checked and copied already; only which one it is matters here.
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const { plan: inside, ...rest } = fields;
  const copy = copied(rest);
  if (!copy.ok) return copy;
  const parsed = contextSchema.safeParse(copy.value);
  if (!parsed.success) return invalid('context', violations(parsed));
  const given = (inside as { id?: unknown } | null | undefined)?.id;
  if (given !== plan.id) {
    return invalid('context', [`plan: is ${typeof given === 'string' ? given : 'no plan'}, expected ${plan.id}`]);
  }
  const context = freeze({ ...parsed.data, plan }) as ExecutionContext;
  const window = context.deadline_ms - context.started_at;
  if (window < plan.timeout_ms) {
    const message = `the window to the deadline is ${window} ms, the plan may take ${plan.timeout_ms} ms`;
    return refused('DEADLINE_EXCEEDED', message, { window_ms: window });
  }
  const missing = plan.context_requirements.filter((key) => !Object.hasOwn(context.environment, key));
  if (missing.length > 0) return refused('CONTEXT_MISSING', `the context lacks ${missing.join(', ')}`, { missing });
  return { ok: true, value: context };
}

/** `path: message` for each issue that a schema has with a value. */
function violations(parsed: z.ZodSafeParseResult<unknown> | undefined): string[] {
  return (parsed?.error?.issues ?? []).map((i) => `${i.path.join('.') || '(root)'}: ${i.message}`);
}

/** The refusal that lists everything wrong with `what`. */
function invalid(what: string, violations: readonly string[]): Refused {
  return refused('INVALID_PAYLOAD', `the ${what} breaks the contract: ${violations.join('; ')}`, { violations });
}

function refused(code: ExecutionCode, message: string, context: Record<string, unknown>, step_id?: string): Refused {
  return { ok: false, error: executionError(code, message, { context, step_id }) };
}

/** The caller's own objects stay theirs: what they change later must not change a plan that was checked. */
function copied(input: unknown): Checked<unknown> {
  try {
    return { ok: true, value: frozenCopy(input) };
  } catch (error) {
    return invalid('input', [`it cannot be copied: ${(error as Error).message}`]);
  }
}

type Admission = { actions: ActionRegistry; maxSteps: number; now: number; finished(executionId: string): boolean };

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
    return refused('DEADLINE_EXCEEDED', `the deadline ${new Date(deadline).toISOString()} has passed`, {});
  }
  return admitSteps(plan.value, admission.actions) ?? { ok: true, value: { plan: plan.value, context: context.value } };
}

function admitSteps(plan: Plan, actions: ActionRegistry): Refused | undefined {
  const unknown = plan.steps.filter((s) => !actions.has(s.action));
  if (unknown.length > 0) {
    const names = [...new Set(unknown.map((s) => s.action))];
    const context = { actions: names, registered: [...actions.keys()] };
    return refused('ACTION_NOT_FOUND', `no such action is registered: ${names.join(', ')}`, context, unknown[0]?.id);
  }
  const broken = plan.steps.flatMap((s) => {
    const parsed = actions.get(s.action)?.payload.safeParse(s.payload);
    return violations(parsed).map((violation) => `step ${stepLabel(s)}: payload.${violation}`);
  });
  return broken.length > 0 ? invalid('plan', broken) : undefined;
}
