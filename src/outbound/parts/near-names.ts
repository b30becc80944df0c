// Names that files have in nearly the form in which an error tells them: what was meant, or what is misspelt.
import { distance } from 'fastest-levenshtein';
import type { SourceFile } from '../context.ts';
import type { NameClue } from './clues.ts';

export interface NearName {
  /** As the error has it. */
  readonly name: string;
  readonly weight: number;
  /** How often it stands in all files as the error has it. */
  readonly exact: number;
  /** No slip of the finger: names of the same family, for who knows what is meant. */
  readonly related?: true;
  /** The first place of each name like it, and how often that one stands in all files. */
  readonly places: readonly {
    readonly like: string;
    readonly path: string;
    readonly line: number;
    readonly count: number;
  }[];
}

const WORDS = /[A-Za-z_][\w-]*[A-Za-z\d_]/g;
const MIN_LENGTH = 4;
const MAX_NAMES = 12;
const MAX_LIKE = 6;
/** Of all files together: near names are looked for in what a stage usually has, not in what it may have. */
const MAX_CHARS = 500_000;

/** For the strongest single-word names of `names`; only those that something is near to, or else related. */
export function nearNames(files: readonly SourceFile[], names: readonly NameClue[]): NearName[] {
  const wanted = names
    .filter(({ text, strong }) => strong && text.length >= MIN_LENGTH && /^[A-Za-z_][\w-]*$/.test(text))
    .slice(0, MAX_NAMES);
  if (wanted.length === 0) return [];
  const words = new Map<string, { file: SourceFile; count: number }>();
  let room = MAX_CHARS;
  for (const file of files) {
    if (room <= 0) break;
    room -= file.text.length;
    for (const word of file.text.match(WORDS) ?? []) {
      const place = words.get(word);
      if (place) place.count++;
      else words.set(word, { file, count: 1 });
    }
  }
  return wanted.flatMap(({ text, weight }): NearName[] => {
    const those = (are: (name: string, word: string) => boolean) =>
      [...words].filter(([word]) => are(text, word)).map(([like, place]) => ({ like, ...place }));
    const near = those(isNear).slice(0, MAX_LIKE);
    const alike = near.length > 0 ? near : likest(text, those(isRelated));
    if (alike.length === 0) return [];
    const places = alike.map(({ like, file, count }) => ({ like, path: file.path, line: lineOf(like, file), count }));
    const subject = { name: text, weight, exact: words.get(text)?.count ?? 0, places };
    return [near.length > 0 ? subject : { ...subject, related: true }];
  });
}

/** The first line that has a word. */
const lineOf = (word: string, { text }: SourceFile): number =>
  text.split('\n').findIndex((line) => line.match(WORDS)?.includes(word)) + 1;

/** As many as help, those that are most like `name` first. */
export const likest = <T extends { readonly like: string }>(name: string, places: readonly T[]): T[] =>
  places.toSorted((a, b) => distance(a.like, name) - distance(b.like, name)).slice(0, MAX_LIKE);

/**
 * All but the last part of the one is, or begins, the other: k3s_token_path, k3s_token_file, k3s_token. The first word of a variable
 * is none of its family; that of an object may be (paperless, paperless-ngx), unless what follows is only a number.
 */
function isRelated(name: string, other: string): boolean {
  const family = /^(.+[-_])(?!\d+$)[^-_]+$/.exec(name)?.[1] ?? '';
  if (family.length <= MIN_LENGTH || other === name || (family.endsWith('_') && !other.includes('_'))) return false;
  return `${other}${family.at(-1)}`.startsWith(family);
}

/** The same but for case, `-` and `_`, with letters swapped, or with one slip of the finger; two in a long name. */
export function isNear(name: string, other: string): boolean {
  if (name === other || Math.abs(name.length - other.length) > 2) return false;
  const [a, b] = [plain(name), plain(other)];
  if (a === b) return true;
  // host1 and host2 are two hosts.
  if (a[0] !== b[0] || a.replaceAll(/\d/g, '') === b.replaceAll(/\d/g, '')) return false;
  const isSwapped = a.length === b.length && distance(a, b) === 2 && sorted(a) === sorted(b);
  return isSwapped || distance(a, b) <= (Math.min(a.length, b.length) >= 8 ? 2 : 1);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');
const sorted = (text: string): string => [...text].sort().join('');
