// A failed attempt's log → who this failure is: error lines, class, fingerprint. Stateless: the same log gives the same
// answer on any machine on any day.
import { createHash } from 'node:crypto';
import type { FailureClass } from '../config/loop-config.ts';
import { type Classified, classify, type ProjectRule } from './classify.ts';
import { cleanLines, type LogEnd } from './clean.ts';
import { pickErrorLines } from './error-lines.ts';
import type { Grade } from './grade.ts';

/** Goes into every fingerprint. A change to what is picked or masked gives all failures new ones, so it counts up. */
export const ALGORITHM = 1;

/** How the attempt ended. */
export interface AttemptEnd {
  exitCode: number | null;
  signal?: string | null;
  /** It ran past its time; what signal ended it then says nothing. */
  timedOut?: boolean;
}

export interface FailureInput extends AttemptEnd {
  stage: string;
  /** The end of the log; undefined when there is none. */
  log: LogEnd | undefined;
  /** The end of the stage's last green log. */
  green?: LogEnd | undefined;
  /** The project's own rules, before the built-in ones. */
  rules?: readonly ProjectRule[] | undefined;
}

/** A failure, known by its fingerprint. */
export interface Failure {
  fingerprint: string;
  class: FailureClass;
  transient: boolean;
  external: boolean;
  /** With `external`: the one thing that the human must do. */
  advice?: string;
  /** What the log says went wrong, at most three errors, each as many lines as it has. */
  errors: readonly { readonly lines: readonly string[]; readonly template: string }[];
  /** How sure that is. */
  grade: Grade | 'nothing';
  /** Why the log says nothing, when it does. */
  silence?: Silence;
  /** The rules that gave the class and its flags. */
  rules: readonly string[];
}

/** Why a log has no error lines: two different reasons are two different failures. */
export type Silence = 'no log' | 'empty log' | 'no text' | 'only progress';

const LENGTH = 16;

/** Never throws. */
export function identify(input: FailureInput): Failure {
  const { log, green, stage, exitCode, rules } = input;
  const picked = log ? pickErrorLines(log, green) : { errors: [], grade: 'nothing' as const, before: '' };
  const text = picked.errors.map(({ lines }) => lines.join('\n')).join('\n');
  const silence = picked.errors.length === 0 ? whySilent(log) : undefined;
  const classified: Classified = classify({ errors: text, before: picked.before, exitCode }, rules);
  return {
    fingerprint: hash(stage, endOf(input), silence ? [`<${silence}>`] : picked.errors.map((error) => error.template)),
    ...classified,
    errors: picked.errors,
    grade: picked.grade,
    ...(silence ? { silence } : {}),
  };
}

/** Templates are a set: what runs side by side prints in any order. */
function hash(stage: string, end: string, templates: readonly string[]): string {
  const parts = [`mendloop ${ALGORITHM}`, stage, end, ...[...templates].sort()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, LENGTH);
}

/** The one thing of how it ended that another fix would be needed for. */
export function endOf({ exitCode, signal, timedOut }: AttemptEnd): string {
  if (timedOut) return 'timeout';
  if (signal) return `signal ${signal}`;
  return exitCode === null ? 'no exit code' : `exit ${exitCode}`;
}

function whySilent(log: LogEnd | undefined): Silence {
  if (!log) return 'no log';
  if (log.text.trim() === '') return 'empty log';
  return cleanLines(log).some((line) => line.includes('\ufffd')) ? 'no text' : 'only progress';
}

const EXCERPT_LINES = 2;
const EXCERPT_WIDTH = 200;

/** The first two lines that tell it, for people. */
export function excerptOf({ errors, silence }: Failure): string {
  if (silence) return `(${silence})`;
  const lines = errors.flatMap((error) => error.lines).filter((line) => line.trim() !== '');
  return lines
    .slice(0, EXCERPT_LINES)
    .map((line) => line.trim().slice(0, EXCERPT_WIDTH))
    .join('\n');
}
