// All that a document tells of a failure, as plain values: one of these serves the prompt and the case. And its masking:
// secrets are masked before anything is cut to size, because the middle of a key no longer shows that it is one.
import type { Maker } from '../repository/rank/made-by.ts';
import type { Ranking } from '../repository/rank/place.ts';
import type { SourceFile } from '../repository/tree.ts';
import { maskedLeaves } from './redact/redactor.ts';

/**
 * The form an answer is asked for in. `json` is one edit by line numbers, for models held to a schema; `choice` is the number of
 * one of the changes that are offered.
 */
export type AnswerFormat = 'diff' | 'whole-file' | 'search-replace' | 'json' | 'choice';

/** What can become of an attempt, in words. */
export const TRY_OUTCOMES = {
  refused: 'refused before it was applied',
  asked: 'its owner was asked about it',
  applied: 'applied; the failure became another one, and the change stands for now',
  kept: 'applied, and the stage succeeded at that time',
  helped: 'applied, and stands: some of the cells succeeded with it, others not',
  no_effect: 'applied without effect: the same failure came back, and the change was undone',
  broke: 'applied, broke something, and was undone',
  undone: 'applied and undone, because the stage did not succeed with it in the end',
  declined: 'a person did not want it',
  superseded: 'undone, because its owner wrote another text in its place',
  passed: 'proposed no change',
};

/** An earlier attempt at the same failure, and what became of it. */
export interface Try {
  readonly plugin: string;
  /** The plugin whose suggestion a person accepted as their answer. */
  readonly proposed_by?: string | undefined;
  readonly tier?: 'executor' | 'escalation';
  readonly outcome: keyof typeof TRY_OUTCOMES;
  readonly note?: { readonly fix: string; readonly reason: string };
  /** The repairs that it consists of, where it ran before its owner had seen it. */
  readonly shapes?: readonly string[];
  /** Of a refused one: the code of the refusal. */
  readonly code?: string;
  /** Why it ended so. */
  readonly why?: string;
  /** How often it was proposed, where that was more than once. */
  readonly times?: number;
  /** Of one outside of the files that the stage may change: these, and where it is kept. */
  readonly opens?: { readonly files: readonly string[]; readonly patch: string };
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

/** What became of a diagnostic: it ran, or it was not let through, and `blocked` says why. */
export type Diagnostic = DiagnosticRun | { readonly command: string; readonly blocked: string };

export const isBlocked = (one: Diagnostic): one is Exclude<Diagnostic, DiagnosticRun> => 'blocked' in one;

/** A change to choose: in one line of one file, one text in the place of another that stands there once. */
export interface Choice {
  readonly path: string;
  readonly line: number;
  readonly old: string;
  readonly new: string;
}

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
  /** The name of the case. */
  readonly case?: string;
  /** The step, where the stage has a matrix: `talos[host=cp1]`. */
  readonly step?: string;
  readonly failure: {
    readonly class: string;
    /** How the attempt ended, in words: `exit code 1`. */
    readonly ended: string;
    readonly error_lines: readonly string[];
    /** The names of the cells that failed so, where there are several. */
    readonly cells?: string;
  };
  /** The log, or its end. */
  readonly log: string;
  /** Every path of the repository. */
  readonly tree?: readonly string[];
  /** The stages that what is not in the repository may be from. */
  readonly makers?: readonly Maker[];
  /** Files that the stage may change: all of them, or the likeliest. */
  readonly files: readonly SourceFile[];
  /** Whether the stage may change a path; without it, whether it is one of `files`. */
  readonly isEditable?: (path: string) => boolean;
  /** What the failure points at in the whole repository; without it, in the texts that are here. */
  readonly ranking?: Ranking;
  /** Of each thing that the error misses, what there is of its kind: a line each. */
  readonly definitions?: readonly string[];
  /** Other files of the repository, which may be read and not changed. */
  readonly readable?: readonly SourceFile[];
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

/** The command of a stage as its owner wrote it, with its lines. */
export const commandText = ({ command }: FailureContext['stage']): string =>
  typeof command === 'string' ? command : command.join(' ');

/** `context` with every text from outside masked whole. What is built of it is to be masked once more. */
export function maskContext(context: FailureContext, mask: MaskText): FailureContext {
  const { stage, failure, log, files, readable = [], tries = [], diagnostics = [] } = context;
  const masked = {
    ...withMasked(context, ['memo', 'notes'], mask),
    stage: withMasked(stage, ['description', 'success_criteria'], mask),
    failure: { ...failure, error_lines: mask(failure.error_lines.join('\n')).split('\n') },
    log: mask(log),
    files: files.map((file) => maskedWhenRead(file, mask)),
    readable: readable.map((file) => maskedWhenRead(file, mask)),
    tries: tries.map((one) => withMasked(one, ['why', 'note', 'diff'], mask)),
    diagnostics: diagnostics.map((one) =>
      isBlocked(one) ? withMasked(one, ['command', 'blocked'], mask) : withMasked(one, ['command', 'output'], mask),
    ),
  };
  originals.set(masked, context);
  return masked;
}

const originals = new WeakMap<FailureContext, FailureContext>();

/** What a masked context was made from; undefined for any other. */
export const originalOf = (masked: FailureContext): FailureContext | undefined => originals.get(masked);

/** Masking takes its time, and most files of a large stage are not shown. */
export function maskedWhenRead({ path, text }: SourceFile, mask: MaskText): SourceFile {
  let masked: string | undefined;
  return {
    path,
    get text() {
      masked ??= mask(text);
      return masked;
    },
  };
}

/** A copy in which all texts below `keys` are masked. */
function withMasked<T extends object>(value: T, keys: readonly (keyof T)[], mask: MaskText): T {
  const present = keys.filter((key) => value[key] !== undefined);
  return { ...value, ...Object.fromEntries(present.map((key) => [key, maskedLeaves(value[key], mask)])) };
}
