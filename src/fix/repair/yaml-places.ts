// What a change touches of YAML and JSON, by their trees.
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
  type Document as YamlDocument,
} from 'yaml';
import type { AskCode } from '../edit.ts';
import { gaps } from './gaps.ts';
import { isDirective, isRun } from './never.ts';
import type { Document, OtherPlace, Place, WordPlace } from './place.ts';
import { changedWords } from './split-words.ts';

/** A text as its documents; undefined when it does not parse. */
export interface YamlText {
  readonly text: string;
  readonly documents: readonly YamlDocument.Parsed[];
  readonly lineOf: (offset: number) => number;
}

export function readYaml(text: string): YamlText | undefined {
  const lines = new LineCounter();
  const options = { logLevel: 'error', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  try {
    const documents = parseAllDocuments(text, options);
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
    return { text, documents, lineOf: (offset) => Math.max(1, lines.linePos(offset).line) };
  } catch {
    return undefined;
  }
}

/** The block texts of a text that parses, by their first and last lines. */
export function blockTexts(text: string): (readonly [from: number, to: number])[] {
  const read = readYaml(text);
  const found: (readonly [number, number])[] = [];
  for (const document of read?.documents ?? [])
    visit(document, {
      Scalar: (_, { type, range }) => {
        const isText = type?.startsWith('BLOCK') || (range && text.slice(range[0], range[1]).includes('\n'));
        if (isText && range && read) found.push([read.lineOf(range[0]), read.lineOf(Math.max(range[0], range[1] - 1))]);
      },
    });
  return found;
}

type Value = Node | null;

interface Walk {
  readonly path: string;
  readonly old: YamlText;
  readonly now: YamlText;
  readonly places: Place[];
  readonly document: Document;
  readonly object: string;
  /** Pairs that one side alone has, to find out what only moved. */
  readonly gone: LoosePair[];
  readonly come: LoosePair[];
}

interface LoosePair {
  readonly key: string;
  readonly meaning: string;
  readonly keys: readonly string[];
  readonly place: OtherPlace;
}

/** The places at which two texts that both parse differ in what they mean. */
export function yamlPlaces(path: string, old: YamlText, now: YamlText): Place[] {
  if (old.documents.length !== now.documents.length) {
    const kind = old.documents.length > now.documents.length ? 'removed' : 'text';
    return [{ what: 'other', path, line: 1, old: old.text, new: now.text, kind }];
  }
  const places: Place[] = [];
  for (const [i, document] of old.documents.entries()) {
    const other = now.documents[i] as YamlDocument.Parsed;
    if (directives(document) !== directives(other))
      places.push({ what: 'other', path, line: 1, old: '', new: '', kind: 'text' });
    const about = aboutOf(document.contents);
    const walk = { path, old, now, places, document: about, object: nameOf(document.contents), gone: [], come: [] };
    compare(walk, document.contents, other.contents, []);
    places.push(...looseEnds(walk));
  }
  places.push(...commentPlaces(path, old.text, now.text));
  return places;
}

/** What went and came: the same key with the same below it, one level further in or out, has moved. */
function looseEnds({ gone, come, path, document }: Walk): Place[] {
  const left = [...come];
  const places: Place[] = [];
  for (const { key, meaning: what, keys, place } of gone) {
    const at = left.findIndex((pair) => pair.key === key && pair.meaning === what && isLevelApart(keys, pair.keys));
    const [pair] = at < 0 ? [] : left.splice(at, 1);
    if (pair) places.push({ ...place, what: 'moved', new: pair.place.new, key, from: keys, to: pair.keys, document });
    else places.push({ ...place, path });
  }
  return [...places, ...left.map(({ place }) => place)];
}

const isLevelApart = (a: readonly string[], b: readonly string[]): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.length === short.length + 1 && short.every((key, i) => key === long[i]);
};

/** Comments are no part of the tree; those that speak to a tool are a decision, and so is what they speak of. */
function commentPlaces(path: string, old: string, now: string): Place[] {
  const [a, b] = [spokenOf(old), spokenOf(now)];
  const only = (some: string[], others: string[]) => some.filter((comment) => !others.includes(comment));
  const place = (comment: string, isOld: boolean): Place => {
    const [text = ''] = comment.split('\u0001');
    return { what: 'other', path, line: 1, old: isOld ? text : '', new: isOld ? '' : text, kind: 'tolerance' };
  };
  return [...only(a, b).map((comment) => place(comment, true)), ...only(b, a).map((comment) => place(comment, false))];
}

