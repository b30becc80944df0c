// YAML text → plain value, and the line and column of every key and value in it. Knows nothing of what the file is for.
import * as yaml from 'yaml';
import { MAX_BYTES } from './files.ts';
import { formatPath, type Path, type Problem } from './problem.ts';
import { deepOffset } from './yaml-depth.ts';

const MAX_ALIASES = 100;
const MAX_DEPTH = 64;

/** A parsed file. */
export interface YamlSource {
  /** Undefined when there is nothing in the file. */
  readonly value: unknown;
  /** Where a key or value stands; for one that is missing, where the nearest thing around it does. */
  readonly locate: (path: Path, at: 'key' | 'value') => { readonly line: number; readonly column: number };
  /** A scalar as it is written, before YAML makes a number of it. */
  readonly written: (path: Path) => string | undefined;
}

/**
 * Reads `text`; `empty` is the value of a file with nothing in it. Without a `source` the problems are such that nothing
 * more can be said about the file. Never throws.
 */
export function readYaml(text: string, file: string, empty?: unknown): { source?: YamlSource; problems: Problem[] } {
  const lineCounter = new yaml.LineCounter();
  const positionOf = (offset: number) => {
    const { line, col } = lineCounter.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problem = ({ offset, path = [], message, first }: Fault): Problem => {
    const where = first === undefined ? '' : `; first in line ${positionOf(first).line}`;
    return { file, ...positionOf(offset), path: formatPath(path), message: `${message}${where}` };
  };
  const unreadable = contentFault(text);
  if (unreadable) {
    // The parser, which counts the lines of a sound text, never sees this one.
    for (const { index } of `\n${text}`.matchAll(/\n/g)) lineCounter.addNewLine(index);
    return { problems: [problem(unreadable)] };
  }
  try {
    // Uniqueness is checked in faultsBelow: the parser's own check compares every key with every other.
    const doc = yaml.parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const syntax = firstOfEachLine(syntaxFaults(doc, text).map(problem));
    if (doc.errors.some(({ code }) => code !== 'MULTIPLE_DOCS')) return { problems: syntax };
    const faults = faultsBelow(doc.contents);
    const problems = [...syntax, ...faults.map(problem)];
    if (faults.some(({ first }) => first === undefined)) return { problems };
    const value: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES }) ?? empty;
    return { source: { value, ...positions(doc, positionOf) }, problems };
  } catch (error) {
    return { problems: [problem({ offset: 0, message: thrown(error) })] };
  }
}

interface Fault {
  readonly offset: number;
  readonly message: string;
  readonly path?: Path;
  /** Where the same key stood before: the one fault with which the file can still be read. */
  readonly first?: number;
}

/** What is wrong with the text before it is parsed. */
function contentFault(text: string): Fault | undefined {
  const bytes = Buffer.byteLength(text);
  const tooBig = `the file has ${bytes} bytes; the limit is ${MAX_BYTES} (1 MiB)`;
  if (bytes > MAX_BYTES) return { offset: 0, message: tooBig };
  const nul = text.indexOf('\0');
  if (nul >= 0) return { offset: nul, message: 'binary content (a NUL byte); expected YAML text' };
  const deep = deepOffset(text);
  return deep === undefined ? undefined : { offset: deep, message: 'nested too deeply' };
}

function syntaxFaults(doc: yaml.Document.Parsed, text: string): Fault[] {
  return [...doc.errors, ...doc.warnings].map(({ code, message, pos: [offset] }) => {
    const line = lineAt(text, offset);
    return { offset, message: plainFault(code, message.split('\n')[0] ?? '', line) };
  });
}

function lineAt(text: string, offset: number): string {
  const from = text.lastIndexOf('\n', offset - 1) + 1;
  return text.slice(from).split('\n', 1)[0] ?? '';
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
  return error instanceof RangeError ? 'nested too deeply' : plainFault('', message, '');
}

