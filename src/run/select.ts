// What a run is asked for: which stages that means, and what keeps them from running. Pure.
import type { ContextMap } from '../config/context-map.ts';
import { fail } from '../errors.ts';
import type { StageState } from '../journal/stages.ts';
import { inRunningOrder, withNeeds } from '../plan/compile.ts';
import type { Lab } from '../stage/run.ts';
import type { StaleStage } from '../stage/stale.ts';
import { requireStages } from '../stage/unknown-stage.ts';

export interface Selection {
  /** Stage names; empty means all. */
  stages: readonly string[];
  withNeeds: boolean;
  /** Run them whatever their state. */
  forced: boolean;
  /** Names of commands, which a misspelt stage may have meant. */
  commands?: readonly string[];
}

/** What a run is asked for. */
export interface RunRequest extends Selection {
  home: string;
  /** The command line, shown to others that find the lock taken. */
  command: string;
  lab?: Lab | undefined;
  workers?: number | undefined;
  /** Epoch milliseconds by which the run must be over. */
  deadline?: number | undefined;
  recheck: boolean;
  /** Where steps run, in place of `backend` in ai/loop.yaml. */
  backend?: string | undefined;
  /** A person has confirmed a large number of jobs. */
  yes?: boolean | undefined;
  /** False: no executor and no escalation. */
  ai: boolean;
}

/** The stages that are named, in the map's order; all when none is. Throws MendError for an unknown name. */
export function namedStages(map: ContextMap, names: readonly string[], commands: readonly string[] = []): string[] {
  const all = Object.keys(map.stages);
  requireStages(names, all, commands);
  return names.length === 0 ? all : all.filter((name) => names.includes(name));
}

/** The stages to run, in the order in which they would one after the other. Throws MendError for unknown names and unmet needs, all named. */
export function selectStages(map: ContextMap, selection: Selection, state: StageState): string[] {
  const chosen = namedStages(map, selection.stages, selection.commands);
  if (selection.withNeeds) return inRunningOrder(map, withNeeds(map, chosen));
  const unmet = chosen.flatMap((name) =>
    (map.stages[name]?.needs ?? [])
      .filter((need) => !chosen.includes(need) && state.stages[need]?.status !== 'green')
      .map((need) => ({ name, need, record: state.stages[need] })),
  );
  if (unmet.length > 0) {
    const drifted = new Set(unmet.flatMap(({ need, record }) => (record?.stale?.drift ? need : [])));
    const facts = { stages: chosen.join(', '), command: withNeedsCommand(selection, chosen), drifted: [...drifted] };
    const problems = unmet.map(({ name, need, record: { status = 'idle', reason } = {} }) =>
      [`${name} needs ${need}, which is ${status}`, ...(reason ? [reason] : [])].join(': '),
    );
    fail('E_NEEDS_UNMET', facts, problems);
  }
  return inRunningOrder(map, chosen);
}

const withNeedsCommand = ({ forced }: Pick<Selection, 'forced'>, stages: readonly string[]): string =>
  `mendloop ${forced ? 'retry ' : ''}${stages.join(' ')} --with-needs`;

/** With `retry_failed` off, or no retries allowed, a failed stage stops the run before anything starts. */
export function refuseFailed(stages: readonly string[], { stages: records }: StageState): void {
  const failed = stages.filter((name) => records[name]?.status === 'failed');
  if (failed.length === 0) return;
  const problems = failed.map((name) => `${name}: ${records[name]?.reason ?? 'failed'}`);
  fail('E_FOUND_FAILED', { command: `mendloop retry ${failed.join(' ')}` }, problems);
}

/** Stages that are needed and not asked for must be fresh; a person says whether they are to be made again. */
export function refuseStaleNeeds(
  selection: Selection,
  stages: readonly string[],
  requested: readonly string[],
  stale: readonly StaleStage[],
): void {
  const unmet = stale.filter(({ stage }) => requested.includes(stage) && !stages.includes(stage));
  if (unmet.length === 0) return;
  const problems = unmet.map(({ stage, why }) => `${stage} no longer stands: ${why}`);
  fail('E_NEEDS_UNMET', { stages: stages.join(', '), command: withNeedsCommand(selection, stages) }, problems);
}

/** One text for a request, equal for equal requests: how a cut-off run is recognised as the one asked for again. */
export function askedText(selection: Selection): string {
  if (selection.stages.length === 0) return 'all';
  const names = [...new Set(selection.stages)].sort().join(' ');
  return `${selection.forced ? 'retry ' : ''}${names}${selection.withNeeds ? ' --with-needs' : ''}`;
}
