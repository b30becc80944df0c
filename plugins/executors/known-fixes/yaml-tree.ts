// The keys of a YAML text, each with its path and where it and its value stand. Pure; what does not parse has none.
import { isMap, isScalar, isSeq, type Node, type ParsedNode, parseAllDocuments } from 'yaml';

export interface YamlEntry {
  /** The keys down to this one, from the root of its document; positions in lists are left out. */
  readonly path: readonly string[];
  readonly key: string;
  /** Where key and value begin and end, as offsets. */
  readonly keyAt: readonly [from: number, to: number];
  readonly valueAt: readonly [from: number, to: number];
  readonly is: 'scalar' | 'map' | 'list';
  /** Of a scalar. */
  readonly value?: unknown;
  /** The entries of the same mapping, in order; itself is one of them. */
  readonly siblings: readonly YamlEntry[];
  readonly children: readonly YamlEntry[];
  /** Which document of the text it is in. */
  readonly document: number;
}

/** Every entry, parents before children. Scalars in lists are entries with the key of their list. */
export function entriesOf(text: string): YamlEntry[] {
  const entries: YamlEntry[] = [];
  try {
    const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
    if ('empty' in documents || documents.some(({ errors }) => errors.length > 0)) return [];
    for (const [number, { contents }] of documents.entries()) collect(contents, [], number, entries);
    return entries;
  } catch {
    return [];
  }
}

type Collected = YamlEntry & { siblings: YamlEntry[]; children: YamlEntry[] };

function collect(
  node: ParsedNode | Node | null,
  path: readonly string[],
  document: number,
  into: YamlEntry[],
): YamlEntry[] {
  if (isSeq(node)) return node.items.flatMap((item) => listed(item as Node, path, document, into));
  if (!isMap(node)) return [];
  const siblings: YamlEntry[] = [];
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const child = value as Node | null;
    const entry: Collected = {
      path: [...path, name],
      key: name,
      document,
      siblings,
      children: [],
      keyAt: rangeOf(key),
      valueAt: rangeOf(child ?? key),
      is: isMap(child) ? 'map' : isSeq(child) ? 'list' : 'scalar',
      ...(isScalar(child) && { value: child.value }),
    };
    siblings.push(entry);
    into.push(entry);
    entry.children.push(...collect(child, entry.path, document, into));
  }
  return siblings;
}

function listed(item: Node, path: readonly string[], document: number, into: YamlEntry[]): YamlEntry[] {
  if (!isScalar(item)) return collect(item, path, document, into);
  const at = rangeOf(item);
  const entry: YamlEntry = {
    path,
    key: path.at(-1) ?? '',
    keyAt: at,
    valueAt: at,
    is: 'scalar',
    document,
    value: item.value,
    siblings: [],
    children: [],
  };
  into.push(entry);
  return [entry];
}

const rangeOf = (node: Node): readonly [number, number] => [node.range?.[0] ?? 0, node.range?.[1] ?? 0];

/** Whether `tail` is the end of the entry's path. */
export const endsIn = ({ path }: YamlEntry, tail: readonly string[]): boolean =>
  tail.length > 0 && tail.length <= path.length && tail.every((part, i) => part === path.at(i - tail.length));
