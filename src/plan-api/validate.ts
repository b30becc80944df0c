// Plan and context against the contract: a frozen value, or the one error that lists every violation.
import * as z from 'zod';
import { freeze, frozenCopy } from '../config/freeze.ts';
import { cyclesOf } from '../config/needs.ts';
import { type ExecutionCode, type ExecutionError, executionError } from '../plan/codes.ts';
import { contextSchema, type ExecutionContext, type Plan, planSchema, planStepSchema } from '../plan/contract.ts';
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
  const { context, faults } = readContext(input, outlineOf(plan));
  return checked(context && (freeze({ ...context, plan }) as ExecutionContext), faults);
}

/** The refusal of an execution that may not run, or not now. */
export const refusedExecution = (why: string): Validated<never> => checked<never>(undefined, notAgain(why));

const notAgain = (why: string): Fault[] => broken('context', [`execution_id: ${why}`]);

type Admission = { actions: ActionRegistry; maxSteps: number; now: number; finished(executionId: string): boolean };

/** Plan and context, frozen; or one error with everything that keeps them from running. */
export function admit(
  planInput: unknown,
  contextInput: unknown,
  admission: Admission,
): Validated<{ plan: Plan; context: ExecutionContext }> {
  const { plan, outline, faults } = readPlan(planInput, admission.maxSteps);
  const read = readContext(contextInput, outline);
  const steps = brokenActions(outline.steps, admission.actions);
  const all = [...faults, ...steps, ...read.faults, ...broughtTooLate(read.context, admission)];
  const value = plan && read.context && { plan, context: freeze({ ...read.context, plan }) as ExecutionContext };
  return checked(value, all);
}

const stepOutline = z.object({
  id: z.string().catch(''),
  action: z.string().catch(''),
  /** null: it is none, which the schema names. */
  payload: planStepSchema.shape.payload.nullable().catch(null),
  depends_on: planStepSchema.shape.depends_on.catch([]),
});
type StepOutline = z.infer<typeof stepOutline>;

/** What can be read of a plan that may be broken: it is checked further all the same. */
const planOutline = z.object({
  id: z.string().optional().catch(undefined),
  steps: z.array(stepOutline.catch(stepOutline.parse({}))).catch([]),
  context_requirements: planSchema.shape.context_requirements.catch([]),
  timeout_ms: planSchema.shape.timeout_ms.catch(0),
});
type PlanOutline = z.infer<typeof planOutline>;

const NOTHING: PlanOutline = { id: undefined, steps: [], context_requirements: [], timeout_ms: 0 };

const outlineOf = (plan: unknown): PlanOutline => planOutline.safeParse(plan).data ?? NOTHING;

const contextOutline = z.object({
  environment: z.record(z.string(), z.unknown()).catch({}),
  started_at: contextSchema.shape.started_at.catch(0),
  deadline_ms: contextSchema.shape.deadline_ms.catch(Number.POSITIVE_INFINITY),
});

/** The plan if it is valid, its faults, and what can be read of it in any case. */
function readPlan(input: unknown, maxSteps: number): { plan?: Plan; outline: PlanOutline; faults: Fault[] } {
  const copy = copied(() => input);
  if ('faults' in copy) return { ...copy, outline: NOTHING };
  const parsed = planSchema.safeParse(copy.given);
  const outline = outlineOf(copy.given);
  const faults = [
    ...broken('plan', [...violations(parsed), ...brokenList(outline.steps, maxSteps)]),
    ...brokenDependencies(outline.steps),
  ];
  return { outline, faults, ...(parsed.success && { plan: freeze(parsed.data) as Plan }) };
}

const labelOf = ({ id, payload }: StepOutline): string => stepLabel({ id, payload: payload ?? {} });

/** What is wrong with the steps as a list: the schema sees them one by one. */
function brokenList(steps: readonly StepOutline[], maxSteps: number): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { id } of steps) (id !== '' && seen.has(id) ? repeated : seen).add(id);
  return [
    ...(steps.length > maxSteps ? [`steps: ${steps.length} steps, at most ${maxSteps} are allowed`] : []),
    ...[...repeated].map((id) => `steps: id ${id} occurs more than once`),
  ];
}

