// Stages → plan: the chosen stages and cells as steps of one plan. The same configuration and run give the same ids, so a
// run that was cut off finds its steps again.
import { createHash } from 'node:crypto';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { freeze } from '../config/freeze.ts';
import { type Plan, planSchema } from './contract.ts';
import { cellsOf, stepNameOf, stepNames } from './matrix.ts';

/** The action that runs a stage. */
const STAGE_ACTION = 'stage';

export interface CompileRequest {
  run: string;
  map: ContextMap;
  /** Stage names; needs that are not among them must be green already. */
  stages: readonly string[];
  createdAt: number;
  timeoutMs: number;
}

/** The plan of a run over `stages`, in the map's order. */
export function compilePlan({ run, map, stages, createdAt, timeoutMs }: CompileRequest): Plan {
  const chosen = Object.entries(map.stages).filter(([name]) => stages.includes(name));
  const idsOf = ([name, stage]: [string, Stage]) => stepNames(name, stage).map((step) => stepId(run, step));
  const stepIds = new Map(chosen.map((entry) => [entry[0], idsOf(entry)]));
  const plan = {
    id: stepId(run, 'plan'),
    version: 1,
    created_at: createdAt,
    name: [...stepIds.keys()].join(' ').slice(0, 255),
    timeout_ms: timeoutMs,
    steps: chosen.flatMap(([name, stage]) => {
      const depends_on = stage.needs.flatMap((need) => stepIds.get(need) ?? []);
      const retryable = stage.rerun ? ['EXECUTION_HALTED' as const, 'STEP_TIMEOUT' as const] : [];
      return cellsOf(stage).map((cell) => {
        const step = stepNameOf(name, cell);
        return {
          id: stepId(run, step),
          action: STAGE_ACTION,
          payload: { stage: name, step, cell },
          depends_on,
          on_failure: stage.on_failure,
          timeout_ms: stage.timeout,
          retry_policy: { ...stage.retry, retryable_error_codes: retryable },
          priority: stage.priority,
        };
      });
    }),
  };
  return freeze(planSchema.parse(plan));
}

/** A UUID in the form of version 4 that `run` and `name` decide. */
export function stepId(run: string, name: string): string {
  const hex = createHash('sha256').update(`${run}\n${name}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3];
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, `$1-$2-4$3-${variant}$4-$5`);
}

/** Stages in the order in which they run one after the other: needs first, the higher priority first, else the map's order. */
export function inRunningOrder({ stages }: ContextMap, names: readonly string[]): string[] {
  const waiting = new Set(names.toSorted((a, b) => (stages[b]?.priority ?? 0) - (stages[a]?.priority ?? 0)));
  const order: string[] = [];
  while (waiting.size > 0) {
    // A map has no circles, so there is always one.
    const next = [...waiting].find((name) => !stages[name]?.needs.some((need) => waiting.has(need))) as string;
    waiting.delete(next);
    order.push(next);
  }
  return order;
}

/** What a stage needs, directly or not. */
export const needsOf = (map: ContextMap, stage: string): string[] =>
  withNeeds(map, [stage]).filter((name) => name !== stage);

/** `stages` and all they need, directly or not, in the map's order. Unknown names are left out. */
export function withNeeds(map: ContextMap, stages: readonly string[]): string[] {
  const wanted = new Set<string>();
  const queue = [...stages];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const stage = Object.hasOwn(map.stages, name) ? map.stages[name] : undefined;
    if (wanted.has(name) || !stage) continue;
    wanted.add(name);
    queue.push(...stage.needs);
  }
  return Object.keys(map.stages).filter((name) => wanted.has(name));
}
