// What shells and parsers say of a file: its name, a line and words, picked out of the error lines.
import { posix } from 'node:path';
import { lineAt, onlyOne, type RepairFacts, type SourceFile, textOf, textsOf } from './repair.ts';

export interface Complaint {
  /** As the shell wrote it. */
  readonly file: string;
  readonly line: number;
  readonly words: string;
}

/** bash: `run.sh: line 3: words`; dash: `run.sh: 3: words`. */
const PLACED = /^([^\s:]+): (?:line )?(\d+): (.+)$/;

/** The error lines one by one, without the spaces around them. */
export function errorLines({ failure }: RepairFacts): string[] {
  return failure.error_lines.flatMap((text) => text.split('\n')).flatMap((line) => line.trim() || []);
}

/** What shells complained of, in the order of the log. */
export function complaints(facts: RepairFacts): Complaint[] {
  return errorLines(facts).flatMap((text) => {
    const [, file, line, words] = PLACED.exec(text) ?? [];
    return file === undefined || words === undefined ? [] : [{ file, line: Number(line), words }];
  });
}

/** The faulty line, which bash quotes below a syntax error. */
const QUOTATION = /^`.*'$/;

type Matched = Complaint & { readonly match: RegExpExecArray };

/**
 * The complaint that matches, with its match, when it is what ended the script: the last one that names a place. Another
 * one after it means that the script went on.
 */
export function lastComplaint(facts: RepairFacts, pattern: RegExp): Matched | undefined {
  const last = complaints(facts).findLast(({ words }) => !QUOTATION.test(words));
  const match = last && pattern.exec(last.words);
  return match ? { ...last, match } : undefined;
}

type MatchedInFile = Matched & SourceFile & { readonly source: string };

/** The same, with the file of the stage that it names, and the line in it as `source` ('' beyond its end). */
export async function lastComplaintInFile(facts: RepairFacts, pattern: RegExp): Promise<MatchedInFile | undefined> {
  const last = lastComplaint(facts, pattern);
  const file = await sourceFile(facts, last?.file);
  return last && file && { ...last, ...file, source: lineAt(file.text, last.line) };
}

/** What the first pattern that matches `line` captures. */
export const capturedBy = (patterns: readonly RegExp[], line: string): string | undefined =>
  patterns.map((pattern) => pattern.exec(line)?.[1]).find((text) => text !== undefined);

/** The one of `files` that an error means by `name`: from the root, from anywhere above it, or from a folder inside. */
export function fileNamed(name: string | undefined, { files, tree }: RepairFacts): string | undefined {
  if (name === undefined) return undefined;
  const plain = posix.normalize(name.replace(/^["'‘]|["'’]$/g, ''));
  if (files.includes(plain)) return plain;
  const every = [...new Set([...files, ...tree])];
  const meant = plain.startsWith('/')
    ? every.filter((file) => plain.endsWith(`/${file}`)).sort((a, b) => b.length - a.length)[0]
    : onlyOne(every.filter((file) => file.endsWith(`/${plain}`)));
  return meant !== undefined && files.includes(meant) ? meant : undefined;
}

/** The same, with its text. */
export async function sourceFile(facts: RepairFacts, name: string | undefined): Promise<SourceFile | undefined> {
  const path = fileNamed(name, facts);
  const text = await textOf(facts, path);
  return path === undefined || text === undefined ? undefined : { path, text };
}

const LINE_NUMBERS = [
  /\bline:? (\d+)/gi,
  /^\s*(\d+):\d+\s+(?:error|warning)\b/gi,
  /\.\w+:(\d+)(?::\d+)?\b/g,
  /\((\d+):\d+\)/g,
];
const WORD = /[^\s"'`‘’()[\],;=]+/g;

/** The files of the stage that the errors name and whose name matches; undefined stands for any file outside of the stage. */
export function faultyFileNames(facts: RepairFacts, fileName: RegExp): Set<string | undefined> {
  const words = errorLines(facts).flatMap((line) => line.match(WORD) ?? []);
  const plain = words.map((word) => word.replace(/(?::\d+)*:?\.?$/, ''));
  return new Set(plain.filter((word) => fileName.test(word)).map((word) => fileNamed(word, facts)));
}

/**
 * Of the data files whose name matches, the one that the errors name, or the only one that does not parse; `lines` are all line
 * numbers in the errors. undefined when it parses, when several could be meant, and when one is named that is none of the stage's.
 */
export async function faultyFile(
  facts: RepairFacts,
  fileName: RegExp,
  parses: (text: string, path: string) => boolean,
): Promise<(SourceFile & { isNamed: boolean; lines: number[] }) | undefined> {
  const errors = errorLines(facts);
  const named = faultyFileNames(facts, fileName);
  if (named.size > 1 || named.has(undefined)) return undefined;
  const isNamed = named.size === 1;
  const texts = await textsOf(facts, (path) => (isNamed ? named.has(path) : fileName.test(path)));
  const [path, text] = onlyOne([...texts].filter(([path, text]) => !parses(text, path))) ?? [];
  if (path === undefined || text === undefined) return undefined;
  const numbers = errors.flatMap((line) => LINE_NUMBERS.flatMap((one) => [...line.matchAll(one)].map(([, n]) => n)));
  return { path, text, isNamed, lines: [...new Set(numbers.map(Number))] };
}
