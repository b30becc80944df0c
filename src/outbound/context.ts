// All that a document tells of a failure, as plain values: one of these serves the prompt and the case. And its masking:
// secrets are masked before anything is cut to size, because the middle of a key no longer shows that it is one.

/** The form an answer is asked for in. `json` is one edit by line numbers, for models held to a schema. */
export type AnswerFormat = 'diff' | 'whole-file' | 'search-replace' | 'json';

/** An earlier attempt at the same failure, and what became of it. */
export interface Try {
  readonly plugin: string;
  readonly tier?: 'executor' | 'escalation';
  readonly outcome:
    | 'refused'
    | 'applied'
    | 'provisional'
    | 'verified'
    | 'no_effect'
    | 'broke'
    | 'withdrawn'
    | 'declined'
    | 'passed';
  readonly note?: { readonly fix: string; readonly reason: string };
  /** Of a refused one: the code of the refusal. */
  readonly code?: string;
  /** Why it ended so. */
  readonly why?: string;
  readonly diff?: string;
}

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

/** What became of a diagnostic: it ran, or it was not let through. */
export type Diagnostic = DiagnosticRun | BlockedDiagnostic;

export const isBlocked = (one: Diagnostic): one is BlockedDiagnostic => 'blocked' in one;

export interface FailureContext {
  /** As the context map has it. */
  readonly stage: {
    readonly name: string;
    readonly description?: string;
    readonly command: string | readonly string[];
    readonly needs?: readonly string[];
    readonly files?: readonly string[];
    readonly success_criteria?: readonly string[];
    readonly architecture_sections?: readonly string[];
  };
  /** The step, where the stage has a matrix: `talos[host=cp1]`. */
  readonly step?: string;
  readonly failure: {
    readonly class: string;
    /** How the attempt ended, in words: `exit code 1`. */
    readonly ended: string;
    readonly error_lines: readonly string[];
  };
  /** The log, or its end. */
  readonly log: string;
  /** The files that the stage may change. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The text of ai/master_memo.md, and the words that find its sections. */
  readonly memo?: string;
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The oldest first. */
  readonly tries?: readonly Try[];
  /** What else is known, a text each. */
  readonly notes?: readonly string[];
  readonly diagnostics?: readonly Diagnostic[];
  readonly limits: { readonly files: number; readonly changed_lines: number };
  /** A word that nobody can guess: it marks where data begins and ends. */
  readonly nonce: string;
}

/** Puts placeholders in the place of secrets. May throw: then nothing is to be sent. */
export type MaskText = (text: string) => string;

/** The command of a stage on one line. */
export const commandOf = ({ command }: FailureContext['stage']): string =>
  typeof command === 'string' ? command : command.join(' ');

/** `context` with every text from outside masked whole. What is built of it is to be masked once more. */
export function maskContext(context: FailureContext, mask: MaskText): FailureContext {
  const { stage, failure, files, memo, tries, notes, diagnostics } = context;
  const { description, success_criteria } = stage;
  return {
    ...context,
    stage: {
      ...stage,
      ...(description === undefined ? {} : { description: mask(description) }),
      ...(success_criteria === undefined ? {} : { success_criteria: success_criteria.map(mask) }),
    },
    failure: { ...failure, error_lines: mask(failure.error_lines.join('\n')).split('\n') },
    log: mask(context.log),
    files: files.map(({ path, text }) => ({ path, text: mask(text) })),
    ...(memo === undefined ? {} : { memo: mask(memo) }),
    ...(tries === undefined ? {} : { tries: tries.map((one) => maskTry(one, mask)) }),
    ...(notes === undefined ? {} : { notes: notes.map(mask) }),
    ...(diagnostics === undefined ? {} : { diagnostics: diagnostics.map((one) => maskDiagnostic(one, mask)) }),
  };
}

function maskTry(one: Try, mask: MaskText): Try {
  const { why, note, diff } = one;
  return {
    ...one,
    ...(why === undefined ? {} : { why: mask(why) }),
    ...(note === undefined ? {} : { note: { fix: mask(note.fix), reason: mask(note.reason) } }),
    ...(diff === undefined ? {} : { diff: mask(diff) }),
  };
}

const maskDiagnostic = (one: Diagnostic, mask: MaskText): Diagnostic =>
  isBlocked(one)
    ? { command: mask(one.command), blocked: mask(one.blocked) }
    : { ...one, command: mask(one.command), output: mask(one.output) };
