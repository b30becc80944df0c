// The error codes of the plan contract and what each one means for the plan.

export type Severity = 'warn' | 'error' | 'fatal';

/** Code → severity. STEP_TIMEOUT and RESOURCE_EXHAUSTED may be raised with the other severity their row in the contract allows. */
export const CODES = {
  INVALID_PAYLOAD: 'fatal',
  CONTEXT_MISSING: 'fatal',
  DEPENDENCY_UNRESOLVED: 'fatal',
  ACTION_NOT_FOUND: 'fatal',
  DEADLINE_EXCEEDED: 'fatal',
  PLAN_TIMEOUT: 'fatal',
  RESOURCE_EXHAUSTED: 'fatal',
  STEP_TIMEOUT: 'error',
  EXECUTION_HALTED: 'error',
  STEP_SKIPPED: 'warn',
  UNKNOWN_ERROR: 'fatal',
} as const satisfies Record<string, Severity>;

export type ExecutionCode = keyof typeof CODES;

export interface ExecutionError {
  readonly error_code: ExecutionCode;
  readonly message: string;
  readonly step_id: string | null;
  readonly severity: Severity;
  readonly recoverable: boolean;
  readonly cause: string | null;
  readonly context: Readonly<Record<string, unknown>>;
}

const MESSAGE_LIMIT = 1000;

type ErrorDetails = Partial<Pick<ExecutionError, 'severity' | 'context'>> & {
  step_id?: string | undefined;
  cause?: string | undefined;
};

/** Builds an ExecutionError: severity from the table unless given, `recoverable` from severity, message cut at its limit. */
export function executionError(code: ExecutionCode, message: string, details: ErrorDetails = {}): ExecutionError {
  const severity = details.severity ?? CODES[code];
  return Object.freeze({
    error_code: code,
    message: message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT - 1)}…` : message,
    step_id: details.step_id ?? null,
    severity,
    recoverable: severity !== 'fatal',
    cause: details.cause ?? null,
    context: Object.freeze({ ...details.context }),
  });
}

/** The error that speaks for many: the first of the gravest. */
export function gravest(errors: readonly ExecutionError[]): ExecutionError | null {
  const first = (severity: Severity) => errors.find((error) => error.severity === severity);
  return first('fatal') ?? first('error') ?? first('warn') ?? null;
}
