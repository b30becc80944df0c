// Which runs may be forgotten. Pure: who decides is told what there is and what is still needed.
import type { LoopConfig } from '../config/loop-config.ts';
import type { Ledger } from '../triage/ledger.ts';
import type { StageState, StepRecord } from './stages.ts';

/** A run on disk: its journal and its logs. */
export interface StoredRun {
  readonly id: string;
  /** When it began, in epoch milliseconds. */
  readonly time: number;
  readonly bytes: number;
}

/** The newest runs that stay whatever is asked for: resuming, and the base that was merged last, are read from them. */
const MIN_RUNS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The runs to remove, oldest first. `runs`: oldest first; `needed`: those that something still refers to. */
export function expiredRuns(
  runs: readonly StoredRun[],
  needed: ReadonlySet<string>,
  { days, keep_runs, max_mb }: NonNullable<LoopConfig['retention']>,
  now: number,
): StoredRun[] {
  const free = runs.slice(0, Math.max(0, runs.length - MIN_RUNS)).filter(({ id }) => !needed.has(id));
  const tooOld = (run: StoredRun) => days !== null && run.time < now - days * DAY_MS;
  const tooMany = new Set(keep_runs === null ? [] : runs.slice(0, Math.max(0, runs.length - keep_runs)));
  let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  return free.filter((run) => {
    const isOver = max_mb !== null && bytes > max_mb * 1024 * 1024;
    const goes = tooOld(run) || tooMany.has(run) || isOver;
    if (goes) bytes -= run.bytes;
    return goes;
  });
}

/** The runs that stages, failures, fixes and cases still refer to. */
export function neededRuns({ as_of, stages }: StageState, ledger: Ledger): Set<string> {
  const records = Object.values(stages).flatMap(({ cells = {}, ...stage }): StepRecord[] => [
    stage,
    ...Object.values(cells),
  ]);
  const entries = Object.values(ledger.entries);
  const paths = [...records.map(({ green_log }) => green_log), ...entries.map(({ log }) => log)];
  const patches = entries.flatMap((entry) => entry.patches);
  return new Set(
    [
      as_of.run,
      ledger.as_of.run,
      ledger.last_line.run,
      ...records.flatMap(({ run, reset }) => [run, reset]),
      ...entries.map(({ run }) => run),
      ...patches.map(({ run }) => run),
      ...paths.map((path) => /(\d{8}-\d{6}-[0-9a-f]{4})-[^/]*$/.exec(path ?? '')?.[1]),
    ].flatMap((run) => run ?? []),
  );
}
