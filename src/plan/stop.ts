// Why something must stop: the reasons an abort signal carries.
import type { ExecutionCode } from './codes.ts';

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
