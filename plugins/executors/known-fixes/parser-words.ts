// What parsers of data files say: which file, and which lines. Pure.
import { fileNamed, linesOf } from './complaints.ts';
import type { RepairFacts } from './repair.ts';

export interface Pointed {
  /** Those of the files that are named, each once. */
  readonly paths: readonly string[];
  /** Whether a file is named that is none of the stage's. */
  readonly foreign: boolean;
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
  const words = lines.flatMap((line) => line.match(WORD) ?? []).map((word) => word.replace(/(?::\d+)*:?\.?$/, ''));
  const names = words.filter((word) => wanted.test(word)).map((word) => fileNamed(word, facts));
  const numbers = lines.flatMap((line) => NUMBERS.flatMap((one) => [...line.matchAll(one)].map((m) => Number(m[1]))));
  const paths = names.filter((path) => path !== undefined);
  return { paths: [...new Set(paths)], foreign: paths.length < names.length, lines: [...new Set(numbers)] };
}
