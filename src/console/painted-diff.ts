// A diff for a terminal: what is added and removed in colour, file names bold.
import type { Output } from '../io/output.ts';

/** A line each, without the headers that say the same as the names of the files. */
export function paintedDiff(diff: string, colour: Output['colour']): string[] {
  const lines = diff.trimEnd().split('\n');
  return lines.filter((line) => !/^(?:diff --git|index|---) /.test(line)).map((line) => painted(line, colour));
}

function painted(line: string, colour: Output['colour']): string {
  if (line.startsWith('+++ ')) return colour.bold(line.replace(/^\+\+\+ (?:b\/)?/, ''));
  if (line.startsWith('+')) return colour.green(line);
  if (line.startsWith('-')) return colour.red(line);
  return line;
}
