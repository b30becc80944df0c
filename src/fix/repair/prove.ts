// The proof that one name was broken and another is whole: what every shape of names and paths rests on.

import { isNearest } from './near.ts';
import {
  blobAround,
  decides,
  isAccountKey,
  isAddress,
  isAddressKey,
  isBoolean,
  isNumber,
  isTolerant,
} from './never.ts';
import type { WordPlace } from './place.ts';

interface Claim {
  readonly old: string;
  readonly new: string;
  /** All that the old word might mean; undefined when that cannot be known. */
  readonly possible: ReadonlySet<string> | undefined;
  /** What the new word may be for certain. */
  readonly defined: ReadonlySet<string>;
  /** The log rejects the old word, or nothing outside of the repository could define it. */
  readonly isBroken: boolean;
}

/** Whether the old name leads to nothing and the new one, near it and the only near one, is defined. */
export const isMended = ({ old, new: now, possible, defined, isBroken }: Claim): boolean =>
  isBroken && possible !== undefined && !possible.has(old) && defined.has(now) && isNearest(old, now, possible);

const IN_CODE = /\.(?:py|tf|tofu|hcl)$/;

/** Whether a word is one that no shape may touch, whatever stands around it. */
export function isNever({
  old,
  new: now,
  left,
  right,
  path,
}: Pick<WordPlace, 'old' | 'new' | 'left' | 'right' | 'path'>): boolean {
  const isPlain = (word: string) => isBoolean(word) || isNumber(word) || isTolerant(word);
  if (isPlain(old) || isPlain(now)) return true;
  // Outside of quotes a dot of a program's text parts names.
  if (IN_CODE.test(path) && left.split(/["']/).length % 2 === 1) return false;
  const before = left.replace(/\$\{(\w+)\}/g, '$$$1');
  return [old, now].some((word) => isAddress(blobAround(before, word, right)));
}

/** The name that a word is given to in its own text: `NAME=`, `--option=`, `key:`. */
const ASSIGNED = /([\w-]+)\s*[=:]\s*["']?[^\s"']*$/;

/**
 * Whether a word stands where only its owner decides: an account or address by its key, a grant, or a text in a condition
 * or default. A variable there is none of these: it is not the value.
 */
export function isOwners({
  keys,
  left,
  document,
  role,
}: Pick<WordPlace, 'keys' | 'left' | 'document' | 'role'>): boolean {
  const steps = keys.filter((each) => each !== '-');
  // Below `hosts` and the like the keys are the addresses.
  if (role === 'key') return isAddressKey(steps.at(-1) ?? '') || isAccountKey(steps.at(-1) ?? '');
  const key = steps.at(-1) ?? '';
  // What is called by its name only is what the key above says.
  const above = /^(?:name|value|key|id)$/.test(key) ? (steps.at(-2) ?? '') : '';
  const names = [key, above, ASSIGNED.exec(left)?.[1] ?? ''];
  if (names.some((name) => isAccountKey(name) || isAddressKey(name)) || isTolerant(key) || decides(key)) return true;
  return /(?:Role|Binding|Policy)$/.test(document?.kind ?? '') || keys[0] === 'test' || /default\([^)]*$/.test(left);
}
