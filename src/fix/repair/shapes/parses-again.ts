// The text did not parse and does now: quotes, brackets, commas, colons, blanks, or the word that ends a block.
import type { Shape } from '../shape.ts';

export const parsesAgain: Shape = (place, { evidence }) => {
  if (place.what !== 'syntax') return undefined;
  const { path, line, old, isProven, isClosed, signs } = place;
  // Without a parser: brackets that match again, or a blank or colon at the very line that the log names.
  const isNamed = /^:?$/.test(signs) && evidence.cannotParse(path, line);
  if (!isProven && !isNamed && !(isClosed && evidence.complainsOf(path, old))) return undefined;
  return 'it did not parse, and does now with the same words';
};
