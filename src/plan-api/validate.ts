// Plan and context against the contract: a frozen value, or the one error that lists every violation.
import type { z } from 'zod';
import { freeze, frozenCopy } from '../config/freeze.ts';
import { cyclesOf } from '../config/needs.ts';
import { type ExecutionCode, type ExecutionError, executionError } from '../plan/codes.ts';
import {
  contextSchema,
  type ExecutionContext,
  type Plan,
  type PlanStep,
  planSchema,
  planStepSchema,
} from '../plan/contract.ts';
import { stepLabel } from '../plan/matrix.ts';
import type { ActionRegistry } from './action.ts';

export type Validated<T> = { ok: true; value: T } | { ok: false; error: ExecutionError };

export const DEFAULT_MAX_STEPS = 1024;

/** One kind of thing that is wrong; `of` names what breaks its schema. */
interface Fault {
  code: ExecutionCode;
  violations: readonly string[];
  of?: 'plan' | 'context' | 'input';
  context?: Record<string, unknown>;
  step_id?: string | undefined;
}

/** In the order in which faults are listed; the first gives the error its code. */
const CODE_ORDER: readonly ExecutionCode[] = [
  'INVALID_PAYLOAD',
  'DEPENDENCY_UNRESOLVED',
  'ACTION_NOT_FOUND',
  'CONTEXT_MISSING',
  'DEADLINE_EXCEEDED',
];

/** `value`, or one error with every fault. */
function checked<T>(value: T | undefined, all: readonly Fault[]): Validated<T> {
  const faults = all.toSorted((a, b) => CODE_ORDER.indexOf(a.code) - CODE_ORDER.indexOf(b.code));
  const [first] = faults;
  if (!first) return { ok: true, value: value as T };
  const lead = ({ of }: Fault, at: number) =>
    of && of !== faults[at - 1]?.of ? `the ${of} breaks the contract: ` : '';
  const message = faults.map((fault, at) => lead(fault, at) + fault.violations.join('; ')).join('; ');
  const context = Object.assign({}, ...faults.map((fault) => fault.context), {
    violations: faults.flatMap(({ violations }) => violations),
    codes: [...new Set(faults.map(({ code }) => code))],
  });
  return { ok: false, error: executionError(first.code, message, { context, step_id: first.step_id }) };
}

const fault = (code: ExecutionCode, violations: readonly string[], more: Partial<Fault> = {}): Fault[] =>
  violations.length > 0 ? [{ code, violations, ...more }] : [];
const broken = (of: Fault['of'] & string, violations: readonly string[]) =>
  fault('INVALID_PAYLOAD', violations, { of });

/** A deep-frozen copy of `input` as a Plan; never throws. */
export function validatePlan(input: unknown, maxSteps = DEFAULT_MAX_STEPS): Validated<Plan> {
  const { plan, faults } = readPlan(input, maxSteps);
  return checked(plan, faults);
}

/** A deep-frozen copy of `input` as the context of `plan`; never throws. */
export function validateContext(plan: Plan, input: unknown): Validated<ExecutionContext> {
  const { context, faults } = readContext(input, plan);
  return checked(context && (freeze({ ...context, plan }) as ExecutionContext), faults);
}

type Admission = { actions: ActionRegistry; maxSteps: number; now: number; finished(executionId: string): boolean };

/** The refusal of an execution that may not run, or not now. */
export const refusedExecution = (why: string): Validated<never> => checked<never>(undefined, notAgain(why));

const notAgain = (why: string): Fault[] => broken('context', [`execution_id: ${why}`]);

/** Plan and context, frozen; or one error with everything that keeps them from running. */
export function admit(
  planInput: unknown,
  contextInput: unknown,
  admission: Admission,
): Validated<{ plan: Plan; context: ExecutionContext }> {
  const { plan, given, faults } = readPlan(planInput, admission.maxSteps);
  const read = readContext(contextInput, given);
  const steps = brokenActions(stepsOf(given), admission.actions);
  const all = [...faults, ...steps, ...read.faults, ...broughtTooLate(read.context, admission)];
  const value = plan && read.context && { plan, context: freeze({ ...read.context, plan }) as ExecutionContext };
  return checked(value, all);
}

