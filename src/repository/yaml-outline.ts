// YAML as a flat list of its keys and items, also of a template.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { deepOffset } from '../config/yaml-depth.ts';

/** One key, or one plain item of a list: its key is ''. The value is '' where keys or items follow. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly line: number;
  /** The keys above it and its own, with a space between; lists do not count, and modules of Ansible have their short names. */
  readonly way: string;
  readonly owner?: Entry;
  /** The keys of the same mapping, itself included. */
  readonly siblings: readonly Entry[];
  /** The keys and items below it, those of all items of a list. */
  readonly children: readonly Entry[];
}

const COMPUTED = '$()';
const EXPRESSION = /\{\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\}/g;
const STATEMENT = /\{%[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*%\}|\{#[^{}\n]*#\}/g;
const ONLY_COMPUTED = /^(?:[ \t]*\$\(\))+[ \t]*$/gm;

/** Every key and plain item in order; undefined where they are nested too deeply or the text does not parse. */
export function outline(template: string): readonly Entry[] | undefined {
  const text = template
    .replace(EXPRESSION, (expression) => COMPUTED + expression.replace(/[^\n]/g, ''))
    .replace(STATEMENT, '')
    .replace(ONLY_COMPUTED, '');
  if (deepOffset(text) !== undefined) return undefined;
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  const all: Entry[] = [];
  const anchors = new Map<string, string>();

  function written(node: unknown): string {
    if (isAlias(node)) return anchors.get(node.source) ?? `*${node.source}`;
    if (!isScalar(node) || node.value === null) return '';
    const value = typeof node.value === 'string' ? node.value : (node.source ?? '');
    if (node.anchor) anchors.set(node.anchor, value);
    return value;
  }

  function add(key: unknown, node: unknown, siblings: Entry[], owner: Entry | undefined): Entry {
    const { line } = lineCounter.linePos(((key ?? node) as { range?: [number] }).range?.[0] ?? 0);
    const children: Entry[] = [];
    const name = written(key);
    const way = (owner ? `${owner.way} ` : '') + name.replace(/^ansible\.(?:builtin|legacy)\./, '');
    const entry = { key: name, value: written(node), line, way, siblings, children, ...(owner && { owner }) };
    all.push(entry);
    siblings.push(entry);
    children.push(...below(node, entry));
    return entry;
  }

  function below(node: unknown, owner?: Entry): Entry[] {
    const siblings: Entry[] = [];
    if (isMap(node)) for (const { key, value } of node.items) add(key, value, siblings, owner);
    if (!isSeq(node)) return siblings;
    return node.items.flatMap((item) => {
      if (isMap(item) || isSeq(item)) return below(item, owner);
      return written(item) === '' ? [] : add(undefined, item, [], owner);
    });
  }

  for (const { contents } of documents) {
    anchors.clear();
    below(contents);
  }
  return all;
}

/** The value at a way of keys below some entries; '' where there is none. */
export const valueAt = (entries: readonly Entry[], ...way: string[]): string => entryAt(entries, ...way)?.value ?? '';

export function entryAt(entries: readonly Entry[], ...[key, ...rest]: string[]): Entry | undefined {
  const entry = entries.find((one) => one.key === key);
  return rest.length === 0 || !entry ? entry : entryAt(entry.children, ...rest);
}
