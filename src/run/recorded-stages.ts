// The names of the stages for commands that only look: the map's order where it can be read, and whatever was run before.

import { MAP_FILE, stageNames } from '../config/files.ts';
import { readText } from '../io/store.ts';
import type { StageState } from '../journal/stages.ts';

/** Never throws for a broken map: what is recorded is shown all the same. */
export function recordedStages(home: string, state: StageState): string[] {
  const mapped = stageNames(readText(`${home}/${MAP_FILE}`) ?? '');
  return [...mapped, ...Object.keys(state.stages).filter((name) => !mapped.includes(name))];
}
