// What a prompt is made of, as plain texts: whoever builds one reads, cleans and masks them first.

/** The form an answer is asked for in. `json` is one edit by line numbers, for models held to a schema. */
export type AnswerFormat = 'diff' | 'whole-file' | 'search-replace' | 'json';

/** An earlier attempt at the same failure, and what became of it. */
export interface PromptTry {
  readonly plugin: string;
  readonly outcome: string;
  /** Why it ended so. */
  readonly why?: string | undefined;
  readonly note?: { readonly fix: string; readonly reason: string } | undefined;
  readonly diff?: string | undefined;
}

export interface PromptFacts {
  /** The text of ai/executor_instructions.md. Its section "The answer" is left out: the format rule stands for it. */
  readonly instructions: string;
  readonly stage: {
    readonly name: string;
    readonly description?: string;
    readonly command: string | readonly string[];
    readonly success_criteria?: readonly string[];
    readonly architecture_sections?: readonly string[];
  };
  readonly failure: {
    readonly class: string;
    readonly error_lines: readonly string[];
    /** How the attempt ended, in words: `exit code 1`. */
    readonly ended?: string;
  };
  /** The log, or its end. */
  readonly log: string;
  /** The files that the stage may change. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The text of ai/master_memo.md, and the words that find its sections. */
  readonly memo?: string;
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly tries?: readonly PromptTry[];
  readonly limits: { readonly files: number; readonly changed_lines: number };
  readonly format: AnswerFormat;
  /** A word that nobody can guess: it marks where data begins and ends. */
  readonly nonce: string;
  /** Tokens that the whole prompt may have. */
  readonly budget?: number;
}

export interface Prompt {
  readonly text: string;
  /** Its estimated tokens. */
  readonly tokens: number;
  /** Parts that were shortened or left out for want of room, most useful first. */
  readonly shortened: readonly string[];
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

export type Diagnostic = DiagnosticRun | BlockedDiagnostic;

export const isBlocked = (one: Diagnostic): one is BlockedDiagnostic => 'blocked' in one;
