// What a case is made of, as plain texts: whoever builds one reads and masks them first.
import type { Diagnostic, PromptTry } from '../context.ts';

/** An earlier attempt at the failure. */
export interface CaseTry extends PromptTry {
  readonly tier: 'executor' | 'escalation';
  /** Why answers were refused, in order. */
  readonly refused?: readonly { readonly code: string; readonly reasons: readonly string[] }[];
}

export interface Spent {
  readonly spent: number;
  readonly of: number;
}

export interface CaseFacts {
  /** The name of the case. */
  readonly case: string;
  /** 2: the diagnostics that were asked for are in it. */
  readonly version: 1 | 2;
  readonly run: string;
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
    readonly fingerprint: string;
    /** In words: `exit code 1`. */
    readonly ended: string;
    readonly error_lines: readonly string[];
    readonly times_seen: number;
    readonly first_seen: string;
    readonly last_seen: string;
    /** Where the whole log is, from home. */
    readonly log?: string;
  };
  /** Attempts of the step in this run. */
  readonly attempts: number;
  readonly tries_spent: Spent;
  readonly calls_spent: Spent;
  /** The log, or its end. */
  readonly log: string;
  /** The files that the stage may change. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly memo?: string;
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly tries?: readonly CaseTry[];
  /** What else is known, a text each. */
  readonly notes?: readonly string[];
  readonly diagnostics?: readonly Diagnostic[];
  readonly limits: { readonly files: number; readonly changed_lines: number };
  /** A word that nobody can guess: it marks where data begins and ends. */
  readonly nonce: string;
  /** Characters that the whole case may have; 60 000 by default, 10 000 at least. */
  readonly budget?: number;
}
