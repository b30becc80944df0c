// The names of the stages for commands that only look: the map's order where it can be read, and whatever was run before.
import { parseContextMap } from '../config/parse.ts';
import { readText } from '../io/store.ts';
import { MAP_FILE } from './configuration.ts';
import type { StageState } from './stage-state.ts';

/** Never throws for a broken map: what is recorded is shown all the same. */
export function recordedStages(home: string, state: StageState): string[] {
  const parsed = parseContextMap(readText(`${home}/${MAP_FILE}`) ?? '', MAP_FILE);
  const mapped = parsed.ok ? Object.keys(parsed.value.stages) : [];
  return [...mapped, ...Object.keys(state.stages).filter((name) => !mapped.includes(name))];
}
