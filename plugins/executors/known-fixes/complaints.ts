// What shells and parsers say of a file: its name, a line and words, picked out of the error lines.
import { posix } from 'node:path';
import type { RepairFacts } from './repair.ts';
import { lineAt, textOf, textsOf } from './source-text.ts';

/** `file` as the shell wrote it. */
export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly words: string;
}

/** bash: `run.sh: line 3: words`; dash: `run.sh: 3: words`. */
const PLACED = /^([^\s:]+): (?:line )?(\d+): (.+)$/;

/** The error lines one by one, without the spaces around them. */
export function errorLines({ failure }: Pick<RepairFacts, 'failure'>): string[] {
  return failure.error_lines.flatMap((text) => text.split('\n')).flatMap((line) => line.trim() || []);
}

/** What shells complained of, in the order of the log. */
export function complaints(facts: Pick<RepairFacts, 'failure'>): Complaint[] {
  return errorLines(facts).flatMap((text) => {
    const [, file, line, words] = PLACED.exec(text) ?? [];
    return file === undefined || words === undefined ? [] : [{ file, line: Number(line), words }];
  });
}

/** A quotation of the faulty line that bash adds below a syntax error. */
const isQuotation = ({ words }: Complaint): boolean => /^`.*'$/.test(words);

interface Matched {
  readonly complaint: Complaint;
  readonly match: RegExpExecArray;
}

/**
 * The complaint that matches, with its match, when it is what ended the script: the last one that names a place. Another
 * one after it means that the script went on.
 */
export function lastComplaint(facts: Pick<RepairFacts, 'failure'>, pattern: RegExp): Matched | undefined {
  const complaint = complaints(facts).findLast((one) => !isQuotation(one));
  const match = complaint && pattern.exec(complaint.words);
  return match ? { complaint, match } : undefined;
}

/** The same, with the file of the stage that it names, its text, and the line in it ('' beyond its end). */
export async function lastComplaintInFile(
  facts: RepairFacts,
  pattern: RegExp,
): Promise<(Matched & { readonly path: string; readonly text: string; readonly line: string }) | undefined> {
  const last = lastComplaint(facts, pattern);
  const path = last && fileNamed(last.complaint.file, facts);
  const text = await textOf(facts, path);
  if (!last || path === undefined || text === undefined) return undefined;
  return { ...last, path, text, line: lineAt(text, last.complaint.line) ?? '' };
}

/** Whether nothing but `complaint` is among the error lines, however often. */
export function isOnlyComplaint(facts: Pick<RepairFacts, 'failure'>, { words }: Complaint): boolean {
  return errorLines(facts).every((line) => line.endsWith(words));
}

/** What the first pattern that matches `line` captures. */
export const capturedBy = (patterns: readonly RegExp[], line: string): string | undefined =>
  patterns.map((pattern) => pattern.exec(line)?.[1]).find((text) => text !== undefined);

/** The one of `files` that an error means by `name`: from the root, from anywhere above it, or from a folder inside. */
export function fileNamed(
  name: string | undefined,
  { files, tree }: Pick<RepairFacts, 'files' | 'tree'>,
): string | undefined {
  if (name === undefined) return undefined;
  const plain = posix.normalize(name.replace(/^["'‘]|["'’]$/g, ''));
  if (files.includes(plain)) return plain;
  const every = [...new Set([...files, ...tree])];
  const meant = plain.startsWith('/')
    ? every.filter((file) => plain.endsWith(`/${file}`))
    : every.filter((file) => file.endsWith(`/${plain}`));
  const [longest] = meant.sort((a, b) => b.length - a.length);
  const certain = longest !== undefined && (plain.startsWith('/') || meant.length === 1);
  return certain && files.includes(longest) ? longest : undefined;
}

/** A data file that does not parse. */
export interface FaultyFile {
  readonly path: string;
  readonly text: string;
  /** Whether the errors name the file. */
  readonly isNamed: boolean;
  /** Every line number in the error lines. */
  readonly lines: readonly number[];
}

const LINE_NUMBERS = [
  /\bline:? (\d+)/gi,
  /^\s*(\d+):\d+\s+(?:error|warning)\b/gi,
  /\.\w+:(\d+)(?::\d+)?\b/g,
  /\((\d+):\d+\)/g,
];
const WORD = /[^\s"'`‘’()[\],;=]+/g;

/**
 * Of the files whose name matches, the one that the errors name, or the only one that does not parse. undefined when it
 * parses, when several could be meant, and when one is named that is none of the stage's.
 */
export async function faultyFile(
  facts: RepairFacts,
  fileName: RegExp,
  parses: (text: string, path: string) => boolean,
): Promise<FaultyFile | undefined> {
  const errors = errorLines(facts);
  const words = errors.flatMap((line) => line.match(WORD) ?? []).map((word) => word.replace(/(?::\d+)*:?\.?$/, ''));
  const named = new Set(words.filter((word) => fileName.test(word)).map((word) => fileNamed(word, facts)));
  if (named.size > 1 || named.has(undefined)) return undefined;
  const texts = await textsOf(facts, (path) => (named.size === 1 ? named.has(path) : fileName.test(path)));
  const [only, ...more] = [...(texts ?? [])].filter(([path, text]) => !parses(text, path));
  if (only === undefined || more.length > 0) return undefined;
  const numbers = errors.flatMap((line) => LINE_NUMBERS.flatMap((one) => [...line.matchAll(one)].map(([, n]) => n)));
  return { path: only[0], text: only[1], isNamed: named.size === 1, lines: [...new Set(numbers.map(Number))] };
}
