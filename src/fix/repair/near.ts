// How near two names are: a slip of the fingers, and no other name that is as near.
import { distance } from 'fastest-levenshtein';

const MAX_EDITS = 2;
/** Below this length one edit is already a fifth of the word. */
const SHORT = 5;

/** Without what people mix up: case, and the signs between words. */
const plain = (word: string): string => word.toLowerCase().replace(/[-_.]/g, '');
const stem = (word: string): string => word.replace(/\.[A-Za-z]\w{0,5}$/, '');
/** Another extension, or one that is missing: a slip like one letter. */
const isSameStem = (a: string, b: string): boolean =>
  stem(b) === a || stem(a) === b || (stem(a) === stem(b) && distance(a, b) <= MAX_EDITS + 1);
const digits = (word: string): string => (word.match(/\d+/g) ?? []).join();
const NEGATED = /^(?:un|in|dis|no|non|de|not|anti|without)[-_]?/i;

/** 0: the same but for case and `-_.`; 1 or 2 edits; undefined: another word. Of a path the extension counts as one. */
export function nearness(old: string, now: string, isPath = false): number | undefined {
  if (isPath && old !== now && isSameStem(old, now)) return 1;
  // Another number is another thing, and so is the opposite.
  if (old === now || digits(old) !== digits(now) || NEGATED.test(old) !== NEGATED.test(now)) return undefined;
  if (plain(old) === plain(now)) return 0;
  const edits = isTurned(old, now) ? 1 : distance(old, now);
  const length = Math.min(old.length, now.length);
  return edits <= (length < SHORT ? 1 : MAX_EDITS) && edits < length ? edits : undefined;
}

/** Two letters beside each other have changed places. */
function isTurned(old: string, now: string): boolean {
  const at = [...old].findIndex((letter, i) => letter !== now[i]);
  return old.length === now.length && old.slice(0, at) + old[at + 1] + old[at] + old.slice(at + 2) === now;
}

/** Whether `now` is near `old`, and none of `names` is as near. */
export function isNearest(old: string, now: string, names: Iterable<string>, isPath = false): boolean {
  const edits = nearness(old, now, isPath);
  if (edits === undefined) return false;
  for (const name of names) {
    const other = name === now ? undefined : nearness(old, name, isPath);
    if (other !== undefined && other <= edits) return false;
  }
  return true;
}

/** Whether `old` is none of all that it might mean, and `now`, near it and the only near one, is defined for certain. */
export const isMended = (
  old: string,
  now: string,
  possible: ReadonlySet<string> | undefined,
  defined: ReadonlySet<string> | undefined = possible,
): boolean =>
  possible !== undefined && !possible.has(old) && defined?.has(now) === true && isNearest(old, now, possible);
