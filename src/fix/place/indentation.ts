// How a hunk's indentation differs from the file's, and what that means for the lines it adds. In YAML and Python a guess
// here would write something else than was meant: what is not clear is refused.
import { distance } from 'fastest-levenshtein';
import type { OldLine, Pattern } from './pattern.ts';
import { indentOf, type Source } from './source.ts';

/** The hunk's white space → the file's; undefined where it has no counterpart. */
type Shift = (indent: string) => string | undefined;

/** A line with its white space in the hunk and in the file. */
type Pair = OldLine & { hunk: string; file: string };

interface Shifted {
  kind: 'shifted';
  shift: Shift;
  /** By how many columns, or by tabs in place of spaces. */
  by: number | 'tabs';
}

export type Indentation = { kind: 'same' } | Shifted | { kind: 'crooked' };

/** A context line without its marker looks like one whose indentation lacks a space. */
const lostMarker = (pair: Pair): boolean => !pair.removed && !pair.bare && ` ${pair.hunk}` === pair.file;

/** `positions[k]` is the file's line for `old[k]`, or -1. Lines whose text differs are left out. */
export function compareIndentation(old: readonly OldLine[], positions: readonly number[], source: Source): Indentation {
  const pairs: Pair[] = [];
  let same = true;
  let exact = false;
  for (let k = 0; k < old.length; k++) {
    const line = old[k] as OldLine;
    const at = positions[k] as number;
    if (at < 0 || line.trimmed === '' || source.trimmed[at] !== line.trimmed) continue;
    const pair = { ...line, hunk: indentOf(line.text), file: indentOf(source.lines[at] as string) };
    pairs.push(pair);
    if (pair.hunk === pair.file) exact = true;
    else if (!lostMarker(pair)) same = false;
  }
  if (same && (exact || pairs.length === 0)) return { kind: 'same' };
  for (const shifted of shiftsOf(pairs)) {
    const { shift } = shifted;
    const fits = (pair: Pair): boolean =>
      shift(pair.hunk) === pair.file || (!pair.removed && !pair.bare && shift(` ${pair.hunk}`) === pair.file);
    if (pairs.every(fits)) return shifted;
  }
  return { kind: 'crooked' };
}

const columns = (indent: string): number => indent.replaceAll('\t', '        ').length;

/** What could lie between the two, judged by one line: white space in front of all, or less, or tabs for spaces. */
function shiftsOf(pairs: readonly Pair[]): Shifted[] {
  const telling =
    pairs.find(({ removed, hunk, file }) => removed && hunk !== file) ?? pairs.find((p) => p.hunk !== p.file);
  if (!telling) return [];
  const { hunk, file } = telling;
  const shifts: Shifted[] = [];
  const add = (by: Shifted['by'], shift: Shift): unknown => shifts.push({ kind: 'shifted', shift, by });
  if (file.endsWith(hunk)) {
    const more = file.slice(0, file.length - hunk.length);
    add(columns(more), (indent) => more + indent);
  }
  if (hunk.endsWith(file)) {
    const less = hunk.slice(0, hunk.length - file.length);
    add(columns(less), (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined));
  }
  for (const width of [2, 4, 8, 3]) {
    const spaces = ' '.repeat(width);
    if (hunk.includes('\t')) add('tabs', (indent) => indent.replaceAll('\t', spaces));
    if (file.includes('\t')) add('tabs', (indent) => indent.replaceAll(spaces, '\t'));
  }
  return shifts;
}

