// Names that files have in nearly the form in which an error tells them: what was meant, or what is misspelt.
import { distance } from 'fastest-levenshtein';
import type { SourceFile } from '../tree.ts';
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
/** Of one name: more than that is no slip and no family. */
const MAX_FOUND = 200;

type Like = { readonly like: string; readonly path: string; readonly line: number; count: number };

/** For the strongest single-word names of `names`: reads texts, and then has those that something is near to, or else related. */
export function nearNames(names: readonly NameClue[]) {
  const wanted = names
    .filter(({ text, strong }) => strong && text.length >= MIN_LENGTH && /^[A-Za-z_][\w-]*$/.test(text))
    .slice(0, MAX_NAMES)
    .map(({ text, weight }) => ({
      text,
      weight,
      exact: 0,
      near: new Map<string, Like>(),
      related: new Map<string, Like>(),
    }));
  const initials = new Set(wanted.flatMap(({ text }) => [text[0]?.toLowerCase(), text[0]?.toUpperCase(), '_']));
  return {
    read({ path, text }: SourceFile): void {
      if (wanted.length === 0) return;
      for (const { 0: word, index } of text.matchAll(WORDS)) {
        if (!initials.has(word[0])) continue;
        for (const one of wanted) {
          if (one.text === word) one.exact++;
          const to = isNear(one.text, word) ? one.near : isRelated(one.text, word) ? one.related : undefined;
          const before = to?.get(word);
          if (before) before.count++;
          else if (to && to.size < MAX_FOUND)
            to.set(word, { like: word, path, line: text.slice(0, index).split('\n').length, count: 1 });
        }
      }
    },
    found: (): NearName[] =>
      wanted.flatMap(({ text: name, weight, exact, near, related }): NearName[] => {
        if (near.size > 0) return [{ name, weight, exact, places: likest(name, [...near.values()]) }];
        if (related.size === 0) return [];
        return [{ name, weight, exact, related: true, places: likest(name, [...related.values()]) }];
      }),
  };
}

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
