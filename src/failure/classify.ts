// Error lines → class and flags, and which rule said so.
import type { FailureClass } from '../config/loop-config.ts';
import { CLASS_RULES, FLAG_RULES } from './class-rules.ts';

export interface Classified {
  class: FailureClass;
  transient: boolean;
  external: boolean;
  /** With `external`: the one thing that the human must do. */
  advice?: string;
  /** The rules that decided, for `explain`; empty when none matched. */
  rules: string[];
}

/** A rule of the project's own or of a plugin; these come before the built-in ones. */
export interface ProjectRule {
  name: string;
  match: RegExp;
  class: FailureClass;
  transient: boolean;
  external: boolean;
}

export interface ClassifyInput {
  /** The error lines, one text. */
  errors: string;
  /** The lines just before them. */
  before: string;
  exitCode: number | null;
}

/** Never throws. A failure without error lines is `unknown`, but for what its exit code says by convention. */
export function classify({ errors, before, exitCode }: ClassifyInput, own: readonly ProjectRule[] = []): Classified {
  if (errors.trim() === '') return byExitCode(exitCode);
  const project = own.find(({ match }) => match.test(errors));
  if (project) {
    const { class: found, transient, external, name } = project;
    return { class: found, transient, external, rules: [name] };
  }
  const rule = CLASS_RULES.find(({ match, near }) => hits(match, errors) && (!near || near.test(before)));
  const said = [...(rule ? [rule] : []), ...FLAG_RULES.filter(({ match }) => hits(match, errors))];
  if (said.length === 0) return byExitCode(exitCode);
  const advice = said.find(({ external }) => external)?.external;
  return {
    class: rule?.class ?? 'unknown',
    transient: said.some(({ transient }) => transient),
    external: advice !== undefined,
    ...(advice ? { advice } : {}),
    rules: said.map(({ name }) => name),
  };
}

/** What shells say by exit code alone. */
function byExitCode(exitCode: number | null): Classified {
  const plain = { transient: false, external: false };
  if (exitCode === 127) return { class: 'command_not_found', ...plain, rules: ['exit code 127'] };
  if (exitCode === 126) return { class: 'permission_denied', ...plain, rules: ['exit code 126'] };
  return { class: 'unknown', ...plain, rules: [] };
}

const hits = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));
