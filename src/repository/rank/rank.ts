// Which places of a repository a failure points at. First by names alone, over every path; then by what the texts say, the likeliest
// first. A file is suspected when it is named (or what is rendered from it), when it refers to a path that does not exist, when it
// alone has a name that the error quotes, and when it has the odd one out: a name that stands once, and is nearly one that is used
// in other places and that the error finds missing. Pure.

import type { SourceFile } from '../tree.ts';
import { type Clues, cluesOf, type Evidence, type PathClue, pathsIn } from './clues.ts';
import { withLinks } from './follow.ts';
import { type FindSource, type Made, type Maker, sourceFinder } from './made-by.ts';
import { type Meaning, type PathFinder, pathFinder, renderedName } from './paths.ts';
import { MIN_SUSPICION, type Place, type Ranking } from './place.ts';
import { CERTAIN_REFERENCE, type MissingPath, missingPaths, placeOf } from './references.ts';
import { type Found, openScan, type Spot } from './scan.ts';

export interface Search {
  /** Every path, in the order in which texts are worth reading. */
  readonly order: readonly string[];
  /** To be called once for each text. */
  read(file: SourceFile): void;
  /** What is known after all that was read; to be called once. */
  ranking(): Ranking;
  /** The same with what the texts of the best places refer to. */
  withLinks(ranking: Ranking, files: readonly SourceFile[]): Ranking;
}

/** Of words that could stand anywhere, for one file. */
const MAX_PLAIN = 18;
/** A folder with more files than this is not called as something; it is where things are kept. */
const MAX_CALLED = 25;
const MIN_ACCUSED = 45;
const MAX_TARGETS = 6;
/** A file that more than these refer to is used by all. */
const MAX_REFERRERS = 3;

/** What points at a file, before it is added up. */
interface Points {
  score: number;
  /** What each name that it has counts, and each line that is repeated from it. */
  readonly shares: number[];
  plain: number;
  /** What of the error its path is called after. */
  inPath: number;
  readonly named: Set<number>;
  readonly matching: { readonly line: number; readonly count: number }[];
  readonly reasons: Set<string>;
}

type PointsOf = (path: string) => Points;

/** `tree`: every path of the repository. */
export function openSearch(evidence: Evidence, tree: readonly string[], makers: readonly Maker[] = []): Search {
  const clues = cluesOf(evidence);
  const finder = pathFinder(tree);
  const points = new Map<string, Points>();
  const pointsOf = (path: string): Points => {
    const before = points.get(path);
    if (before) return before;
    const none = { score: 0, shares: [], plain: 0, inPath: 0, named: new Set<number>(), matching: [] };
    const made = { ...none, reasons: new Set<string>() };
    points.set(path, made);
    return made;
  };
  const meant = meaningOf(finder, sourceFinder(makers, tree));
  addNamed(clues, meant, pointsOf);
  const accused = [...points].filter(([, { score }]) => score >= MIN_ACCUSED).map(([path]) => path);
  // What names a file is counted as that already.
  const names = clues.names.filter(({ text }) => text.includes(' ') || finder.meaning(text, []).sure === 0);
  const called = calledIn(tree, names);
  addPathParts(called, names, pointsOf);
  const missing = missingPaths(clues, finder);
  const targets = accused.slice(0, MAX_TARGETS).map((path) => placeOf(path, finder));
  const messages = messagesIn(evidence.error_lines);
  const relative = clues.paths.filter(({ written, weight }) => weight >= 0.5 && written.startsWith('../'));
  const source = clues.source.filter(({ text }) => text.length >= MIN_SOURCE && /\w{3}/.test(text));
  const scan = openScan({
    names,
    targets: [...missing, ...targets],
    quotes: [...messages, ...relative.map(({ written }) => written), ...source.map(({ text }) => text)],
    named: new Set(accused),
  });
  const byNames = new Map([...points].map(([path, of]) => [path, of.score + of.inPath]));
  const run = new Set(pathsIn(evidence.command, 1).flatMap(({ written }) => finder.meaning(written, []).paths));
  for (const path of run) pointsOf(path);

  return {
    order: [...tree].sort((a, b) => (byNames.get(b) ?? 0) - (byNames.get(a) ?? 0)),
    read: scan.read,
    withLinks: (ranking, files) => withLinks(ranking, files, finder),
    ranking() {
      const found = scan.found();
      const referred = addReferrers(missing, found, pointsOf);
      addCompanions(targets, found, pointsOf);
      addNames(names, called, found, pointsOf);
      addNear(found, pointsOf);
      for (const path of accused) for (const hit of found.hitsIn(path)) addHit(pointsOf(path), hit.line, MANY);
      for (const { written, weight } of relative)
        addQuotes(found.quotes(written, 3), 70 * weight, `has the path ${written}`, pointsOf, false);
      for (const { text, weight } of source)
        addQuotes(found.quotes(text, 1), 80 * weight, 'has a line that the log repeats', pointsOf);
      for (const message of messages) addQuotes(found.quotes(message, 1), 40, 'says the words of the error', pointsOf);
      const places = [...points].map(([path, of]) => placeFrom(path, of, run.has(path)));
      const ranked = places.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
      return {
        places: ranked,
        missing: referred,
        near: found.near,
        names: clues.names,
        rendered: renderedFrom(clues, meant),
      };
    },
  };
}

