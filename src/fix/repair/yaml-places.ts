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
import { gaps } from './gaps.ts';
import { isDirective, isRun } from './never.ts';
import type { Document, OtherPlace, Place, WordPlace } from './place.ts';
import { type Directive, decision, directivePlaces, wordPlaces } from './texts.ts';

/** A text as its documents. */
export interface YamlText {
  readonly text: string;
  readonly documents: readonly YamlDocument.Parsed[];
  readonly lineOf: (offset: number) => number;
}

/** Undefined when it does not parse. */
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

/** Whether a line of a text that parses is part of a text of several lines, behind its first. */
export function blockTextIn(text: string): (line: number) => boolean {
  const read = readYaml(text);
  const inside = new Set<number>();
  for (const document of read?.documents ?? [])
    visit(document, {
      Scalar: (_, { range }) => {
        const [from, to] = range ?? [0, 0];
        for (let at = text.indexOf('\n', from); at >= 0 && at < to - 1; at = text.indexOf('\n', at + 1))
          inside.add(read?.lineOf(at + 1) ?? 0);
      },
    });
  return (line) => inside.has(line);
}

type Value = Node | null;

interface Walk {
  readonly path: string;
  readonly old: YamlText;
  readonly now: YamlText;
  readonly document: Document;
  /** Pairs that one side alone has, to find out what only moved. */
  readonly gone: LoosePair[];
  readonly come: LoosePair[];
}

interface LoosePair {
  readonly meaning: string;
  readonly place: OtherPlace;
}

/** The places at which two texts that both parse differ in what they mean. */
export function yamlPlaces(path: string, old: YamlText, now: YamlText): Place[] {
  const whole = { path, line: 1 };
  const more = old.documents.length - now.documents.length;
  if (more !== 0) return [decision(whole, more > 0 ? 'removed' : 'text', old.text, now.text)];
  const places = old.documents.flatMap((document, i) => {
    const other = now.documents[i] as YamlDocument.Parsed;
    const walk: Walk = { path, old, now, document: documentOf(document.contents), gone: [], come: [] };
    const isReadOtherwise = tagsOf(document) !== tagsOf(other);
    return [
      ...(isReadOtherwise ? [decision(whole, 'text', '', '')] : []),
      ...compare(walk, document.contents, other.contents, []),
      ...loosePlaces(walk),
    ];
  });
  return [...places, ...directivePlaces(path, directivesOf(old.text), directivesOf(now.text))];
}

const tagsOf = ({ directives }: YamlDocument.Parsed): string => JSON.stringify([directives?.tags, directives?.yaml]);

/** What went and came: the same key with the same below it, one level further in or out, has moved. */
function loosePlaces({ gone, come, document }: Walk): Place[] {
  const left = [...come];
  const places = gone.map(({ meaning: what, place }): Place => {
    const at = left.findIndex((pair) => pair.meaning === what && isLevelApart(place.keys, pair.place.keys));
    const [other] = at < 0 ? [] : left.splice(at, 1);
    if (!other) return place;
    const [from, to] = [place.keys.slice(0, -1), other.place.keys.slice(0, -1)];
    return { ...place, what: 'moved', new: other.place.new, key: place.keys.at(-1) ?? '', from, to, document };
  });
  return [...places, ...left.map(({ place }) => place)];
}

function isLevelApart(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const isBelow = short.slice(0, -1).every((key, i) => key === long[i]);
  return isBelow && long.length === short.length + 1 && long.at(-1) === short.at(-1);
}

function directivesOf(text: string): Directive[] {
  let [above, line] = [0, 1];
  return [...new Lexer().lex(text)].flatMap((token) => {
    const at = line;
    line += token.split('\n').length - 1;
    if (!token.startsWith('#')) above += /\w/.test(token) ? 1 : 0;
    return token.startsWith('#') && isDirective(token) ? [{ text: token, line: at, above }] : [];
  });
}

function documentOf(contents: Value): Document {
  const metadata = isMap(contents) ? (contents.items.find((pair) => keyOf(pair) === 'metadata')?.value as Value) : null;
  const named = (node: Value, names: string[]): Partial<Document> =>
    Object.fromEntries(Object.entries(scalarsOf(node)).filter(([key]) => names.includes(key)));
  const keys = isMap(contents) ? contents.items.map(keyOf) : [];
  return { ...named(contents, ['apiVersion', 'kind']), ...named(metadata, ['name', 'namespace']), keys };
}