/** One step that all need and that needs all makes as many as there are steps. */
const MAX_CIRCLES = 20;

function brokenDependencies(steps: readonly StepOutline[]): Fault[] {
  const names = new Map(steps.map((step) => [step.id, labelOf(step)]));
  const needs = new Map(steps.map(({ id, depends_on }) => [id, depends_on]));
  const unknown = [...needs].flatMap(([id, ids]) =>
    ids
      .filter((needed) => !names.has(needed))
      .map((needed) => `step ${id} depends on ${needed}, which is not in the plan`),
  );
  const cycles = cyclesOf(needs);
  const circles = cycles
    .slice(0, MAX_CIRCLES)
    .map((cycle) => `the steps depend on each other in a circle: ${cycle.map((id) => names.get(id)).join(' → ')}`);
  return fault('DEPENDENCY_UNRESOLVED', [...unknown, ...circles], cycles[0] && { context: { cycle: cycles[0] } });
}

function brokenActions(steps: readonly StepOutline[], actions: ActionRegistry): Fault[] {
  const payloads = steps.flatMap((step) => {
    const schema = actions.get(step.action)?.payload;
    const faults = violations(step.payload === null ? undefined : schema?.safeParse(step.payload));
    return faults.map((violation) => `step ${labelOf(step)}: payload.${violation}`);
  });
  const missing = steps.filter(({ action }) => action !== '' && !actions.has(action));
  const names = [...new Set(missing.map(({ action }) => action))];
  const lines = names.length > 0 ? [`no such action is registered: ${names.join(', ')}`] : [];
  const context = { actions: names, registered: [...actions.keys()] };
  const step_id = missing[0]?.id || undefined;
  return [...broken('plan', payloads), ...fault('ACTION_NOT_FOUND', lines, { context, step_id })];
}

/** The context without its plan, and what is wrong with it as that of a plan, which may be broken itself. */
function readContext(input: unknown, plan: PlanOutline): { context?: z.infer<typeof contextSchema>; faults: Fault[] } {
  const copy = copied(() => {
    // The plan inside is checked by itself; only which one it is matters here.
    const { plan: inside, ...rest } = (input ?? {}) as { plan?: { id?: unknown } | null };
    return { id: inside?.id, rest };
  });
  if ('faults' in copy) return copy;
  const { id, rest } = copy.given as { id?: unknown; rest: object };
  const parsed = contextSchema.safeParse(rest);
  const isOther = plan.id !== undefined && id !== plan.id;
  const other = isOther ? [`plan: is ${typeof id === 'string' ? id : 'no plan'}, expected ${plan.id}`] : [];
  const faults = [...broken('context', [...violations(parsed), ...other]), ...unmetNeeds(plan, rest)];
  return { faults, ...(parsed.success && { context: parsed.data }) };
}

/** What a plan needs of its context and does not get, as far as both can be read. */
function unmetNeeds({ context_requirements, timeout_ms }: PlanOutline, context: object): Fault[] {
  const { environment, started_at, deadline_ms } = contextOutline.parse(context);
  const missing = context_requirements.filter((key) => !Object.hasOwn(environment, key));
  const lacking = missing.length > 0 ? [`the context lacks ${missing.join(', ')}`] : [];
  const window_ms = deadline_ms - started_at;
  const text = `the window to the deadline is ${window_ms} ms, the plan may take ${timeout_ms} ms`;
  return [
    ...fault('CONTEXT_MISSING', lacking, { context: { missing } }),
    ...fault('DEADLINE_EXCEEDED', window_ms < timeout_ms ? [text] : [], { context: { window_ms } }),
  ];
}

function broughtTooLate(context: z.infer<typeof contextSchema> | undefined, { now, finished }: Admission): Fault[] {
  if (!context) return [];
  const { execution_id: id, deadline_ms: deadline } = context;
  const late = now > deadline ? [`the deadline ${new Date(deadline).toISOString()} has passed`] : [];
  const ended = finished(id) ? notAgain(`${id} has ended before and cannot run again`) : [];
  return [...ended, ...fault('DEADLINE_EXCEEDED', late)];
}

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
    const why = error instanceof Error ? error.message : `it threw ${typeof error}`;
    return { faults: broken('input', [`it cannot be copied: ${why}`]) };
  }
}