function placeFrom(path: string, of: Points, isRun: boolean): Place {
  const { score, shares, plain, inPath, named, matching, reasons } = of;
  return {
    path,
    score: score + fading(shares) + Math.min(MAX_PLAIN, plain) + Math.min(MAX_PLAIN, inPath),
    reasons: [...reasons, ...(isRun ? ['the command names it'] : [])],
    isRun,
    named: [...named].sort((a, b) => a - b),
    matching: matching.sort((a, b) => a.count - b.count || a.line - b.line).map(({ line }) => line),
  };
}

/** The first whole, each further one half of the one before: many weak signs do not outweigh a strong one. */
const fading = (shares: readonly number[]): number =>
  shares.toSorted((a, b) => b - a).reduce((sum, share, i) => sum + share / 2 ** i, 0);

/** Which files a mention means, and who makes what it names, if any stage does. */
type Meant = (clue: PathClue) => Meaning & { readonly made?: Made };

/** What a needed stage made means the file that it is made from. */
const meaningOf =
  (finder: PathFinder, sourceOf: FindSource): Meant =>
  ({ written, beside }) => {
    const made = sourceOf(written);
    return made ? { paths: [made.from], sure: 1, made } : finder.meaning(written, beside);
  };

/** Files that are named count once, for the strongest mention. */
function addNamed({ paths, numbers }: Clues, meantBy: Meant, pointsOf: PointsOf): void {
  const best = new Map<string, { score: number; written: string }>();
  const lines = new Map<string, Set<number>>();
  for (const clue of paths) {
    const { written, weight, line, isRooted } = clue;
    const { paths: meant, sure: ofEnd } = meantBy(clue);
    const sure = isRooted && ofEnd < 1 && !isRendered(meant, written) ? ofEnd / 2 : ofEnd;
    const score = 100 * weight * sure * (line === undefined ? 0.9 : 1);
    for (const path of meant) {
      if (score > (best.get(path)?.score ?? 0)) best.set(path, { score, written });
      if (line !== undefined && meant.length <= 3) lines.set(path, (lines.get(path) ?? new Set()).add(line));
    }
  }
  const accused = [...best.values()].filter(({ score }) => score >= MIN_ACCUSED);
  for (const [path, { score, written }] of best) {
    const of = pointsOf(path);
    of.score += score;
    of.reasons.add(path.endsWith(written) ? 'the failure names it' : `the failure names ${written}`);
    for (const line of lines.get(path) ?? []) of.named.add(line);
    // `yaml: line 12: …` often stands beside the name, not behind it.
    if (score >= MIN_ACCUSED && accused.length <= 3) for (const number of numbers) of.named.add(number);
  }
}

/** Whether what is written can be made from a template that is meant. */
const isRendered = (meant: readonly string[], written: string): boolean =>
  meant.some((path) => renderedName(path) !== path && !path.endsWith(written));

/** Of the error lines, each source once. */
function renderedFrom({ paths }: Clues, meantBy: Meant): Made[] {
  const bySource = new Map<string, Made>();
  for (const clue of paths) {
    const { written, weight } = clue;
    const { paths: meant, made } = meantBy(clue);
    const [from] = meant;
    if (weight < 0.4 || from === undefined || meant.length > 1 || !written.includes('/') || bySource.has(from))
      continue;
    if (made || isRendered(meant, written)) bySource.set(from, made ?? { written, from });
  }
  return [...bySource.values()];
}

/** Name → the paths that have it as one of their parts. */
function calledIn(tree: readonly string[], names: Clues['names']): Map<string, string[]> {
  const called = new Map<string, string[]>(names.map(({ text }) => [text.toLowerCase(), []]));
  if (called.size > 0)
    for (const path of tree) for (const part of new Set(path.toLowerCase().split(/[/.]/))) called.get(part)?.push(path);
  return called;
}

/** A folder or file that is called as something in the error: of an app all that is its own. */
function addPathParts(called: Map<string, string[]>, names: Clues['names'], pointsOf: PointsOf): void {
  for (const { text, weight } of names.filter(({ strong }) => strong)) {
    const paths = called.get(text.toLowerCase()) ?? [];
    if (paths.length > MAX_CALLED) continue;
    for (const path of paths) {
      pointsOf(path).inPath += Math.min(6, weight / 2);
      pointsOf(path).reasons.add(`is called ${text}`);
    }
  }
}

