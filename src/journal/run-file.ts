// run.json: a run at a glance, made from its journal when it ended.
import type { Layout } from '../io/layout.ts';
import { readChecked, writeAtomic } from '../io/store.ts';
import { listRuns } from './runs.ts';

export interface RunFile {
  version: 1;
  run: string;
  execution_id: string;
  asked: string;
  lab: string;
  ended: string;
  exit: number;
  result: Record<string, unknown>;
}

function isRunFile(value: unknown): value is RunFile {
  const file = value as Partial<RunFile> | null;
  return typeof file === 'object' && file?.version === 1 && typeof file.execution_id === 'string';
}

export function writeRunFile(layout: Layout, file: RunFile): void {
  writeAtomic(layout.runFile(file.run), `${JSON.stringify(file, null, 2)}\n`);
}

/** Whether some run with this execution id has ended. */
export function executionEnded(layout: Layout, executionId: string): boolean {
  // Run names end in the first four digits of their execution id, so hardly any file is opened.
  return listRuns(layout)
    .filter((run) => run.endsWith(`-${executionId.slice(0, 4)}`))
    .some((run) => {
      const read = readChecked(layout.runFile(run), isRunFile);
      return read.found && read.value.execution_id === executionId;
    });
}
