// Whether two texts have the same words, and differ in the fewest signs and blanks that hold them together.
import { type Gap, gaps } from './gaps.ts';
import type { SyntaxPlace } from './place.ts';

/** What may come or go: quotes, brackets, commas, colons, blanks. */
const SIGNS = /[\s'"`()[\]{}:,]+/;
/** What may stand behind a sign that ends something. */
const isEnd = (rest: string): boolean => /^[)\]},:;\s]*$/.test(rest);
const BRACKETS = ['()', '[]', '{}'];
const MAX_LINES = 12;

/** The first line at which they differ, and all lines that differ in the new text. */
type Signs = Pick<SyntaxPlace, 'line' | 'signs' | 'isClosed'> & { readonly changed: readonly number[] };

/** Undefined where more differs than signs, or more signs than needed. */
export function signsOnly(path: string, old: string, now: string): Signs | undefined {
  const isScript = /\.(?:sh|bash)$/.test(path) || old.startsWith('#!');
  const [x, y] = [old.split('\n'), now.split('\n')];
  const parts = gaps(x, y, (text) => text);
  const [first] = parts;
  const changed = parts.flatMap(({ come, to }) => come.map((_, i) => to + i + 1));
  if (!first || changed.length > MAX_LINES) return undefined;
  const line = first.from + 1;
  const isClosed = imbalance(old) > 0 && imbalance(now) === 0;
  if (isScript && endsBlock(x, parts)) return { line, changed, signs: '', isClosed };
  const [a, b] = [wordsOf(old), wordsOf(now)];
  if (a.length !== b.length || a.some((word, i) => word !== b[i])) return undefined;
  // A quote that stays open would take what follows into it.
  if (!changed.every((at) => isClosedLine(y[at - 1] as string))) return undefined;
  const signs = signsBetween(old, now);
  if (signs === undefined || !areFew(signs, old, now)) return undefined;
  // With a sign no line moves; without one all that move do it together.
  if (signs !== '' ? !isSameLayout(parts) : !isOneShift(path, parts)) return undefined;
  return { line, changed, signs, isClosed };
}

type Parts = readonly Gap<string>[];

const indentOf = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
const OPENERS: Readonly<Record<string, RegExp>> = {
  fi: /^if\b/,
  done: /^(?:for|while|until|select)\b/,
  esac: /^case\b/,
};

/** One line that ends a block, below what began it and as far in, with nothing of the block behind it. */
function endsBlock(x: readonly string[], [part, ...more]: Parts): boolean {
  const [ending = '', ...rest] = part?.come ?? [];
  const opener = OPENERS[ending.trim()];
  if (!part || !opener || part.gone.length + rest.length + more.length > 0) return false;
  const isOutside = (line: string) => line.trim() !== '' && indentOf(line) <= indentOf(ending);
  const begin = x.slice(0, part.from).findLast((line) => isOutside(line) && !/^\s*el(?:se|if)/.test(line)) ?? '';
  const next = x.slice(part.from).find((line) => line.trim() !== '') ?? '';
  return opener.test(begin.trim()) && indentOf(begin) === indentOf(ending) && indentOf(next) <= indentOf(ending);
}

/** The changed lines as far in as before; of one more it has nothing but signs. */
const isSameLayout = (parts: Parts): boolean =>
  parts.every(
    ({ gone, come }) =>
      come.length >= gone.length &&
      come.every((line, i) => (i < gone.length ? indentOf(line) === indentOf(gone[i] as string) : isEnd(line))),
  );

/** Lines that stand together and go as many columns further in or out; in a Makefile, to a tab. */
function isOneShift(path: string, parts: Parts): boolean {
  if (/\.py$/.test(path)) return false;
  const moves = parts.flatMap(({ gone: before, come: after }) => {
    const isSame = before.length === after.length && before.every((line, i) => line.trim() === after[i]?.trim());
    return isSame ? before.map((line, i) => indentOf(after[i] as string) - indentOf(line)) : [Number.NaN];
  });
  const isTabbed = parts.every(({ gone, come }) => /\t/.test(gone.join('')) || /^\t/m.test(come.join('\n')));
  return !moves.includes(Number.NaN) && (isTabbed || (parts.length === 1 && new Set(moves).size === 1));
}

const wordsOf = (text: string): string[] => text.split(SIGNS).filter((word) => word !== '');

/** The signs that only one of them has, all of them only added or only taken away; undefined for any other change. */
function signsBetween(old: string, now: string): string | undefined {
  const isAdded = withoutBlanks(old).length < withoutBlanks(now).length;
  const [short, long] = isAdded ? [old, now] : [now, old];
  const wanted = withoutBlanks(short);
  let signs = '';
  let matched = 0;
  for (let at = 0; at < long.length; at++) {
    const sign = long[at] as string;
    if (/\s/.test(sign)) continue;
    if (sign === wanted[matched]) matched++;
    else if (isAdded ? standsWell(sign, at, long) : isSpare(sign, at, long)) signs += sign;
    else return undefined;
  }
  return matched === wanted.length ? signs : undefined;
}

const withoutBlanks = (text: string): string => text.replace(/\s/g, '');

/** Whether an added sign stands where only it can: a bracket where what it closes ends, a colon or comma at the end of a word. */
function standsWell(sign: string, at: number, text: string): boolean {
  // `:=` and `a:b` are other words.
  if (sign === ':' || sign === ',') return /^(?:\s|[)\]}"']|$)/.test(text.slice(at + 1));
  // Of `{{ x }` the second brace belongs beside the first.
  if (sign === '}' && /\{\{[^{}]*\}$/.test(text.slice(0, at))) return true;
  if (/[)\]}]/.test(sign)) return closesWell(sign, at, text);
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  // A quote ends what its line began, at the end of it; or it begins one word.
  if (line.split(sign).length % 2 === 0) return isEnd(text.slice(at + 1).split('\n')[0] ?? '');
  return (
    /["'`]/.test(sign) &&
    /(?:^|[\s=([{:,])$/.test(line) &&
    new RegExp(`^[^\\s;&|${sign}]+${sign}`).test(text.slice(at + 1))
  );
}

/** At the end of its line where that began on the same one, else below all that it began, alone as far in as that. */
function closesWell(sign: string, at: number, text: string): boolean {
  const open = openerOf(sign, at, text);
  if (open === undefined) return false;
  const fromLineOf = (offset: number) => text.slice(text.lastIndexOf('\n', offset - 1) + 1);
  const [rest = '', ...below] = text.slice(at + 1).split('\n');
  const isBelow = indentOf(below.find((line) => line.trim() !== '') ?? '') <= indentOf(fromLineOf(open));
  if (!isEnd(rest)) return false;
  if (!text.slice(open, at).includes('\n')) return sign !== '}' || isBelow || rest.trim() !== '';
  const isAlone = fromLineOf(at).trimStart() === text.slice(at);
  return isBelow && (!isAlone || indentOf(fromLineOf(at)) === indentOf(fromLineOf(open)));
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
function areFew(signs: string, old: string, now: string): boolean {
  const count = (pattern: RegExp) => [...signs].filter((sign) => pattern.test(sign)).length;
  if (imbalance(old) - imbalance(now) !== count(/[()[\]{}]/)) return false;
  const quotes = new Set(signs.match(/["'`]/g));
  return count(/["'`]/) <= 2 && quotes.size <= 1 && count(/[:,]/) <= 1;
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
