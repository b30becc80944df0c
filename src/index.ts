// The plan API, `mendloop`: run plans of your own actions with the runner that runs stages. Plugin authors: `mendloop/model`.
import { EVENTS, type EventType } from './events.ts';

export { EXIT, formatError, MendError } from './errors.ts';
// `Happening` is the name of 0.1.0.
export {
  EVENTS,
  type EventType,
  type LoopEvent,
  type NewEvent,
  type NewEvent as Happening,
  type Subscriber,
} from './events.ts';
export { type Action, type ActionCall, type ActionRegistry, action, type Outcome } from './plan/action.ts';
export { CODES, type ExecutionCode, type ExecutionError, executionError, type Severity } from './plan/codes.ts';
export type {
  ContextInput,
  ExecutionContext,
  Plan,
  PlanInput,
  PlanResult,
  PlanStatus,
  PlanStep,
  RetryPolicy,
} from './plan/contract.ts';
export { linear, parallel, type RunScheduler } from './plan/scheduler.ts';
export { validateContext, validatePlan } from './plan/validate.ts';
// Of plugins, what 0.1.0 offered here.
export {
  type Backend,
  type BackendJob,
  type Context,
  definePlugin,
  type Escalation,
  type EscalationFacts,
  type FixFacts,
  type Notice,
  type Plugin,
  type Proposal,
} from './plugin/contract.ts';
// `createExecutor`, `ExecutorOptions` and `PlanExecutor` are the names of 0.1.0.
export {
  createPlanRunner,
  createPlanRunner as createExecutor,
  type PlanRunner,
  type PlanRunner as PlanExecutor,
  type PlanRunnerOptions,
  type PlanRunnerOptions as ExecutorOptions,
} from './run/plan-runner.ts';

const sentences = Object.entries(EVENTS).map(([type, { about }]) => [type, about]);
/** Every event type with what it tells: of `EVENTS`, what 0.1.0 offered. */
export const EVENT_TYPES: Readonly<Record<EventType, string>> = Object.fromEntries(sentences);
