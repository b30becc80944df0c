// How near two names are: a slip of the fingers, and no other name that is as near.
import { distance } from 'fastest-levenshtein';

const MAX_EDITS = 2;
/** Below this length one edit is already a fifth of the word. */
const SHORT = 5;

/** Without what people mix up: case, and the signs between words. */
const plain = (word: string): string => word.toLowerCase().replace(/[-_.]/g, '');
const stem = (word: string): string => word.replace(/\.[A-Za-z]\w{0,5}$/, '');
const digits = (word: string): string => (word.match(/\d+/g) ?? []).join();
const NEGATED = /^(?:un|in|dis|no|non|de|not|anti|without)[-_]?/i;

/** 0: the same but for case, `-_.` or the extension; 1 or 2 edits; undefined: another word. */
export function nearness(old: string, now: string): number | undefined {
  // Another number is another thing, and so is the opposite.
  if (old === now || digits(old) !== digits(now) || NEGATED.test(old) !== NEGATED.test(now)) return undefined;
  if (plain(old) === plain(now) || (stem(old) === stem(now) && stem(old) !== '')) return 0;
  const edits = distance(old, now);
  return edits <= (Math.min(old.length, now.length) < SHORT ? 1 : MAX_EDITS) ? edits : undefined;
}

/** Whether `now` is near `old`, and none of `names` is as near. */
export function isNearest(old: string, now: string, names: Iterable<string>): boolean {
  const own = nearness(old, now);
  if (own === undefined) return false;
  for (const name of names) {
    const other = name === now ? undefined : nearness(old, name);
    if (other !== undefined && other <= own) return false;
  }
  return true;
}
