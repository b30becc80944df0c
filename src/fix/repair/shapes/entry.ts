// A value that names no entry, where every other one under this key names an entry of one mapping, becomes the near entry.
import { isNearest } from '../near.ts';
import { isNever, isOwners } from '../prove.ts';
import type { Shape } from '../shape.ts';

const ENOUGH = 2;

export const entry: Shape = (place, { repository, evidence }) => {
  if (place.what !== 'word' || place.role !== 'value' || place.left !== '' || place.right !== '') return undefined;
  const { old, new: now, others = [], keys } = place;
  const key = keys.at(-1) ?? '';
  if (others.length < ENOUGH || isNever(place) || isOwners(place) || !evidence.rejects(old)) return undefined;
  for (const { path, of } of repository.places('entry', now)) {
    const entries = repository.visible('entry', path, of);
    if (others.every((other) => entries.has(other)) && !entries.has(old) && isNearest(old, now, entries))
      return `every other \`${key}\` is an entry of ${path}; \`${old}\` is none, and \`${now}\` is one`;
  }
  return undefined;
};
