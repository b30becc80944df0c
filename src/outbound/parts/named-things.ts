// Names, phrases and lines that the error repeats, looked up in the files: one that a single file has counts most.
import type { SourceFile } from '../context.ts';
import type { Clues, NameClue } from './clues.ts';
import { type NearName, nearNames } from './near-names.ts';
import type { Points } from './points.ts';

/** A word that stands in more lines than this says nothing. */
const MAX_MATCHES = 25;
const MAX_FILE_CHARS = 1_000_000;

/** Names and phrases: a file that alone has one counts most. Returns those that are nearly there. */
export function addNames(
  files: readonly SourceFile[],
  names: readonly NameClue[],
  points: ReadonlyMap<string, Points>,
): NearName[] {
  const places = placesOf(files, names);
  const parts = partsOf(files);
  for (const name of names) {
    const matches = places.get(name.text) ?? [];
    const whole = matches.filter(({ isPart }) => !isPart);
    const all = whole.length > 0 ? whole : matches;
    if (matches.length > MAX_MATCHES) continue;
    const called = parts.filter((file) => file.parts.has(name.text.toLowerCase())).map(({ path }) => path);
    const paths = [...new Set([...all.map(({ path }) => path), ...(name.strong ? called : [])])];
    for (const path of paths) {
      const of = points.get(path) as Points;
      if (name.strong) of.shares.push(name.weight / paths.length);
      else of.plain += name.weight / paths.length;
      for (const { line } of all.filter((place) => place.path === path)) of.matching.push({ line, count: all.length });
    }
  }
  const near = nearNames(files, names);
  for (const { name, weight, exact, places: like, related } of near) {
    if (related) continue;
    const single = like.filter(({ count }) => count === 1);
    // `Name` beside `name` in one file is a habit, not a slip; unless nothing else is like it.
    const having = new Set(places.get(name)?.map(({ path }) => path));
    const apart = single.filter(({ path }) => !having.has(path));
    const odd = apart.length > 0 ? apart : single;
    const factor = exact >= 2 && odd.length === 1 ? 1.5 : 0.6;
    for (const { path, line } of odd) {
      const of = points.get(path) as Points;
      of.score += (weight * factor) / odd.length;
      of.named.add(line);
    }
  }
  return near;
}

/** What joins a word to a longer name: a path, an image, a host. A key of YAML has a colon and a blank behind it. */
const PART_BEFORE = /[/.@:-]/;
/** In an expression of a template a dot leads to a member, which is a name of its own. */
const MEMBER = /\{[{%](?:(?![%}]\}).)*\.$/;
const PART_BEHIND = /^(?:[/.@-]|:\S)/;

/** Every place of every name, as a whole word; at most one more than counts: then it is known to be too many. */
function placesOf(files: readonly SourceFile[], names: readonly NameClue[]) {
  const byName = new Map<string, { path: string; line: number; isPart: boolean }[]>();
  if (names.length === 0) return byName;
  const longestFirst = names.map(({ text }) => text).sort((a, b) => b.length - a.length);
  const any = longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w])(?:${any})(?![\\w])`, 'g');
  for (const { path, text } of files) {
    let [line, at] = [1, 0];
    for (const { 0: word, index } of text.slice(0, MAX_FILE_CHARS).matchAll(pattern)) {
      for (; ; line++) {
        const end = text.indexOf('\n', at);
        if (end < 0 || end >= index) break;
        at = end + 1;
      }
      const list = byName.get(word) ?? [];
      const isPart =
        (PART_BEFORE.test(text[index - 1] ?? '') && !MEMBER.test(text.slice(at, index))) ||
        PART_BEHIND.test(text.slice(index + word.length, index + word.length + 2));
      if (list.length <= MAX_MATCHES) list.push({ path, line, isPart });
      byName.set(word, list);
    }
  }
  return byName;
}

const partsOf = (files: readonly SourceFile[]) =>
  files.map(({ path }) => ({ path, parts: new Set(path.toLowerCase().split(/[/.]/)) }));

/** A folder or file that is called as something in the error: of an app all that is its own. */
export function addPathParts(
  files: readonly SourceFile[],
  names: readonly NameClue[],
  points: ReadonlyMap<string, Points>,
): void {
  const all = partsOf(files);
  for (const { text, weight } of names) {
    const like = all.filter(({ parts }) => parts.has(text.toLowerCase()));
    if (like.length > files.length / 2) continue;
    for (const { path } of like) (points.get(path) as Points).inPath += Math.min(6, weight / 2);
  }
}

/** A relative path that the error repeats as one file has it. */
export function addVerbatim(files: readonly SourceFile[], { paths }: Clues, points: ReadonlyMap<string, Points>): void {
  for (const { written, weight } of paths) {
    if (weight < 0.5 || !written.startsWith('../')) continue;
    const having = files.filter(({ text }) => text.includes(written));
    if (having.length === 0 || having.length > 3) continue;
    for (const { path } of having) (points.get(path) as Points).shares.push((70 * weight) / having.length);
  }
}

const MIN_SOURCE = 10;

/** A line that a tool repeats from one file only. */
export function addSource(files: readonly SourceFile[], { source }: Clues, points: ReadonlyMap<string, Points>): void {
  for (const { text, weight } of source) {
    if (text.length < MIN_SOURCE || !/\w{3}/.test(text)) continue;
    const quotedIn = files.flatMap((file) => {
      const at = file.text.indexOf(text);
      return at < 0 ? [] : [{ path: file.path, line: file.text.slice(0, at).split('\n').length }];
    });
    if (quotedIn.length === 1 && quotedIn[0]) {
      const of = points.get(quotedIn[0].path) as Points;
      of.shares.push(80 * weight);
      of.named.add(quotedIn[0].line);
    }
  }
}

/** `error: `, `[ERROR] `, `./run.sh: line 12: `, `make: *** `: what a shell or a script puts before its message. */
const BEFORE_MESSAGE = /^(?:\W*(?:error|fatal|fail(?:ed|ure)?|err)\b\W*|\S+: (?:line \d+: )?)+/i;
const MIN_MESSAGE = 16;

/** The one file that has the words of the error in it: there it is decided that something is wrong. */
export function addMessages(
  files: readonly SourceFile[],
  errorLines: readonly string[],
  points: ReadonlyMap<string, Points>,
): void {
  for (const line of errorLines) {
    const message = line.replace(BEFORE_MESSAGE, '').trim();
    if (message.length < MIN_MESSAGE || message.split(' ').length < 3) continue;
    const [only, ...more] = files.filter(({ text }) => text.includes(message));
    if (!only || more.length > 0) continue;
    const of = points.get(only.path) as Points;
    of.shares.push(40);
    of.named.add(only.text.slice(0, only.text.indexOf(message)).split('\n').length);
  }
}
