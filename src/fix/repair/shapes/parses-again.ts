// The text did not parse and does now: quotes, brackets, commas, colons, blanks, or the word that ends a block.
import type { Shape } from '../shape.ts';

export const parsesAgain: Shape = (place, { evidence }) => {
  if (place.what !== 'syntax') return undefined;
  const { path, line, isProven, isClosed } = place;
  if (!isProven && !evidence.cannotParse(path, line) && !(isClosed && evidence.complainsOf(path, place.old)))
    return undefined;
  return 'it did not parse, and does now with the same words';
};
