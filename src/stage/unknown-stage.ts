// A name that is no stage, and which one was meant.
import { nearest } from '../config/suggest.ts';
import { fail } from '../errors.ts';

/** Refuses a name that is no stage, and says which was meant. */
export function unknownStage(name: string, known: readonly string[], also: readonly string[] = []): never {
  const meant = nearest(name, [...known, ...also]);
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  fail('E_UNKNOWN_STAGE', { name, hint, known: known.join(', ') });
}
