// Secrets in tables: a heading says what a column holds, the rows below it hold the values. Tables with bars, lists
// with commas, semicolons or tabs, and columns that blanks align.
import { isNoSecret, isProse, looksChosen } from './looks.ts';
import { PASSWORD, SECRET, strengthOf } from './names.ts';
import type { Span } from './spans.ts';

const [MAX_LINE, MAX_ROWS] = [400, 200];
const MAY_BE_HEADING = /(?:token|secret|key|pass\w*|pw|pwd|kennwort|psk)s?["'`]?[ \t]*(?:[|,;\t]|[ \t]{2}|\r?$)/i;
const NAME_CELL = /^["']?[\w-]{1,24}(?: [\w-]{1,16}){0,2}["']?$/;
/** Between a heading and its rows, and around them. */
const RULE = /^[\s|+:=-]*$/;
const SEPARATORS = [/\|/, /,/, /;/, /\t/, /[ \t]{2,}/];

/** What stands below a heading that names secrets, as far as the rows have as many cells. */
export function findInColumns(text: string): Span[] {
  const spans: Span[] = [];
  const lines = text.split('\n');
  let at = 0;
  for (const [i, line] of lines.entries()) {
    // Below another row with bars it is a row itself.
    const isRow = line.includes('|') && (lines[i - 1] ?? '').includes('|') && !RULE.test(lines[i - 1] ?? '');
    if (line.length <= MAX_LINE && !isRow && MAY_BE_HEADING.test(line))
      spans.push(...below(line, lines.slice(i + 1, i + 1 + MAX_ROWS), at + line.length + 1));
    at += line.length + 1;
  }
  return spans;
}

function below(line: string, rows: readonly string[], from: number): Span[] {
  // It may be the first line of a text inside of JSON.
  const heading = line.replace(/^.*":[ \t]?"/, '');
  const separator = SEPARATORS.find((one) => one.test(heading.trim()));
  const names = separator === undefined ? [] : cellsOf(heading, separator);
  // Aligned by blanks is much: headings are in capitals there.
  const isAligned = separator === SEPARATORS.at(-1);
  const isTable =
    names.filter(({ text }) => text !== '').length > 1 &&
    !(isAligned && /[a-z]/.test(heading)) &&
    names.every(({ text }) => text === '' || NAME_CELL.test(text));
  const columns = [...names.keys()].filter((i) => isTable && isSecretColumn(names[i]?.text ?? '', separator));
  if (columns.length === 0 || separator === undefined) return [];
  const spans: Span[] = [];
  let at = from;
  for (const row of rows) {
    const cells = row.length > MAX_LINE ? [] : cellsOf(row, separator);
    if (!RULE.test(row) && cells.length !== names.length) break;
    for (const column of columns) {
      const { start = 0, text = '' } = cells[column] ?? {};
      if (isValue(text, names[column]?.text ?? ''))
        spans.push({ start: at + start, end: at + start + text.length, kind: 'secret' });
    }
    at += row.length + 1;
  }
  return spans;
}

/** A column SECRET, but of a drawn table, holds the names of Secrets, as kubectl prints them. */
const isSecretColumn = (name: string, separator: RegExp | undefined): boolean =>
  strengthOf(name) >= SECRET && (separator === SEPARATORS[0] || !/^secrets?$/i.test(name));

const isValue = (text: string, name: string): boolean =>
  /^\S{3,256}$/.test(text) &&
  !isNoSecret(text, name, ':') &&
  !isProse(text) &&
  (strengthOf(name) === PASSWORD || looksChosen(text));

/** What stands between separators, trimmed and without quotes. */
function cellsOf(line: string, separator: RegExp): { start: number; text: string }[] {
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