/** The plan if it is valid, its faults, and what was given: a broken plan is checked further too. */
function readPlan(input: unknown, maxSteps: number): { plan?: Plan; given?: unknown; faults: Fault[] } {
  const copy = copied(() => input);
  if ('faults' in copy) return copy;
  const parsed = planSchema.safeParse(copy.given);
  const steps = stepsOf(copy.given);
  const faults = [
    ...broken('plan', [...violations(parsed), ...brokenList(steps, maxSteps)]),
    ...brokenDependencies(steps),
  ];
  return parsed.success ? { plan: freeze(parsed.data) as Plan, ...copy, faults } : { ...copy, faults };
}

/** A step as it was given: whatever it holds. */
type GivenStep = Partial<Record<keyof PlanStep, unknown>>;

function stepsOf(plan: unknown): GivenStep[] {
  const steps = (plan as { steps?: unknown } | null | undefined)?.steps;
  return Array.isArray(steps) ? steps.map((step) => (isObject(step) ? step : {})) : [];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const labelOf = ({ id, payload }: GivenStep): string =>
  stepLabel({ id: String(id), payload: isObject(payload) ? payload : {} });

/** What is wrong with the steps as a list: the schema sees them one by one. */
function brokenList(steps: readonly GivenStep[], maxSteps: number): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { id } of steps) if (typeof id === 'string') (seen.has(id) ? repeated : seen).add(id);
  return [
    ...(steps.length > maxSteps ? [`steps: ${steps.length} steps, at most ${maxSteps} are allowed`] : []),
    ...[...repeated].map((id) => `steps: id ${id} occurs more than once`),
  ];
}

/** One step that all need and that needs all makes as many as there are steps. */
const MAX_CIRCLES = 20;

function brokenDependencies(steps: readonly GivenStep[]): Fault[] {
  const names = new Map(steps.map((step) => [step.id, labelOf(step)]));
  // What is no id at all, the schema names.
  const needs = new Map(
    steps.map(({ id, depends_on }) => [String(id), parsedBy(planStepSchema.shape.depends_on, depends_on)]),
  );
  const unknown = [...needs].flatMap(([id, ids = []]) =>
    ids
      .filter((needed) => !names.has(needed))
      .map((needed) => `step ${id} depends on ${needed}, which is not in the plan`),
  );
  const cycles = cyclesOf(new Map([...needs].map(([id, ids = []]) => [id, ids])));
  const circles = cycles
    .slice(0, MAX_CIRCLES)
    .map((cycle) => `the steps depend on each other in a circle: ${cycle.map((id) => names.get(id)).join(' → ')}`);
  return fault('DEPENDENCY_UNRESOLVED', [...unknown, ...circles], cycles[0] && { context: { cycle: cycles[0] } });
}

function brokenActions(steps: readonly GivenStep[], actions: ActionRegistry): Fault[] {
  const named = steps.filter(({ action }) => typeof action === 'string' && action !== '');
  const missing = named.filter(({ action }) => !actions.has(action as string));
  const names = [...new Set(missing.map(({ action }) => action))];
  const lines = names.length > 0 ? [`no such action is registered: ${names.join(', ')}`] : [];
  const context = { actions: names, registered: [...actions.keys()] };
  const id = missing[0]?.id;
  const payloads = named.flatMap((step) => {
    const { action, payload = {} } = step;
    if (!isObject(payload)) return [];
    const faults = violations(actions.get(action as string)?.payload.safeParse(payload));
    return faults.map((violation) => `step ${labelOf(step)}: payload.${violation}`);
  });
  const step_id = typeof id === 'string' ? id : undefined;
  return [...broken('plan', payloads), ...fault('ACTION_NOT_FOUND', lines, { context, step_id })];
}

