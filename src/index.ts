// The plan API, `mendloop`: run plans of your own actions with the runner that runs stages. Plugin authors: `mendloop/model`.

export { EXIT, formatError, MendError } from './errors.ts';
export {
  EVENTS,
  type EventType,
  type LoopEvent,
  type NewEvent,
  type Subscriber,
} from './events.ts';
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
export { type Action, type ActionCall, type ActionRegistry, action, type Outcome } from './plan-api/action.ts';
export {
  createPlanRunner,
  type PlanProgress,
  type PlanRunner,
  type PlanRunnerOptions,
} from './plan-api/runner.ts';
export { validateContext, validatePlan } from './plan-api/validate.ts';
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
