// A word that the log rejects becomes the near one that the same message offers.
import { lastParts, meaningsOf } from '../meaning.ts';
import { isNearest } from '../near.ts';
import { isAccountKey, isAddressKey } from '../never.ts';
import { isNever } from '../prove.ts';
import type { Shape } from '../shape.ts';

export const offered: Shape = (place, { evidence, repository }) => {
  if (place.what !== 'word' || place.role === 'option' || place.role === 'operand' || place.role === 'program')
    return undefined;
  const { role, keys, left } = place;
  const { old, new: now } = lastParts(place.old, place.new) ?? place;
  const key = keys.findLast((each) => each !== '-') ?? '';
  if (isNever(place) || /-$/.test(left) || (role !== 'key' && (isAccountKey(key) || isAddressKey(key))))
    return undefined;
  const isDefined = meaningsOf(place).some(
    ({ kind, of, old: name }) => repository.possible(kind, place.path, of)?.has(name) ?? true,
  );
  if (isDefined) return undefined;
  const offers = evidence.offers(old);
  return offers.includes(now) && isNearest(old, now, offers)
    ? `the log rejects \`${old}\` and offers \`${now}\``
    : undefined;
};
