// What a shape is: a small pure function that says why a change at one place is a repair, or nothing.
import type { Repository } from '../../repository/definition.ts';
import type { Vocabularies } from '../../repository/vocabulary/vocabulary.ts';
import type { Evidence } from './evidence.ts';
import type { Place } from './place.ts';

/** What proofs look at besides the place. */
export interface Grounds {
  readonly repository: Repository;
  readonly evidence: Evidence;
  readonly vocabulary: Vocabularies;
  /** The text of the changed file before the change. */
  readonly text: string;
  /** Programs that the stage's owner says are there: `requires.tools`. */
  readonly programs: readonly string[];
}

/** Pure. Returns why the place is a repair, in a sentence for people; undefined when this shape cannot show it. */
export type Shape = (place: Place, grounds: Grounds) => string | undefined;
