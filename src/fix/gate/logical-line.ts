// A line together with those that a shell reads as one with it: behind a backslash, or an operator that wants more.
import type { Line } from './changed-lines.ts';
import type { Language } from './language.ts';

const MOST = 40;

export interface LogicalLine {
  text: string;
  lines: Line[];
  /** There is more of it than was joined. */
  cut: boolean;
}

/** The line `number` of `lines` (from 1) as part of the whole, and the lines that make it up. */
export function logicalLine(lines: readonly string[], number: number, language: Language): LogicalLine {
  const joins = (i: number) => i >= 0 && i < lines.length - 1 && goesOn(lines[i] ?? '', lines[i + 1] ?? '', language);
  let from = number - 1;
  let to = number - 1;
  while (to - from < MOST && joins(from - 1)) from--;
  while (to - from < MOST && joins(to)) to++;
  const own = lines.slice(from, to + 1);
  return {
    text: own.map((line, i) => (i < own.length - 1 ? `${line.replace(/\\$/, '')} ` : line)).join(''),
    lines: own.map((text, i) => ({ number: from + i + 1, text })),
    cut: joins(from - 1) || joins(to),
  };
}

function goesOn(line: string, next: string, language: Language): boolean {
  if (/^\s*#/.test(line)) return false;
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(line)) return true;
  if (/(?:&&|\|\|)\s*$/.test(line)) return true;
  // In a folded text of YAML the flags of a command may stand on a line of their own.
  if (language === 'data' && /^\s*--?[A-Za-z]/.test(next) && !/^\s*(?:- |---|$)/.test(line)) return true;
  // In YAML a bar behind a key or a dash begins a text of its own.
  return /[^|]\|\s*$/.test(line) && (language === 'shell' || !/(?:[:-]|:\s+[!&]\S+)\s+\|\s*$/.test(line));
}
