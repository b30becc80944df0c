// An edit, place by place: which are proven repairs and by which shape, and what about the rest is the owner's to decide.
import type { Edit } from '../edit.ts';
import type { ParseShell } from '../shell/node.ts';
import { type Decision, decisionOf } from './kind.ts';
import type { Place } from './place.ts';
import { placesOf } from './places.ts';
import type { Grounds } from './shape.ts';
import { SHAPES } from './shapes.ts';

export interface Repairs {
  /** `path: why`, by the shapes that showed it, each once. */
  readonly shapes: readonly string[];
  /** Places that no shape could show. */
  readonly decisions: readonly Decision[];
}

/** With more places nothing is proven: such a change is the owner's to see as a whole. */
const MAX_PLACES = 40;

/** Pure; never throws. */
export function repairsOf(edit: Edit, grounds: Omit<Grounds, 'text'>, parse: ParseShell): Repairs {
  const places = placesOf(edit, parse);
  const all = { ...grounds, text: edit.before ?? '' };
  const isMany = places.length > MAX_PLACES;
  const judged = places.map((place) => ({ place, shape: isMany ? undefined : shapeOf(place, all) }));
  const shapes = judged.flatMap(({ shape }) => shape ?? []);
  const decisions = judged.flatMap(({ place, shape }) => (shape === undefined ? [decisionOf(place)] : []));
  const isSame = places.length === 0 && edit.before !== edit.after;
  return {
    shapes: [...new Set(isSame ? ['same words: only blanks, line ends or comments differ'] : shapes)],
    decisions,
  };
}

/** The first shape that can show it: `name: nothing here defines …`. */
function shapeOf(place: Place, grounds: Grounds): string | undefined {
  for (const [name, shape] of Object.entries(SHAPES)) {
    const why = shape(place, grounds);
    if (why !== undefined) return `${name}: ${why}`;
  }
  return undefined;
}