const offsetOf = (node: unknown): number => (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0;

/**
 * What YAML allows and a configuration file must not have, in the order of the file: keys twice, keys that are not text,
 * aliases of nothing, bottomless nesting. One pass over the nodes, without following aliases.
 */
function faultsBelow(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const anchors = new Set<string>();
  const visit = (node: unknown, path: Path): void => {
    const add = (at: unknown, message: string, where: Path = path) =>
      faults.push({ offset: offsetOf(at), path: where, message });
    if (path.length > MAX_DEPTH) return void add(node, `nested more than ${MAX_DEPTH} levels deep`, []);
    if (yaml.isAlias(node)) {
      const message = `no anchor "&${node.source}" before this alias; a text that begins with * is quoted`;
      if (!anchors.has(node.source)) add(node, message);
      return;
    }
    if (yaml.isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (yaml.isMap(node)) {
      const seen = new Map<string, number>();
      for (const { key, value } of node.items) {
        if (!yaml.isScalar(key)) {
          add(key, 'a key that is not plain text');
          continue;
        }
        const name = String(key.value ?? '');
        const here = [...path, name];
        if (name === '__proto__') add(key, 'this key is not allowed', here);
        const first = seen.get(name);
        if (first === undefined) seen.set(name, offsetOf(key));
        else faults.push({ offset: offsetOf(key), path: here, message: 'duplicate key', first });
        visit(value, here);
      }
    }
    // Only now: a node that contains an alias of itself has no end.
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) anchors.add(anchor);
  };
  visit(root, []);
  return faults;
}

/** Looked up only when something is to be said about a key or value. Aliases are followed to what they stand for. Never throws. */
function positions(
  doc: yaml.Document.Parsed,
  positionOf: (offset: number) => { line: number; column: number },
): Pick<YamlSource, 'locate' | 'written'> {
  const indexes = new WeakMap<yaml.YAMLMap, Map<string, unknown>>();
  const pairOf = (map: yaml.YAMLMap, key: string): unknown => {
    let index = indexes.get(map);
    if (index === undefined) {
      index = new Map(map.items.map((pair) => [yaml.isScalar(pair.key) ? String(pair.key.value ?? '') : '', pair]));
      indexes.set(map, index);
    }
    return index.get(key);
  };
  /** The deepest node there is on the way of `path`, with the key it stands under. */
  const walk = (path: Path) => {
    let [key, value]: [unknown, unknown] = [undefined, doc.contents];
    for (const part of path) {
      const node = yaml.isAlias(value) ? value.resolve(doc) : value;
      const item = yaml.isSeq(node) ? node.items[Number(part)] : undefined;
      const next: unknown = yaml.isMap(node) ? pairOf(node, String(part)) : item;
      if (next === undefined) return { key, value, whole: false };
      [key, value] = yaml.isPair(next) ? [next.key, next.value] : [undefined, next];
    }
    return { key, value, whole: true };
  };
  return {
    locate: (path, at) => {
      const { key, value, whole } = walk(path);
      return positionOf(offsetOf(at === 'key' || !whole ? (key ?? value) : (value ?? key)));
    },
    written: (path) => {
      const { value, whole } = walk(path);
      return whole && yaml.isScalar(value) ? value.source : undefined;
    },
  };
}

// What the parser complains of, in the words of somebody who did not mean to write YAML there.

type Rule = readonly [code: string, message: RegExp, says: (part: LinePart, message: string) => string | undefined];

/** A line without its indent and dashes: `key: value`, or only a value. */
interface LinePart {
  readonly key: string | undefined;
  readonly value: string;
}

const quoteIt = ({ key }: LinePart): string =>
  key === undefined ? 'quote it' : `quote it, or write ${key}: | and the text in the next line, indented`;

/** A value that begins with what YAML reads as something else than text. */
const opens = (part: LinePart): string | undefined =>
  /^[@`%!&*|>[\]{}"']/.test(part.value)
    ? `begins with ${part.value.startsWith('{{') ? '{{' : part.value.charAt(0)}, which YAML reads as its own: ${quoteIt(part)}`
    : undefined;

const RULES: readonly Rule[] = [
  ['TAB_AS_INDENT', /^/, () => 'tab used for indentation; use spaces'],
  ['MULTIPLE_DOCS', /^/, () => 'a second document starts here; expected only one'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /^/,
    (part) => opens(part) ?? (/: /.test(part.value) ? `has ": " in it: ${quoteIt(part)}` : undefined),
  ],
  ['BAD_INDENT', /must start at the same column/, () => 'is indented otherwise than the lines it belongs to'],
  ['BAD_INDENT', /must be sufficiently indented and end with a (.)/, (_, message) => unclosed(message)],
  ['MISSING_CHAR', /must be sufficiently indented and end with a (.)/, (_, message) => unclosed(message)],
  ['MISSING_CHAR', /^Missing closing/, () => 'a quote that was opened is not closed'],
  [
    'MISSING_CHAR',
    /^Implicit map keys/,
    () => 'is neither "key: value" nor "- item": a space belongs behind the colon or dash',
  ],
  ['', /^/, opens],
];

const unclosed = (message: string): string =>
  `a list or mapping that was opened before is not closed; ${message.at(-1)} is missing`;

/** One sentence, without the place. `line`: the one that it is about, as it is written. */
function plainFault(code: string, message: string, line: string): string {
  const [, key, value = ''] = /^\s*(?:- +)*(?:([\w-]+): +)?(.*)$/.exec(line) ?? [];
  for (const [of, form, says] of RULES) {
    const plain = (of === '' || of === code) && form.test(message) && says({ key, value }, message);
    if (plain) return plain;
  }
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
