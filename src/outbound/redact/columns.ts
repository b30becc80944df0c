// Secrets in tables: a heading says what a column holds, the rows below it hold the values. Tables with bars, lists
// with commas, semicolons or tabs, and columns that blanks align.
import { isNoSecret, isProse, looksChosen } from './looks.ts';
import { PASSWORD, SECRET, strengthOf } from './names.ts';
import { MIN_SECRET_LENGTH } from './secret.ts';
import type { Range, Span } from './spans.ts';

const MAX_LINE = 400;
const MAY_BE_HEADING = /(?:token|secret|key|pass\w*|pw|pwd|kennwort|psk)s?["'`]?[ \t]*(?:[|│┃,;\t]|[ \t]{2}|\r?$)/i;
const NAME_CELL = /^["']?[\w-]{1,24}(?: [\w-]{1,16}){0,2}["']?$/;
/** Between a heading and its rows, and around them. */
const RULE = /^[\s|+:=\u2500-\u257f-]*$/;
const SEPARATORS = [/[|│┃]/g, /,/g, /;/g, /\t/g, /[ \t]{2,}/g];

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
  let latest: { line: string; table: Table } | undefined;
  for (const line of text.split('\n')) {
    const open: Table[] = [];
    for (const table of tables) {
      const cells = cellsOf(line, table.separator);
      if (cells.length !== table.width && !RULE.test(line)) continue;
      open.push(table);
      for (const { column, name } of table.columns.values()) {
        const { start, end } = withoutQuotes(line, cells[column]);
        if (isValue(line.slice(start, end), name)) spans.push({ start: at + start, end: at + end, kind: 'secret' });
      }
    }
    tables = open;
    const hasBar = BAR.test(line);
    if (hasBar) spans.push(...inRow(line, at));
    // Below another row with bars it is a row itself.
    const isRow = hasBar && BAR.test(previous) && !RULE.test(previous);
    // A heading that is printed again and again is read once.
    const table = isRow ? undefined : line === latest?.line ? latest.table : tableBelow(line);
    if (table !== undefined) latest = { line, table };
    const same = tables.find(({ separator, width }) => separator === table?.separator && width === table.width);
    if (same !== undefined) for (const [key, named] of table?.columns ?? []) same.columns.set(key, named);
    else if (table !== undefined) tables.push({ ...table, columns: new Map(table.columns) });
    at += line.length + 1;
    previous = line;
  }
  return spans;
}

const BAR = /[|│┃]/;
const NAME_AND_VALUE = /^[ \t]*[|│┃][ \t]*([\w.-]{1,64})[ \t]*[|│┃][ \t]*([^\s|│┃]{3,256})[ \t]*[|│┃][ \t]*\r?$/;

/** Of a table that stands on its side: a name, and its value beside it. */
function inRow(line: string, at: number): Span[] {
  const [, name = '', value = ''] = line.length > MAX_LINE ? [] : (NAME_AND_VALUE.exec(line) ?? []);
  // A short word there is a type.
  const isWord = value.length < MIN_SECRET_LENGTH && !looksChosen(value);
  if (isWord || strengthOf(name) < SECRET || !isValue(value, name)) return [];
  const start = at + line.lastIndexOf(value);
  return [{ start, end: start + value.length, kind: 'secret' }];
}

function tableBelow(line: string): Table | undefined {
  if (line.length > MAX_LINE || !MAY_BE_HEADING.test(line)) return undefined;
  // It may be the first line of a text inside of JSON.
  const heading = line.includes('":') ? line.replace(/^.*":[ \t]?"/, '') : line;
  const trimmed = heading.trim();
  const separator = SEPARATORS.find((one) => trimmed.search(one) !== -1);
  if (separator === undefined) return undefined;
  const names = cellsOf(heading, separator).map((cell) => {
    const { start, end } = withoutQuotes(heading, cell);
    return heading.slice(start, end);
  });
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

/** What stands between separators; none of a line that is too long. */
function cellsOf(line: string, separator: RegExp): Range[] {
  if (line.length > MAX_LINE) return [];
  const cells: Range[] = [];
  const last = line.trimEnd().length;
  let start = Math.min(line.length - line.trimStart().length, last);
  separator.lastIndex = start;
  for (let gap = separator.exec(line); gap !== null && gap.index < last; gap = separator.exec(line)) {
    cells.push({ start, end: gap.index });
    start = separator.lastIndex;
  }
  cells.push({ start, end: last });
  return cells;
}

const QUOTED = /^(["'`]).*\1$/;

/** A part of a line, trimmed and without quotes around it. */
function withoutQuotes(line: string, { start, end }: Range = { start: 0, end: 0 }): Range {
  const text = line.slice(start, end);
  const from = start + text.length - text.trimStart().length;
  const to = Math.max(from, start + text.trimEnd().length);
  return QUOTED.test(line.slice(from, to)) ? { start: from + 1, end: to - 1 } : { start: from, end: to };
}
