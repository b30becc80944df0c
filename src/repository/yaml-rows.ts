// What stands where in YAML of a known form, as rows: the way to a key or item, and what its name is then.
import type { Kind } from './definition.ts';
import type { Found } from './names.ts';
import type { Entry } from './yaml-outline.ts';

type Names = (entry: Entry) => string | readonly string[] | undefined;
type Verb = 'define' | 'guess' | 'use';
/** The keys to the place with a space between (an item of a list has no key: the way ends with the space), and what is there. */
export type Row =
  | readonly [way: RegExp, verb: Verb, kind: Kind, names: Names, of?: string]
  | readonly [way: RegExp, verb: 'include', names: Names];

/** Nothing that is meant has a longer one. */
const MAX_WAY = 1000;

export const key: Names = (entry) => entry.key;
export const value: Names = (entry) => entry.value;
export const either: Names = (entry) => entry.key || entry.value;

export function readRows(entries: readonly Entry[], rows: readonly Row[], found: Found): void {
  for (const entry of entries) {
    found.line = entry.line;
    const way = [...entry.path, entry.key].join(' ').replaceAll(/ansible\.(?:builtin|legacy)\./g, '');
    for (const row of rows) {
      if (way.length > MAX_WAY || !row[0].test(way)) continue;
      const names = row[1] === 'include' ? row[2](entry) : row[3](entry);
      for (const name of typeof names === 'string' ? [names] : (names ?? [])) {
        if (row[1] === 'include') found.include(name);
        else found[row[1]](row[2], name, row[4]);
      }
    }
  }
}
