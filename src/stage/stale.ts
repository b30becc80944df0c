// Stages that were green and no longer stand, recorded after every write of the tree and whenever one of their needs was
// made again.
import type { Stage } from '../config/context-map.ts';
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { inputFiles } from '../plan/inputs.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import { type GreenStep, type StaleStage, staleStages } from '../plan/stale.ts';
import { stepInputs } from './call.ts';
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
    const isTouched = changed === undefined || inputFiles(stage, files).some((path) => changed.includes(path));
    for (const cell of cellsOf(stage)) {
      const record = recordOf(state, stepNameOf(name, cell));
      // One that is stale already has one more reason, if this write changed its inputs, too.
      if (record?.status !== 'green' && !(record?.stale && changed && isTouched)) continue;
      const wrote = stage.rerun ? (record.wrote ?? []) : [];
      const now = isTouched ? await stepInputs(run, name, cell) : undefined;
      // An attempt that began since has no inputs on record; this write touched them.
      const begun = now && record.status !== 'green' ? { ...now, files: '' } : undefined;
      green.push({ stage: name, recorded: record.inputs ?? begun, now, wrote });
    }
  }
  return staleStages(green, putBack);
}

export const staleEvent = ({ stage, why, remake }: StaleStage, commit: string, status = 'idle'): NewEvent => ({
  type: 'stage.stale',
  stage,
  status,
  data: { why, commit, ...(remake && { remake }) },
});

/**
 * Records which green stages no longer stand after a fix was applied or taken back, which ended in `commit`. Throws
 * E_STAGE_FILES_LOST when what a stage that must not run twice had written cannot be written again.
 */
export async function recordStale(run: StageRun, commit: string, write: TreeWrite): Promise<void> {
  const { map } = run.config;
  const stale = await findStale(run, run.journal.stages, write);
  // Not to be run by the loop itself: a person said yes to the fix, and says when.
  const status = (stage: string) => (map.stages[stage]?.rerun ? 'idle' : 'failed');
  if (stale.length > 0) run.journal.append(...stale.map((one) => staleEvent(one, commit, status(one.stage))));
  for (const { step, wrote = [], wrote_patch: patch } of madeOnce(run)) {
    const lost = wrote.filter((path) => write.putBack.includes(path));
    if (lost.length === 0 || patch === undefined) continue;
    if (!(await run.tree.rewrite(patch, lost))) fail('E_STAGE_FILES_LOST', { step, patch }, lost);
  }
}

/** The green steps of stages that must not run twice. */
function madeOnce({ config, journal }: Pick<StageRun, 'config' | 'journal'>) {
  return Object.entries(config.map.stages).flatMap(([name, stage]) => {
    if (stage.rerun) return [];
    const steps = cellsOf(stage).map((cell) => stepNameOf(name, cell));
    return steps.flatMap((step) => {
      const record = recordOf(journal.stages, step);
      return record?.status === 'green' ? [{ ...record, stage: name, step }] : [];
    });
  });
}

/** Stages that must not run twice, are green, and are made from one of these files. */
export async function madeOnceFrom(run: StageRun, paths: readonly string[]): Promise<string[]> {
  const once = [...new Set(madeOnce(run).map(({ stage }) => stage))];
  if (once.length === 0) return [];
  const files = await run.tree.files();
  return once.filter((name) => {
    const stage = run.config.map.stages[name] as Stage;
    return inputFiles(stage, files).some((path) => paths.includes(path));
  });
}

/** Records that the green stages which need `made` are to be looked at again: it was made again. */
export function recordRemade(run: StageRun, made: string, commit: string): void {
  const { stages } = run.journal.stages;
  const needing = Object.entries(run.config.map.stages).filter(([, { needs }]) => needs.includes(made));
  const green = needing.flatMap(([stage]) => (stages[stage]?.status === 'green' ? [stage] : []));
  const why = `${made} was made again`;
  if (green.length > 0) run.journal.append(...green.map((stage) => staleEvent({ stage, why, remake: false }, commit)));
}
