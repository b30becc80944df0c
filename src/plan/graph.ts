// The dependency graph of a plan, checked in time linear in steps and edges.
import type { PlanStep } from './contract.ts';

export interface UnknownDependency {
  step: string;
  dependency: string;
}

/** Dependencies that name no step of the plan. */
export function unknownDependencies(steps: readonly PlanStep[]): UnknownDependency[] {
  const known = new Set(steps.map((s) => s.id));
  return steps.flatMap((s) => s.depends_on.filter((d) => !known.has(d)).map((d) => ({ step: s.id, dependency: d })));
}

/** Step ids that occur more than once. */
export function duplicateIds(steps: readonly Pick<PlanStep, 'id'>[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of steps) (seen.has(id) ? twice : seen).add(id);
  return [...twice];
}
