// What people call a step: `talos`, or `talos[host=cp1]` for one cell of its matrix; its id when it is no stage.
import type { PlanStep } from './contract.ts';

export function stepLabel(step: PlanStep): string {
  return typeof step.payload.step === 'string' ? step.payload.step : step.id;
}

/** Stage and step, as events name them. */
export function eventLabel(step: PlanStep): { stage?: string; step: string } {
  const stage = step.payload.stage;
  return { ...(typeof stage === 'string' ? { stage } : {}), step: stepLabel(step) };
}
