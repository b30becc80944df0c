// The small reader behind most languages: rows that say which name stands where, on a line or at a place of YAML.
import type { Kind } from './definition.ts';
import type { Found } from './found.ts';
import type { Entry } from './yaml-outline.ts';

type Verb = 'define' | 'guess' | 'use';

/** In every match on a line, each group is a list of names, or `names` finds them in it; a text is the name by itself. */
export type LineRow = readonly [
  where: RegExp,
  verb: Verb,
  kind: Kind,
  names?: RegExp | string | undefined,
  of?: string,
];
/** `way`: the keys to an entry with a space between; an item of a list has none, so its way ends with the space. */
export type EntryRow = readonly [way: RegExp, read: (entry: Entry, found: Found) => void];

/** A form that files of YAML have; one may have several. */
export interface Form {
  readonly is: (path: string, entries: readonly Entry[]) => boolean;
  readonly rows?: readonly EntryRow[];
  /** What is read of it line by line. */
  readonly lines?: (text: string, found: Found) => void;
}

/** Nothing that is meant has a longer one. */
const MAX_WAY = 1000;

export const lines = (rows: readonly LineRow[]) => (text: string, found: Found) =>
  eachLine(text, found, (line) => {
    for (const [where, verb, kind, names, of] of rows)
      for (const [, ...groups] of line.matchAll(where))
        for (const name of typeof names === 'string' ? [names] : groups.flatMap((group) => namesIn(group, names)))
          found[verb](kind, name, of);
  });

const namesIn = (text = '', names = /(\S+)/g): string[] => Array.from(text.matchAll(names), ([, name]) => name ?? '');

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/;
/** The same pattern for what is not in quotes. */
export const unquoted = (name: RegExp): RegExp => new RegExp(`${QUOTED.source}|(${name.source})`, 'g');

/** Stand for the end of a line that does not end a statement: where it parts words, and where it does not. */
export const SPACE_LINE = '\v';
export const QUIET_LINE = '\u0085';

/** Goes through a text line by line. */
export function eachLine(text: string, found: Found, read: (line: string) => void): void {
  let line = 1;
  for (const one of text.split(/\r?\n/)) {
    found.line = line;
    read(one);
    line += one.split(/[\v\u0085]/).length;
  }
}

export function readEntries(entries: readonly Entry[], rows: readonly EntryRow[], found: Found): void {
  for (const entry of entries) {
    if (entry.way.length > MAX_WAY) continue;
    for (const [way, read] of rows) {
      found.line = entry.line;
      if (way.test(entry.way)) read(entry, found);
    }
  }
}

type NamesOf = (entry: Entry) => string | readonly string[] | undefined;
const add =
  (verb: Verb) =>
  (kind: Kind, names: NamesOf, of?: string | NamesOf): EntryRow[1] =>
  (entry, found) => {
    const above = typeof of === 'function' ? of(entry) : of;
    for (const name of [names(entry)].flat()) found[verb](kind, name, above as string | undefined);
  };
export const define = add('define');
export const guess = add('guess');
export const use = add('use');
export const key = (entry: Entry): string => entry.key;
export const value = (entry: Entry): string => entry.value;
