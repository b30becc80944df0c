// Small repairs of YAML: what a text could be that was meant to parse. Each gives candidates, and judges none. Pure.
import { lineAt, withLine } from './repair.ts';

/** How far a line is indented, in spaces; undefined for a blank line and a comment. */
export function indentOf(line: string): number | undefined {
  return /^\s*(?:#|$)/.test(line) ? undefined : (/^ */.exec(line)?.[0].length ?? 0);
}

const TABBED = /^([ \t]*\t[ \t]*)(?=\S)/;
const OPENS_TEXT = /(?:^|[\s:-])[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

const LEVELS = 10;

/** Whether a line is indented with tabs. */
export const hasTabs = (text: string): boolean => text.split('\n').some((line) => TABBED.test(line));

/** Whether a tab stands in a block of text, or where one ends: there it may be text. */
function hasTabsInText(lines: readonly string[]): boolean {
  let depth: number | undefined;
  return lines.some((line) => {
    if (line.trim() === '') return false;
    const isTabbed = TABBED.test(line);
    if (depth !== undefined && isTabbed) return true;
    if (depth !== undefined && (/^ */.exec(line)?.[0].length ?? 0) <= depth) depth = undefined;
    if (depth !== undefined || !OPENS_TEXT.test(line)) return false;
    const [dashes = ''] = /^ *(?:- +)*(?=\S*[^|>\s])|^ */.exec(line) ?? [];
    depth = dashes.length;
    return isTabbed;
  });
}

/** The text with all tabs of indentation as spaces: once for each width, the likeliest first. */
export function withoutTabs(text: string): string[] {
  const lines = text.split('\n');
  if (!hasTabs(text) || hasTabsInText(lines)) return [];
  const depths = lines.flatMap((line) => (TABBED.test(line) ? [] : (indentOf(line) ?? 0))).filter((depth) => depth > 1);
  const step = depths.length === 0 ? 2 : Math.min(...depths);
  // Several tabs are as many levels, at least one each; a single one may stand for any number of them.
  const single = lines.every((line) => (TABBED.exec(line)?.[1]?.split('\t').length ?? 2) === 2);
  const many = single ? Array.from({ length: LEVELS }, (_, i) => step * (i + 1)) : [];
  const widths = [...new Set([step, 2, 4, 8, ...many])].filter((width) => width >= step);
  return widths.map((width) =>
    lines.map((line) => line.replace(TABBED, (tabs) => tabs.replaceAll('\t', ' '.repeat(width)))).join('\n'),
  );
}

const SCALAR_PAIR = /^\s*(?:- )?[\w."'/-]+:\s+[^\s|>&*{[#]/;

/** `text` with line `number` at every indentation that its neighbours allow: one space off, or where both of them stand. */
export function reindented(text: string, number: number): string[] {
  const lines = text.split('\n');
  const line = lineAt(text, number);
  const depth = indentOf(line);
  const isEntry = /^\s*(?:- |[\w."'/-]+:(?:\s|$))/.test(line) && !line.startsWith('---');
  if (depth === undefined || !isEntry) return [];
  const wanted = new Set([depth - 1, depth + 1].filter((at) => at >= 0 && usedAt(lines, number, at)));
  const sibling = siblings(lines, number);
  if (sibling !== undefined) wanted.add(sibling);
  wanted.delete(depth);
  return [...wanted].map((at) => withLine(text, number, ' '.repeat(at) + line.trimStart()));
}

/** Whether something else stands at this depth: another line, or what begins behind a dash. */
function usedAt(lines: readonly string[], number: number, depth: number): boolean {
  const depths = (line: string) => [indentOf(line), /^ *- /.test(line) ? (indentOf(line) ?? 0) + 2 : undefined];
  return lines.some((line, i) => i !== number - 1 && depths(line).includes(depth));
}

/** Where the line before and another one beside it stand, when neither that line nor this one has children. */
function siblings(lines: readonly string[], number: number): number | undefined {
  const isEnd = (line: string) => /^(?:---|\.\.\.)/.test(line);
  const above = lines.slice(0, number - 1);
  const before = above.slice(above.findLastIndex(isEnd) + 1).filter((line) => indentOf(line) !== undefined);
  const below = lines.slice(number).find((line) => indentOf(line) !== undefined);
  const after = below === undefined || isEnd(below) ? undefined : below;
  const [second, first] = [before.at(-2), before.at(-1)];
  const plain = [first, lines[number - 1]].every((line) => line !== undefined && SCALAR_PAIR.test(line));
  if (first === undefined || !plain) return undefined;
  const depth = indentOf(first) as number;
  const beside = (line: string | undefined) => line !== undefined && indentOf(line) === depth && !/^\s*- /.test(line);
  return beside(first) && (beside(second) || beside(after)) ? depth : undefined;
}

/** The text without the second of two keys, the one at line `number`; undefined when the first says anything else. */
export function withoutDuplicate(text: string, number: number): string | undefined {
  const lines = text.split('\n');
  const [above, again] = [lines.slice(0, number - 1), blockAt(lines, number - 1)];
  const depth = indentOf(again[0] ?? '');
  if (depth === undefined || /^\s*- /.test(again[0] ?? '')) return undefined;
  const start = above.findLastIndex((line) => (indentOf(line) ?? depth) < depth) + 1;
  const isRepeated = above.some((line, i) => i >= start && indentOf(line) === depth && same(blockAt(lines, i), again));
  return isRepeated ? [...above, ...lines.slice(above.length + again.length)].join('\n') : undefined;
}

/** The line and all that are indented below it. */
function blockAt(lines: readonly string[], from: number): string[] {
  const depth = indentOf(lines[from] ?? '');
  if (depth === undefined) return [];
  const end = lines.findIndex((line, i) => i > from && (indentOf(line) ?? -1) <= depth);
  return lines.slice(from, end === -1 ? lines.length : end);
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, i) => line.trimEnd() === other[i]?.trimEnd());

const PAIR = /^(\s*(?:- )*[\w."'/-]+:\s+)(.*\S)\s*$/;
const ITEM = /^(\s*(?:- )+)(.*\S)\s*$/;
/** Begins something else than a plain value. */
const NOT_PLAIN = /^["'[\]{}&*!|>%@`#?-]/;

/** The line with its value in quotes, when that is a sentence with a colon in it; undefined when a mapping may be meant. */
export function quotedSentence(line: string): string | undefined {
  const [, head, value] = PAIR.exec(line) ?? [];
  if (head === undefined || value === undefined || NOT_PLAIN.test(value) || / #/.test(value)) return undefined;
  const [before = '', ...after] = value.split(/:(?=\s)/);
  const words = (text: string) => text.trim().split(/\s+/).length;
  // `word: word` may be a mapping on one line, or an image with its tag.
  if (after.length === 0 || (words(before) === 1 && words(after.join(':')) === 1)) return undefined;
  return head + quoted(value);
}

/** The line with the item of a flow list in quotes that holds ` #`; undefined when there is no such one item. */
export function quotedItem(line: string): string | undefined {
  const hash = line.indexOf(' #');
  const open = Math.max(line.lastIndexOf('[', hash), line.lastIndexOf('{', hash));
  if (hash < 0 || open < 0 || line.indexOf(' #', hash + 1) !== -1 || !(PAIR.test(line) || ITEM.test(line)))
    return undefined;
  const start = Math.max(open, line.lastIndexOf(',', hash), line.lastIndexOf(': ', hash)) + 1;
  const end = line.slice(hash).search(/[,\]}]/);
  if (end < 0) return undefined;
  const piece = line.slice(start, hash + end);
  const value = piece.trim();
  if (/["'[\]{}]/.test(value)) return undefined;
  const lead = piece.slice(0, piece.length - piece.trimStart().length);
  return line.slice(0, start) + lead + quoted(value) + line.slice(hash + end);
}

/** In double quotes, unless that would need escapes. */
const quoted = (value: string): string => (/["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`);

const OPENED = /^\s*(?:- )*(?:[\w./-]+:\s+)?(["'])(.*)$/;

/** The line with its value closed at its end; undefined when it is closed, or may end elsewhere. */
export function closedValue(line: string): string | undefined {
  const [, quote, rest] = OPENED.exec(line.trimEnd()) ?? [];
  if (quote === undefined || rest === undefined || rest === '' || rest.includes(quote)) return undefined;
  return / #|[:,]$|\\$/.test(rest) ? undefined : `${line.trimEnd()}${quote}`;
}

const STRAY = /^(\s*(?:- )*(?:[\w./-]+:\s+)?)((?:"[^"]*"|'[^']*'|[\w./-]+)(?:,\s*(?:"[^"]*"|'[^']*'|[\w./-]+))*)\]$/;

/** Line `number` with its closing bracket made right, once for each way: opened before the values, or dropped. */
export function withoutStray(text: string, number: number): string[] {
  const line = lineAt(text, number).trimEnd();
  const [, head = '', values = ''] = STRAY.exec(line) ?? [];
  if (values === '' || line.includes('[')) return [];
  const opened = `${head}[${values}]`;
  if (values.includes(',')) return [opened];
  // If the other items are no lists, this one is none either.
  const beside = [lineAt(text, number - 1), lineAt(text, number + 1)];
  const isPlainItem = (other: string) => indentOf(other) === indentOf(line) && /^\s*- [^[{-]/.test(other);
  return /^\s*- $/.test(head) && beside.some(isPlainItem) ? [head + values] : [head + values, opened];
}

/** The text with what only looks like a blank as one, in indentation and around keys; none when there is no such. */
export function plainBlanks(text: string): string[] {
  const plain = text.replace(/^([\s\u00a0-]*)([\w."'/-]+:[ \u00a0]*)?/gm, (head) => head.replaceAll('\u00a0', ' '));
  return plain === text ? [] : [plain];
}
