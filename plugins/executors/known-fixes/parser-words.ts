// What parsers of data files say: which file, and which lines. Pure.
import { fileNamed, linesOf } from './complaints.ts';
import type { RepairFacts } from './repair.ts';

export interface Pointed {
  /** Those of the files that are named, each once. */
  readonly paths: readonly string[];
  /** Every line number that is said. */
  readonly lines: readonly number[];
}

const NUMBERS = [
  /\bline:? (\d+)/gi,
  /^\s*(\d+):\d+\s+(?:error|warning)\b/gi,
  /\.\w+:(\d+)(?::\d+)?\b/g,
  /\((\d+):\d+\)/g,
];
const WORD = /[^\s"'`‘’()[\],;=]+/g;

/** What the error lines point at, among files whose name matches. */
export function pointed(facts: RepairFacts, wanted: RegExp): Pointed {
  const lines = linesOf(facts);
  const words = lines
    .flatMap((line) => line.match(WORD) ?? [])
    .map((word) => word.replace(/(?::\d+)*:?$/, '').replace(/\.$/, ''));
  const paths = new Set(words.flatMap((word) => (wanted.test(word) ? (fileNamed(word, facts) ?? []) : [])));
  const foreign = words.some((word) => wanted.test(word) && fileNamed(word, facts) === undefined);
  const numbers = lines.flatMap((line) =>
    NUMBERS.flatMap((pattern) => [...line.matchAll(pattern)].map((m) => Number(m[1]))),
  );
  return { paths: foreign ? [] : [...paths], lines: [...new Set(numbers)] };
}

/** Whether an error names a file of this kind that is none of the stage's. */
export function namesForeign(facts: RepairFacts, wanted: RegExp): boolean {
  const words = linesOf(facts)
    .flatMap((line) => line.match(WORD) ?? [])
    .map((word) => word.replace(/(?::\d+)*:?$/, ''));
  return words.some((word) => wanted.test(word) && fileNamed(word, facts) === undefined);
}