/** The scalars of a mapping, by their keys. */
function scalarsOf(node: Value | undefined): Record<string, string> {
  const pairs = isMap(node) ? node.items : [];
  return Object.fromEntries(
    pairs.flatMap((pair) => (isScalar(pair.value) ? [[keyOf(pair), String(pair.value.value)]] : [])),
  );
}

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

/** Where a node, or a pair as a whole, begins and ends. */
function rangeOf(node: unknown): readonly [from: number, to: number] {
  const [first, last] = isPair(node) ? [node.key, node.value ?? node.key] : [node, node];
  const from = (first as Value)?.range?.[0] ?? 0;
  return [from, (last as Value)?.range?.[1] ?? from];
}
const sourceOf = ({ text }: YamlText, node: unknown): string => text.slice(...rangeOf(node));
const lineAt = ({ lineOf }: YamlText, node: unknown): number => lineOf(rangeOf(node)[0]);

/** The mapping that a value is in, the mappings beside the value, and those beside that mapping. */
interface Around {
  readonly parent?: YAMLMap;
  readonly beside?: readonly YAMLMap[];
  readonly uncles?: readonly YAMLMap[];
}

/** The other mappings among some values. */
const mapsBeside = (values: readonly unknown[], one: unknown): YAMLMap[] =>
  values.filter((value): value is YAMLMap => value !== one && isMap(value));

function compare(walk: Walk, a: Value, b: Value, keys: readonly string[], around: Around = {}): Place[] {
  if (meaning(a) === meaning(b)) return [];
  const at = { path: walk.path, line: lineAt(walk.old, a), keys };
  const [old, now] = [sourceOf(walk.old, a), sourceOf(walk.now, b)];
  const { parent, beside = [], uncles = [] } = around;
  const document = { ...walk.document, beside: scalarsOf(parent) };
  const others = uncles.flatMap((map) => scalarsOf(map)[keys.at(-1) ?? ''] ?? []);
  const word = { ...at, role: 'value', document, others } as const;
  if (isAlias(a) && isAlias(b)) return wordPlaces(word, `*${a.source}`, `*${b.source}`, 'value');
  const [from, to] = [typeOf(a), typeOf(b)];
  const isRetyped = isRequoted(old, now) && from !== to;
  if (properties(a) !== properties(b) && !isRetyped) return [decision(at, 'text', old, now)];
  if (isMap(a) && isMap(b)) return mapPlaces(walk, a, b, keys, beside);
  if (isSeq(a) && isSeq(b)) return listPlaces(walk, a.items as Value[], b.items as Value[], keys);
  if (isRetyped) return [{ what: 'retyped', ...at, old, new: now, from, to, document }];
  if (isScalar(a) && isScalar(b) && typeof a.value === 'string' && typeof b.value === 'string')
    return wordPlaces({ ...word, line: at.line + (a.type?.startsWith('BLOCK') ? 1 : 0) }, a.value, b.value, 'value');
  return [decision(at, [from, to].includes('number') ? 'number' : 'value', old, now)];
}

const typeOf = (node: Value): string => {
  if (isMap(node)) return 'map';
  if (isSeq(node)) return 'list';
  if (!isScalar(node) || node.value === null) return 'null';
  return readsAs(node) === 'text' || typeof node.value !== 'string' ? typeof node.value : 'plain';
};

/** The same characters but for quotes around all of them. */
function isRequoted(old: string, now: string): boolean {
  const bare = (text: string) => text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2');
  return old.trim() !== now.trim() && bare(old) === bare(now) && bare(old) !== '' && !old.trim().includes('\n');
}

