// What helps to understand the failure and is not to be changed: what stands where a path was looked for, names like one that is
// not there, which template a rendered file is from, and files that the stage reads.
import { likest, type NearName } from '../../repository/rank/near-names.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced, fencedWithin, fenceTokens, plainLine, textLines } from '../text.ts';
import { excerpt } from './excerpt.ts';
import { hasSuspect, type Suspect, suspicionOf, wantedReadable } from './suspicion-of.ts';

const MAX_LISTED = 24;
const MAX_NOTES = 12;
const MIN_WEIGHT = 40;
const WHOLE_LINES = 31;

export const readingLines: PartLines = (context) => {
  const { nonce, failure, definitions = [] } = context;
  const errors = failure.error_lines.join('\n');
  const suspicion = suspicionOf(context);
  const { missing, near, rendered, closed, isEditable } = suspicion;
  const notes = [
    ...definitions,
    // Where something that may be changed is suspected, it would only be an excuse.
    ...(hasSuspect(suspicion) ? [] : closed)
      .slice(0, 2)
      .map((path) => `The failure names ${path}, which no fix may change: if only that mends it, a person has to`),
    ...missing.slice(0, 3).map(({ path, folder, listing, alike }) => {
      const there = folder === '' || listing.length > MAX_LISTED ? '' : ` ${folder}/ has: ${listing.join(' ')}`;
      return `${path} does not exist.${alike.length > 0 ? ` Like it: ${alike.join(', ')}` : there}`;
    }),
    ...near
      .filter((one) => isTelling(one) && errors.includes(one.name))
      .slice(0, 4)
      .map(({ name, places }) => {
        const like = likest(name, places).map(({ like, path, line }) => `${like} (${path} line ${line})`);
        return `Names like ${name}: ${like.join(', ')}`;
      }),
    ...rendered.map(({ written, from, by }) => {
      const who = by === undefined ? 'is made' : `was made by the stage ${by}`;
      return `${written} ${who} from ${from}${isEditable(from) ? '' : ', which no fix of this stage may change'}`;
    }),
  ].map((line) => clipLine(plainLine(line), 600));
  const shown = wantedReadable(suspicion.readable);
  return (room) => {
    let left = room;
    const noteLines =
      notes.length === 0 ? [] : fencedWithin(nonce, 'notes on the names in it', notes.slice(0, MAX_NOTES), left);
    left -= estimateTokens(noteLines.join('\n')) + 1;
    const blocks = shown.flatMap((file) => {
      const block = readable(file, nonce, left * 0.6);
      left -= estimateTokens(block.join('\n')) + 1;
      return block.length === 0 ? [] : ['', ...block];
    });
    return noteLines.length > 0 ? [...noteLines, ...blocks] : blocks.slice(1);
  };
};

/** The error itself names it, and it is not just another word of the same repository. */
const isTelling = ({ weight, exact, places, related }: NearName): boolean =>
  weight >= MIN_WEIGHT && (related ? exact <= 2 : exact === 0 || places.some(({ count }) => count === 1));

/** All of a short file; of a long one what is around the lines that matter. */
function readable(file: Suspect, nonce: string, room: number): string[] {
  const title = `only for reading, ${file.path}, ${textLines(file.text).length} lines`;
  const body = excerpt(file, room - fenceTokens(nonce, title), WHOLE_LINES);
  return body ? fenced(nonce, title, body) : [];
}