/** Who refers to what does not exist is the likeliest of all. Returns the paths that somebody refers to for certain. */
function addReferrers(missing: readonly MissingPath[], found: Found, pointsOf: PointsOf): MissingPath[] {
  const strengths = new Map<MissingPath, number>();
  for (const absent of missing) {
    const best = found.references(absent.path);
    for (const { path, line, strength } of best) {
      const of = pointsOf(path);
      of.score += strength / best.length;
      of.named.add(line);
      of.reasons.add(`refers to ${absent.path}, which does not exist`);
    }
    const strongest = best[0]?.strength ?? 0;
    // A bare name says where it is meant only by what is like it.
    if (strongest >= (absent.alike.length > 0 ? MIN_SUSPICION : CERTAIN_REFERENCE)) strengths.set(absent, strongest);
  }
  return [...strengths].sort(([, a], [, b]) => b - a).map(([absent]) => absent);
}

/** Who refers to a file that is named: a kustomization, a play, a module block, a script that reads it. */
function addCompanions(targets: readonly Pick<MissingPath, 'path'>[], found: Found, pointsOf: PointsOf): void {
  for (const target of targets) {
    const referrers = found.references(target.path).filter(({ strength }) => strength >= CERTAIN_REFERENCE);
    if (referrers.length > MAX_REFERRERS) continue;
    for (const { path, line } of referrers) {
      const of = pointsOf(path);
      of.shares.push(20 / referrers.length);
      addHit(of, line, 1);
      of.reasons.add(`refers to ${target.path}`);
    }
  }
}

/** As rare as a word that stands in many lines of the file that is named. */
const MANY = 1000;

const addHit = ({ matching }: Points, line: number, count: number): void => void matching.push({ line, count });

/** Names and phrases: a file that alone has one counts most. */
function addNames(names: Clues['names'], called: Map<string, string[]>, found: Found, pointsOf: PointsOf): void {
  for (const { text, weight, strong } of names) {
    const hits = found.hits(text);
    if (!hits) continue;
    const whole = hits.filter(({ isPart }) => !isPart);
    const all = whole.length > 0 ? whole : hits;
    const inPath = called.get(text.toLowerCase()) ?? [];
    const byName = strong && inPath.length <= MAX_CALLED ? inPath : [];
    const having = new Map<string, Spot[]>(byName.map((path) => [path, []]));
    for (const hit of all) having.set(hit.path, [...(having.get(hit.path) ?? []), hit]);
    for (const [path, spots] of having) {
      const of = pointsOf(path);
      if (strong) of.shares.push(weight / having.size);
      else of.plain += weight / having.size;
      for (const { line } of spots) addHit(of, line, all.length);
      if (spots.length > 0) of.reasons.add(`has ${text}`);
    }
  }
}

/** The odd one out: a name that is nearly the one that the error misses. */
function addNear(found: Found, pointsOf: PointsOf): void {
  for (const { name, weight, exact, places, related } of found.near) {
    if (related) continue;
    const single = places.filter(({ count }) => count === 1);
    // `Name` beside `name` in one file is a habit, not a slip; unless nothing else is like it.
    const having = new Set(found.hits(name)?.map(({ path }) => path));
    const apart = single.filter(({ path }) => !having.has(path));
    const odd = apart.length > 0 ? apart : single;
    const factor = exact >= 2 && odd.length === 1 ? 1.5 : 0.6;
    for (const { path, line, like } of odd) {
      const of = pointsOf(path);
      of.score += (weight * factor) / odd.length;
      of.named.add(line);
      of.reasons.add(`has ${like}, nearly ${name}`);
    }
  }
}

const MIN_SOURCE = 10;

/** What the log repeats from a file. */
function addQuotes(spots: readonly Spot[], share: number, reason: string, pointsOf: PointsOf, isLine = true): void {
  for (const { path, line } of spots) {
    const of = pointsOf(path);
    of.shares.push(share / spots.length);
    if (isLine) of.named.add(line);
    of.reasons.add(reason);
  }
}

/** `error: `, `[ERROR] `, `./run.sh: line 12: `, `make: *** `: what a shell or a script puts before its message. */
const BEFORE_MESSAGE = /^(?:\W*(?:error|fatal|fail(?:ed|ure)?|err)\b\W*|\S+: (?:line \d+: )?)+/i;
const MIN_MESSAGE = 16;

/** What a script may have said itself: in the one file that has these words it is decided that something is wrong. */
const messagesIn = (errorLines: readonly string[]): string[] => [
  ...new Set(
    errorLines
      .map((line) => line.replace(BEFORE_MESSAGE, '').trim())
      .filter((message) => message.length >= MIN_MESSAGE && message.split(' ').length >= 3),
  ),
];