/** Whether added lines are shifted like the lines around them or stand as they should; undefined when it is not clear. */
export function shiftsAdded(
  pattern: Pattern,
  positions: readonly number[],
  source: Source,
  { shift, by }: Shifted,
): boolean | undefined {
  const { old, added } = pattern;
  const texts = added.flat().filter((text) => text.trim() !== '');
  const indents = texts.map(indentOf);
  if (indents.every((indent) => shift(indent) === indent)) return false;
  if (by === 'tabs') return tabsAdded(indents, pattern, positions, source);
  const votes = { shifted: 0, asWritten: 0, replaced: 0 };
  for (let k = 0; k < added.length; k++) {
    const text = (added[k] as string[]).find((line) => line.trim() !== '');
    if (text === undefined) continue;
    const indent = indentOf(text);
    const { near, replaced } = neighbours(pattern, k, text);
    const placed = near.filter((n) => (positions[n] as number) >= 0);
    const likeHunk = placed.some((n) => indentOf((old[n] as OldLine).text) === indent);
    const likeFile = placed.some((n) => indentOf(source.lines[positions[n] as number] as string) === indent);
    if (likeHunk && !likeFile) votes.shifted++;
    if (likeFile && !likeHunk) votes.asWritten++;
    if (likeFile && !likeHunk && replaced) votes.replaced++;
  }
  if (votes.shifted > 0) return votes.asWritten === 0 ? true : undefined;
  if (votes.asWritten > 0) return by === 1 || votes.replaced > 0 ? false : undefined;
  return byWholeFile(indents, source, shift) ?? (by === 1 ? undefined : true);
}

/** Tabs in the hunk's old lines only, or in its added ones too. */
function tabsAdded(indents: readonly string[], { old }: Pattern, positions: readonly number[], source: Source) {
  const hasTab = (text: string): boolean => indentOf(text).includes('\t');
  const placed = old.flatMap((line, k) => ((positions[k] as number) >= 0 && line.trimmed !== '' ? [k] : []));
  const inHunk = placed.some((k) => hasTab((old[k] as OldLine).text));
  const inFile = placed.some((k) => hasTab(source.lines[positions[k] as number] as string));
  const indented = indents.filter((indent) => indent !== '');
  if (inHunk === inFile) return undefined;
  if (indented.every((indent) => indent.includes('\t') === inFile)) return false;
  return indented.every((indent) => indent.includes('\t') === inHunk) ? true : undefined;
}

/** The old lines that tell how an added line is indented: the one it replaces, or those next to it. */
function neighbours({ old, added }: Pattern, k: number, text: string): { near: number[]; replaced: boolean } {
  const gone: number[] = [];
  for (let n = k - 1; n >= 0 && (old[n] as OldLine).removed && gone.length < 40; n--) {
    gone.push(n);
    if ((added[n] as string[]).length > 0) break;
  }
  for (let n = k; n < old.length && (old[n] as OldLine).removed && gone.length < 40; n++) gone.push(n);
  const replaced = gone.filter((n) => similarity((old[n] as OldLine).trimmed, text.trim()) >= 0.5);
  if (replaced.length > 0) return { near: replaced, replaced: true };
  if (gone.length > 0) return { near: gone, replaced: false };
  const before = old.findLastIndex((line, n) => n < k && line.trimmed !== '');
  const after = old.findIndex((line, n) => n >= k && line.trimmed !== '');
  return { near: [before, after].filter((n) => n >= 0), replaced: false };
}

/** Without a neighbour to go by: which of the two ways gives only indentations that the file has. */
function byWholeFile(indents: readonly string[], source: Source, shift: Shift): boolean | undefined {
  const used = new Set(source.lines.map(indentOf));
  const written = indents.every((indent) => used.has(indent));
  const moved = indents.every((indent) => used.has(shift(indent) ?? '\n'));
  return written === moved ? undefined : moved;
}

/** 1: the same, 0: nothing alike. Long lines are compared by their beginnings. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const [x, y] = [a.slice(0, 200), b.slice(0, 200)];
  const longer = Math.max(x.length, y.length);
  if (Math.min(x.length, y.length) * 2 < longer) return 0;
  return 1 - distance(x, y) / longer;
}

const SPACES = /^ {2}/;
const TABS = /^\t/;

/**
 * Whether a line brings spaces to a file of tabs, or tabs to one of spaces: no fix means that, and Make, YAML and Python do not
 * forgive it. It is meant only where the very `removed` lines come back with another indentation.
 */
export function hasForeignIndent(added: readonly string[], removed: readonly string[], { lines }: Source): boolean {
  const gone = new Set(removed.map((line) => line.trim()));
  const foreign = (mine: RegExp, files: RegExp): boolean =>
    added.some((line) => mine.test(line) && line.trim() !== '' && !gone.has(line.trim())) &&
    lines.some((line) => files.test(line)) &&
    !lines.some((line) => mine.test(line));
  return foreign(SPACES, TABS) || foreign(TABS, SPACES);
}
