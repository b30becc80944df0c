// What is wrong with a configuration file or a plugin's value, and where: the one shape every check reports in, a schema's
// verdict in our words (what is wrong, what is allowed, did you mean), and how it prints.
import type { z } from 'zod';
import { fail } from '../errors.ts';
import { didYouMean, nearest } from './suggest.ts';

/** One thing wrong in a file. `line` and `column` count from 1; `path` is empty when the file as a whole is meant. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** The way from the top of a file to a value: keys and list indices. */
export type Path = readonly (string | number)[];

/** A problem before its position is known: `at` says whether the key or the value is to blame. */
export interface Finding {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** `stages.talos.verify[0].has`; a key that is not a plain word is quoted. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** `file:line:column: path: message`, one line. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

/** Throws E_CONFIG with all of them. */
export function failConfig(problems: readonly Problem[]): never {
  const files = [...new Set(problems.map(({ file }) => file))].join(' and ');
  fail('E_CONFIG', { files, count: problems.length }, problems.map(formatProblem));
}

/** Sorted by position, without repetitions. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** Checks `value`: the parsed value, or every finding. Never throws. */
export function check<T>(schema: z.ZodType<T>, value: unknown): { value: T } | { findings: Finding[] } {
  const result = schema.safeParse(value, { error: wording, reportInput: true });
  if (result.success) return { value: result.data };
  return { findings: result.error.issues.flatMap((issue) => findingsOf(issue, [])) };
}

/** The words for an issue whose schema has none of its own. */
function wording(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const scalar = typeof issue.input === 'number' || typeof issue.input === 'boolean';
      const hint = issue.expected === 'string' && scalar ? ' (put it in quotes)' : '';
      const kind = (issue.inst as { format?: string } | undefined)?.format === 'safeint' ? 'int' : issue.expected;
      return `expected ${KINDS[kind] ?? kind}${hint}`;
    }
    case 'too_small':
      if (issue.origin === 'string') return 'expected text that is not empty';
      if (issue.origin === 'array') return 'expected a list that is not empty';
      return `expected a number of at least ${issue.minimum}`;
    case 'too_big':
      return `expected a number of at most ${issue.maximum}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`;
    case 'unrecognized_keys': {
      // The only place that knows both the keys and the shape: one line of the message for each key.
      const shape = (issue.inst as { shape?: object } | undefined)?.shape ?? {};
      return issue.keys.map((key) => `unknown key${meant(key, Object.keys(shape))}`).join('\n');
    }
    default:
      return undefined;
  }
}

/** What an unknown key may have meant: in other tools, and in the first documents of this one, `mode` is what `unattended` says here. */
const meant = (key: string, keys: readonly string[]): string =>
  key === 'mode' && keys.includes('unattended') ? '; did you mean unattended: none?' : didYouMean(key, keys, 'allowed');

function findingsOf(issue: Issue, above: Path): Finding[] {
  const path = [...above, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...path, key], at: 'key', message: messages[index] ?? '' }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, at: 'key', message: issue.issues[0]?.message ?? issue.message }];
  }
  if (issue.code === 'invalid_union') {
    const meant = meantBranch(issue.errors as Issue[][]);
    if (meant !== undefined) return meant.flatMap((inner) => findingsOf(inner, path));
  }
  if (issue.code === 'custom') return [{ path, at: 'value', message: issue.message }];
  if (issue.input === undefined) return [{ path, at: 'key', message: `missing; ${issue.message}` }];
  const near = issue.code === 'invalid_value' ? nearest(String(issue.input), issue.values.map(String)) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  return [{ path, at: 'value', message: `${issue.message}, got ${described(issue.input)}${hint}` }];
}

/** The alternative that was clearly meant: the only one with the fewest faults, if the value has its type at all. */
function meantBranch(branches: Issue[][]): Issue[] | undefined {
  const faults = branches.map((issues) => ({
    issues,
    count: issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0),
    typed: !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0),
  }));
  const [best, second] = faults.filter(({ typed }) => typed).sort((a, b) => a.count - b.count);
  return best === undefined || best.count === second?.count ? undefined : best.issues;
}

/** A value in a few words. */
export function described(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'object') return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty mapping' : `a mapping with ${keys.slice(0, 5).join(', ')}`;
}
