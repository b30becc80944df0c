// Green stages that become stale: recorded after every write of the tree, and whenever one of their needs was made again.
import type { ContextMap, Stage } from '../config/context-map.ts';
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { lastWriters, recordOf, type StageState, type StepRecord, wasGreen } from '../journal/stages.ts';
import { compareInputs, isMadeFrom } from '../plan/inputs.ts';
import { type Cell, cellsOf, stepNameOf } from '../plan/matrix.ts';
import type { Trial } from '../triage/incident.ts';
import { stepInputs } from './call.ts';
import { hasChecks } from './checks.ts';
import type { StageRun } from './run.ts';

export interface StaleStage {
  readonly stage: string;
  readonly why: string;
  /** It must run again even when its inputs are what they were. */
  readonly remake: boolean;
}

/** What a write did to the tree. */
export interface TreeWrite {
  /** The files that it changed; undefined: any. */
  readonly changed?: readonly string[];
  /** Tracked files that were put back to HEAD for it. */
  readonly putBack: readonly string[];
}

/** Which green stages no longer stand after a write: their inputs changed, or tracked files that they had written were put back. */
export async function findStale(
  run: Pick<StageRun, 'config' | 'layout' | 'tree'>,
  state: StageState,
  { changed, putBack }: TreeWrite,
): Promise<StaleStage[]> {
  const { map } = run.config;
  const files = await run.tree.files();
  const stale = new Map<string, StaleStage>();
  for (const { stage, cell, record } of stepsIn(map, state)) {
    const definition = map.stages[stage] as Stage;
    const isTouched = changed === undefined || isMadeFrom(definition, changed, files);
    const wrote = definition.rerun ? (record.wrote ?? []) : [];
    const lost = wrote.filter((path) => putBack.includes(path));
    const isGreen = record.status === 'green';
    // A stale one gets one more reason, if this write changed its inputs or its files too.
    if (!isGreen && !(record.stale && ((changed && isTouched) || lost.length > 0))) continue;
    if (lost.length > 0) {
      stale.set(stage, { stage, why: `${lost.join(', ')}, which it wrote, was put back`, remake: true });
    } else if (isTouched && !stale.has(stage)) {
      const now = await stepInputs(run, stage, cell);
      // An attempt that began since has no inputs on record; this write touched them.
      const inputs = compareInputs(record.inputs ?? (isGreen ? undefined : { ...now, files: '' }), now);
      if (!inputs.fresh) stale.set(stage, { stage, why: inputs.why, remake: false });
    }
  }
  return [...stale.values()];
}

/** Every step of a map that there is a record of. */
function stepsIn({ stages }: ContextMap, state: StageState) {
  return Object.entries(stages).flatMap(([stage, definition]) =>
    cellsOf(definition).flatMap((cell): { stage: string; cell: Cell; step: string; record: StepRecord }[] => {
      const step = stepNameOf(stage, cell);
      const record = recordOf(state, step);
      return record ? [{ stage, cell, step, record }] : [];
    }),
  );
}

/** Tracked files that green steps had written and that are as at HEAD, put back by a process that did not record it. */
export function lostWork(map: ContextMap, state: StageState, changed: readonly string[]): string[] {
  const wrote = stepsIn(map, state).flatMap(({ record }) => (wasGreen(record) ? (record.wrote ?? []) : []));
  return wrote.filter((path) => !changed.includes(path));
}

export const staleEvent = (
  { stage, why, remake, recheck }: StaleStage & { recheck?: boolean },
  commit: string,
  byFix: boolean,
): NewEvent => ({
  type: 'stage.stale',
  stage,
  status: 'idle',
  data: { why, commit, ...(remake && { remake }), ...(recheck && { recheck }), ...(byFix && { by_fix: true }) },
});

/** Records which green stages no longer stand after a fix was applied or taken back, which ended in `commit`. */
export async function recordStale(run: StageRun, commit: string, write: TreeWrite): Promise<void> {
  const stale = await findStale(run, run.journal.stages, write);
  if (stale.length > 0) run.journal.append(...stale.map((stage) => staleEvent(stage, commit, true)));
}

/**
 * Writes again what stages that must not run twice had written into tracked files, where that was put back. Throws
 * E_STAGE_FILES_LOST when it does not fit any more.
 */
export async function writeAgain(
  run: KnownStages & Pick<StageRun, 'layout' | 'tree'>,
  putBack: readonly string[],
): Promise<void> {
  const steps = putBack.length > 0 ? madeOnce(run) : [];
  const writers = lastWriters(steps.map(({ record }) => record));
  for (const { stage, cell, step, record } of steps) {
    const { wrote = [], wrote_patch: patch, inputs } = record;
    const lost = wrote.filter((path) => putBack.includes(path) && writers.get(path) === record);
    if (lost.length === 0 || patch === undefined || (await run.tree.rewrite(patch, lost))) continue;
    // One whose inputs its owner changed runs again, and writes them itself.
    if (compareInputs(inputs, await stepInputs(run, stage, cell)).fresh)
      fail('E_STAGE_FILES_LOST', { step, patch }, lost);
  }
}

/** The stages of a map, and how they stand. */
interface KnownStages extends Pick<StageRun, 'config'> {
  readonly journal: Pick<StageRun['journal'], 'stages'>;
}

/** The green steps of stages that must not run twice. */
const madeOnce = ({ config: { map }, journal }: KnownStages) =>
  stepsIn(map, journal.stages).filter(({ stage, record }) => !map.stages[stage]?.rerun && wasGreen(record));

/** Stages that must not run twice, are green, and are made from one of these files. */
export async function madeOnceFrom(
  run: KnownStages & { readonly tree: Pick<StageRun['tree'], 'files'> },
  paths: readonly string[],
): Promise<string[]> {
  const once = [...new Set(madeOnce(run).map(({ stage }) => stage))];
  if (once.length === 0) return [];
  const files = await run.tree.files();
  return once.filter((name) => isMadeFrom(run.config.map.stages[name] as Stage, paths, files));
}

/**
 * What follows when `made` was made again: the green stages that need it no longer stand, because of the fixes that made it
 * stale or that it was made again for.
 */
export function remadeEvents(
  map: ContextMap,
  state: StageState,
  trial: Trial | undefined,
  made: string,
  head: string,
): NewEvent[] {
  const { stages } = state;
  const stale = stages[made]?.stale;
  const fixes = trial?.stage === made ? trial.fixes.map(({ fix }) => fix.commit) : [];
  const commits = [...new Set([...(stale?.commits ?? []), ...fixes])];
  const needing = Object.keys(map.stages).filter((name) => map.stages[name]?.needs.includes(made));
  const standing = needing.filter((name) => stages[name]?.status === 'green' || stages[name]?.stale);
  const byFix = stale?.by_fix === true || fixes.length > 0;
  return standing.flatMap((stage) => {
    const stale = {
      stage,
      why: `${made} was made again`,
      remake: false,
      recheck: hasChecks(map.stages[stage] as Stage),
    };
    return (commits.length > 0 ? commits : [head]).map((commit) => staleEvent(stale, commit, byFix));
  });
}
