// What the tests of the plan API share: actions that do as told, and a plan executed by them.
import { z } from 'zod';
import type { NewEvent } from '../../src/events.ts';
import type { ContextInput, PlanInput, PlanResult } from '../../src/plan/contract.ts';
import { type Action, type ActionCall, action, type Outcome } from '../../src/plan-api/action.ts';
import { createPlanRunner, type PlanRunnerOptions } from '../../src/plan-api/runner.ts';
import { context } from '../plan/builders.ts';

export type Behaviour = (call: ActionCall) => Outcome | Promise<Outcome>;

export const done: Outcome = { kind: 'done' };
export const failed = (message = 'it broke', more: object = {}): Outcome => ({ kind: 'failed', message, ...more });

/** `outcome`, after something was noted. */
export const after = (_noted: unknown, outcome: Outcome): Outcome => outcome;

/** An action that takes any payload and does what `run` says. */
export function act(run: Behaviour, upToDate?: (call: ActionCall) => Promise<Outcome | undefined>): Action {
  return action({
    payload: z.record(z.string(), z.unknown()),
    run: async (call) => run(call),
    ...(upToDate ? { upToDate } : {}),
  });
}

export interface Executed {
  result: PlanResult;
  events: NewEvent[];
  /** `type step` of each event. */
  trail: string[];
}

/** Executes `plan`, every step of it by `run`, and keeps the events. */
export async function execute(
  plan: PlanInput,
  run: Behaviour,
  options: Partial<PlanRunnerOptions> = {},
  more: Partial<ContextInput> = {},
): Promise<Executed> {
  const events: NewEvent[] = [];
  const runner = createPlanRunner({
    actions: new Map([['act', act(run)]]),
    record: (...more) => void events.push(...more),
    ...options,
  });
  const result = await runner.execute(plan, context(plan, more));
  return { result, events, trail: events.map((e) => `${e.type} ${e.step}`) };
}

/** Ends only when the call is told to stop. */
export const untilStopped: Behaviour = ({ signal }) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve({ kind: 'stopped' });
    signal.addEventListener('abort', () => resolve({ kind: 'stopped' }), { once: true });
  });
