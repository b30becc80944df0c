// An edit, place by place: which are proven repairs and by which shape, and what about the rest is the owner's to decide.
import type { Edit } from '../edit.ts';
import type { ParseShell } from '../shell/node.ts';
import { type Decision, decisionOf } from './kind.ts';
import type { Place } from './place.ts';
import { placesOf } from './places.ts';
import type { Grounds, Shape } from './shape.ts';
import { key, movedKey } from './shapes/key.ts';
import { definition, name } from './shapes/name.ts';
import { entry, offered, program } from './shapes/near-word.ts';
import { path } from './shapes/path.ts';
import { addedLook, duplicate, executable, parsesAgain, retyped } from './shapes/structure.ts';

/** All shapes, in the order in which they are asked, by the names that commits, `fixes` and cases say. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'parses again': parsesAgain,
  'quotes and types': retyped,
  'key one level off': movedKey,
  duplicate,
  executable,
  'looks or waits': addedLook,
  path,
  name,
  entry,
  key,
  'offered by the log': offered,
  'used definition': definition,
  program,
};

interface Repairs {
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
  if (places.length === 0 && edit.before !== edit.after)
    return { shapes: ['same words: only blanks, line ends or comments differ'], decisions: [] };
  const all = { ...grounds, text: edit.before ?? '' };
  const shapes = places.map((place) => (places.length > MAX_PLACES ? undefined : shapeOf(place, all)));
  return {
    shapes: [...new Set(shapes.filter((shape) => shape !== undefined))],
    decisions: places.flatMap((place, i) => (shapes[i] === undefined ? [decisionOf(place)] : [])),
  };
}

/** The first shape that can show it: `name: nothing here defines …`. */
function shapeOf(place: Place, grounds: Grounds): string | undefined {
  for (const [title, shape] of Object.entries(SHAPES)) {
    const why = shape(place, grounds);
    if (why !== undefined) return `${title}: ${why}`;
  }
  return undefined;
}
