// Which files a failure points at, and where in them. A file is suspected when it is named (or what is rendered from it), when it
// refers to a path that does not exist, when it alone has a name that the error quotes, and when it has the odd one out: a name
// that stands once, and is nearly one that is used in other places and that the error finds missing.
import type { SourceFile } from '../context.ts';
import { type Clues, cluesOf, type Evidence, type NameClue, pathsIn } from './clues.ts';
import { type NearName, nearNames } from './near-names.ts';
import { normalized, type PathFinder, pathFinder, renderedName } from './paths.ts';

/** A file with what points at it. Lines count from 1. */
export interface Suspect extends SourceFile {
  readonly score: number;
  /** The command names it. */
  readonly isRun: boolean;
  /** Lines that the failure names; it may be wrong about how many there are. */
  readonly named: readonly number[];
  /** Lines with a rare word of the failure, the rarest word first. */
  readonly matching: readonly number[];
}

/** What the failure tells about these files. */
export interface Suspicion {
  /** Every file, the most suspicious first; of equals, in their order. */
  readonly ranked: readonly Suspect[];
  /** Paths that the error names and that do not exist, the nearest folder that does, and who refers to them. */
  readonly missing: readonly MissingPath[];
  /** Names of the error that files have in a slightly different form. */
  readonly near: readonly NearName[];
  /** What the error calls by another path than that of the template it is made from. */
  readonly rendered: readonly { readonly written: string; readonly from: string }[];
}

export interface MissingPath {
  readonly path: string;
  readonly folder: string;
  readonly listing: readonly string[];
}

/** A word that stands in more lines than this says nothing. */
const MAX_MATCHES = 25;
const MAX_FILE_CHARS = 1_000_000;
const MAX_MISSING = 8;
/** More than a last part in common. */
const CERTAIN_REFERENCE = 100;
/** Of words that could stand anywhere, for one file. */
const MAX_PLAIN = 18;

interface Points {
  score: number;
  /** What each name that it has counts, and each line that is repeated from it. */
  readonly shares: number[];
  plain: number;
  /** What of the error its path is called after. */
  inPath: number;
  readonly named: Set<number>;
  readonly matching: { readonly line: number; readonly count: number }[];
}

/** `tree`: every path of the repository. */
export function suspicion(files: readonly SourceFile[], evidence: Evidence, tree: readonly string[] = []): Suspicion {
  const clues = cluesOf(evidence);
  const finder = pathFinder(
    files.map(({ path }) => path),
    tree,
  );
  const points = new Map<string, Points>(
    files.map(({ path }) => [path, { score: 0, shares: [], plain: 0, inPath: 0, named: new Set(), matching: [] }]),
  );
  const add = (path: string, score: number): Points => {
    const of = points.get(path) as Points;
    of.score += score;
    return of;
  };
  addNamed(clues, finder, add);
  const missing = addReferrers(files, clues, finder, add);
  // What names a file is counted as that already.
  const names = clues.names.filter(({ text }) => text.includes(' ') || finder.meaning(text, []).sure === 0);
  const near = addNames(files, names, points);
  addPathParts(files, names, points);
  addVerbatim(files, clues, points);
  addSource(files, clues, points);
  const run = new Set(pathsIn(evidence.command, 1).flatMap(({ written }) => finder.meaning(written, []).paths));
  const ranked = files.map(({ path, text }) => {
    const { score, shares, plain, inPath, named, matching } = points.get(path) as Points;
    const byRarity = matching.sort((a, b) => a.count - b.count || a.line - b.line).map(({ line }) => line);
    const inOrder = [...named].sort((a, b) => a - b);
    const total = score + fading(shares) + Math.min(MAX_PLAIN, plain) + Math.min(MAX_PLAIN, inPath);
    return { path, text, score: total, isRun: run.has(path), named: inOrder, matching: byRarity };
  });
  return { ranked: ranked.sort((a, b) => b.score - a.score), missing, near, rendered: renderedFrom(clues, finder) };
}

