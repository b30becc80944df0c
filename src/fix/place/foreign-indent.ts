// Spaces in a file of tabs, or tabs in one of spaces: no fix means that, and Make, YAML and Python do not forgive it. Only
// where the very lines are taken out that come back with another indentation it is what was meant.
import type { Source } from './source.ts';

const SPACES = /^ {2}/;
const TABS = /^\t/;

/** Whether a line is indented by what no line of the file is indented by, though others are; `removed` lines go. */
export function hasForeignIndent(added: readonly string[], removed: readonly string[], { lines }: Source): boolean {
  const gone = new Set(removed.map((line) => line.trim()));
  const foreign = (mine: RegExp, theirs: RegExp): boolean =>
    added.some((line) => mine.test(line) && line.trim() !== '' && !gone.has(line.trim())) &&
    lines.some((line) => theirs.test(line)) &&
    !lines.some((line) => mine.test(line));
  return foreign(SPACES, TABS) || foreign(TABS, SPACES);
}
