// Which files a failure points at, and where in them: lines it names, and words it has in common with them.
import { textLines } from '../text.ts';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A file with what points at it. Lines count from 1. */
export interface Suspect extends SourceFile {
  readonly lines: readonly string[];
  readonly score: number;
  /** Lines that the failure names. */
  readonly named: readonly number[];
  /** Lines with a rare word of the failure, the rarest word first. */
  readonly matching: readonly number[];
}

/** Where clues are looked for, the strongest first. */
export interface Evidence {
  readonly error_lines: readonly string[];
  readonly log: readonly string[];
  readonly command: string;
}

const PATHS = /[\w.@+~/-]*[\w+~-]\.?[\w@+~-]+/g;
const LINE_BEHIND = /^["'`]?(?::|,?:? ?(?:at |on |in )?line:? |\()(\d{1,6})/i;
const ANY_LINE = /\bline:? (\d{1,6})/gi;
const WORDS = /[A-Za-z_][\w.-]{2,60}\w/g;
const COMMON_WORDS = new Set(
  `error errors failed failure fail fatal warning line file with from this that cannot could unable not found invalid
   unexpected expected while when such exit status code command stage`.split(/\s+/),
);
const MAX_LINE_CHARS = 2000;
const MAX_WORDS = 40;
/** A word that stands in more lines than this says nothing. */
const MAX_MATCHES = 25;
const MAX_FILE_CHARS = 1_000_000;

/** Every file, the most suspicious first; of equals, in their order. */
export function suspects(files: readonly SourceFile[], evidence: Evidence): Suspect[] {
  const error_lines = evidence.error_lines.map(endFirst);
  const mentions = mentionsOf(files, { ...evidence, error_lines });
  const matches = matchesOf(files, error_lines);
  const ranked = files.map(({ path, text }) => {
    const mention = mentions.get(path);
    const byRarity = (matches.get(path) ?? []).sort((a, b) => a.count - b.count || a.line - b.line);
    const rarity = byRarity.reduce((sum, { count }) => sum + 1 / count, 0);
    const lines = textLines(text);
    const named = [...(mention?.lines ?? [])].filter((line) => line >= 1 && line <= lines.length);
    return {
      path,
      text,
      lines,
      score: (mention?.weight ?? 0) + Math.min(20, 10 * rarity),
      named: named.sort((a, b) => a - b),
      matching: byRarity.map(({ line }) => line),
    };
  });
  return ranked.sort((a, b) => b.score - a.score);
}

/** Of a long line the end comes first, for there many tools name the cause, and only so much of it is looked at. */
const endFirst = (line: string): string =>
  line.length > MAX_LINE_CHARS ? `${line.slice(-MAX_LINE_CHARS)} ${line.slice(0, MAX_LINE_CHARS)}` : line;

/** Where paths are named, and the line numbers behind them. */
function mentionsOf(files: readonly SourceFile[], { error_lines, log, command }: Evidence) {
  const resolve = resolver(files);
  const mentions = new Map<string, { readonly lines: Set<number>; weight: number }>();
  const mention = (path: string, weight: number) => {
    const entry = mentions.get(path) ?? { lines: new Set<number>(), weight: 0 };
    entry.weight = Math.max(entry.weight, weight);
    mentions.set(path, entry);
    return entry;
  };
  const look = (line: string, weight: number): void => {
    for (const { 0: written, index } of line.slice(0, 2 * MAX_LINE_CHARS).matchAll(PATHS)) {
      const end = index + written.length;
      const behind = LINE_BEHIND.exec(line.slice(end, end + 40));
      const paths = resolve(written);
      for (const path of paths) {
        const { lines } = mention(path, weight / paths.length);
        if (behind && paths.length <= 3) lines.add(Number(behind[1]));
      }
    }
  };
  for (const word of command.split(/\s+/)) for (const path of resolve(word)) mention(path, 10);
  for (const line of log) look(line, 20);
  for (const line of error_lines) look(line, 100);
  // `yaml: line 12: …` often stands beside the name, not behind it.
  const accused = [...mentions.values()].filter(({ weight }) => weight >= 50);
  const numbers = error_lines.flatMap((line) =>
    [...line.slice(0, 2 * MAX_LINE_CHARS).matchAll(ANY_LINE)].map((m) => Number(m[1])),
  );
  if (accused.length <= 3) for (const { lines } of accused) for (const number of numbers) lines.add(number);
  return mentions;
}

/** What is written → the files it can mean: the path itself, its end, or a longer path that ends with it. */
function resolver(files: readonly SourceFile[]): (written: string) => string[] {
  const byName = new Map<string, string[]>();
  for (const { path } of files) append(byName, path.split('/').at(-1) as string, path);
  return (written) => {
    const clean = written.replace(/^(?:\.\/)+/, '');
    const same = byName.get(clean.split('/').at(-1) as string) ?? [];
    return same.filter((path) => path === clean || path.endsWith(`/${clean}`) || clean.endsWith(`/${path}`));
  };
}

/** Lines that share a word with the error lines, by file, and how often the word stands in all files. */
function matchesOf(files: readonly SourceFile[], errorLines: readonly string[]) {
  const byFile = new Map<string, { readonly line: number; readonly count: number }[]>();
  const all = errorLines.flatMap((line) => line.slice(0, MAX_LINE_CHARS).match(WORDS) ?? []);
  const words = [...new Set(all.filter((word) => !COMMON_WORDS.has(word.toLowerCase())))].slice(0, MAX_WORDS);
  if (words.length === 0) return byFile;
  const longestFirst = words.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')).join('|'), 'g');
  const byWord = new Map<string, { path: string; line: number }[]>();
  for (const { path, text } of files) {
    let [line, at] = [1, 0];
    for (const { 0: word, index } of text.slice(0, MAX_FILE_CHARS).matchAll(pattern)) {
      for (; ; line++) {
        const end = text.indexOf('\n', at);
        if (end < 0 || end >= index) break;
        at = end + 1;
      }
      // One more than counts: then it is known to be too many.
      if ((byWord.get(word)?.length ?? 0) <= MAX_MATCHES) append(byWord, word, { path, line });
    }
  }
  for (const places of byWord.values()) {
    if (places.length > MAX_MATCHES) continue;
    for (const { path, line } of places) append(byFile, path, { line, count: places.length });
  }
  return byFile;
}

function append<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list) list.push(one);
  else lists.set(key, [one]);
}
