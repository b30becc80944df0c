// The small reader behind most languages: rows that say which name stands where, on a line or at a place of YAML.
import { ANY, type FileNames, type Kind, type Name } from './definition.ts';
import type { Entry } from './yaml-outline.ts';

/** Of a template, a substitution, an alias that nothing resolves: not a name, but what makes one. */
const COMPUTED = /\{\{|\{%|<%|\$|`|^\*|^<<$/;
export const isComputed = (text: string): boolean => COMPUTED.test(text);
type Verb = 'define' | 'guess' | 'use';
export type Found = ReturnType<typeof collect>;

/** What is found in one file. To guess is to define what only looks like a definition. */
export function collect() {
  const defines = new Map<string, Name>();
  const uses = new Map<string, Name>();
  /** A name that is computed stands for any, one that is empty for none; where only names count, each is listed once. */
  const adder = (to: Map<string, Name>, isOnce: boolean, more?: { maybe: true }) =>
    function add(kind: Kind, text: string | undefined, of?: string, inside?: string): void {
      if (!text) return;
      const name = kind === 'file' ? text.replace(/["']/g, '') : isComputed(text) ? ANY : text;
      const key = `${isOnce ? '' : found.line} ${more?.maybe} ${kind} ${of} ${name}`;
      const one = { kind, name, line: found.line, ...(of && { of }), ...(inside && { inside }), ...more };
      if (!to.has(key)) to.set(key, one);
    };
  const found = {
    /** Where the reader is. */
    line: 1,
    define: adder(defines, false),
    guess: adder(defines, true, { maybe: true }),
    use: adder(uses, true),
    names: (): FileNames => ({ defines: [...defines.values()], uses: [...uses.values()] }),
  };
  return found;
}

/** In every match on a line, each group is a list of names, or `names` finds them in it; a text is the name by itself. */
export type LineRow = readonly [
  where: RegExp,
  verb: Verb,
  kind: Kind,
  names?: RegExp | string | undefined,
  of?: string,
];
type NamesOf = (entry: Entry) => string | readonly string[] | undefined;
/** `way`: the keys to an entry with a space between; an item of a list has none, so its way ends with the space. */
export type EntryRow = readonly [
  way: RegExp,
  verb: Verb,
  kind: Kind,
  names: NamesOf,
  of?: NamesOf,
  inside?: typeof value,
];

/** A form that files of YAML have; one may have several. */
export interface Form {
  readonly is: (path: string, entries: readonly Entry[]) => boolean;
  readonly rows?: readonly EntryRow[];
  /** What is read of it line by line. */
  readonly lines?: (text: string, found: Found) => void;
}

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

/** Goes through a text line by line; `\v` and `\u0085` stand for ends of lines that end no statement, in words or between them. */
export function eachLine(text: string, found: Found, read: (line: string) => void): void {
  let line = 1;
  for (const one of text.split(/\r?\n/)) {
    found.line = line;
    read(one);
    line += one.split(/[\v\u0085]/).length;
  }
}

export function readEntries(entries: readonly Entry[], rows: readonly EntryRow[], found: Found): void {
  // Nothing that is meant has a longer way.
  for (const entry of entries.filter(({ way }) => way.length <= 1000)) {
    found.line = entry.line;
    for (const [way, verb, kind, names, of, inside] of rows)
      if (way.test(entry.way))
        for (const name of [names(entry)].flat())
          for (const above of [of?.(entry)].flat()) found[verb](kind, name, above, inside?.(entry));
  }
}

export const key = (entry: Entry): string => entry.key;
export const value = (entry: Entry): string => entry.value;
