// What a shape is: a small pure function that says why a change at one place is a repair, or nothing.
import type { Repository } from '../../repository/definition.ts';
import type { Evidence } from './evidence.ts';
import type { Place } from './place.ts';

/** What shipped vocabularies know of tools: their keys by place, modules and words. */
export interface Vocabulary {
  /** The keys that a tool knows at a place of such a document; undefined where it is not known or free. */
  keysAt(
    path: string,
    document: { apiVersion?: string; kind?: string; keys: readonly string[] },
    keys: readonly string[],
  ): ReadonlySet<string> | undefined;
  /** Ansible's modules by their full and short names. */
  modules(): ReadonlySet<string>;
  moduleArguments(module: string): ReadonlySet<string> | undefined;
  /** Words of a tool without a tree: `caddy directive`, `programs program`. */
  words(tool: string, kind: string): ReadonlySet<string>;
}

/** What proofs look at besides the place. */
export interface Grounds {
  readonly repository: Repository;
  readonly evidence: Evidence;
  readonly vocabulary: Vocabulary;
  /** The text of the changed file before the change. */
  readonly text: string;
  /** The command that failed, as it was run. */
  readonly failed: string;
  /** Programs that the stage's owner says are there: `requires.tools`. */
  readonly programs: readonly string[];
}

/** Pure. Returns why the place is a repair, in a sentence for people; undefined when this shape cannot show it. */
export type Shape = (place: Place, grounds: Grounds) => string | undefined;
