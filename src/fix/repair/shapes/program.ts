// The program of a command that the shell did not find becomes the near one that is there.
import { isNearest } from '../near.ts';
import type { Shape } from '../shape.ts';

export const program: Shape = (place, { evidence, vocabulary, programs, repository }) => {
  if (place.what !== 'word' || place.role !== 'program') return undefined;
  const { old, new: now, left, right } = place;
  if (left !== '' || right !== '' || /[/$.]/.test(old + now) || !evidence.hasNoProgram(old)) return undefined;
  const shipped = vocabulary.words('programs', 'program');
  const functions = repository.visible('shell-function', place.path);
  const known = new Set([...programs, ...shipped, ...functions]);
  return !known.has(old) && known.has(now) && isNearest(old, now, known)
    ? `there is no program \`${old}\`, and \`${now}\` is one`
    : undefined;
};
