// Whether two texts have the same words, and differ in the fewest signs and blanks that hold them together.
import { gaps } from './gaps.ts';

/** What may come or go: quotes, brackets, commas, colons, the marks of templates, blanks. */
const SIGNS = /(?:[\s'"`()[\]{}:,]|%(?=\})|(?<=\{)%)+/;
const BRACKETS = ['()', '[]', '{}'];
/** Words that end or part a block of a script. */
const BLOCK_WORDS = new Set(['fi', 'done', 'esac', 'then', 'do', ';', ';;']);
const MAX_LINES = 12;

export interface Signs {
  /** The first line at which they differ, in the old text. */
  readonly line: number;
  /** The lines that differ, in the new text. */
  readonly changed: readonly number[];
  /** Brackets or quotes did not match, and do now. */
  readonly isClosed: boolean;
}

/** Undefined where more differs than signs, or more signs than needed. */
export function signsOnly(path: string, old: string, now: string): Signs | undefined {
  const isScript = /\.(?:sh|bash)$/.test(path) || old.startsWith('#!');
  const [a, b] = [wordsOf(old, isScript), wordsOf(now, isScript)];
  if (a.words.length !== b.words.length || a.words.some((word, i) => word !== b.words[i])) return undefined;
  const [x, y] = [old.split('\n'), now.split('\n')];
  const parts = gaps(x, y);
  const [first] = parts;
  const changed = parts.flatMap(([, [from, to]]) => Array.from({ length: to - from }, (_, i) => from + i + 1));
  const lines = parts.reduce((sum, [gone, come]) => sum + Math.max(gone[1] - gone[0], come[1] - come[0]), 0);
  if (!first || lines > MAX_LINES || Math.abs(a.ends - b.ends) > 1) return undefined;
  // A quote that stays open would take what follows into it.
  if (!changed.every((line) => isClosedLine(y[line - 1] as string))) return undefined;
  const signs = isScript && a.ends !== b.ends ? [] : signsBetween(old, now);
  if (!signs || !areFew(signs, old, now)) return undefined;
  // Blanks alone decide what stands in which block.
  if (signs.length === 0 && /\.py$/.test(path)) return undefined;
  return { line: first[0][0] + 1, changed, isClosed: imbalance(old) > 0 && imbalance(now) === 0 };
}

function wordsOf(text: string, isScript: boolean): { words: string[]; ends: number } {
  const all = text.split(SIGNS).flatMap((word) => (isScript ? word.split(/(;+)/) : [word]));
  const words = all.filter((word) => word !== '');
  const plain = isScript ? words.filter((word) => !BLOCK_WORDS.has(word)) : words;
  return { words: plain, ends: words.length - plain.length };
}

/** One sign that only one of two texts has; `at`: where in that text. */
interface Sign {
  readonly sign: string;
  readonly at: number;
}

/** The signs that only one of them has, all of them only added or only taken away; undefined for any other change. */
function signsBetween(old: string, now: string): Sign[] | undefined {
  const isAdded = withoutBlanks(old).length < withoutBlanks(now).length;
  const [short, long] = isAdded ? [old, now] : [now, old];
  const wanted = withoutBlanks(short);
  const found: Sign[] = [];
  let matched = 0;
  for (let at = 0; at < long.length; at++) {
    const sign = long[at] as string;
    if (/\s/.test(sign)) continue;
    if (sign === wanted[matched]) matched++;
    else if (isAdded ? standsWell(sign, at, long) : isSpare(sign, at, long)) found.push({ sign, at });
    else return undefined;
  }
  return matched === wanted.length ? found : undefined;
}

const withoutBlanks = (text: string): string => text.replace(/\s/g, '');

/** Whether an added sign stands where only it can: a bracket where what it closes ends, a colon or comma at the end of a word. */
function standsWell(sign: string, at: number, text: string): boolean {
  // `:=` and `a:b` are other words.
  if (sign === ':' || sign === ',') return /^(?:\s|[)\]}"']|$)/.test(text.slice(at + 1));
  // Of `{{ x }` the second brace belongs beside the first.
  if (sign === '}' && /\{\{[^{}]*\}$/.test(text.slice(0, at))) return true;
  if (/[)\]}]/.test(sign)) return closesWell(sign, at, text);
  return /["'`%]/.test(sign);
}

/** At the end of its line where that began on the same one, else on a line of its own below what it began. */
function closesWell(sign: string, at: number, text: string): boolean {
  const open = openerOf(sign, at, text);
  if (open === undefined) return false;
  const indentAt = (offset: number) =>
    /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0].length ?? 0;
  const rest = /^[^\n]*/.exec(text.slice(at + 1))?.[0] ?? '';
  const next = /\n[ \t]*(?=\S)/.exec(text.slice(at))?.[0].replace(/^[\s\S]*\n/, '').length ?? 0;
  if (!text.slice(open, at).includes('\n'))
    return /^[)\]}%,:;\s]*$/.test(rest) && (sign !== '}' || next <= indentAt(open) || rest.trim() !== '');
  const isAlone = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
  if (isAlone) return indentAt(at) === indentAt(open) && next <= indentAt(open);
  return /^[)\]}%,:;\s]*$/.test(rest) && next <= indentAt(open);
}

/** Where the bracket begins that this one ends. */
function openerOf(sign: string, at: number, text: string): number | undefined {
  const open = BRACKETS.find((pair) => pair[1] === sign)?.[0];
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (text[i] === sign) depth++;
    else if (text[i] === open && depth-- === 0) return i;
  }
  return undefined;
}

/** Whether a sign that is taken away was one too many: beside its like, or a comma before a bracket. */
function isSpare(sign: string, at: number, text: string): boolean {
  const next = /\S/.exec(text.slice(at + 1))?.[0] ?? '';
  const before = /\S\s*$/.exec(text.slice(0, at))?.[0].trim() ?? '';
  if (sign === ',') return /[)\]},]/.test(next) || next === '';
  return /[()[\]{}"'`:]/.test(sign) && (next === sign || before === sign);
}

/** Each bracket closes one that was open; one quote, or one pair; one colon or comma. */
function areFew(signs: readonly Sign[], old: string, now: string): boolean {
  const count = (pattern: RegExp) => signs.filter(({ sign }) => pattern.test(sign)).length;
  if (imbalance(old) - imbalance(now) !== count(/[()[\]{}]/)) return false;
  const quotes = new Set(signs.flatMap(({ sign }) => (/["'`]/.test(sign) ? [sign] : [])));
  return count(/["'`]/) <= 2 && quotes.size <= 1 && count(/[:,]/) <= 1 && count(/%/) <= 1;
}

/** By how many brackets a text has more of one side than of the other. */
const imbalance = (text: string): number =>
  BRACKETS.reduce(
    (sum, [open, close]) => sum + Math.abs(text.split(open as string).length - text.split(close as string).length),
    0,
  );

function isClosedLine(line: string): boolean {
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const sign = line[i] as string;
    if (sign === '\\' && quote !== "'") i++;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || (sign === "'" && !/\w/.test(line[i - 1] ?? ''))) quote = sign;
  }
  return quote === '';
}