/** Each with how much stands before it. */
function spokenOf(text: string): string[] {
  let above = 0;
  return [...new Lexer().lex(text)].flatMap((token) => {
    if (!token.startsWith('#')) above += /\w/.test(token) ? 1 : 0;
    return token.startsWith('#') && isDirective(token) ? [`${token}\u0001${above}`] : [];
  });
}

const directives = (document: YamlDocument.Parsed): string =>
  JSON.stringify([document.directives?.tags, document.directives?.yaml]);

function aboutOf(contents: Value): Document {
  const { apiVersion, kind } = scalarsOf(contents);
  const { namespace } = scalarsOf(metadataOf(contents));
  return {
    ...(namespace !== undefined && { namespace }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    keys: isMap(contents) ? contents.items.map(keyOf) : [],
  };
}

/** The scalars of a mapping, by their keys. */
function scalarsOf(node: Value | undefined): Record<string, string> {
  if (!isMap(node)) return {};
  return Object.fromEntries(
    node.items.flatMap((pair) => (isScalar(pair.value) ? [[keyOf(pair), String(pair.value.value)]] : [])),
  );
}

/** What messages call a document by. */
function nameOf(contents: Value): string {
  return scalarsOf(metadataOf(contents)).name ?? '';
}

const metadataOf = (contents: Value): Value | undefined =>
  isMap(contents) ? (contents.items.find((pair) => keyOf(pair) === 'metadata')?.value as Value | undefined) : undefined;

const keyOf = (pair: Pair): string =>
  isScalar(pair.key) ? String(pair.key.value) : isAlias(pair.key) ? `*${pair.key.source}` : JSON.stringify(pair.key);

/** Plain, it may be a number, a date, a boolean or a merge to one reader of YAML and a text to another. */
const AMBIGUOUS = /^(?:[-+.\d].*|y|n|yes|no|on|off|true|false|null|~|<<|=|)$/i;

/** How a scalar reads: a text to every reader, or what is written. */
function readsAs(node: Scalar): 'text' | 'plain' {
  const isQuoted = node.type !== 'PLAIN' || typeof node.source !== 'string';
  return isQuoted || !AMBIGUOUS.test(node.source as string) ? 'text' : 'plain';
}

/** What a node means, wherever it stands and however it is written. */
function meaning(node: unknown): string {
  if (isAlias(node)) return `*${node.source}`;
  if (isPair(node)) return `${meaning(node.key)}:${meaning(node.value)}`;
  const marks = properties(node as Value);
  if (isMap(node)) return `${marks}{${node.items.map(meaning).join('\u0001')}}`;
  if (isSeq(node)) return `${marks}[${node.items.map(meaning).join('\u0001')}]`;
  if (isScalar(node)) return `${marks}${readsAs(node)} ${readsAs(node) === 'text' ? String(node.value) : node.source}`;
  return 'null null';
}

/** Anchor and tag. */
const properties = (node: Value): string =>
  node && !isAlias(node) && (node.anchor || node.tag) ? `&${node.anchor ?? ''} ${node.tag ?? ''} ` : '';

const sourceOf = ({ text }: YamlText, node: unknown): string => {
  const range = (node as Node | null)?.range;
  return range ? text.slice(range[0], range[1]) : '';
};
const lineAt = ({ lineOf }: YamlText, node: unknown): number => {
  const range = ((isPair(node) ? node.key : node) as Node | null)?.range;
  return range ? lineOf(range[0]) : 1;
};

/** The other mappings among some values. */
const mapsBeside = (values: readonly unknown[], own: unknown): YAMLMap[] =>
  values.filter((value): value is YAMLMap => value !== own && isMap(value));

/** The mapping that a value is in, the mappings beside the value, and those beside that mapping. */
interface Around {
  readonly parent?: YAMLMap;
  readonly beside?: readonly YAMLMap[];
  readonly uncles?: readonly YAMLMap[];
}

function compare(walk: Walk, a: Value, b: Value, keys: readonly string[], around: Around = {}): void {
  if (meaning(a) === meaning(b)) return;
  const { path, old, now, places } = walk;
  const line = lineAt(old, a) || lineAt(now, b);
  const texts = { old: sourceOf(old, a), new: sourceOf(now, b) };
  const isSameText = isRetyped(walk, a, b);
  if (isAlias(a) && isAlias(b)) words(walk, { line, keys, role: 'value', around }, `*${a.source}`, `*${b.source}`);
  else if (properties(a) !== properties(b) && !isSameText)
    places.push({ what: 'other', path, line, ...texts, kind: 'text', keys });
  else if (isMap(a) && isMap(b)) compareMaps(walk, a, b, keys, around.beside ?? []);
  else if (isSeq(a) && isSeq(b)) compareLists(walk, a.items as Value[], b.items as Value[], keys);
  else if (isSameText)
    places.push({ what: 'retyped', path, line, ...texts, keys, from: typeOf(a), to: typeOf(b), object: walk.object });
  else if (isScalar(a) && isScalar(b) && typeof a.value === 'string' && typeof b.value === 'string') {
    const first = a.type?.startsWith('BLOCK') ? line + 1 : line;
    wordsOfText(walk, { line: first, keys, role: 'value', around }, a.value, b.value);
  } else
    places.push({ what: 'other', path, line, ...texts, kind: isNumeric(a) || isNumeric(b) ? 'number' : 'value', keys });
}

const isNumeric = (node: Value): boolean => isScalar(node) && typeof node.value === 'number';

const typeOf = (node: Value): string => {
  if (isMap(node)) return 'map';
  if (isSeq(node)) return 'list';
  if (!isScalar(node) || node.value === null) return 'null';
  return readsAs(node) === 'text' || typeof node.value !== 'string' ? typeof node.value : 'plain';
};

/** The same characters but for quotes around all of them. */
function isRetyped({ old, now }: Walk, a: Value, b: Value): boolean {
  const bare = (text: string) => text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2');
  const [x, y] = [sourceOf(old, a).trim(), sourceOf(now, b).trim()];
  return x !== y && bare(x) === bare(y) && bare(x) !== '' && typeOf(a) !== typeOf(b) && !/\n/.test(x);
}

interface Where {
  readonly line: number;
  readonly keys: readonly string[];
  readonly role: WordPlace['role'];
  readonly around: Around;
}

/** A text of several lines is compared line by line, so that a place has its line. */
function wordsOfText(walk: Walk, where: Where, old: string, now: string): void {
  const [a, b] = [old.split('\n'), now.split('\n')];
  if (a.length !== b.length) {
    const kind = a.length > b.length ? 'removed' : 'text';
    walk.places.push({ what: 'other', path: walk.path, line: where.line, old, new: now, kind, keys: where.keys });
    return;
  }
  for (const [i, line] of a.entries()) words(walk, { ...where, line: where.line + i }, line, b[i] as string);
}

function words({ path, places, document }: Walk, { line, keys, role, around }: Where, old: string, now: string): void {
  if (old === now) return;
  const changed = changedWords(old, now);
  if (!changed) {
    places.push({ what: 'other', path, line, old, new: now, kind: 'value', keys });
    return;
  }
  for (const word of changed)
    places.push({
      what: 'word',
      ...{ path, line, role, keys, ...word },
      document: { ...document, beside: scalarsOf(around.parent) },
      others: (around.uncles ?? []).flatMap((map) => scalarsOf(map)[keys.at(-1) ?? ''] ?? []),
    });
}

function compareMaps(walk: Walk, a: YAMLMap, b: YAMLMap, keys: readonly string[], cousins: readonly YAMLMap[]): void {
  const { path, old, now, places, document } = walk;
  const [x, y] = [byKey(a), byKey(b)];
  const gone = a.items.filter((pair) => !y.has(keyOf(pair)));
  const come = b.items.filter((pair) => !x.has(keyOf(pair)));
  const values = a.items.map(({ value }) => value);
  // An alias takes the last anchor of its name, and a merge the first key.
  const order = (map: YAMLMap, others: Map<string, unknown>) =>
    map.items
      .map(keyOf)
      .filter((key) => others.has(key))
      .join('\u0001');
  if (/[*&]|<</.test(meaning(a) + meaning(b)) && order(a, y) !== order(b, x))
    places.push({
      what: 'other',
      path,
      line: lineAt(old, a),
      old: sourceOf(old, a),
      new: sourceOf(now, b),
      kind: 'moved',
      keys,
    });
  for (const [key, pairs] of x) {
    const others = y.get(key) ?? [];
    const [pair, other] = [pairs[0] as Pair, others[0]];
    const line = lineAt(old, pair);
    if (pairs.length > 1 || others.length > 1) repeated(walk, pairs, others, keys);
    else if (other && meaning(pair.key) !== meaning(other.key))
      places.push({ what: 'other', path, line, old: textOf(old, pair), new: textOf(now, other), kind: 'key', keys });
    // Looking around costs more than to see that nothing has changed.
    else if (other && meaning(pair.value) !== meaning(other.value)) {
      const around = { parent: a, beside: mapsBeside(values, pair.value), uncles: cousins };
      compare(walk, pair.value as Value, other.value as Value, [...keys, key], around);
    }
  }
  // The same value in the same place under another name.
  for (const pair of [...gone]) {
    const at = a.items.indexOf(pair);
    const other = come.find(
      (each) => meaning(each.value) === meaning(pair.value) && Math.abs(b.items.indexOf(each) - at) <= 1,
    );
    if (!other || properties(pair.key as Value) !== properties(other.key as Value)) continue;
    gone.splice(gone.indexOf(pair), 1);
    come.splice(come.indexOf(other), 1);
    places.push({
      what: 'word',
      ...{ path, line: lineAt(old, pair), role: 'key', keys, left: '', right: '' },
      ...{ old: keyOf(pair), new: keyOf(other), isBlock: !isScalar(pair.value) },
      beside: [...x.keys()],
      cousins: cousins.map((map) => map.items.map(keyOf)),
      document: { ...document, beside: scalarsOf(a) },
    });
  }
  const loose = (text: YamlText, pair: Pair, kind: AskCode): LoosePair => {
    const shown = textOf(text, pair);
    const [before, after] = kind === 'removed' ? [shown, ''] : ['', shown];
    const all = [...keys, keyOf(pair)];
    const place = { what: 'other', path, line: lineAt(text, pair), old: before, new: after, kind, keys: all } as const;
    return { key: keyOf(pair), meaning: meaning(pair.value), keys, place };
  };
  walk.gone.push(...gone.map((pair) => loose(old, pair, 'removed')));
  walk.come.push(...come.map((pair) => loose(now, pair, 'key')));
}

/** The pairs of a mapping under each of its keys. */
function byKey({ items }: YAMLMap): Map<string, Pair[]> {
  const pairs = new Map<string, Pair[]>();
  for (const pair of items) pairs.set(keyOf(pair), [...(pairs.get(keyOf(pair)) ?? []), pair]);
  return pairs;
}

function textOf({ text }: YamlText, pair: Pair): string {
  const from = (pair.key as Node | null)?.range?.[0] ?? 0;
  const to = ((pair.value ?? pair.key) as Node | null)?.range?.[1] ?? from;
  return text.slice(from, to);
}

/** A key that stands there more than once: of equal pairs one may go. */
function repeated(
  { path, old, now, places }: Walk,
  x: readonly Pair[],
  y: readonly Pair[],
  keys: readonly string[],
): void {
  const line = lineAt(old, x.at(-1));
  const isAlike = new Set([...x, ...y].map(({ value }) => meaning(value))).size === 1;
  if (isAlike && y.length < x.length && y.length > 0)
    places.push({ what: 'duplicate', path, line, old: textOf(old, x.at(-1) as Pair), new: '' });
  else if (x.map(meaning).join('\u0002') !== y.map(meaning).join('\u0002')) {
    const [before, after] = [textOf(old, x[0] as Pair), y[0] ? textOf(now, y[0]) : ''];
    places.push({ what: 'other', path, line, old: before, new: after, kind: 'removed', keys });
  }
}

/** What is run one after the other may well be run twice. */
const runsInOrder = (keys: readonly string[]): boolean =>
  keys.length === 0 || keys[0] === '-' || keys.some((key) => isRun(key));

function compareLists(walk: Walk, a: readonly Value[], b: readonly Value[], keys: readonly string[]): void {
  const { path, old, now, places } = walk;
  const inside = [...keys, '-'];
  for (const { gone: x, come: y } of gaps(a, b, meaning)) {
    if (x.length === y.length) {
      for (const [i, item] of x.entries()) compare(walk, item, y[i] as Value, inside, { beside: mapsBeside(a, item) });
      continue;
    }
    for (const item of x) {
      const isTwice = !runsInOrder(keys) && y.length === 0 && b.some((each) => meaning(each) === meaning(item));
      const text = sourceOf(old, item);
      const line = lineAt(old, item);
      if (isTwice) places.push({ what: 'duplicate', path, line, old: text, new: '' });
      else places.push({ what: 'other', path, line, old: text, new: '', kind: 'removed', keys: inside });
    }
    for (const item of y)
      places.push({
        what: 'other',
        path,
        line: lineAt(now, item),
        old: '',
        new: sourceOf(now, item),
        kind: 'value',
        keys: inside,
      });
  }
}
