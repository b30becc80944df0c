// run.json: a run at a glance, made from its journal when it ended.
import type { Layout } from '../io/layout.ts';
import { readChecked, writeAtomic } from '../io/store.ts';
import { type Checked, oneOf, shaped, text } from '../shape.ts';
import { listRuns } from './runs.ts';

const isRunFile = shaped({ version: oneOf([1]), execution_id: text });

export interface RunFile extends Checked<typeof isRunFile> {
  run: string;
  asked: string;
  lab: string;
  ended: string;
  exit: number;
  result: Record<string, unknown>;
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
