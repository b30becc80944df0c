// The leaves of YAML, JSON and TOML with the keys above them. What does not parse is read line by line, so that no rule is
// blind because of a template or a slip.
import { parse as parseToml } from 'smol-toml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { hideTemplates } from '../shell/templates.ts';
import type { Language } from './language.ts';

/** A value with the keys on the way to it, the outermost first; items of lists have their list's key. */
export interface Leaf {
  readonly keys: readonly string[];
  readonly value: string;
  readonly line: number;
}

/** A mapping or list as plain values, with its line; leaves are texts. */
export type Value = string | Value[] | { [key: string]: Value };

export const isRecord = (value: Value | undefined): value is { [key: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Data {
  readonly leaves: readonly Leaf[];
  /** One plain value a document; none where the text does not parse. */
  readonly documents: readonly Value[];
  /** Line of each mapping that stands in a document. */
  readonly lines: ReadonlyMap<Value, number>;
  /** Texts that are YAML themselves, as what they say. */
  readonly inner: ReadonlyMap<string, Value>;
  readonly parsed: boolean;
}

const MAX_LEAVES = 50_000;

export function readData(text: string, language: Language): Data {
  if (language === 'yaml') return readYaml(text) ?? readYaml(hideTemplates(text)) ?? byLine(text);
  if (language === 'toml') return readToml(text) ?? byLine(text);
  return byLine(text);
}

function readYaml(text: string): Data | undefined {
  if (deepOffset(text) !== undefined) return undefined;
  const lineCounter = new LineCounter();
  const options = { logLevel: 'silent', uniqueKeys: false, prettyErrors: false, lineCounter, merge: false } as const;
  const documents = parseAllDocuments(text, options);
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const walk = new Walk((offset) => lineCounter.linePos(offset).line);
  const values = documents.map((document) => walk.value(document.contents, []));
  return { leaves: walk.leaves, documents: values, lines: walk.lines, inner: walk.inner, parsed: true };
}

const MAX_INNER = 20_000;
const LOOKS_LIKE_YAML =
  /^(?:\s*(?:#.*)?\n|---\n)*\s*(?:(?:-\s+)?["']?[\w./$-]+["']?:(?:\s|$)|[[{]+\s*["']?[\w$-]+["']?\s*:)/;
/** In one line: `a: { b: c }`, `[{"op": "add"}]`. */
const IS_FLOW = /^\s*(?:-\s+)?(?:[\w./$-]+:\s*)?[[{].*[\]}]\s*$/;

class Walk {
  readonly leaves: Leaf[] = [];
  readonly lines = new Map<Value, number>();
  readonly inner = new Map<string, Value>();
  /** What an alias of a text stands for. */
  private readonly anchors = new Map<string, string>();
  private lineAt: (offset: number) => number;

  constructor(lineAt: (offset: number) => number) {
    this.lineAt = lineAt;
  }

  value(node: unknown, keys: readonly string[]): Value {
    if (isAlias(node)) {
      const anchored = this.anchors.get(node.source);
      if (anchored !== undefined && this.leaves.length < MAX_LEAVES)
        this.leaves.push({ keys, value: anchored, line: this.lineAt(node.range?.[0] as number) });
      return anchored ?? `*${node.source}`;
    }
    if (isMap(node)) {
      const made: Record<string, Value> = {};
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '?';
        made[name] = this.value(value, [...keys, ...(name === 'value' ? patchedKeys(made) : [name])]);
      }
      // What a patch puts somewhere is what stands there.
      const [patched] = patchedKeys(made).slice(-1);
      if (patched !== undefined && made.value !== undefined) made[patched] = made.value;
      this.lines.set(made, this.lineAt(node.range?.[0] as number));
      return made;
    }
    if (isSeq(node)) return node.items.map((item) => this.value(item, keys));
    const value = isScalar(node) ? textOf(node.value, node.source) : '';
    if (isScalar(node) && node.anchor !== undefined) this.anchors.set(node.anchor, value);
    const line = this.lineAt((isScalar(node) ? node.range?.[0] : undefined) ?? 0);
    if (this.leaves.length < MAX_LEAVES) this.leaves.push({ keys, value, line }, ...pairsIn(keys, value, line));
    if (value.length < MAX_INNER && LOOKS_LIKE_YAML.test(value) && (value.includes('\n') || IS_FLOW.test(value)))
      this.text(value, keys, line);
    return value;
  }

  /** A text that may be YAML itself: a patch, values, objects in a chart. */
  private text(text: string, keys: readonly string[], line: number): void {
    const counter = new LineCounter();
    const documents = parseAllDocuments(text, {
      logLevel: 'silent',
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: counter,
    });
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return;
    const { lineAt } = this;
    // What has several lines begins below its key.
    this.lineAt = (offset) => line + counter.linePos(offset).line - (text.includes('\n') ? 0 : 1);
    const values = documents.map(({ contents }) => this.value(contents, keys));
    this.lineAt = lineAt;
    this.inner.set(text, values.length === 1 ? (values[0] as Value) : values);
  }
}

/** Where a JSON patch puts its value. */
const patchedKeys = ({ op, path }: { readonly [key: string]: Value }): string[] =>
  typeof op === 'string' && typeof path === 'string'
    ? path.split('/').filter((part) => !/^(?:\d*|-)$/.test(part))
    : ['value'];

/** The arguments of a module that are written in one text: `path=/srv state=absent`. */
const pairsIn = (keys: readonly string[], value: string, line: number): Leaf[] =>
  /^\s*(?:[\w.-]+\s+)?\w+=\S/.test(value) && value.length < 500
    ? [...value.matchAll(/(\w+)=(\S+)/g)].map(([, key, text]) => ({
        keys: [...keys, key as string],
        value: text as string,
        line,
      }))
    : [];

const textOf = (value: unknown, source: string | undefined): string =>
  typeof value === 'string'
    ? value
    : value instanceof Uint8Array
      ? new TextDecoder().decode(value)
      : (source ?? String(value ?? ''));

function readToml(text: string): Data | undefined {
  try {
    const leaves: Leaf[] = [];
    const plain = (value: unknown, keys: readonly string[]): Value => {
      if (Array.isArray(value)) return value.map((item) => plain(item, keys));
      if (typeof value === 'object' && value !== null && !(value instanceof Date))
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part, [...keys, key])]));
      leaves.push({ keys, value: String(value), line: lineOf(text, keys.at(-1) ?? '') });
      return String(value);
    };
    const document = plain(parseToml(text, { maxDepth: 200 }), []);
    return { leaves, documents: [document], lines: new Map(), inner: new Map(), parsed: true };
  } catch {
    return undefined;
  }
}

