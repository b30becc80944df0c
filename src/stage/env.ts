// The environment of everything a stage runs: its command, its checks, its diagnostics.
import { delimiter, dirname } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { carriers } from '../io/process-group.ts';
import { isRunId } from '../journal/runs.ts';
import { type Cell, cellKey, stepNameOf } from '../plan/matrix.ts';
import { perRun, type Run } from './run.ts';

export interface StageWhere {
  name: string;
  stage: Stage;
  cell: Cell;
  run: string;
  attempt: number;
}

/** What a stage finds around it. */
export type Surroundings = Pick<Run, 'layout' | 'lab' | 'labTools' | 'env' | 'job'> & {
  readonly tree: { readonly path: string };
};

export function stageEnv(where: StageWhere, around: Surroundings): Record<string, string> {
  return {
    // Tools speak the language in which failures are known again, unless their owner wants another.
    LC_ALL: 'C.UTF-8',
    ...inheritedEnv(around),
    ...matrixEnv(where.cell),
    MENDLOOP_ROOT: around.tree.path,
    MENDLOOP_HOME: around.layout.home,
    MENDLOOP_LAB: around.lab,
    MENDLOOP_STAGE: where.name,
    MENDLOOP_STEP: stepNameOf(where.name, where.cell),
    MENDLOOP_RUN: where.run,
    MENDLOOP_ATTEMPT: String(where.attempt),
    MENDLOOP_OUT: around.layout.out(where.name, cellKey(where.cell)),
    MENDLOOP_OUTPUTS: dirname(around.layout.out('x', '')),
    MENDLOOP_SPEC: where.stage.spec,
    ...(around.job === undefined ? {} : { MENDLOOP_JOB: around.job }),
  };
}

/** The variables by which a stage knows its cell. */
export function matrixEnv(cell: Cell): Record<string, string> {
  const named = Object.entries(cell).map(([axis, value]) => [`MENDLOOP_MATRIX_${axis.toUpperCase()}`, value]);
  return Object.fromEntries(named);
}

/** The names of the variables that every attempt of a stage finds besides the inherited ones. */
export function stageVariables(stage: Pick<Stage, 'matrix'>): string[] {
  const axes = Object.keys(stage.matrix ?? {}).map((axis) => `MATRIX_${axis.toUpperCase()}`);
  const names = ['ROOT', 'HOME', 'LAB', 'STAGE', 'STEP', 'RUN', 'ATTEMPT', 'OUT', 'OUTPUTS', 'SPEC', ...axes];
  return ['LC_ALL', ...names.map((name) => `MENDLOOP_${name}`)];
}

/** What only the processes of this step of this run carry. */
export function stepMarks(home: string, run: string, step: string): string[] {
  return [`MENDLOOP_HOME=${home}`, `MENDLOOP_RUN=${run}`, `MENDLOOP_STEP=${step}`];
}

/** Processes of any run of this home that still live here, without jobs; undefined where they cannot be listed. */
export function strayProcesses(home: string) {
  return carriers([`MENDLOOP_HOME=${home}`])?.flatMap(({ pid, environment }) => {
    const value = (name: string) => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
    if (value('MENDLOOP_JOB') !== undefined) return [];
    const [run, step, attempt] = [value('MENDLOOP_RUN'), value('MENDLOOP_STEP'), Number(value('MENDLOOP_ATTEMPT'))];
    return run && isRunId(run) && step && Number.isInteger(attempt) ? [{ pid, run, step, attempt }] : [];
  });
}

export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The PATH on which a stage's tools are looked for. */
export function stagePath(around: Pick<Surroundings, 'env' | 'lab' | 'labTools'>): string {
  const path = around.env.PATH ?? DEFAULT_PATH;
  return around.lab === 'simulated' ? `${around.labTools}${delimiter}${path}` : path;
}

/** Read once a run: the environment of a process is slow to list. */
const inheritedEnv = perRun((around: Surroundings): Record<string, string> => {
  const inherited = Object.entries(around.env).filter(([key, value]) => value !== undefined && !/^MENDLOOP_/.test(key));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), PATH: stagePath(around) };
});
