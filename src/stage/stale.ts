// Green stages that become stale: recorded after every write of the tree, and whenever one of their needs was made again.
import type { ContextMap, Stage } from '../config/context-map.ts';
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { lastWriters, recordOf, type StageState, wasGreen } from '../journal/stages.ts';
import { compareInputs, isMadeFrom } from '../plan/inputs.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import { type GreenStep, type StaleStage, staleStages } from '../plan/stale.ts';
import type { Trial } from '../triage/incident.ts';
import { stepInputs } from './call.ts';
import { hasChecks } from './checks.ts';
import type { StageRun } from './run.ts';

/** What a write did to the tree. */
export interface TreeWrite {
  /** The files that it changed; undefined: any. */
  readonly changed?: readonly string[];
  /** Tracked files that were put back to HEAD for it. */
  readonly putBack: readonly string[];
}

/** Which green stages no longer stand after a write. */
export async function findStale(
  run: Pick<StageRun, 'config' | 'layout' | 'tree'>,
  state: StageState,
  { changed, putBack }: TreeWrite,
): Promise<StaleStage[]> {
  const files = await run.tree.files();
  const green: GreenStep[] = [];
  for (const [name, stage] of Object.entries(run.config.map.stages)) {
    const isTouched = changed === undefined || isMadeFrom(stage, changed, files);
    for (const cell of cellsOf(stage)) {
      const record = recordOf(state, stepNameOf(name, cell));
      const wrote = stage.rerun ? (record?.wrote ?? []) : [];
      const isLost = wrote.some((path) => putBack.includes(path));
      // A stale one gets one more reason, if this write changed its inputs or its files too.
      if (record?.status !== 'green' && !(record?.stale && ((changed && isTouched) || isLost))) continue;
      const now = isTouched ? await stepInputs(run, name, cell) : undefined;
      // An attempt that began since has no inputs on record; this write touched them.
      const begun = now && record.status !== 'green' ? { ...now, files: '' } : undefined;
      green.push({ stage: name, recorded: record.inputs ?? begun, now, wrote });
    }
  }
  return staleStages(green, putBack);
}

/** Tracked files that green steps had written and that are as at HEAD, put back by a process that did not record it. */
export function lostWork({ stages }: ContextMap, state: StageState, changed: readonly string[]): string[] {
  const wrote = Object.entries(stages).flatMap(([name, stage]) =>
    cellsOf(stage).flatMap((cell) => {
      const record = recordOf(state, stepNameOf(name, cell));
      return record && wasGreen(record) ? (record.wrote ?? []) : [];
    }),
  );
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
function madeOnce({ config, journal }: KnownStages) {
  return Object.entries(config.map.stages).flatMap(([name, stage]) => {
    if (stage.rerun) return [];
    return cellsOf(stage).flatMap((cell) => {
      const step = stepNameOf(name, cell);
      const record = recordOf(journal.stages, step);
      return record && wasGreen(record) ? [{ stage: name, cell, step, record }] : [];
    });
  });
}

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
