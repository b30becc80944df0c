// A word that leads to nothing becomes the near one that is there: an entry, a program, what the log offers.
import { meaningsOf, partOfDotted } from '../meaning.ts';
import { isMended, isNearest } from '../near.ts';
import { ownersKind } from '../never.ts';
import type { Shape } from '../shape.ts';

const ENOUGH = 2;

/** A value that names no entry, where every other one under this key names an entry of one mapping, becomes the near entry. */
export const entry: Shape = (place, { repository, evidence }) => {
  if (place.what !== 'word' || place.role !== 'value' || place.left !== '' || place.right !== '') return undefined;
  const { old, new: now, others = [], keys } = place;
  if (others.length < ENOUGH || ownersKind(place) || !evidence.rejects(old)) return undefined;
  const file = repository.places('entry', now).find(({ path, of }) => {
    const entries = repository.visible('entry', path, of);
    return others.every((other) => entries.has(other)) && isMended(old, now, entries);
  });
  return (
    file && `every other \`${keys.at(-1)}\` is an entry of ${file.path}; \`${old}\` is none, and \`${now}\` is one`
  );
};

/** The program of a command that the shell did not find becomes the near one that is there. */
export const program: Shape = (place, { evidence, vocabulary, programs, repository }) => {
  if (place.what !== 'word' || place.role !== 'program') return undefined;
  const { old, new: now, left, right } = place;
  if (left !== '' || right !== '' || /[/$.]/.test(old + now) || !evidence.hasNoProgram(old)) return undefined;
  const functions = repository.visible('shell-function', place.path);
  const runs = new Set([...programs, ...vocabulary.words('programs', 'program'), ...functions]);
  return isMended(old, now, runs) ? `there is no program \`${old}\`, and \`${now}\` is one` : undefined;
};

/** A word that the log rejects becomes the near one that the same message offers. */
export const offered: Shape = (place, { evidence, repository }) => {
  if (place.what !== 'word' || /^(?:option|operand|program)$/.test(place.role)) return undefined;
  const { old, new: now } = partOfDotted(place.old, place.new) ?? place;
  if (ownersKind(place) || /-$/.test(place.left)) return undefined;
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
