// An old text that may be a part of a line, or some lines without their indentation: where it stands, and what takes its place.
import type { Replacement } from '../edit.ts';
import { indentOf, type Source } from './source.ts';
import type { LineEdits } from './spot.ts';

/** `starts` are the lines where the text stands, as often as it does; `edits` only when that is one place, and it is clear how. */
export interface Within {
  starts: number[];
  edits?: LineEdits | undefined;
}

const MAX_PLACES = 50;

/** Never throws. */
export function replaceWithin(block: Replacement, source: Source): Within {
  return block.pattern ? byPattern(block, source) : byText(block, source);
}

function byPattern({ search, replace }: Replacement, source: Source): Within {
  const pattern = new RegExp(search, 'g');
  const starts = source.lines.flatMap((line, at) => [...line.slice(0, 2000).matchAll(pattern)].map(() => at));
  const [at] = starts;
  if (at === undefined || starts.length > 1) return { starts };
  const line = source.lines[at] as string;
  return { starts, edits: exchange(at, [line], line.replace(new RegExp(search), replace).split('\n')) };
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\w]/.test(character);

/** A text that begins or ends with a letter does not stand inside of a longer word. */
function byText({ search, replace }: Replacement, source: Source): Within {
  const old = search.replace(/^\n+|\s+$/g, '');
  if (old.trim() === '') return { starts: [] };
  const text = source.lines.join('\n');
  const starts: number[] = [];
  let lastAt: number | undefined;
  for (let at = text.indexOf(old); at >= 0 && starts.length < MAX_PLACES; at = text.indexOf(old, at + 1)) {
    const end = at + old.length;
    if (isWord(old[0]) && isWord(text[at - 1])) continue;
    if (isWord(old.at(-1)) && isWord(text[end])) continue;
    starts.push(lineAt(text, at));
    lastAt = at;
  }
  if (starts.length !== 1 || lastAt === undefined) return { starts };
  const first = starts[0] as number;
  const from = text.lastIndexOf('\n', lastAt - 1) + 1;
  const lineEnd = text.indexOf('\n', lastAt + old.length);
  const to = lineEnd < 0 ? text.length : lineEnd;
  const [head, tail] = [text.slice(from, lastAt), text.slice(lastAt + old.length, to)];
  const now = withIndent(replace.replace(/^\n+|\s+$/g, ''), old, head);
  if (now === undefined) return { starts };
  const made = `${head}${now}${tail}`;
  const isGone = now === '' && made.trim() === '';
  return { starts, edits: exchange(first, text.slice(from, to).split('\n'), isGone ? [] : made.split('\n')) };
}

/**
 * The new text where the old one stands behind `head`. Its further lines are indented like those of the old text; where that has
 * none and both ways are possible, undefined.
 */
function withIndent(text: string, old: string, head: string): string | undefined {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0 || head === '') return text;
  if (head.trim() !== '') return old.includes('\n') ? text : undefined;
  const bare = (lines: readonly string[]): number =>
    Math.min(...lines.filter((line) => line.trim() !== '').map((line) => indentOf(line).length));
  const further = old.split('\n').slice(1);
  // Lines of the old text are in the file as they are, so those of the new one are meant as they are, too.
  if (further.some((line) => line.trim() !== '')) return text;
  if (bare(rest) >= head.length) return undefined;
  return [first, ...rest.map((line) => (line.trim() === '' ? line : head + line))].join('\n');
}

const lineAt = (text: string, at: number): number => {
  let line = 0;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
};

/** `made` in place of `old`, which begins at line `at`; lines that stay the same at both ends stay. */
function exchange(at: number, old: readonly string[], made: readonly string[]): LineEdits {
  let top = 0;
  while (top < old.length && top < made.length && old[top] === made[top]) top++;
  let end = 0;
  while (end < old.length - top && end < made.length - top && old.at(-1 - end) === made.at(-1 - end)) end++;
  const removed = old.slice(top, old.length - end).map((_, i) => at + top + i);
  const lines = made.slice(top, made.length - end);
  return { removed, added: lines.length > 0 ? [{ before: at + top, lines }] : [] };
}
