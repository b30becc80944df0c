// Whether two texts have the same words, and differ in the signs and blanks that hold them together alone.
import { gaps } from './yaml-places.ts';

/** What may come or go: quotes, brackets, commas, colons, blanks. */
const SIGNS = /[\s'"`()[\]{}:,]+/;
/** Words that end or part a block of a script. */
const BLOCK_WORDS = new Set(['fi', 'done', 'esac', 'then', 'do', ';', ';;']);
const MAX_LINES = 12;
const MAX_SIGNS = 6;

/** The first line, in the old text, at which they differ; undefined where more differs than signs, or too many do. */
export function signsOnly(path: string, old: string, now: string): { line: number; isClosed: boolean } | undefined {
  const isScript = /\.(?:sh|bash)$/.test(path) || old.startsWith('#!');
  const words = (text: string) =>
    text
      .split(SIGNS)
      .flatMap((word) => (isScript ? word.split(/(;+)/) : [word]))
      .filter((word) => word !== '' && !(isScript && BLOCK_WORDS.has(word)));
  const [a, b] = [words(old), words(now)];
  if (a.length !== b.length || a.some((word, i) => word !== b[i])) return undefined;
  const [x, y] = [old.split('\n'), now.split('\n')];
  const changed = gaps(x, y);
  const [first] = changed;
  const lines = changed.reduce((sum, [gone, come]) => sum + Math.max(gone[1] - gone[0], come[1] - come[0]), 0);
  const added = changed.flatMap(([, come]) => y.slice(...come));
  const signs = (text: string) => text.replace(/\s/g, '').length;
  if (!first || lines > MAX_LINES || Math.abs(signs(now) - signs(old)) > MAX_SIGNS) return undefined;
  // A quote that stays open would take what follows into it.
  if (!added.every(isClosed)) return undefined;
  return { line: first[0][0] + 1, isClosed: !isBalanced(old) && isBalanced(now) };
}

/** Whether a text has as many closing brackets of each kind as opening ones. */
const isBalanced = (text: string): boolean =>
  ['()', '[]', '{}'].every(([open, close]) => text.split(open as string).length === text.split(close as string).length);

function isClosed(line: string): boolean {
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const sign = line[i] as string;
    if (sign === '\\' && quote !== "'") i++;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || (sign === "'" && !/\w/.test(line[i - 1] ?? ''))) quote = sign;
  }
  return quote === '';
}