/** The first whole, each further one half of the one before: many weak signs do not outweigh a strong one. */
const fading = (shares: readonly number[]): number =>
  shares.toSorted((a, b) => b - a).reduce((sum, share, i) => sum + share / 2 ** i, 0);

/** Files that are named count once, for the strongest mention. */
function addNamed({ paths, numbers }: Clues, finder: PathFinder, add: (path: string, score: number) => Points): void {
  const best = new Map<string, number>();
  const lines = new Map<string, Set<number>>();
  for (const { written, weight, line, beside, isRooted } of paths) {
    const { paths: meant, sure: ofEnd } = finder.meaning(written, beside);
    const sure = isRooted && ofEnd < 1 && !isRendered(meant, written) ? ofEnd / 2 : ofEnd;
    for (const path of meant) {
      best.set(path, Math.max(best.get(path) ?? 0, 100 * weight * sure * (line === undefined ? 0.9 : 1)));
      if (line !== undefined && meant.length <= 3) lines.set(path, (lines.get(path) ?? new Set()).add(line));
    }
  }
  const accused = [...best].filter(([, score]) => score >= 45);
  for (const [path, score] of best) {
    const { named } = add(path, score);
    for (const line of lines.get(path) ?? []) named.add(line);
    // `yaml: line 12: …` often stands beside the name, not behind it.
    if (score >= 45 && accused.length <= 3) for (const number of numbers) named.add(number);
  }
}

/** Whether what is written can be made from a template that is meant. */
const isRendered = (meant: readonly string[], written: string): boolean =>
  meant.some((path) => renderedName(path) !== path && !path.endsWith(written));

/** Of the error lines, each template once. */
function renderedFrom({ paths }: Clues, finder: PathFinder): Suspicion['rendered'] {
  const from = new Map<string, string>();
  for (const { written, weight, beside } of paths) {
    const { paths: meant } = finder.meaning(written, beside);
    const [path] = meant;
    if (weight < 0.4 || path === undefined || meant.length > 1 || !written.includes('/')) continue;
    if (isRendered(meant, written) && ![...from.values()].includes(path)) from.set(written, path);
  }
  return [...from].map(([written, path]) => ({ written, from: path }));
}

/** Who refers to what does not exist is the likeliest of all. */
function addReferrers(
  files: readonly SourceFile[],
  { paths }: Clues,
  finder: PathFinder,
  add: (path: string, score: number) => Points,
): MissingPath[] {
  const absent = new Set(
    paths.flatMap(({ written, weight, beside, isRooted, isAbsent }) => {
      const { sure } = finder.meaning(written, beside);
      if (weight < 0.25 || !isAbsent || sure === 1 || (!isRooted && sure >= 0.9)) return [];
      return finder.missing(written, beside);
    }),
  );
  const missing = [...absent].filter((path) => !path.startsWith('..')).slice(-MAX_MISSING);
  const found: { readonly one: MissingPath; readonly strongest: number }[] = [];
  for (const one of missing.map((path) => missingPath(path, finder))) {
    const strengths = files.flatMap((file) => {
      const { line, strength } = reference(file, one);
      return strength > 0 ? [{ path: file.path, line, strength }] : [];
    });
    const strongest = Math.max(0, ...strengths.map(({ strength }) => strength));
    const best = strengths.filter(({ strength }) => strength === strongest);
    for (const { path, line, strength } of best) add(path, strength / best.length).named.add(line);
    if (strongest >= CERTAIN_REFERENCE) found.push({ one, strongest });
  }
  return found.sort((a, b) => b.strongest - a.strongest).map(({ one }) => one);
}

function missingPath(path: string, finder: PathFinder): MissingPath {
  const parts = path.split('/');
  let length = parts.length - 1;
  while (length > 0 && !finder.isFolder(parts.slice(0, length).join('/'))) length--;
  const folder = parts.slice(0, length).join('/');
  return { path, folder, listing: finder.listing(folder) };
}

