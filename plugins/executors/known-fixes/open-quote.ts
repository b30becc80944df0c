// A quote that is never closed, in the one line where it can only have been meant to end at the end.
import { lastComplaintInFile } from './complaints.ts';
import { type Repair, rewritten } from './repair.ts';
import { withLine } from './source-text.ts';

const UNCLOSED = /^unexpected EOF while looking for matching `(["'])'$/;

/** Commands that take all the rest of a line as one text. */
const PRINTS = /^\s*(?:echo|printf|die|fail|fatal|error|warn|info|log|say|note)\s+(?:-\w+\s+)?$/;
const ASSIGNS = /^\s*(?:export\s+|local\s+|readonly\s+|declare\s+)?[A-Za-z_]\w*=$/;

/** How many quotes of this kind in `line` open or close something. */
export function quotesIn(line: string, quote: '"' | "'"): number {
  const other = quote === '"' ? "'" : '"';
  let count = 0;
  let inside = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i] as string;
    if (c === '\\' && inside !== "'") i++;
    else if (c === '#' && inside === '' && /(?:^|\s)$/.test(line.slice(0, i))) break;
    else if (c === quote && inside !== other) {
      count++;
      inside = inside === quote ? '' : quote;
    } else if (c === other && inside !== quote) inside = inside === other ? '' : other;
  }
  return count;
}

/** The text with the only open quote up to line `last` closed at the end of its line; undefined when that is not the only way. */
export function closed(text: string, quote: '"' | "'", last: number): string | undefined {
  const odd = text.split('\n').flatMap((line, i) => (quotesIn(line, quote) % 2 === 1 ? [{ line, number: i + 1 }] : []));
  const [only] = odd;
  if (only === undefined || odd.length !== 1 || only.number > last || !endsAtEnd(only.line, quote)) return undefined;
  return withLine(text, only.number, `${only.line.trimEnd()}${quote}`);
}

/** Whether everything behind the quote belongs to it. */
function endsAtEnd(line: string, quote: string): boolean {
  const at = line.indexOf(quote);
  const [before, inside] = [line.slice(0, at), line.slice(at + 1).trimEnd()];
  if (line.indexOf(quote, at + 1) !== -1 || inside === '' || !/(?:^|[\s=])$/.test(before)) return false;
  if (/[|&;<>()`#\\]/.test(inside)) return false;
  return !/\s/.test(inside) || PRINTS.test(before) || ASSIGNS.test(before);
}

export const openQuote: Repair = {
  name: 'open-quote',
  async find(facts) {
    const last = await lastComplaintInFile(facts, UNCLOSED);
    if (!last) return undefined;
    const { path, text, match, complaint } = last;
    const mended = closed(text, match[1] as '"' | "'", complaint.line);
    if (mended === undefined || !(await facts.shell.parses(mended))) return undefined;
    return rewritten(path, text, mended, {
      fix: `Close the quote at the end of its line in ${path}`,
      reason: 'It is the only quote of the script without a partner, and the shell reads the script once it is closed',
    });
  },
};
