// What became of a diagnostic: it ran, or it was not let through.

export interface DiagnosticRun {
  /** As people read it. */
  readonly command: string;
  /** `exit code 0`, `stopped after 60 s`. */
  readonly ended: string;
  readonly output: string;
  /** Something of the output is missing; the place says so. */
  readonly cut: boolean;
  readonly ms: number;
}

export interface BlockedDiagnostic {
  readonly command: string;
  /** Why it was not run. */
  readonly blocked: string;
}

export type Diagnostic = DiagnosticRun | BlockedDiagnostic;

export const isBlocked = (one: Diagnostic): one is BlockedDiagnostic => 'blocked' in one;
