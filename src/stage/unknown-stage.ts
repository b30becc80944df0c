// Names that are no stages, and which one was meant.
import { nearest } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import { splitStepName } from '../plan/matrix.ts';

/** Throws E_UNKNOWN_STAGE for the first of `names` that is not `known`. `also`: other words that may have been meant. */
export function requireStages(names: readonly string[], known: readonly string[], also?: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) unknownStage(unknown, known, also);
}

/** Refuses a name that is no stage, with the stage that was probably meant. */
export function unknownStage(name: string, known: readonly string[], also: readonly string[] = []): never {
  // A cell is no stage: its stage runs it.
  const { stage } = splitStepName(name);
  const meant = known.includes(stage) ? stage : nearest(name, [...known, ...also]);
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  fail('E_UNKNOWN_STAGE', { name, hint, known: known.join(', ') });
}
