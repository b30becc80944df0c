// Which lines of a file are new, and how many differ.
import { diffArrays } from 'diff';

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

/** How many lines a diff adds and removes together; more than `max` is only said to be more. A moved line counts twice. */
export function editDistance(before: string | null, after: string, max: number): number {
  const parts = diffArrays(linesOf(before ?? ''), linesOf(after), { maxEditLength: max });
  if (!parts) return max + 1;
  return parts.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
}
