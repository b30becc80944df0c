// run.json: a run at a glance, made from its journal when it ended.
import { z } from 'zod';
import type { Layout } from '../io/layout.ts';
import { listRuns } from '../io/runs.ts';
import { readChecked, writeAtomic } from '../io/store.ts';

const runFileSchema = z.object({
  version: z.literal(1),
  run: z.string(),
  execution_id: z.string(),
  asked: z.string(),
  lab: z.string(),
  ended: z.string(),
  exit: z.int(),
  result: z.record(z.string(), z.unknown()),
});

export type RunFile = z.infer<typeof runFileSchema>;

export function writeRunFile(layout: Layout, file: RunFile): void {
  writeAtomic(layout.runFile(file.run), `${JSON.stringify(file, null, 2)}\n`);
}

/** Whether some run with this execution id has ended. */
export function executionEnded(layout: Layout, executionId: string): boolean {
  // Run names end in the first four digits of their execution id, so hardly any file is opened.
  return listRuns(layout)
    .filter((run) => run.endsWith(`-${executionId.slice(0, 4)}`))
    .some((run) => {
      const read = readChecked(layout.runFile(run), runFileSchema);
      return read.found && read.value.execution_id === executionId;
    });
}
