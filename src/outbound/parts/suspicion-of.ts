// What a failure points at, once for all parts of a document: the files that may be changed, and those that are only read.
import { commandText, type FailureContext } from '../context.ts';
import { plainPath } from '../text.ts';
import { pathsIn } from './clues.ts';
import { lastLines } from './failure.ts';
import { sourceFinder } from './made-by.ts';
import type { NearName } from './near-names.ts';
import { type Suspect, type Suspicion, suspicion } from './suspects.ts';

export interface Overview extends Suspicion {
  /** Files that may not be changed, the most telling first. */
  readonly readable: readonly Suspect[];
  /** Files that the error lines name by their whole path and no fix may change. */
  readonly closed: readonly string[];
  /** The paths that a fix may change. */
  readonly files: ReadonlySet<string>;
}

/** With as much to point at it, a file that may be changed may be the cause. */
const MIN_SUSPICION = 40;

export const hasSuspect = ({ ranked }: Suspicion): boolean => (ranked[0]?.score ?? 0) >= MIN_SUSPICION;

const overviews = new WeakMap<FailureContext, Overview>();

export function suspicionOf(context: FailureContext): Overview {
  const made = overviews.get(context) ?? overview(context);
  overviews.set(context, made);
  return made;
}

function overview(context: FailureContext): Overview {
  const { failure, log, stage, tree = [], readable = [] } = context;
  const plain = (files: FailureContext['files']) => files.map(({ path, text }) => ({ path: plainPath(path), text }));
  const [files, others] = [plain(context.files), plain(readable)];
  const evidence = { error_lines: failure.error_lines, log: lastLines(log), command: commandText(stage) };
  const sourceOf = sourceFinder(context.makers ?? [], tree);
  const changeable = suspicion(files, evidence, tree, sourceOf);
  const read = suspicion(others, evidence, tree, sourceOf);
  const open = new Set(files.map(({ path }) => path));
  const named = namedPaths(failure.error_lines);
  const made = named.flatMap((path) => sourceOf(path) ?? []).filter(({ from }) => !open.has(from));
  const isClosed = (path: string): boolean => path.includes('/') && !open.has(path) && !sourceOf(path);
  return {
    ...changeable,
    ranked: withRead(changeable.ranked, read.ranked[0]),
    near: joined(changeable.near, read.near),
    rendered: [
      ...changeable.rendered,
      ...made.filter(({ from }, i) => made.findIndex((one) => one.from === from) === i),
    ],
    readable: read.ranked,
    closed: tree.filter((path) => named.includes(path) && isClosed(path)),
    files: open,
  };
}

/** A program may read that many files and still say which one is meant. */
const MAX_READ = 2;

/** The files that a suspected program reads belong to it, as those of the command do: what it misses may be missing there. */
function withRead(ranked: readonly Suspect[], program: Suspect | undefined): readonly Suspect[] {
  if (!program || program.score < MIN_SUSPICION) return ranked;
  const written = new Set(pathsIn(program.text, 1).map((mention) => mention.written));
  const reads = ranked.filter(({ path }) => written.has(path));
  return reads.length > MAX_READ
    ? ranked
    : ranked.map((file) => (reads.includes(file) ? { ...file, isRun: true } : file));
}

/** Paths of the error lines; that a check failed is said of the check, not of what is wrong. */
const namedPaths = (errorLines: readonly string[]): string[] =>
  errorLines
    .filter((line) => !line.startsWith('(the command succeeded; '))
    .flatMap((line) => pathsIn(line, 1).map(({ written }) => written));

/** One entry a name, with the places of both. */
function joined(some: readonly NearName[], more: readonly NearName[]): NearName[] {
  const byName = new Map(some.map((one) => [one.name, one]));
  for (const one of more) {
    const before = byName.get(one.name);
    const isSame = before && before.related === one.related;
    if (isSame) byName.set(one.name, { ...before, places: [...before.places, ...one.places] });
    // A slip of the finger says more than a name of the same family.
    else if (!before || !one.related) byName.set(one.name, one);
  }
  return [...byName.values()];
}
