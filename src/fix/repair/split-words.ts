// Two texts that differ in words alone: the words, each with what stands around it.

/** A word as paths, names and versions are written; what is between words are marks. */
const WORD = /([A-Za-z0-9_.@~+][\w.@~+/-]*)/;

export interface ChangedWord {
  readonly old: string;
  readonly new: string;
  readonly left: string;
  readonly right: string;
}

/** The words of `now` that take the place of words of `old`; undefined when anything else differs. */
export function changedWords(old: string, now: string): ChangedWord[] | undefined {
  const [a, b] = [old.split(WORD), now.split(WORD)];
  if (a.length !== b.length) return undefined;
  const words: ChangedWord[] = [];
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    if (i % 2 === 0) return undefined;
    words.push({
      old: a[i] as string,
      new: b[i] as string,
      left: a.slice(0, i).join(''),
      right: a.slice(i + 1).join(''),
    });
  }
  return words;
}

/** All that is not a space and touches the word: `https://a/b` around `a`. */
export const blobAround = ({ left, old, right }: Pick<ChangedWord, 'left' | 'old' | 'right'>): string =>
  `${/[^\s"'`,;()[\]{}|=]*$/.exec(left)?.[0] ?? ''}${old}${/^[^\s"'`,;()[\]{}|=]*/.exec(right)?.[0] ?? ''}`;
