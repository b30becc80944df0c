// Which stages a request means, and what they need that is not there. Pure.
import type { ContextMap } from '../config/context-map.ts';
import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import { withNeeds } from '../plan/compile.ts';
import type { StageState } from './stage-state.ts';

export interface Selection {
  /** Stage names; empty means all. */
  stages: readonly string[];
  withNeeds: boolean;
  /** Run them whatever their state. */
  forced: boolean;
}

/** The stages to run, in the map's order. Throws MendError for unknown names and unmet needs, all named. */
export function selectStages(map: ContextMap, selection: Selection, state: StageState): string[] {
  const known = Object.keys(map.stages);
  if (selection.stages.length === 0) return known;
  const unknown = selection.stages.find((name) => !known.includes(name));
  if (unknown !== undefined) unknownStage(unknown, known);
  if (selection.withNeeds) return withNeeds(map, selection.stages);
  const chosen = known.filter((name) => selection.stages.includes(name));
  const unmet = chosen.flatMap((name) =>
    (map.stages[name]?.needs ?? [])
      .filter((need) => !chosen.includes(need) && state.stages[need]?.status !== 'green')
      .map((need) => `${name} needs ${need}, which is ${state.stages[need]?.status ?? 'idle'}`),
  );
  if (unmet.length > 0) {
    const command = `mendloop ${selection.forced ? 'retry ' : ''}${chosen.join(' ')} --with-needs`;
    fail('E_NEEDS_UNMET', { stages: chosen.join(', '), command }, unmet);
  }
  return chosen;
}

/** Refuses a name that is no stage, and says which was meant. */
export function unknownStage(name: string, known: readonly string[], also: readonly string[] = []): never {
  const hint = didYouMean(name, [...known, ...also], '');
  fail('E_UNKNOWN_STAGE', { name, hint, known: known.join(', ') });
}

/** One text for a request, equal for equal requests: how a cut-off run is recognised as the one asked for again. */
export function askedText(selection: Selection): string {
  if (selection.stages.length === 0) return 'all';
  const names = [...new Set(selection.stages)].sort().join(' ');
  return `${selection.forced ? 'retry ' : ''}${names}${selection.withNeeds ? ' --with-needs' : ''}`;
}
