// What a failure points at, once for all parts of a document: the files that may be changed, and those that are only read.
import { type Evidence, pathsIn } from '../../repository/rank/clues.ts';
import { sourceFinder } from '../../repository/rank/made-by.ts';
import type { NearName } from '../../repository/rank/near-names.ts';
import { MIN_SUSPICION, type Place, type Ranking } from '../../repository/rank/place.ts';
import { openSearch } from '../../repository/rank/rank.ts';
import type { SourceFile } from '../../repository/tree.ts';
import { commandText, type FailureContext, originalOf } from '../context.ts';
import { plainPath } from '../text.ts';
import { lastLines } from './failure.ts';

/** A place with the text of its file. */
export interface Suspect extends Place, SourceFile {}

export interface Overview extends Omit<Ranking, 'places'> {
  /** Files that may be changed, the most suspicious first. */
  readonly ranked: readonly Suspect[];
  /** Files that may not be changed, the most telling first. */
  readonly readable: readonly Suspect[];
  /** Files that the error lines name by their whole path and no fix may change. */
  readonly closed: readonly string[];
  readonly isEditable: (path: string) => boolean;
}

export const hasSuspect = ({ ranked }: Overview): boolean => (ranked[0]?.score ?? 0) >= MIN_SUSPICION;

const overviews = new WeakMap<FailureContext, Overview>();

export function suspicionOf(context: FailureContext): Overview {
  const original = originalOf(context);
  const made = overviews.get(context) ?? (original ? maskedOverview(original, context) : overview(context));
  overviews.set(context, made);
  return made;
}

/**
 * What the failure points at, told of the context without its secrets: files keep their ranks, so that only those are masked that
 * somebody reads, and of paths and names those stay that can still be read.
 */
function maskedOverview(original: FailureContext, masked: FailureContext): Overview {
  const { ranked, readable, near, missing, rendered, ...rest } = suspicionOf(original);
  const files = [...masked.files, ...(masked.readable ?? [])];
  const textOf = textIn(files);
  const withoutSecrets = (file: Suspect): Suspect => ({
    ...file,
    get text() {
      return textOf(file.path);
    },
  });
  const { error_lines, log, command } = evidenceOf(masked);
  const evidence = [...error_lines, ...log, command].join('\n');
  const isTold = (path: string): boolean => path.split('/').every((part) => evidence.includes(part));
  return {
    ...rest,
    ranked: ranked.map(withoutSecrets),
    readable: readable.map(withoutSecrets),
    near: readableNames(near, files).filter(({ name }) => isTold(name)),
    missing: missing.filter(({ path, folder }) => isTold(path.slice(folder.length))),
    rendered: rendered.filter(({ written }) => isTold(written)),
  };
}

const textIn = (files: FailureContext['files']): ((path: string) => string) => {
  const byPath = new Map(files.map((file) => [plainPath(file.path), file]));
  return (path) => byPath.get(path)?.text ?? '';
};

/** Of names in files those that stand in `masked`, the same files, too: a password may be like a name. */
export function readableNames(near: readonly NearName[], masked: FailureContext['files']): NearName[] {
  const textOf = textIn(masked);
  return near
    .map((one) => ({
      ...one,
      places: one.places.filter(({ like, path, line }) => textOf(path).split('\n')[line - 1]?.includes(like)),
    }))
    .filter(({ places }) => places.length > 0);
}

/** At most so many, and none with less than this part of what points at the most suspicious one. */
export interface FileLimits {
  readonly most: number;
  readonly share: number;
}
export const PROMPT_FILES: FileLimits = { most: 5, share: 0.3 };
const MAX_READABLE = 3;

/** Of places that may be changed, the likeliest first, those that a document is to have, as long as there is room. */
export const wantedFiles = <T extends Place>(ranked: readonly T[], { most, share }: FileLimits): T[] =>
  ranked.filter(({ score, isRun }) => isRun || score >= (ranked[0]?.score ?? 0) * share).slice(0, most);

/** The same of places that are only read: with less to point at it, a file is only noise. */
export const wantedReadable = <T extends Place>(ranked: readonly T[]): T[] =>
  ranked.filter(({ score, isRun }) => isRun || score >= MIN_SUSPICION).slice(0, MAX_READABLE);

/** What of a failure is looked up in the repository. */
export const evidenceOf = ({ failure, log, stage }: Pick<FailureContext, 'failure' | 'log' | 'stage'>): Evidence => ({
  error_lines: failure.error_lines,
  log: lastLines(log),
  command: commandText(stage),
});

/** The ranking of the texts that the context itself has. */
export function rankingOf(context: FailureContext): Ranking {
  const { tree, files, readable = [], makers } = context;
  const all = [...files, ...readable].map(({ path, text }) => ({ path: plainPath(path), text }));
  const paths = all.map(({ path }) => path);
  const search = openSearch(evidenceOf(context), [...new Set([...(tree ?? []), ...paths])], makers);
  for (const file of all) search.read(file);
  const ranking = search.ranking();
  const best = ranking.places.filter(({ score }) => score >= MIN_SUSPICION).slice(0, 4);
  return search.withLinks(
    ranking,
    best.flatMap(({ path }) => all.find((file) => file.path === path) ?? []),
  );
}

function overview(context: FailureContext): Overview {
  const { failure, tree = [], readable = [], files, ranking = rankingOf(context), makers = [] } = context;
  const open = new Set(files.map(({ path }) => plainPath(path)));
  const { isEditable = (path: string) => open.has(path) } = context;
  const sourceOf = sourceFinder(makers, tree);
  const texts = textIn([...files, ...readable]);
  const withText = (place: Place): Suspect => ({ ...place, text: texts(place.path) });
  const none = { score: 0, reasons: [], isRun: false, named: [], matching: [] };
  const found = new Set(ranking.places.map(({ path }) => path));
  const suspects = (some: readonly SourceFile[]) => {
    const paths = new Set(some.map(({ path }) => plainPath(path)));
    const rest = [...paths].filter((path) => !found.has(path)).map((path) => ({ ...none, path }));
    return [...ranking.places.filter(({ path }) => paths.has(path)), ...rest].map(withText);
  };
  const named = namedPaths(failure.error_lines);
  const isClosed = (path: string): boolean => path.includes('/') && !isEditable(path) && !sourceOf(path);
  return {
    ...ranking,
    ranked: suspects(files),
    readable: suspects(readable),
    closed: tree.filter((path) => named.includes(path) && isClosed(path)),
    isEditable,
  };
}

/** Paths of the error lines; that a check failed is said of the check, not of what is wrong. */
const namedPaths = (errorLines: readonly string[]): string[] =>
  errorLines
    .filter((line) => !line.startsWith('(the command succeeded; '))
    .flatMap((line) => pathsIn(line, 1).map(({ written }) => written));
