// Secrets in tables: a heading says what a column holds, the rows below it hold the values. Tables with bars, lists
// with commas, semicolons or tabs, and columns that blanks align.
import { isNoSecret, isProse, looksChosen } from './looks.ts';
import { PASSWORD, SECRET, strengthOf } from './names.ts';
import type { Span } from './spans.ts';

const MAX_LINE = 400;
const MAY_BE_HEADING = /(?:token|secret|key|pass\w*|pw|pwd|kennwort|psk)s?["'`]?[ \t]*(?:[|,;\t]|[ \t]{2}|\r?$)/i;
const NAME_CELL = /^["']?[\w-]{1,24}(?: [\w-]{1,16}){0,2}["']?$/;
/** Between a heading and its rows, and around them. */
const RULE = /^[\s|+:=-]*$/;
/** In groups, so that splitting a line keeps them. */
const SEPARATORS = [/(\|)/, /(,)/, /(;)/, /(\t)/, /([ \t]{2,})/];

interface Table {
  separator: RegExp;
  width: number;
  /** Those that hold secrets; of headings below each other one name of each strength, so that each row is read once. */
  columns: Map<string, { column: number; name: string }>;
}

/** What stands below a heading that names secrets, as far as the rows have as many cells. */
export function findInColumns(text: string): Span[] {
  const spans: Span[] = [];
  let tables: Table[] = [];
  let [at, previous] = [0, ''];
  for (const line of text.split('\n')) {
    const open: Table[] = [];
    for (const table of tables) {
      const cells = cellsOf(line, table.separator);
      if (cells.length !== table.width && !RULE.test(line)) continue;
      open.push(table);
      for (const { column, name } of table.columns.values()) {
        const { start = 0, text: value = '' } = cells[column] ?? {};
        if (isValue(value, name)) spans.push({ start: at + start, end: at + start + value.length, kind: 'secret' });
      }
    }
    tables = open;
    // Below another row with bars it is a row itself.
    const isRow = line.includes('|') && previous.includes('|') && !RULE.test(previous);
    const table = isRow ? undefined : tableBelow(line);
    const same = tables.find(({ separator, width }) => separator === table?.separator && width === table.width);
    if (same !== undefined) for (const [key, named] of table?.columns ?? []) same.columns.set(key, named);
    else if (table !== undefined) tables.push(table);
    at += line.length + 1;
    previous = line;
  }
  return spans;
}

function tableBelow(line: string): Table | undefined {
  if (line.length > MAX_LINE || !MAY_BE_HEADING.test(line)) return undefined;
  // It may be the first line of a text inside of JSON.
  const heading = line.replace(/^.*":[ \t]?"/, '');
  const separator = SEPARATORS.find((one) => one.test(heading.trim()));
  if (separator === undefined) return undefined;
  const names = cellsOf(heading, separator).map((cell) => cell.text);
  // Aligned by blanks is much: headings are in capitals there.
  const isAligned = separator === SEPARATORS.at(-1);
  const isTable =
    names.filter((name) => name !== '').length > 1 &&
    !(isAligned && /[a-z]/.test(heading)) &&
    names.every((name) => name === '' || NAME_CELL.test(name));
  const columns = names.flatMap((name, column) =>
    isTable && isSecretColumn(name, separator) ? [[`${column} ${strengthOf(name)}`, { column, name }] as const] : [],
  );
  return columns.length === 0 ? undefined : { separator, width: names.length, columns: new Map(columns) };
}

/** A column SECRET, but of a drawn table, holds the names of Secrets, as kubectl prints them. */
const isSecretColumn = (name: string, separator: RegExp): boolean =>
  strengthOf(name) >= SECRET && (separator === SEPARATORS[0] || !/^secrets?$/i.test(name));

const isValue = (text: string, name: string): boolean =>
  /^\S{3,256}$/.test(text) &&
  (strengthOf(name) === PASSWORD || looksChosen(text)) &&
  !isNoSecret(text, name, ':') &&
  !isProse(text);

/** What stands between separators, trimmed and without quotes; none of a line that is too long. */
function cellsOf(line: string, separator: RegExp): { start: number; text: string }[] {
  if (line.length > MAX_LINE) return [];
  const cells: { start: number; text: string }[] = [];
  let start = line.length - line.trimStart().length;
  for (const [i, part] of line.trim().split(separator).entries()) {
    const text = part.trim().replace(/^(["'`])(.*)\1$/, '$2');
    if (i % 2 === 0) cells.push({ start: start + part.indexOf(text), text });
    start += part.length;
  }
  return cells;
}
