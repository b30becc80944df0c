// The proof that one name was broken and another is whole: what every shape of names and paths rests on.

import { isNearest } from './near.ts';
import { isAddress, isBoolean, isNumber, isTolerant } from './never.ts';
import type { WordPlace } from './place.ts';
import { blobAround } from './split-words.ts';

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
  const around = { left: left.replace(/\$\{(\w+)\}/g, '$$$1'), right };
  return isAddress(blobAround({ ...around, old })) || isAddress(blobAround({ ...around, old: now }));
}
