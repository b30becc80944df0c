// Every error a person can meet: one table, code → exit code, what happened, what to do next. All print the same way.

/** An error meant for a person: usage, configuration or environment. Anything else that is thrown is a bug. */
export class MendError extends Error {
  readonly code: ErrorCode;
  readonly exit: number;
  readonly next: string;
  /** One line each: every problem found, not only the first. */
  readonly problems: readonly string[];

  constructor(code: ErrorCode, exit: number, message: string, next: string, problems: readonly string[]) {
    super(message);
    this.name = 'MendError';
    this.code = code;
    this.exit = exit;
    this.next = next;
    this.problems = problems;
  }
}

interface Entry<D> {
  exit: number;
  what: (d: D) => string;
  next: (d: D) => string;
}

const entry = <D = Record<never, never>>(exit: number, what: (d: D) => string, next: (d: D) => string): Entry<D> => ({
  exit,
  what,
  next,
});

/** Exit codes a caller may rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2, human: 3, bug: 4, locked: 75, interrupted: 130 } as const;

const TABLE = {
  E_USAGE: entry<{ what: string; next: string }>(
    EXIT.usage,
    (d) => d.what,
    (d) => d.next,
  ),
} as const;

export type ErrorCode = keyof typeof TABLE;
type Details<C extends ErrorCode> = (typeof TABLE)[C] extends Entry<infer D> ? D : never;

/** Builds the error of `code`; never throws. */
export function mendError<C extends ErrorCode>(
  code: C,
  details: Details<C>,
  problems: readonly string[] = [],
): MendError {
  const row = TABLE[code] as unknown as Entry<Details<C>>;
  return new MendError(code, row.exit, row.what(details), row.next(details), problems);
}

/** Throws the error of `code`. */
export function fail<C extends ErrorCode>(code: C, details: Details<C>, problems: readonly string[] = []): never {
  throw mendError(code, details, problems);
}

/** The text of an error as every command prints it, without colour. */
export function formatError(error: MendError): string {
  const lines = [`error ${error.code}: ${error.message}`, ...error.problems.map((p) => `  - ${p}`)];
  const [first = '', ...rest] = error.next.split('\n');
  return [...lines, `  next:  ${first}`, ...rest.map((l) => `         ${l}`)].join('\n');
}
