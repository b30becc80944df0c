// How the table of diagnostics says what a tool may be asked. What it does not name is refused: tool, verb, flag, value,
// operand.

/** A value or operand that is let through; `what` says it in words. */
export interface Rule {
  readonly what: string;
  readonly takes: (text: string) => boolean;
}

/**
 * How a flag is written, exactly as its tool reads it; a wrong one here would turn a value into a verb.
 * `switch` stands alone, `value` takes the rest of its word or the next word, `attached` has its value behind a = only.
 */
export type Flag = 'switch' | { readonly value: Rule } | { readonly attached: Rule };
export type Flags = Readonly<Record<string, Flag>>;

/** What was asked, once every flag is known. Flags by the name they were written with. */
export interface Request {
  readonly operands: readonly string[];
  /** What stands behind `--`. */
  readonly paths: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

export interface Verb {
  /** Its words, which stand together; '' for a tool that has no verbs. */
  readonly words: string;
  readonly flags?: Flags;
  /** Every operand; none may be given without it. */
  readonly operand?: Rule;
  /** How many operands; [0, 0] without `operand`, else [0, 8]. */
  readonly count?: readonly [least: number, most: number];
  /** Every path behind `--`; no `--` without it. */
  readonly path?: Rule;
  /** Of each list, one flag at least. */
  readonly needs?: readonly (readonly string[])[];
  /** What the parts must agree on: a reason to refuse, or undefined. */
  readonly check?: (request: Request) => string | undefined;
}

export interface Tool {
  readonly name: string;
  /** Flags that may stand before the verb: only such as the tool reads there as it reads them behind it. */
  readonly before?: Flags;
  /** Reads `-o=yaml` as `-o yaml`, and `--switch=true`. */
  readonly go?: boolean;
  /** Reads `-ab` as one flag, not as `-a -b`. */
  readonly wholeWords?: boolean;
  readonly verbs: readonly Verb[];
}

/** `on('-a --all')` */
export const on = (names: string): Flags => Object.fromEntries(names.split(' ').map((name) => [name, 'switch']));

/** `taking(NUMBER, '-n --lines')` */
export const taking = (rule: Rule, names: string): Flags =>
  Object.fromEntries(names.split(' ').map((name) => [name, { value: rule }]));

/** The same flags and operands for several verbs. */
export const verbs = (all: string, verb: Omit<Verb, 'words'> = {}): Verb[] =>
  all.split(' ').map((words) => ({ words, ...verb }));
