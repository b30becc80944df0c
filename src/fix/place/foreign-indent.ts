// Spaces in a file of tabs, or tabs in one of spaces: no fix means that, and Make, YAML and Python do not forgive it.
import type { Source } from './source.ts';

const SPACES = /^ {2}/;
const TABS = /^\t/;

/** Whether a line is indented by what no line of the file is indented by, though others are indented. */
export function hasForeignIndent(added: readonly string[], { lines }: Source): boolean {
  const foreign = (mine: RegExp, theirs: RegExp): boolean =>
    added.some((line) => mine.test(line) && line.trim() !== '') &&
    lines.some((line) => theirs.test(line)) &&
    !lines.some((line) => mine.test(line));
  return foreign(SPACES, TABS) || foreign(TABS, SPACES);
}
