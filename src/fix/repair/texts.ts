// What the readers of all languages share: how texts that differ become places.
import type { AskCode } from '../edit.ts';
import type { At, OtherPlace, Place, WordPlace } from './place.ts';

/** A place that no shape is asked about. */
export const decision = ({ path, line, keys = [] }: At, kind: AskCode, old: string, now: string): OtherPlace => ({
  what: 'other',
  ...{ path, line, keys, kind, old, new: now },
});

/** A word as paths, names and versions are written; what is between words are marks. */
const WORD = /([A-Za-z0-9_.@~+][\w.@~+/-]*)/;

type WordAt = Omit<WordPlace, 'what' | 'old' | 'new' | 'left' | 'right'>;

/** The words of a text in the place of others, line by line; where more differs in one, a decision of the kind `otherwise`. */
export function wordPlaces(at: WordAt, old: string, now: string, otherwise: AskCode): Place[] {
  const [a, b] = [old.split('\n'), now.split('\n')];
  if (a.length !== b.length) return [decision(at, a.length > b.length ? 'removed' : 'text', old, now)];
  return a.flatMap((line, i) => wordsOfLine({ ...at, line: at.line + i }, line, b[i] as string, otherwise));
}

function wordsOfLine(at: WordAt, old: string, now: string, otherwise: AskCode): Place[] {
  const [a, b] = [old.split(WORD), now.split(WORD)];
  const changed = a.flatMap((piece, i) => (piece === b[i] ? [] : [i]));
  // Words have the odd places.
  if (a.length !== b.length || changed.some((i) => i % 2 === 0)) return [decision(at, otherwise, old, now)];
  return changed.map((i) => ({
    what: 'word',
    ...at,
    ...{ old: a[i] as string, new: b[i] as string, left: a.slice(0, i).join(''), right: a.slice(i + 1).join('') },
  }));
}

/** A comment that speaks to a tool, and how much stands before it: with its place it changes what it speaks of. */
export interface Directive {
  readonly text: string;
  readonly line: number;
  readonly above: string | number;
}

/** Comments are no part of what is compared; those that speak to a tool are the owner's. */
export function directivePlaces(path: string, old: readonly Directive[], now: readonly Directive[]): Place[] {
  const only = (some: readonly Directive[], others: readonly Directive[]) =>
    some.filter((one) => !others.some(({ text, above }) => text === one.text && above === one.above));
  return [
    ...only(old, now).map(({ line, text }) => decision({ path, line }, 'tolerance', text, '')),
    ...only(now, old).map(({ line, text }) => decision({ path, line }, 'tolerance', '', text)),
  ];
}
