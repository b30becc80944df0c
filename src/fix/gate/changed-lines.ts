// Which lines of a file are new, and how many differ.

const linesOf = (text: string): string[] => {
  const lines = text.includes('\r') ? text.split(/\r?\n/) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** The lines of `after` that `before` has not as often, wherever they stand and however they are indented; counted from 1. */
export function addedLines(before: string | null, after: string): { number: number; text: string }[] {
  const left = new Map<string, number>();
  const essence = (line: string) => line.replace(/^[ \t]+/, '');
  for (const line of linesOf(before ?? '').map(essence)) left.set(line, (left.get(line) ?? 0) + 1);
  return linesOf(after).flatMap((text, i) => {
    const count = left.get(essence(text)) ?? 0;
    left.set(essence(text), count - 1);
    return count > 0 ? [] : [{ number: i + 1, text }];
  });
}

/**
 * How many lines a diff adds and removes together; more than `max` is only said to be more. The search costs the square
 * of `max`. A moved line counts twice and an indented one, too: that is what someone has to read.
 */
export function editDistance(before: string | null, after: string, max: number): number {
  const old = linesOf(before ?? '');
  const now = linesOf(after);
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
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
