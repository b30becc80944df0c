// What shells say of a script: file, line and words, picked out of the error lines. Pure.
import { posix } from 'node:path';
import type { RepairFacts } from './repair.ts';

/** `file` as the shell wrote it. */
export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly words: string;
}

/** bash: `run.sh: line 3: words`; dash: `run.sh: 3: words`. */
const PLACED = /^([^\s:]+): (?:line )?(\d+): (.+)$/;

/** The error lines one by one, without the spaces around them. */
export function linesOf({ failure }: Pick<RepairFacts, 'failure'>): string[] {
  return failure.error_lines.flatMap((text) => text.split('\n')).flatMap((line) => line.trim() || []);
}

/** What shells complained of, in the order of the log. */
export function complaints(facts: Pick<RepairFacts, 'failure'>): Complaint[] {
  return linesOf(facts).flatMap((text) => {
    const [, file, line, words] = PLACED.exec(text) ?? [];
    return file === undefined || words === undefined ? [] : [{ file, line: Number(line), words }];
  });
}

/** A quotation of the faulty line that bash adds below a syntax error. */
const isQuotation = ({ words }: Complaint): boolean => /^`.*'$/.test(words);

/**
 * The complaint that matches, with its match, when it is what ended the script: the last one that names a place. Another
 * one after it means that the script went on.
 */
export function lastComplaint(
  facts: Pick<RepairFacts, 'failure'>,
  pattern: RegExp,
): { readonly complaint: Complaint; readonly match: RegExpExecArray } | undefined {
  const placed = complaints(facts).filter((complaint) => !isQuotation(complaint));
  const complaint = placed.at(-1);
  const match = complaint && pattern.exec(complaint.words);
  return match ? { complaint, match } : undefined;
}

/** Whether nothing but `complaint` is among the error lines, however often. */
export function saidAlone(facts: Pick<RepairFacts, 'failure'>, { words }: Complaint): boolean {
  return linesOf(facts).every((line) => line.endsWith(words));
}

/** The one of `files` that an error means by `said`: from the root, from anywhere above it, or from a folder inside. */
export function fileNamed(
  said: string,
  { files, tree = files }: Pick<RepairFacts, 'files' | 'tree'>,
): string | undefined {
  const plain = posix.normalize(said.replace(/^["'‘]|["'’]$/g, ''));
  if (files.includes(plain)) return plain;
  const every = [...new Set([...files, ...tree])];
  const meant = plain.startsWith('/')
    ? every.filter((file) => plain.endsWith(`/${file}`))
    : every.filter((file) => file.endsWith(`/${plain}`));
  const [longest] = meant.sort((a, b) => b.length - a.length);
  const certain = longest !== undefined && (plain.startsWith('/') || meant.length === 1);
  return certain && files.includes(longest) ? longest : undefined;
}
