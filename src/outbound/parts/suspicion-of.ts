// What a failure points at, once for all parts of a document: the files that may be changed, and those that are only read.
import { commandText, type FailureContext, originalOf } from '../context.ts';
import { plainPath } from '../text.ts';
import { type Evidence, pathsIn } from './clues.ts';
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

const evidenceOf = ({ failure, log, stage }: FailureContext): Evidence => ({
  error_lines: failure.error_lines,
  log: lastLines(log),
  command: commandText(stage),
});

function overview(context: FailureContext): Overview {
  const { failure, tree = [], readable = [] } = context;
  const plain = (files: FailureContext['files']) => files.map(({ path, text }) => ({ path: plainPath(path), text }));
  const [files, others] = [plain(context.files), plain(readable)];
  const evidence = evidenceOf(context);
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
  const byName = new Map(some.map((near) => [near.name, near]));
  for (const near of more) {
    const before = byName.get(near.name);
    const isSame = before && before.related === near.related;
    if (isSame) byName.set(near.name, { ...before, places: [...before.places, ...near.places] });
    // A slip of the finger says more than a name of the same family.
    else if (!before || !near.related) byName.set(near.name, near);
  }
  return [...byName.values()];
}
