// A word that the log rejects becomes the near one that the same message offers.
import { lastParts, meaningsOf } from '../meaning.ts';
import { isNearest } from '../near.ts';
import { isNever, isOwners } from '../prove.ts';
import type { Shape } from '../shape.ts';

export const offered: Shape = (place, { evidence, repository }) => {
  if (place.what !== 'word' || place.role === 'option' || place.role === 'operand' || place.role === 'program')
    return undefined;
  const { old, new: now } = lastParts(place.old, place.new) ?? place;
  if (isNever(place) || isOwners(place) || /-$/.test(place.left)) return undefined;
  const isDefined = meaningsOf(place).some(
    ({ kind, of, old: name }) => repository.possible(kind, place.path, of)?.has(name) ?? true,
  );
  // What an inventory has is an address, whatever offers another.
  if (isDefined || repository.places('host', old).length > 0) return undefined;
  const offers = evidence.offers(old);
  return offers.includes(now) && isNearest(old, now, offers)
    ? `the log rejects \`${old}\` and offers \`${now}\``
    : undefined;
};
