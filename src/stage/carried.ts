// What a step is made from beside its commit: the carried files that it names, and, where no check could tell, the worktree.
import { join } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import type { Inputs } from '../events.ts';
import { changeMark, contentMark } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import type { StageState } from '../journal/stages.ts';
import { carriedInputs } from '../plan/inputs.ts';
import { hasChecks } from './checks.ts';
import { perRun, type StageRun } from './run.ts';

/** The kinds of input that are in no commit. */
export type Beside = Pick<Inputs, 'carried' | 'worktree'>;

interface Place {
  readonly layout: Pick<Layout, 'home' | 'worktree'>;
  readonly carry: readonly string[];
  readonly written: StageState['written'];
}

/** As things are now; what stages were seen to write is left out. */
export async function besideInputs(stage: Stage, { layout, carry, written = [] }: Place): Promise<Beside> {
  const paths = carriedInputs(stage, carry).filter(
    (path) => !written.some((writtenPath) => isWithin(path, writtenPath)),
  );
  const marks = await Promise.all(paths.map(async (path) => [path, await contentMark(join(layout.home, path))]));
  // Git writes this file once, when it makes the worktree.
  const isBlind = !hasChecks(stage) && stage.rerun;
  const worktree = isBlind ? { worktree: changeMark(join(layout.worktree, '.git')) } : {};
  return { carried: Object.fromEntries(marks), ...worktree };
}

/** A path and a folder that holds it, either way round: one is not written without the other. */
const isWithin = (path: string, other: string): boolean =>
  path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`);

/** The same for every stage, as it was when the run first looked: before any of its attempts. */
export const besideAtStart = perRun(async (run: StageRun): Promise<ReadonlyMap<string, Beside>> => {
  const rows = Object.entries(run.config.map.stages).map(
    async ([name, stage]) => [name, await besideInputs(stage, placeOf(run))] as const,
  );
  return new Map(await Promise.all(rows));
});

export const placeOf = ({ layout, config, journal }: StageRun): Place => ({
  layout,
  carry: config.map.carry,
  written: journal.stages.written,
});

/** Every carried path that some stage names, with a mark that changes when it is written. */
export const carriedMarks = (run: StageRun): Map<string, string> =>
  new Map(allCarried(run).map((path) => [path, changeMark(join(run.layout.home, path))]));

const allCarried = perRun(({ config: { map } }: StageRun): string[] => [
  ...new Set(Object.values(map.stages).flatMap((stage) => carriedInputs(stage, map.carry))),
]);
