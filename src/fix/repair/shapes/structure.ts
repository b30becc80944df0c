// Repairs that the form of the text shows: it parses again, a type, a sibling too many, a mode.
import type { Shape } from '../shape.ts';

/** The text did not parse and does now: quotes, brackets, commas, colons, blanks, or the word that ends a block. */
export const parsesAgain: Shape = (place, { evidence }) => {
  if (place.what !== 'syntax') return undefined;
  const { path, line, old, isProven, isClosed, signs } = place;
  // Without a parser: brackets that match again, or a blank or colon at the very line that the log names.
  const isNamed = /^:?$/.test(signs) && evidence.cannotParse(path, line);
  if (!isProven && !isNamed && !(isClosed && evidence.complainsOf(path, old))) return undefined;
  return 'it did not parse, and does now with the same words';
};

/** The same characters as another type, where the log rejects the type; and a template expression without its quotes. */
export const retyped: Shape = (place, { evidence }) => {
  if (place.what !== 'retyped') return undefined;
  const { path, old, from, to } = place;
  // A mapping whose key is a mapping is a template that lost its quotes; charts are made before anybody reads them.
  const isTemplate = from === 'map' && to === 'string' && /^\{\{.*\}\}/.test(old);
  if (isTemplate && !/(?:^|\/)templates\//.test(path)) return 'a template expression as a value needs quotes';
  const isScalar = from !== 'map' && from !== 'list' && to !== 'null';
  return isScalar && evidence.rejectsType(place)
    ? `the log rejects ${old} as ${from}; the same characters as ${to}`
    : undefined;
};

/** A sibling is gone whose equal stays below the same parent. */
export const duplicate: Shape = ({ what }) => (what === 'duplicate' ? 'it stood there twice, alike' : undefined);

/** A script that says what runs it may be run. */
export const executable: Shape = ({ what }, { text }) =>
  what === 'executable' && text.startsWith('#!') ? 'a script with its interpreter may be run' : undefined;
