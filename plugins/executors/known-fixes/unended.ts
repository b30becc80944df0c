// What a script opens and does not end, so that it swallows the rest: a here-document whose last line is indented or mistyped,
// and a quote that can only have been meant to end at the end of its line.
import { errorLines, lastComplaintInFile, sourceFile } from './complaints.ts';
import { slips } from './near.ts';
import { lineAt, onlyOne, type Repair, type RepairFacts, rewritten, type SourceFile, withLine } from './repair.ts';

const UNENDED = /^(\S+): line \d+: warning: here-document at line (\d+) delimited by end-of-file \(wanted `(.+)'\)$/;

/** The text with the end of the here-document at line `opened` as the shell wants it; undefined when no one line is that end. */
export function withEnd(text: string, opened: number, end: string): string | undefined {
  const opening = lineAt(text, opened);
  if (opening.match(/<<-?\s*(["'\\]?)[\w.-]+\1/g)?.length !== 1 || !opening.includes(end)) return undefined;
  const lines = text.split('\n');
  const isOpened = (word: string, from: number) => {
    const opens = new RegExp(`<<-?\\s*["'\\\\]?${word}\\b`);
    return lines.slice(from).some((line) => opens.test(line));
  };
  // Another here-document with the same end word would make it ambiguous.
  if (isOpened(end, opened)) return undefined;
  const ends = lines.flatMap((line, i) => {
    const word = line.trim().replace(/;$/, '');
    const isEnd = word === end || (isOneSlip(word, end) && !isOpened(word, 0));
    return i >= opened && isEnd ? [i + 1] : [];
  });
  const at = onlyOne(ends);
  return at === undefined ? undefined : withLine(text, at, end);
}

const isOneSlip = (word: string, end: string): boolean =>
  /^\w{3,}$/.test(word) && isUpperCase(word) === isUpperCase(end) && slips(word, end, 1) === 1;

const isUpperCase = (word: string): boolean => word === word.toUpperCase();

const OPENS = /(?<!<)<<-?\s*(["'\\]?)([A-Za-z_]\w*)\1/;

/** The first here-document that a script opens and does not end: it hides all after it. */
export function unended(text: string): { opened: number; end: string } | undefined {
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const end = /^\s*#|\(\(/.test(line) ? undefined : OPENS.exec(line)?.[2];
    if (end === undefined) continue;
    const tabs = /<<-/.test(line);
    const at = lines.findIndex((one, j) => j > i && (tabs ? one.replace(/^\t+/, '') : one) === end);
    if (at === -1) return { opened: i + 1, end };
    i = at;
  }
  return undefined;
}

export const hereDocument: Repair = async (facts) => {
  const open = (await namedByShell(facts)) ?? (await cutShort(facts));
  const mended = open && withEnd(open.text, open.opened, open.end);
  if (!open || mended === undefined || !(await facts.shell.parses(mended))) return undefined;
  return rewritten(open, mended, {
    fix: `Write ${open.end} alone at the start of its line in ${open.path}`,
    reason: `The here-document of line ${open.opened} takes only that for its end, and swallowed the rest of the script`,
  });
};

type OpenDocument = SourceFile & { opened: number; end: string };

/** The shell names the here-document that has no end. */
async function namedByShell(facts: RepairFacts): Promise<OpenDocument | undefined> {
  const warnings = errorLines(facts)
    .map((line) => UNENDED.exec(line))
    .filter((match) => match !== null);
  const [, name, opened, end = ''] = onlyOne(warnings) ?? [];
  const file = await sourceFile(facts, name);
  return file && { ...file, opened: Number(opened), end };
}

/** The here-document swallowed the end of a block, and the error is about the block; then the mended script must parse. */
async function cutShort(facts: RepairFacts): Promise<OpenDocument | undefined> {
  const last = await lastComplaintInFile(facts, /^syntax error: unexpected end of file/);
  const open = last && unended(last.text);
  return open && { path: last.path, text: last.text, ...open };
}

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
  const lines = text.split('\n').map((line, i) => ({ line, number: i + 1 }));
  const odd = onlyOne(lines.filter(({ line }) => quotesIn(line, quote) % 2 === 1));
  if (odd === undefined || odd.number > last || !endsAtEnd(odd.line, quote)) return undefined;
  return withLine(text, odd.number, `${odd.line.trimEnd()}${quote}`);
}

/** Whether everything behind the quote belongs to it. */
function endsAtEnd(line: string, quote: string): boolean {
  const at = line.indexOf(quote);
  const [before, inside] = [line.slice(0, at), line.slice(at + 1).trimEnd()];
  if (line.indexOf(quote, at + 1) !== -1 || inside === '' || !/(?:^|[\s=])$/.test(before)) return false;
  if (/[|&;<>()`#\\]/.test(inside)) return false;
  return !/\s/.test(inside) || PRINTS.test(before) || ASSIGNS.test(before);
}

export const openQuote: Repair = async (facts) => {
  const last = await lastComplaintInFile(facts, UNCLOSED);
  const mended = last && closed(last.text, last.match[1] as '"' | "'", last.line);
  if (!last || mended === undefined || !(await facts.shell.parses(mended))) return undefined;
  return rewritten(last, mended, {
    fix: `Close the quote at the end of its line in ${last.path}`,
    reason: 'It is the only quote of the script without a partner, and the shell reads the script once it is closed',
  });
};
