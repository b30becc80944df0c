// The same characters as another type, where the log rejects the type; and a template expression without its quotes.
import type { Shape } from '../shape.ts';

export const retyped: Shape = (place, { evidence }) => {
  if (place.what !== 'retyped') return undefined;
  const { path, line, old, object, keys, from, to } = place;
  // A mapping whose key is a mapping is a template that lost its quotes.
  if (from === 'map' && to === 'string' && /^\{\{.*\}\}/.test(old))
    return 'a template expression as a value needs quotes';
  if (from === 'map' || from === 'list' || to === 'null') return undefined;
  if (!evidence.rejectsType({ path, line, words: [keys.findLast((key) => key !== '-') ?? '', old], object, keys }))
    return undefined;
  return `the log rejects ${old} as ${from}; the same characters as ${to}`;
};
