// Steps that will surely run though their needs have not ended yet, for backends that submit them ahead. Pure.
import type { Plan, PlanStep } from './contract.ts';
import type { StepState } from './run-state.ts';

/**
 * Steps to do of which `isSure` holds and all of whose needs are done, under way, or such steps themselves; needs come first.
 * `after`: its needs that are not done.
 */
export function stepsAhead(plan: Plan, states: ReadonlyMap<string, StepState>, isSure: (step: PlanStep) => boolean) {
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const seen = new Map<string, boolean>();
  const ahead: { step: PlanStep; after: readonly PlanStep[] }[] = [];
  const isAhead = (step: PlanStep): boolean => {
    const answer = seen.get(step.id);
    if (answer !== undefined) return answer;
    const needs = [...new Set(step.depends_on)].map((id) => byId.get(id) as PlanStep);
    const open = needs.filter(({ id }) => states.get(id) !== 'DONE');
    const isSureToRun =
      states.get(step.id) === 'TODO' &&
      open.every((need) => states.get(need.id) === 'IN_PROGRESS' || isAhead(need)) &&
      isSure(step);
    seen.set(step.id, isSureToRun);
    if (isSureToRun) ahead.push({ step, after: open });
    return isSureToRun;
  };
  for (const step of plan.steps) isAhead(step);
  return ahead;
}