const lineOf = (text: string, key: string): number => {
  const at = text.indexOf(key);
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
};

const LINE = /^\s*(?:export\s+|-\s+)*["']?([\w./$@-]+)["']?\s*(?::(?=\s)|=)\s*(.*?)\s*,?\s*$/;
const ITEM = /^\s*-\s+(.*?)\s*$/;

/** Lines of `key: value`, `key = value` and `- item`; a text that goes on below its key is one value; comments are none. */
function byLine(text: string): Data {
  const lines = text.split('\n');
  const leaves = lines.flatMap((line, i): Leaf[] => {
    if (/^\s*(?:#|;|\/\/)/.test(line)) return [];
    const [, key, rest = ''] = LINE.exec(line) ?? [];
    const item = key === undefined ? ITEM.exec(line)?.[1] : undefined;
    const value = /^[|>][-+\d]*$/.test(rest) ? blockBelow(lines, i) : key === undefined ? item : rest;
    if (value === undefined) return pairsIn([], line, i + 1);
    if (value === '') return [];
    return [{ keys: key === undefined ? [] : key.split('.'), value: unquoted(value), line: i + 1 }];
  });
  return { leaves, documents: [], lines: new Map(), inner: new Map(), parsed: false };
}

function blockBelow(lines: readonly string[], at: number): string {
  const indentOf = (line = '') => line.length - line.trimStart().length;
  const end = lines.findIndex((line, i) => i > at && line.trim() !== '' && indentOf(line) <= indentOf(lines[at]));
  return lines.slice(at + 1, end === -1 ? undefined : end).join('\n');
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value.replace(/\s+#.*$/, '');
