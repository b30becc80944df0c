// YAML text → plain value, and the line and column of every key and value in it. Knows nothing of what the file is for.
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { MAX_BYTES } from './files.ts';
import { formatPath, type Path, type Problem } from './problem.ts';
import { deepOffset } from './yaml-depth.ts';

const MAX_ALIASES = 100;

/** A parsed file. `value` is undefined when there is nothing in it. */
export interface YamlSource extends YamlPositions {
  readonly value: unknown;
}

/** Reads `text`. Without a `source` the problems are such that nothing more can be said about the file. Never throws. */
export function readYaml(text: string, file: string): { source?: YamlSource; problems: Problem[] } {
  const unreadable = contentFault(text);
  if (unreadable !== undefined) {
    const before = text.slice(0, unreadable.offset).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { problems: [{ file, line: before.length, column, path: '', message: unreadable.message }] };
  }
  const lines = new LineCounter();
  const problem = (offset: number, message: string, path: Path = []): Problem => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(1, line), column: Math.max(1, col), path: formatPath(path), message };
  };
  try {
    // Uniqueness is checked in yaml-faults.ts: the parser's own check compares every key with every other.
    const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const syntax = syntaxFaults(doc).map(({ offset, message }) => problem(offset, message));
    const faults = faultsBelow(doc.contents);
    const faultProblem = ({ offset, path, message, first }: YamlFault): Problem => {
      const where = first === undefined ? '' : `; first in line ${lines.linePos(first).line}`;
      return problem(offset, `${message}${where}`, path);
    };
    const problems = [...firstOfEachLine(syntax), ...faults.map(faultProblem)];
    if (doc.errors.some(({ code }) => code !== 'MULTIPLE_DOCS')) return { problems: firstOfEachLine(syntax) };
    if (faults.some(({ fatal }) => fatal)) return { problems };
    const value: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES }) ?? undefined;
    return { source: { value, ...positions(doc, lines) }, problems };
  } catch (error) {
    return { problems: [problem(0, thrown(error))] };
  }
}

/** What is wrong with the text before it is parsed. */
function contentFault(text: string): { offset: number; message: string } | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES)
    return { offset: 0, message: `the file has ${bytes} bytes; the limit is ${MAX_BYTES} (1 MiB)` };
  const nul = text.indexOf('\0');
  if (nul >= 0) return { offset: nul, message: 'binary content (a NUL byte); expected YAML text' };
  const deep = deepOffset(text);
  return deep === undefined ? undefined : { offset: deep, message: 'nested too deeply' };
}

function syntaxFaults(doc: Document.Parsed): { offset: number; message: string }[] {
  return [...doc.errors, ...doc.warnings].map(({ code, message, pos }) => {
    const text = `${message.charAt(0).toLowerCase()}${message.slice(1).split('\n')[0]}`;
    if (code === 'TAB_AS_INDENT') return { offset: pos[0], message: 'tab used for indentation; use spaces' };
    if (code === 'MULTIPLE_DOCS')
      return { offset: pos[0], message: 'a second document starts here; expected only one' };
    return { offset: pos[0], message: `not valid YAML: ${text}` };
  });
}

/** One slip often makes the parser complain several times on the same line. */
function firstOfEachLine(problems: readonly Problem[]): Problem[] {
  const lines = new Set<number>();
  return problems.filter(({ line }) => !lines.has(line) && lines.add(line));
}

function thrown(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('Excessive alias'))
    return `aliases (*) expand too far; at most ${MAX_ALIASES} uses of an anchor`;
  if (error instanceof RangeError) return 'nested too deeply';
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

/** `fatal`: the file cannot be turned into a plain value. `first`: where the same key stood before. */
export interface YamlFault {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
  readonly fatal: boolean;
  readonly first?: number;
}

const MAX_DEPTH = 64;

const offsetOf = (node: unknown): number => (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0;

/** Every fault at and below `root`, in the order of the file. */
export function faultsBelow(root: unknown): YamlFault[] {
  const faults: YamlFault[] = [];
  const anchors = new Set<string>();

  const visit = (node: unknown, path: Path): void => {
    const add = (at: unknown, message: string, where: Path = path) =>
      faults.push({ offset: offsetOf(at), path: where, message, fatal: true });
    if (path.length > MAX_DEPTH) return void add(node, `nested more than ${MAX_DEPTH} levels deep`, []);
    if (isAlias(node)) {
      if (!anchors.has(node.source)) add(node, `no anchor "&${node.source}" before this alias`);
      return;
    }
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (isMap(node)) {
      const seen = new Map<string, number>();
      for (const { key, value } of node.items) {
        if (!isScalar(key)) {
          add(key, 'a key that is not plain text');
          continue;
        }
        const name = String(key.value ?? '');
        const here = [...path, name];
        if (name === '__proto__') add(key, 'this key is not allowed', here);
        const first = seen.get(name);
        if (first === undefined) seen.set(name, offsetOf(key));
        else faults.push({ offset: offsetOf(key), path: here, message: 'duplicate key', fatal: false, first });
        visit(value, here);
      }
    }
    // Only now: a node that contains an alias of itself has no end.
    if (anchor !== undefined) anchors.add(anchor);
  };

  visit(root, []);
  return faults;
}

export interface YamlPositions {
  /** Where a key or value stands; for one that is missing, where the nearest thing around it does. */
  readonly locate: (path: Path, at: 'key' | 'value') => { readonly line: number; readonly column: number };
  /** A scalar as it is written, before YAML makes a number of it. */
  readonly written: (path: Path) => string | undefined;
}

/** The positions in `doc`. Aliases are followed to what they stand for. Never throws. */
export function positions(doc: Document.Parsed, lines: LineCounter): YamlPositions {
  const indexes = new WeakMap<YAMLMap, Map<string, unknown>>();
  const pairOf = (map: YAMLMap, key: string): unknown => {
    let index = indexes.get(map);
    if (index === undefined) {
      index = new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value ?? '') : '', pair]));
      indexes.set(map, index);
    }
    return index.get(key);
  };
  /** The deepest node there is on the way of `path`, with the key it stands under. */
  const walk = (path: Path) => {
    let [key, value]: [unknown, unknown] = [undefined, doc.contents];
    for (const part of path) {
      const node = isAlias(value) ? value.resolve(doc) : value;
      const next: unknown = isMap(node)
        ? pairOf(node, String(part))
        : isSeq(node)
          ? node.items[Number(part)]
          : undefined;
      if (next === undefined) return { key, value, whole: false };
      [key, value] = isPair(next) ? [next.key, next.value] : [undefined, next];
    }
    return { key, value, whole: true };
  };
  return {
    locate: (path, at) => {
      const { key, value, whole } = walk(path);
      const place = at === 'key' || !whole ? (key ?? value) : (value ?? key);
      const range = (place as { range?: [number, number, number] | null } | null | undefined)?.range;
      const { line, col } = lines.linePos(range?.[0] ?? 0);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    },
    written: (path) => {
      const { value, whole } = walk(path);
      return whole && isScalar(value) ? value.source : undefined;
    },
  };
}
