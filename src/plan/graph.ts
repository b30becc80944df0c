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
export function duplicateIds(steps: readonly PlanStep[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of steps) (seen.has(id) ? twice : seen).add(id);
  return [...twice];
}

/** One cycle as a path that ends where it began, or undefined. Iterative: a long chain must not exhaust the stack. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>();
  for (const root of edges.keys()) {
    if (finished.has(root)) continue;
    const path: { id: string; next: number }[] = [{ id: root, next: 0 }];
    const onPath = new Set([root]);
    while (path.length > 0) {
      const top = path[path.length - 1] as { id: string; next: number };
      const target = edges.get(top.id)?.[top.next++];
      if (target === undefined) {
        finished.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(target)) {
        const ids = path.map((p) => p.id);
        return [...ids.slice(ids.indexOf(target)), target];
      } else if (!finished.has(target) && edges.has(target)) {
        path.push({ id: target, next: 0 });
        onPath.add(target);
      }
    }
  }
  return undefined;
}
