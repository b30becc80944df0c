// Which lines of a file are new and which are gone. A line that only moved, or is only indented differently, is neither.

export interface Line {
  /** Counted from 1, in the text it is from. */
  number: number;
  text: string;
}

export interface ChangedLines {
  added: Line[];
  removed: Line[];
  /** Every line of the text after the change, without line ends. */
  after: string[];
  before: string[];
  /** From the first to the last line that differs, if only by its spaces. */
  span: { before: Line[]; after: Line[] };
}

const linesOf = (text: string): string[] => {
  const lines = text.includes('\r') ? text.split(/\r?\n/) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** What is left of a line when it does not matter where it stands; a module's full name is its short name. */
const essence = (line: string): string => line.trim().replace(/\bansible\.(?:builtin|legacy)\./g, '');

export function changedLines(before: string | null, after: string): ChangedLines {
  const old = linesOf(before ?? '');
  const now = linesOf(after);
  const { start, end } = commonEnds(old, now);
  const gone = numbered(old, start, old.length - end);
  const come = numbered(now, start, now.length - end);
  const span = { before: gone, after: come };
  return { added: without(come, gone), removed: without(gone, come), before: old, after: now, span };
}

function commonEnds(a: readonly string[], b: readonly string[]): { start: number; end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

const numbered = (lines: readonly string[], from: number, to: number): Line[] =>
  lines.slice(from, to).map((text, i) => ({ number: from + i + 1, text }));

/** The lines of `some` that `others` do not have as well, each as often as it stands there. */
function without(some: readonly Line[], others: readonly Line[]): Line[] {
  const counts = new Map<string, number>();
  for (const { text } of others) counts.set(essence(text), (counts.get(essence(text)) ?? 0) + 1);
  return some.filter(({ text }) => {
    const left = counts.get(essence(text)) ?? 0;
    if (left > 0) counts.set(essence(text), left - 1);
    return left === 0;
  });
}

/**
 * How many lines a diff from `old` to `now` adds and removes together; more than `max` is only said to be more.
 * The search costs the square of `max`. Here a moved line counts twice and an indented one, too: that is what someone
 * has to read.
 */
export function editDistance(old: readonly string[], now: readonly string[], max: number): number {
  const { start, end } = commonEnds(old, now);
  const a = old.slice(start, old.length - end);
  const b = now.slice(start, now.length - end);
  // Myers' greedy search: how far each diagonal gets with that many additions and removals.
  const reach = new Map<number, number>([[1, 0]]);
  const reached = (k: number) => reach.get(k) as number;
  for (let distance = 0; distance <= max; distance++) {
    for (let k = -distance; k <= distance; k += 2) {
      const down = k === -distance || (k !== distance && reached(k - 1) < reached(k + 1));
      let x = down ? reached(k + 1) : reached(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return distance;
    }
  }
  return max + 1;
}
