// Which files a failure points at, and where in them: lines it names, and words it has in common with them.

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

export interface Said {
  readonly error_lines: readonly string[];
  readonly log: readonly string[];
  readonly command: string;
}

const PATHS = /[\w.@+~/-]*[\w+~-]\.?[\w@+~-]+/g;
const LINE_BEHIND = /^["'`]?(?::|,?:? ?(?:at |on |in )?line:? |\()(\d{1,6})/i;
const ANY_LINE = /\bline:? (\d{1,6})/gi;
const WORDS = /[A-Za-z_][\w.-]{2,60}\w/g;
const MOST_WORDS = 40;
const MOST_MATCHES = 25;
const COMMON = new Set(
  'error errors failed failure fail fatal warning line file with from this that cannot could unable not found invalid unexpected expected while when such exit status code command stage'.split(
    ' ',
  ),
);

/** Every file, the most suspicious first; of equals, in their order. */
export function suspects(files: readonly SourceFile[], said: Said): Suspect[] {
  const mentions = mentionsOf(files, said);
  const matches = matchesOf(files, said.error_lines);
  const found = files.map(({ path, text }) => {
    const { named, weight } = mentions.get(path) ?? { named: new Set<number>(), weight: 0 };
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    const own = matches.get(path) ?? [];
    const rarity = own.reduce((sum, { count }) => sum + 1 / count, 0);
    return {
      path,
      text,
      lines,
      score: weight + Math.min(20, 10 * rarity),
      named: [...named].filter((line) => line >= 1 && line <= lines.length).sort((a, b) => a - b),
      matching: [...own].sort((a, b) => a.count - b.count || a.line - b.line).map(({ line }) => line),
    };
  });
  return found.sort((a, b) => b.score - a.score);
}

interface Mention {
  named: Set<number>;
  weight: number;
}

/** Where paths are named, and the line numbers behind them. */
function mentionsOf(files: readonly SourceFile[], { error_lines, log, command }: Said): Map<string, Mention> {
  const resolve = resolver(files);
  const mentions = new Map<string, Mention>();
  const mention = (path: string, weight: number): Mention => {
    const known = mentions.get(path) ?? { named: new Set<number>(), weight: 0 };
    known.weight = Math.max(known.weight, weight);
    mentions.set(path, known);
    return known;
  };
  const look = (line: string, weight: number): void => {
    for (const match of line.slice(0, 4000).matchAll(PATHS)) {
      const behind = LINE_BEHIND.exec(line.slice(match.index + match[0].length, match.index + match[0].length + 40));
      const paths = resolve(match[0]);
      for (const path of paths) {
        const { named } = mention(path, weight / paths.length);
        if (behind && paths.length <= 3) named.add(Number(behind[1]));
      }
    }
  };
  for (const word of command.split(/\s+/)) for (const path of resolve(word)) mention(path, 10);
  for (const line of log) look(line, 20);
  for (const line of error_lines) look(line, 100);
  // `yaml: line 12: …` often stands beside the name, not behind it.
  const accused = [...mentions].filter(([, { weight }]) => weight >= 50);
  const lines = error_lines.flatMap((line) => [...line.slice(0, 4000).matchAll(ANY_LINE)].map((m) => Number(m[1])));
  if (accused.length <= 3) for (const [, { named }] of accused) for (const line of lines) named.add(line);
  return mentions;
}

/** What is written → the files it can mean: the path itself, its end, or a longer path that ends with it. */
function resolver(files: readonly SourceFile[]): (written: string) => string[] {
  const byName = new Map<string, string[]>();
  for (const { path } of files) {
    const name = path.split('/').at(-1) as string;
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return (written) => {
    const clean = written.replace(/^(?:\.\/)+/, '');
    const same = byName.get(clean.split('/').at(-1) as string) ?? [];
    return same.filter((path) => path === clean || path.endsWith(`/${clean}`) || clean.endsWith(`/${path}`));
  };
}

/** Lines that share a word with the error lines, by file; words that are everywhere say nothing. */
function matchesOf(files: readonly SourceFile[], errorLines: readonly string[]): Map<string, Match[]> {
  const words = new Set<string>();
  for (const line of errorLines) {
    // Of a long line the end first: there the cause is.
    const text = line.length > 2000 ? `${line.slice(-1000)} ${line.slice(0, 1000)}` : line;
    for (const [word] of text.matchAll(WORDS)) {
      if (!COMMON.has(word.toLowerCase()) && words.size < MOST_WORDS) words.add(word);
    }
  }
  const byFile = new Map<string, Match[]>();
  if (words.size === 0) return byFile;
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')).join('|'), 'g');
  const seen = new Map<string, { path: string; line: number }[]>();
  for (const { path, text } of files) {
    let [line, at] = [1, 0];
    for (const match of text.slice(0, MOST_CHARS).matchAll(pattern)) {
      for (; ; line++) {
        const end = text.indexOf('\n', at);
        if (end < 0 || end >= match.index) break;
        at = end + 1;
      }
      const places = seen.get(match[0]) ?? [];
      if (places.length <= MOST_MATCHES) places.push({ path, line });
      seen.set(match[0], places);
    }
  }
  for (const places of seen.values()) {
    if (places.length > MOST_MATCHES) continue;
    for (const { path, line } of places) {
      byFile.set(path, [...(byFile.get(path) ?? []), { line, count: places.length }]);
    }
  }
  return byFile;
}

const MOST_CHARS = 1_000_000;

interface Match {
  line: number;
  /** How often the word stands in all files. */
  count: number;
}
