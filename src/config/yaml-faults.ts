// What YAML allows and a configuration file must not have: keys twice, keys that are not text, aliases of nothing,
// bottomless nesting. One pass over the nodes, without following aliases.
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Path } from './problem.ts';

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
