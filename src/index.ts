// The public API: run plans of your own actions with the same executor that runs stages.
export { EXIT, formatError, MendError } from './errors.ts';
export { EVENT_TYPES, type EventType, type Happening, type LoopEvent, type Subscriber } from './events.ts';
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
export type {
  Backend,
  BackendJob,
  Context,
  Escalation,
  EscalationFacts,
  FixFacts,
  Notice,
  Proposal,
} from './plugin/contract.ts';
export { definePlugin, type Plugin } from './plugin/define.ts';
export { createExecutor, type ExecutorOptions, type PlanExecutor } from './run/execute.ts';
