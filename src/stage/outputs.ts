// What stages publish for each other: files below ai/state/out/<stage>[/<cell>]/.
import { join } from 'node:path';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { fileFacts, hashFile } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { cellKey, cellsOf, stepNameOf } from '../plan/matrix.ts';

export interface OutputFile {
  /** `talos.kubeconfig`, or `talos[host=cp1].kubeconfig`. */
  name: string;
  output: string;
  step: string;
  path: string;
}

/** Every output of a stage, one for each cell. */
export function outputsOf(map: ContextMap, stage: string, layout: Layout): OutputFile[] {
  const definition = map.stages[stage] as Stage;
  return cellsOf(definition).flatMap((cell) => {
    const step = stepNameOf(stage, cell);
    return Object.entries(definition.outputs).map(([output, path]) => ({
      name: `${step}.${output}`,
      output,
      step,
      path: join(layout.out(stage, cellKey(cell)), path),
    }));
  });
}

/** An output counts only when its step is green and the file is there and not empty. */
export function isPublished(output: OutputFile, stages: StageState): boolean {
  return recordOf(stages, output.step)?.status === 'green' && isFilled(output.path);
}

/** Whether a file is there and not empty. */
export function isFilled(path: string): boolean {
  const facts = fileFacts(path);
  return facts?.isFile === true && facts.size > 0;
}

/** Name → content hash of every output of the stages that `stage` needs; one that is missing counts as such. */
export async function neededOutputs(map: ContextMap, stage: Stage, layout: Layout): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const output of stage.needs.flatMap((need) => outputsOf(map, need, layout))) {
    hashes.set(output.name, fileFacts(output.path)?.isFile ? await hashFile(output.path) : 'missing');
  }
  return hashes;
}
