// Plans, contexts, stages and events as tests write them: only what matters to the test, the rest filled in.
import type { ContextMap, Stage } from '../../src/config/context-map.ts';
import { parseContextMap } from '../../src/config/parse.ts';
import { formatProblem } from '../../src/config/problem.ts';
import type { ContextInput, Plan, PlanInput, PlanStep } from '../../src/plan/contract.ts';
import { validatePlan } from '../../src/plan-api/validate.ts';
import { fc } from '../sweep.ts';

export type StepInput = PlanInput['steps'][number];

/** The nth id: a real UUID of version 4 that a person can tell from the others. */
export const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Step `n`, called `s<n>`, after the steps numbered `after`. */
export function step(n: number, after: readonly number[] = [], more: Partial<StepInput> = {}): StepInput {
  const label = `s${n}`;
  return { id: id(n), action: 'act', payload: { stage: label, step: label }, depends_on: after.map(id), ...more };
}

export function plan(steps: StepInput[] = [step(1)], more: Partial<PlanInput> = {}): PlanInput {
  return { id: id(9000), version: 1, created_at: 0, name: 'test', steps, ...more };
}

/** A context that leaves the plan all the time it asks for. */
export function context(forPlan: PlanInput, more: Partial<ContextInput> = {}): ContextInput {
  const started_at = more.started_at ?? Date.now();
  const deadline_ms = started_at + (forPlan.timeout_ms ?? 300_000);
  return { plan: forPlan, execution_id: id(9001), started_at, deadline_ms, ...more };
}

/** The checked plan; throws when it breaks the contract. */
export function checkedPlan(input: PlanInput | Plan, maxSteps?: number): Plan {
  const checked = validatePlan(input, maxSteps);
  if (!checked.ok) throw new Error(checked.error.message);
  return checked.value;
}

export const labelOf = (of: PlanStep): string => String(of.payload.step);

/** A context map from its `stages`, as the parser makes it. Each stage needs at least a command. */
export function mapOf(stages: Record<string, object>): ContextMap {
  const parsed = parseContextMap(JSON.stringify({ stages }), 'ai/context_map.yaml');
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  return parsed.value;
}

/** One stage with every default. */
export function stageOf(keys: object = {}): Stage {
  return mapOf({ one: { command: 'true', ...keys } }).stages.one as Stage;
}

/** Random plans without circles, steps in random order, up to `most` of them. */
export function dags(most: number): fc.Arbitrary<StepInput[]> {
  return fc
    .integer({ min: 1, max: most })
    .chain((size) =>
      fc.tuple(
        fc.array(fc.array(fc.nat(most), { maxLength: 3 }), { minLength: size, maxLength: size }),
        fc.array(fc.integer({ min: -1, max: 1 }), { minLength: size, maxLength: size }),
        fc.array(fc.nat(), { minLength: size, maxLength: size }),
      ),
    )
    .map(([edges, priorities, order]) =>
      edges
        .map((before, n) => {
          const after = n === 0 ? [] : [...new Set(before.map((b) => b % n))];
          return step(n, after, { priority: priorities[n] ?? 0 });
        })
        .sort((a, b) => (order[numberOf(a)] ?? 0) - (order[numberOf(b)] ?? 0)),
    );
}

export const numberOf = (of: { id: string }): number => Number(of.id.slice(-12));
