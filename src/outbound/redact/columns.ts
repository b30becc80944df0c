// Secrets in tables: a heading says what a column holds, the rows below it hold the values. Tables with bars, lists
// with commas, semicolons or tabs, and columns that blanks align.
import { isNoSecret, isProse, looksChosen } from './looks.ts';
import { PASSWORD, SECRET, STEM, strengthOf } from './names.ts';
import type { Span } from './spans.ts';

const MAX_LINE = 400;
const NAME_CELL = /^["']?[\w-]{1,24}(?: [\w-]{1,16}){0,2}["']?$/;
/** Between a heading and its rows, and around them. */
const RULE = /^[\s|+:=-]*$/;
const SEPARATORS = [/\|/, /,/, /;/, /\t/, /[ \t]{2,}/];

/** What stands below a heading that names secrets, as far as the rows have as many cells. */
export function findInColumns(text: string): Span[] {
  const spans: Span[] = [];
  const lines = text.split('\n');
  let table: Table | undefined;
  let at = 0;
  for (const [i, line] of lines.entries()) {
    const cells = table === undefined ? undefined : cellsOf(line, table.separator);
    if (table !== undefined && cells?.length === table.names.length)
      for (const column of table.columns) {
        const { start, text: value } = cells[column] as Cell;
        if (isValue(value, table.names[column] as string))
          spans.push({ start: at + start, end: at + start + value.length, kind: 'secret' });
      }
    else if (table === undefined || !RULE.test(line)) {
      // Below another row with bars it is a row itself.
      const isRow = line.includes('|') && (lines[i - 1] ?? '').includes('|') && !RULE.test(lines[i - 1] ?? '');
      table = isRow ? undefined : tableBelow(line);
    }
    at += line.length + 1;
  }
  return spans;
}

interface Table {
  separator: RegExp;
  names: string[];
  /** Those that hold secrets. */
  columns: number[];
}

function tableBelow(line: string): Table | undefined {
  if (line.length > MAX_LINE || line.search(STEM) === -1) return undefined;
  // It may be the first line of a text inside of JSON.
  const heading = line.replace(/^.*":[ \t]?"/, '');
  const separator = SEPARATORS.find((one) => one.test(heading.trim()));
  if (separator === undefined) return undefined;
  const names = cellsOf(heading, separator).map((cell) => cell.text);
  // Aligned by blanks is much: headings are in capitals there, or each begins with one.
  const isAligned = separator === SEPARATORS.at(-1);
  const isTable =
    names.filter((name) => name !== '').length > 1 &&
    names.every((name) => name === '' || (NAME_CELL.test(name) && (!isAligned || /^[A-Z]/.test(name))));
  const columns = [...names.keys()].filter((i) => isTable && isSecretColumn(names[i] as string, separator));
  return columns.length === 0 ? undefined : { separator, names, columns };
}

/** A column SECRET, but of a drawn table, holds the names of Secrets, as kubectl prints them. */
const isSecretColumn = (name: string, separator: RegExp | undefined): boolean =>
  strengthOf(name) >= SECRET && (separator === SEPARATORS[0] || !/^secrets?$/i.test(name));

const isValue = (text: string, name: string): boolean =>
  /^\S{3,256}$/.test(text) &&
  !isNoSecret(text, name, ':') &&
  !isProse(text) &&
  (strengthOf(name) === PASSWORD || looksChosen(text));

interface Cell {
  start: number;
  text: string;
}

/** What stands between separators, trimmed and without quotes; none of a line that is too long. */
function cellsOf(line: string, separator: RegExp): Cell[] {
  if (line.length > MAX_LINE) return [];
  let start = line.length - line.trimStart().length;
  return line
    .trim()
    .split(separator)
    .map((cell) => {
      const text = cell.trim().replace(/^(["'`])(.*)\1$/, '$2');
      const at = start + cell.indexOf(text);
      start = line.indexOf(cell, start) + cell.length;
      start += separator.exec(line.slice(start, start + MAX_LINE))?.[0].length ?? 0;
      return { start: at, text };
    });
}