function mapPlaces(walk: Walk, a: YAMLMap, b: YAMLMap, keys: readonly string[], cousins: readonly YAMLMap[]): Place[] {
  const { path, old, now } = walk;
  const [x, y] = [byKey(a), byKey(b)];
  const places: Place[] = [];
  // An alias takes the last anchor of its name, and a merge the first key.
  const inBoth = ({ items }: YAMLMap) => items.map(keyOf).filter((key) => x.has(key) && y.has(key));
  if (/[*&]|<</.test(meaning(a) + meaning(b)) && inBoth(a).join('\u0001') !== inBoth(b).join('\u0001'))
    places.push(decision({ path, line: lineAt(old, a), keys }, 'moved', sourceOf(old, a), sourceOf(now, b)));
  const values = a.items.map(({ value }) => value);
  for (const [id, pair] of x) {
    const [key, other] = [keyOf(pair), y.get(id)];
    const at = { path, line: lineAt(old, pair), keys };
    if (other && meaning(pair.key) !== meaning(other.key))
      places.push(decision(at, 'key', sourceOf(old, pair), sourceOf(now, other)));
    // Looking around costs more than to see that nothing has changed.
    else if (other && meaning(pair.value) !== meaning(other.value)) {
      const around = { parent: a, beside: mapsBeside(values, pair.value), uncles: cousins };
      places.push(...compare(walk, pair.value as Value, other.value as Value, [...keys, key], around));
    }
  }
  const come = new Map([...y].filter(([id]) => !x.has(id)));
  for (const [id, pair] of [...x].filter(([each]) => !y.has(each))) {
    const at = { path, line: lineAt(old, pair), keys: [...keys, keyOf(pair)] };
    const place = decision(at, 'removed', sourceOf(old, pair), '');
    const isTwice = id !== keyOf(pair) && meaning(y.get(keyOf(pair))?.value) === meaning(pair.value);
    const isBeside = (each: Pair) => Math.abs(b.items.indexOf(each) - a.items.indexOf(pair)) <= 1;
    const [renamedTo, other] = [...come].find(([, each]) => isRenamed(pair, each) && isBeside(each)) ?? [];
    if (isTwice) places.push({ ...place, what: 'duplicate' });
    else if (!other) walk.gone.push({ meaning: meaning(pair.value), place });
    else {
      come.delete(renamedTo as string);
      places.push({ ...renamed(walk, a, pair, other, keys), cousins: cousins.map(({ items }) => items.map(keyOf)) });
    }
  }
  for (const [id, pair] of come) {
    const at = { path, line: lineAt(now, pair), keys: [...keys, keyOf(pair)] };
    // A key that stands there already takes away what that one says.
    const place = decision(at, id === keyOf(pair) ? 'key' : 'removed', '', sourceOf(now, pair));
    walk.come.push({ meaning: meaning(pair.value), place });
  }
  return places;
}

/** The same value under another name. */
const isRenamed = (a: Pair, b: Pair): boolean =>
  meaning(a.value) === meaning(b.value) && properties(a.key as Value) === properties(b.key as Value);

function renamed(walk: Walk, map: YAMLMap, pair: Pair, other: Pair, keys: readonly string[]): WordPlace {
  return {
    what: 'word',
    ...{ path: walk.path, line: lineAt(walk.old, pair), role: 'key', keys, left: '', right: '' },
    ...{ old: keyOf(pair), new: keyOf(other), isBlock: !isScalar(pair.value) },
    beside: map.items.map(keyOf),
    document: { ...walk.document, beside: scalarsOf(map) },
  };
}

/** The pairs of a mapping by their keys; with a mark behind the key of one that stands there already. */
function byKey({ items }: YAMLMap): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const pair of items) {
    let key = keyOf(pair);
    while (pairs.has(key)) key += '\u0001';
    pairs.set(key, pair);
  }
  return pairs;
}

/** What is run one after the other may well be run twice. */
const runsInOrder = (keys: readonly string[]): boolean =>
  keys.length === 0 || keys[0] === '-' || keys.some((key) => isRun(key));

function listPlaces(walk: Walk, a: readonly Value[], b: readonly Value[], keys: readonly string[]): Place[] {
  const { path, old, now } = walk;
  const inside = [...keys, '-'];
  return gaps(a, b, meaning).flatMap(({ gone, come }) => {
    if (gone.length === come.length)
      return gone.flatMap((item, i) => compare(walk, item, come[i] as Value, inside, { beside: mapsBeside(a, item) }));
    const removed = gone.map((item): Place => {
      const isTwice = !runsInOrder(keys) && come.length === 0 && b.some((each) => meaning(each) === meaning(item));
      const place = decision({ path, line: lineAt(old, item), keys: inside }, 'removed', sourceOf(old, item), '');
      return isTwice ? { ...place, what: 'duplicate' } : place;
    });
    const added = come.map((item) =>
      decision({ path, line: lineAt(now, item), keys: inside }, 'value', '', sourceOf(now, item)),
    );
    return [...removed, ...added];
  });
}
