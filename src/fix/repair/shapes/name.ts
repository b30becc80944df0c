// A name that leads to nothing becomes the one near name that is defined where it is used.
import { meaningsOf } from '../meaning.ts';
import { isAccountKey, isAddressKey } from '../never.ts';
import { isMended, isNever } from '../prove.ts';
import type { Shape } from '../shape.ts';

export const name: Shape = (place, { repository, evidence }) => {
  if (place.what !== 'word') return undefined;
  const key = place.keys.findLast((each) => each !== '-') ?? '';
  if (place.role === 'value' && isAccountKey(key)) return undefined;
  for (const { kind, of, isClosed, isOwn, old, new: now } of meaningsOf(place)) {
    // A variable in an address is none; any other word of one is.
    const isVariable = kind.endsWith('variable') || kind === 'terraform';
    if (
      !isVariable &&
      (isNever({ ...place, old, new: now }) || (kind !== 'group' && place.role === 'value' && isAddressKey(key)))
    )
      continue;
    const elsewhere = repository.places(kind, old).filter(({ path }) => path !== place.path);
    const all = repository.possible(kind, place.path, of);
    const possible = all && isOwn && elsewhere.length === 0 ? new Set([...all].filter((name) => name !== old)) : all;
    const defined = repository.visible(kind, place.path, of);
    const isBroken = isClosed || evidence.rejects(old) || evidence.misses(old);
    if (isMended({ old, new: now, possible, defined, isBroken }))
      return `nothing here defines \`${old}\`, and \`${now}\` is defined`;
  }
  return undefined;
};
