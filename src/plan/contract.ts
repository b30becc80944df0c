// The plan contract: the shapes a plan and its context must have before anything runs.
import * as z from 'zod';
import type { Frozen } from '../config/freeze.ts';
import { CODES, type ExecutionCode, type ExecutionError } from './codes.ts';

const codes = Object.keys(CODES) as [ExecutionCode, ...ExecutionCode[]];
const count = z.int().min(0);
const epochMs = z.int().min(0);

const retryPolicySchema = z.strictObject({
  max_attempts: z.int().min(1).default(1),
  backoff_ms: count.default(0),
  backoff_multiplier: z.number().min(1).default(1),
  max_backoff_ms: count.default(60_000),
  retryable_error_codes: z.array(z.enum(codes)).default(['EXECUTION_HALTED', 'STEP_TIMEOUT']),
});

export const planStepSchema = z.strictObject({
  id: z.uuidv4(),
  action: z.string().min(1).max(100),
  payload: z.record(z.string(), z.unknown()).default({}),
  depends_on: z.array(z.uuidv4()).default([]),
  on_failure: z.enum(['halt', 'skip', 'retry']).default('halt'),
  timeout_ms: z.int().min(1).nullable().default(null),
  /** null inherits the plan's. */
  retry_policy: retryPolicySchema.nullable().default(null),
  /** Among steps that may start, the higher goes first. */
  priority: z.int().default(0),
});

export const planSchema = z.strictObject({
  id: z.uuidv4(),
  version: z.int().min(1),
  created_at: epochMs,
  name: z.string().min(1).max(255),
  steps: z.array(planStepSchema).min(1),
  context_requirements: z.array(z.string().min(1)).default([]),
  priority: z.int().default(0),
  timeout_ms: z.int().min(1).default(300_000),
  retry_policy: retryPolicySchema.prefault({}),
  metadata: z.record(z.string(), z.unknown()).default({}),
  tags: z.array(z.string()).default([]),
  estimated_duration_ms: count.nullable().default(null),
});

/** A context without its plan, which is checked by itself. */
export const contextSchema = z.strictObject({
  execution_id: z.uuidv4(),
  started_at: epochMs,
  deadline_ms: epochMs,
  environment: z.record(z.string(), z.string()).default({}),
  parent_execution_id: z.uuidv4().nullable().default(null),
  user_id: z.string().nullable().default(null),
  request_id: z.string().nullable().default(null),
  correlation_context: z.record(z.string(), z.unknown()).default({}),
});

export type RetryPolicy = Frozen<z.infer<typeof retryPolicySchema>>;
export type PlanStep = Frozen<z.infer<typeof planStepSchema>>;
export type Plan = Frozen<z.infer<typeof planSchema>>;
export type PlanInput = z.input<typeof planSchema>;
export type ExecutionContext = Frozen<z.infer<typeof contextSchema>> & { readonly plan: Plan };
export type ContextInput = z.input<typeof contextSchema> & { plan: PlanInput | Plan };

export type PlanStatus = 'success' | 'partial' | 'failure';

export interface PlanResult {
  readonly plan_id: string;
  readonly execution_id: string;
  readonly status: PlanStatus;
  readonly completed_at: number;
  readonly duration_ms: number;
  readonly steps_executed: number;
  readonly steps_total: number;
  readonly result_payload: Readonly<Record<string, unknown>>;
  /** null exactly when status is success. */
  readonly error: ExecutionError | null;
}
