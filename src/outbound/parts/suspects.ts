// Which files a failure points at, and where in them. A file is suspected when it is named (or what is rendered from it), when it
// refers to a path that does not exist, when it alone has a name that the error quotes, and when it has the odd one out: a name
// that stands once, and is nearly one that is used in other places and that the error finds missing.
import type { SourceFile } from '../context.ts';
import { type Clues, cluesOf, type Evidence, type PathClue, pathsIn } from './clues.ts';
import type { FindSource, Made } from './made-by.ts';
import { addReferrers, type MissingPath } from './missing-paths.ts';
import { addMessages, addNames, addPathParts, addSource, addVerbatim } from './named-things.ts';
import type { NearName } from './near-names.ts';
import { type Meaning, type PathFinder, pathFinder, renderedName } from './paths.ts';
import type { Points } from './points.ts';

/** A file with what points at it. Lines count from 1. */
export interface Suspect extends SourceFile {
  readonly score: number;
  /** The command names it, or a program that is suspected reads it. */
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
  /** What the error calls by another path than that of the file it is made from. */
  readonly rendered: readonly Made[];
}

/** Of words that could stand anywhere, for one file. */
const MAX_PLAIN = 18;

/** `tree`: every path of the repository. */
export function suspicion(
  files: readonly SourceFile[],
  evidence: Evidence,
  tree: readonly string[] = [],
  sourceOf: FindSource = () => undefined,
): Suspicion {
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
  const meant = meaningOf(finder, sourceOf, new Set(points.keys()));
  addNamed(clues, meant, add);
  const missing = addReferrers(files, clues, finder, add);
  // What names a file is counted as that already.
  const names = clues.names.filter(({ text }) => text.includes(' ') || finder.meaning(text, []).sure === 0);
  const near = addNames(files, names, points);
  addPathParts(files, names, points);
  addVerbatim(files, clues, points);
  addSource(files, clues, points);
  addMessages(files, evidence.error_lines, points);
  const run = new Set(pathsIn(evidence.command, 1).flatMap(({ written }) => finder.meaning(written, []).paths));
  const ranked = files.map(({ path, text }) => {
    const { score, shares, plain, inPath, named, matching } = points.get(path) as Points;
    const byRarity = matching.sort((a, b) => a.count - b.count || a.line - b.line).map(({ line }) => line);
    const inOrder = [...named].sort((a, b) => a - b);
    const total = score + fading(shares) + Math.min(MAX_PLAIN, plain) + Math.min(MAX_PLAIN, inPath);
    return { path, text, score: total, isRun: run.has(path), named: inOrder, matching: byRarity };
  });
  return { ranked: ranked.sort((a, b) => b.score - a.score), missing, near, rendered: renderedFrom(clues, meant) };
}

/** The first whole, each further one half of the one before: many weak signs do not outweigh a strong one. */
const fading = (shares: readonly number[]): number =>
  shares.toSorted((a, b) => b - a).reduce((sum, share, i) => sum + share / 2 ** i, 0);

/** Which files a mention means, and who makes what it names, if somebody does. */
type Meant = (clue: PathClue) => Meaning & { readonly made?: Made };

/** What a needed stage made means the file that it is made from, where that is one of `files`. */
const meaningOf =
  (finder: PathFinder, sourceOf: FindSource, files: ReadonlySet<string>): Meant =>
  ({ written, beside }) => {
    const made = sourceOf(written);
    return made && files.has(made.from) ? { paths: [made.from], sure: 1, made } : finder.meaning(written, beside);
  };

/** Files that are named count once, for the strongest mention. */
function addNamed({ paths, numbers }: Clues, meantBy: Meant, add: (path: string, score: number) => Points): void {
  const best = new Map<string, number>();
  const lines = new Map<string, Set<number>>();
  for (const clue of paths) {
    const { written, weight, line, isRooted } = clue;
    const { paths: meant, sure: ofEnd } = meantBy(clue);
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
