// The same characters as another type, where the log rejects the type; and a template expression without its quotes.
import type { Shape } from '../shape.ts';

export const retyped: Shape = (place, { evidence }) => {
  if (place.what !== 'retyped') return undefined;
  const { path, line, old, object, keys, from, to } = place;
  // A mapping whose key is a mapping is a template that lost its quotes; charts are made before anybody reads them.
  const isTemplate = from === 'map' && to === 'string' && /^\{\{.*\}\}/.test(old);
  if (isTemplate && !/(?:^|\/)templates\//.test(path)) return 'a template expression as a value needs quotes';
  if (from === 'map' || from === 'list' || to === 'null') return undefined;
  if (!evidence.rejectsType({ path, line, words: [telling(keys), old], object, keys, to })) return undefined;
  return `the log rejects ${old} as ${from}; the same characters as ${to}`;
};

/** The last key, where it is more than `value` or `name`: a message that has it means this place. */
function telling(keys: readonly string[]): string {
  const key = keys.findLast((each) => each !== '-') ?? '';
  return /^(?:value|name|key|default|type)$/.test(key) ? '' : key;
}
