// What the texts of a repository have of a failure's words. Texts are read one by one and none is kept: only where in them
// something stands, and of what stands everywhere only that it does.

import type { SourceFile } from '../tree.ts';
import type { Clues, NameClue } from './clues.ts';
import { type NearName, nearNames } from './near-names.ts';
import { type MissingPath, reference } from './references.ts';

/** Where something stands. Lines count from 1. */
export interface Spot {
  readonly path: string;
  readonly line: number;
}

export interface Hit extends Spot {
  /** It is joined to a longer name there: a path, an image, a host. */
  readonly isPart: boolean;
}

export interface Reference extends Spot {
  readonly strength: number;
}

/** What was found in all texts that were read. */
export interface Found {
  /** Where a name stands; undefined when it stands in more lines than would tell anything. */
  readonly hits: (name: string) => readonly Hit[] | undefined;
  /** The same in one of the files that were asked for by name. */
  readonly hitsIn: (path: string) => readonly (Spot & { readonly name: string })[];
  readonly near: readonly NearName[];
  /** Who refers to a path, the surest alone. */
  readonly references: (path: string) => readonly Reference[];
  /** Where a text stands that the log repeats: in at most so many files, else nowhere. */
  readonly quotes: (text: string, most: number) => readonly Spot[];
}

/** A word that stands in more lines than this says nothing. */
const MAX_MATCHES = 25;
const MAX_FILE_CHARS = 1_000_000;

/** What is looked for besides names. */
export interface Wanted {
  readonly names: Clues['names'];
  /** Paths that exist or should, and who refers to them is of interest. */
  readonly targets: readonly Pick<MissingPath, 'path' | 'folder'>[];
  readonly quotes: readonly string[];
  /** Files in which every hit counts. */
  readonly named: ReadonlySet<string>;
}

export function openScan({ names, targets, quotes, named }: Wanted) {
  const pattern = anyOf(names);
  const near = nearNames(names);
  const hits = new Map<string, Hit[]>();
  const inNamed = new Map<string, (Spot & { name: string })[]>();
  const references = new Map<string, Reference[]>();
  const quoted = new Map<string, Spot[]>();

  function readNames({ path, text }: SourceFile): void {
    const isNamed = named.has(path);
    let [line, at] = [1, 0];
    for (const { 0: word, index } of pattern ? text.matchAll(pattern) : []) {
      for (; ; line++) {
        const end = text.indexOf('\n', at);
        if (end < 0 || end >= index) break;
        at = end + 1;
      }
      const isPart =
        (PART_BEFORE.test(text[index - 1] ?? '') && !MEMBER.test(text.slice(at, index))) ||
        PART_BEHIND.test(text.slice(index + word.length, index + word.length + 2));
      add(hits, word, { path, line, isPart }, MAX_MATCHES + 1);
      if (isNamed) add(inNamed, path, { path, line, name: word }, MAX_MATCHES);
    }
  }

  function readReferences(file: SourceFile): void {
    for (const target of targets) {
      if (target.path === file.path) continue;
      const { line, strength } = reference(file, target);
      const before = references.get(target.path)?.[0]?.strength ?? 0;
      if (strength > before) references.delete(target.path);
      if (strength > 0 && strength >= before)
        add(references, target.path, { path: file.path, line, strength }, MAX_MATCHES);
    }
  }

  return {
    read(file: SourceFile): void {
      const { path } = file;
      const text = file.text.slice(0, MAX_FILE_CHARS);
      readNames({ path, text });
      readReferences({ path, text });
      near.read({ path, text });
      for (const quote of quotes) {
        const at = text.indexOf(quote);
        if (at >= 0) add(quoted, quote, { path, line: text.slice(0, at).split('\n').length }, MAX_MATCHES);
      }
    },
    found: (): Found => ({
      hits(name) {
        const all = hits.get(name) ?? [];
        return all.length > MAX_MATCHES ? undefined : all;
      },
      hitsIn: (path) => inNamed.get(path) ?? [],
      near: near.found(),
      references: (path) => references.get(path) ?? [],
      quotes(text, most) {
        const all = quoted.get(text) ?? [];
        return all.length > most ? [] : all;
      },
    }),
  };
}

function add<T>(lists: Map<string, T[]>, key: string, value: T, most: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else if (list.length < most) list.push(value);
}

/** What joins a word to a longer name: a path, an image, a host. A key of YAML has a colon and a blank behind it. */
const PART_BEFORE = /[/.@:-]/;
/** In an expression of a template a dot leads to a member, which is a name of its own. */
const MEMBER = /\{[{%](?:(?![%}]\}).)*\.$/;
const PART_BEHIND = /^(?:[/.@-]|:\S)/;

/** Any of the names as a whole word, the longest first; undefined where there is none. */
function anyOf(names: readonly NameClue[]): RegExp | undefined {
  if (names.length === 0) return undefined;
  const longestFirst = names.map(({ text }) => text).sort((a, b) => b.length - a.length);
  const any = longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\w])(?:${any})(?![\\w])`, 'g');
}