/** Where a file refers to a missing path, and how surely that is the same one. */
function reference({ path, text }: SourceFile, { path: missing, folder }: MissingPath) {
  const none = { line: 0, strength: 0 };
  const parts = missing.split('/');
  const at = folder === '' ? 0 : folder.split('/').length;
  // The first part that does not exist, with what follows: `kubernetes/talos`.
  const absent = parts.slice(at, at + 2).join('/');
  const here = path.split('/').slice(0, -1).join('/');
  let best = none;
  for (const word of [parts.at(-1) as string, absent]) {
    for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + 1)) {
      const written = tokenAround(text, from, word.length);
      const plain = normalized(written.replace(/^(?:\.?\/)+/, ''));
      // From the root of the repository only what names more than one part: a bare name is meant beside its file.
      const bases = plain.includes('/') ? [here, ''] : [here];
      const seenFrom = bases.map((base) => normalized(`${base}/${written}`));
      const isWord = written === word || written.endsWith(`/${word}`) || written.includes(`/${word}/`);
      const ofParts = plain.split('/').filter((part) => part !== '..').length;
      const strength = seenFrom.includes(missing)
        ? 150
        : missing.endsWith(`/${plain}`) && ofParts > 1
          ? 115
          : missing.includes(plain) && ofParts > 1 && plain.includes(absent)
            ? 110
            : isWord && word === parts.at(-1)
              ? 55
              : 0;
      if (strength > best.strength) best = { line: text.slice(0, from).split('\n').length, strength };
    }
  }
  return best;
}

const PATH_CHARACTER = /[\w.@+~/-]/;

function tokenAround(text: string, at: number, length: number): string {
  let [from, to] = [at, at + length];
  while (from > 0 && PATH_CHARACTER.test(text[from - 1] as string)) from--;
  while (to < text.length && PATH_CHARACTER.test(text[to] as string)) to++;
  return text.slice(from, to);
}

/** Names and phrases: a file that alone has one counts most. Returns those that are nearly there. */
function addNames(
  files: readonly SourceFile[],
  names: readonly NameClue[],
  points: ReadonlyMap<string, Points>,
): NearName[] {
  const places = placesOf(files, names);
  const parts = partsOf(files);
  for (const name of names) {
    const all = places.get(name.text) ?? [];
    if (all.length > MAX_MATCHES) continue;
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
  for (const { name, weight, exact, places: like } of near) {
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

/** Every place of every name, as a whole word; at most one more than counts: then it is known to be too many. */
function placesOf(files: readonly SourceFile[], names: readonly NameClue[]) {
  const byName = new Map<string, { path: string; line: number }[]>();
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
      if (list.length <= MAX_MATCHES) list.push({ path, line });
      byName.set(word, list);
    }
  }
  return byName;
}

const partsOf = (files: readonly SourceFile[]) =>
  files.map(({ path }) => ({ path, parts: new Set(path.toLowerCase().split(/[/.]/)) }));

/** A folder or file that is called as something in the error: of an app all that is its own. */
function addPathParts(
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
function addVerbatim(files: readonly SourceFile[], { paths }: Clues, points: ReadonlyMap<string, Points>): void {
  for (const { written, weight } of paths) {
    if (weight < 0.5 || !written.startsWith('../')) continue;
    const having = files.filter(({ text }) => text.includes(written));
    if (having.length === 0 || having.length > 3) continue;
    for (const { path } of having) (points.get(path) as Points).shares.push((70 * weight) / having.length);
  }
}

const MIN_SOURCE = 10;

/** A line that a tool repeats from one file only. */
function addSource(files: readonly SourceFile[], { source }: Clues, points: ReadonlyMap<string, Points>): void {
  for (const { text, weight } of source) {
    if (text.length < MIN_SOURCE || !/\w{3}/.test(text)) continue;
    const found = files.flatMap((file) => {
      const at = file.text.indexOf(text);
      return at < 0 ? [] : [{ path: file.path, line: file.text.slice(0, at).split('\n').length }];
    });
    if (found.length === 1 && found[0]) {
      const of = points.get(found[0].path) as Points;
      of.shares.push(80 * weight);
      of.named.add(found[0].line);
    }
  }
}