/** The context without its plan, and what is wrong with it as that of `plan`, which may be broken itself. */
function readContext(input: unknown, plan: unknown): { context?: z.infer<typeof contextSchema>; faults: Fault[] } {
  const copy = copied(() => {
    // The plan inside is checked by itself; only which one it is matters here.
    const { plan: inside, ...rest } = isObject(input) ? input : {};
    return { inside: isObject(inside) ? { id: inside.id } : {}, rest };
  });
  if ('faults' in copy) return copy;
  const { inside, rest } = copy.given as { inside: { id?: unknown }; rest: Record<string, unknown> };
  const parsed = contextSchema.safeParse(rest);
  const faults = [
    ...broken('context', [...violations(parsed), ...otherPlan(inside.id, plan)]),
    ...(isObject(plan) ? unmetNeeds(plan, rest) : []),
  ];
  return parsed.success ? { context: parsed.data, faults } : { faults };
}

function otherPlan(inside: unknown, plan: unknown): string[] {
  const expected = isObject(plan) ? plan.id : undefined;
  if (typeof expected !== 'string' || inside === expected) return [];
  return [`plan: is ${typeof inside === 'string' ? inside : 'no plan'}, expected ${expected}`];
}

/** What the plan needs of its context and does not get, as far as both can be read. */
function unmetNeeds(plan: Record<string, unknown>, context: Record<string, unknown>): Fault[] {
  const environment = isObject(context.environment) ? context.environment : {};
  const required = parsedBy(planSchema.shape.context_requirements, plan.context_requirements) ?? [];
  const missing = required.filter((key) => !Object.hasOwn(environment, key));
  const lacking = missing.length > 0 ? [`the context lacks ${missing.join(', ')}`] : [];
  const limit = parsedBy(planSchema.shape.timeout_ms, plan.timeout_ms) ?? 0;
  const started = parsedBy(contextSchema.shape.started_at, context.started_at) ?? 0;
  const deadline = parsedBy(contextSchema.shape.deadline_ms, context.deadline_ms) ?? Number.POSITIVE_INFINITY;
  const window_ms = deadline - started;
  const text = `the window to the deadline is ${window_ms} ms, the plan may take ${limit} ms`;
  return [
    ...fault('CONTEXT_MISSING', lacking, { context: { missing } }),
    ...fault('DEADLINE_EXCEEDED', window_ms < limit ? [text] : [], { context: { window_ms } }),
  ];
}

function broughtTooLate(context: z.infer<typeof contextSchema> | undefined, { now, finished }: Admission): Fault[] {
  if (!context) return [];
  const { execution_id: id, deadline_ms: deadline } = context;
  const late = now > deadline ? [`the deadline ${new Date(deadline).toISOString()} has passed`] : [];
  const ended = finished(id) ? notAgain(`${id} has ended before and cannot run again`) : [];
  return [...ended, ...fault('DEADLINE_EXCEEDED', late)];
}

/** The value as the schema reads it; undefined when it does not. */
const parsedBy = <T>(schema: z.ZodType<T>, value: unknown): T | undefined => schema.safeParse(value).data;

/** `path: message` for each issue that a schema has with a value. */
function violations(parsed: z.ZodSafeParseResult<unknown> | undefined): string[] {
  return (parsed?.error?.issues ?? []).map((i) => `${i.path.join('.') || '(root)'}: ${i.message}`);
}

/** The caller's own objects stay theirs: what they change later must not change a plan that was checked. */
function copied(read: () => unknown): { given: unknown } | { faults: Fault[] } {
  try {
    const value = read();
    return { given: value === undefined ? undefined : frozenCopy(value) };
  } catch (error) {
    return { faults: broken('input', [`it cannot be copied: ${messageOf(error)}`]) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `it threw ${typeof error}`);
