// Where the keys and values of a YAML document stand, looked up only when something is to be said about them.
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type LineCounter, type YAMLMap } from 'yaml';
import type { Path } from './problem.ts';

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
