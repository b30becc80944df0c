// Whether one name is a slip of the fingers for another. Pure.
import { onlyOne } from './repair.ts';

/** From this length on, a word may have two slips. */
const LONG_WORD = 8;
/** The shortest words in which each kind of slip is recognised. */
const MIN_LENGTH = { swapped: 3, lost: 4, changed: 6 } as const;

/** Edit distance in which two neighbours that changed places are one slip; more than `max` is `max + 1`. */
export function slips(word: string, name: string, max = 2): number {
  if (Math.abs(word.length - name.length) > max) return max + 1;
  let above: number[] = [];
  let row = Array.from({ length: name.length + 1 }, (_, i) => i);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= name.length; j++) {
      const same = word[i - 1] === name[j - 1];
      const best = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && word[i - 1] === name[j - 2] && word[i - 2] === name[j - 1];
      next.push(swapped ? Math.min(best, at(above, j - 2) + 1) : best);
    }
    above = row;
    row = next;
  }
  return Math.min(at(row, name.length), max + 1);
}

const at = (row: readonly number[], i: number): number => row[i] as number;

/** How many slips a word of this length may have and still be recognised. */
const maxSlips = (word: string): number => (word.length >= LONG_WORD ? 2 : 1);

/**
 * Whether `word` can only be `name` mistyped. Names that differ in a number, in a plural, or at the beginning or the end
 * of one of their words are two names, as are short ones that differ in a letter: getcap and setcap, vm_ip and vm_id.
 */
export function isSlip(word: string, name: string): boolean {
  const steps = slips(word, name);
  if (steps === 0 || steps > maxSlips(word)) return false;
  const parts = oneDifference(word.split(BETWEEN), name.split(BETWEEN));
  return parts !== undefined && isPartSlip(...parts, steps);
}

/** The one pair of parts in which two lists of the same length differ. */
export function oneDifference(parts: readonly string[], others: readonly string[]): [string, string] | undefined {
  const pairs = parts.map((part, i): [string, string] => [part, others[i] ?? '']);
  return parts.length === others.length ? onlyOne(pairs.filter(([one, other]) => one !== other)) : undefined;
}

const BETWEEN = /[^A-Za-z0-9]/;

function isPartSlip(one: string, other: string, steps: number): boolean {
  if (/\d/.test(difference(one, other).join('')) || isPlural(one, other)) return false;
  const shortest = Math.min(one.length, other.length);
  const swapped = sortedLetters(one) === sortedLetters(other);
  const longer = Math.abs(one.length - other.length);
  if (steps === 1 && swapped) return shortest >= MIN_LENGTH.swapped;
  if (one[0] !== other[0] || one.at(-1) !== other.at(-1)) return steps === 2 && swapped && one[0] === other[0];
  if (steps === 1) return shortest >= (longer === 1 ? MIN_LENGTH.lost : MIN_LENGTH.changed);
  return swapped || (longer === 1 && strange(one, other) + strange(other, one) === 1);
}

/** How many letters of `one` the other does not have. */
function strange(one: string, other: string): number {
  const left = [...other];
  return [...one].filter((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  }).length;
}

/** Those of `names` that `word` may be a slip for, each once. */
export const namesNear = (word: string, names: Iterable<string>): string[] =>
  [...new Set(names)].filter((name) => name !== word && slips(word, name) <= maxSlips(word));

/** Without separators and capitals. */
const plainLetters = (word: string): string => word.replace(/[-_ ]/g, '').toLowerCase();

const SEPARATED = /^[-_ ]|[-_ ]$/;

/** Whether two words differ in separators and capitals only; `__name__` is no `name`. */
export const isAlike = (word: string, name: string): boolean =>
  word.length > 2 && plainLetters(name) === plainLetters(word) && !SEPARATED.test(word) && !SEPARATED.test(name);

/**
 * Where the list of names is from. `tool`: it is complete, so a slip may be at either end of a word. `repository`: it is complete,
 * but the right name may be missing from it, so at an end only a lost or added letter is a slip. `open`: it is not complete.
 * `given`: found in another way than by its letters.
 */
export type NamedBy = 'given' | 'tool' | 'repository' | 'open';

/** The names that `word` may stand for: one that is certain, several that are equally near, or none. */
export function nearest(word: string, names: Iterable<string>, by: NamedBy = 'open'): string[] {
  const others = [...new Set(names)].filter((name) => name !== word && name !== '');
  if (by === 'given') return others;
  const alike = others.filter((name) => isAlike(word, name));
  if (alike.length > 0) return [...new Set([...alike, ...others.filter((name) => slips(word, name, 1) === 1)])];
  const near = namesNear(word, others);
  const only = onlyOne(near);
  if (only === undefined) return word.length > 3 ? near : [];
  return (by !== 'open' && isEndSlip(word, only, by)) || isSlip(word, only) ? near : [];
}

/**
 * One letter too many or too few, also at an end; in a long word of a tool also another letter. A digit is never a slip. In names of
 * a repository the differing part counts: auth-a and auth-ab are two names.
 */
function isEndSlip(word: string, name: string, by: NamedBy): boolean {
  const parts = by === 'tool' ? [word, name] : oneDifference(word.split(BETWEEN), name.split(BETWEEN));
  const [one = '', other = ''] = parts ?? [];
  if (one === '' || slips(one, other, 1) > 1 || /\d/.test(difference(one, other).join(''))) return false;
  if (one.length === other.length) return by === 'tool' && one.length >= 6;
  return one.length >= (isPlural(one, other) ? 3 : 4);
}

/** Whether one is the plural of the other. */
export const isPlural = (one: string, other: string): boolean => `${one}s` === other || one === `${other}s`;

/** What is left of both without their common beginning and end. */
function difference(word: string, name: string): [string, string] {
  let from = 0;
  while (from < word.length && word[from] === name[from]) from++;
  let end = 0;
  const shorter = Math.min(word.length, name.length) - from;
  while (end < shorter && word.at(-1 - end) === name.at(-1 - end)) end++;
  return [word.slice(from, word.length - end), name.slice(from, name.length - end)];
}

/** To see whether two words differ in the order of their letters alone. */
export const sortedLetters = (word: string): string => [...word].sort().join('');
