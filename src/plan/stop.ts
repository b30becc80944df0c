// Why something must stop: the reasons an abort signal carries.
import { type ExecutionCode, type ExecutionError, executionError } from './codes.ts';

export type StopCode = Extract<ExecutionCode, 'STEP_TIMEOUT' | 'PLAN_TIMEOUT' | 'DEADLINE_EXCEEDED'> | 'INTERRUPTED';

export class Stop extends Error {
  readonly code: StopCode;

  constructor(code: StopCode, message: string) {
    super(message);
    this.name = 'Stop';
    this.code = code;
  }
}

/** The reason `signal` was aborted with; undefined while it is not. */
export function stopReason(signal: AbortSignal): Stop | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof Stop ? signal.reason : new Stop('INTERRUPTED', 'interrupted');
}

/** The error a stop means for the plan. */
export function stopError({ code, message }: Stop, step_id?: string): ExecutionError {
  if (code !== 'INTERRUPTED') return executionError(code, message, { step_id });
  return executionError('EXECUTION_HALTED', message, { step_id, context: { interrupted: true } });
}
