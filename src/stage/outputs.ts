// What stages publish for each other: files below ai/state/out/<stage>[/<cell>]/.
import { join } from 'node:path';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import { fileFacts, hashFile } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { cellKey, cellsOf, splitStepName, stepNameOf } from '../plan/matrix.ts';
import { unknownStage } from './unknown-stage.ts';

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

/** The files `name` means: one, or one per cell when it names no cell. Throws MendError for what is not there. */
export function findOutputs(map: ContextMap, name: string, layout: Layout): { stage: string; files: OutputFile[] } {
  const dot = name.lastIndexOf('.');
  if (dot < 1)
    fail('E_USAGE', { what: `${JSON.stringify(name)} names no output`, next: 'mendloop get <stage>.<output>' });
  const { stage, cell } = splitStepName(name.slice(0, dot));
  if (!Object.hasOwn(map.stages, stage)) unknownStage(stage, Object.keys(map.stages));
  const wanted = name.slice(dot + 1);
  const all = outputsOf(map, stage, layout);
  const files = all.filter((o) => o.output === wanted && (cell === '' || o.step === name.slice(0, dot)));
  if (files.length === 0) {
    const names = [...new Set(all.map((o) => o.output))];
    fail('E_UNKNOWN_OUTPUT', { name, hint: didYouMean(wanted, names, 'it has'), stage });
  }
  return { stage, files };
}

/** Name of an output → the variable that tools read its path from. */
const VARIABLES: Readonly<Record<string, string>> = { kubeconfig: 'KUBECONFIG', talosconfig: 'TALOSCONFIG' };

/** The variables for what stages have published; the first of a name counts. */
export function toolConfigs(map: ContextMap, layout: Layout): Record<string, string> {
  const files = Object.keys(map.stages)
    .flatMap((stage) => outputsOf(map, stage, layout))
    .filter(({ output, path }) => VARIABLES[output] !== undefined && isFilled(path));
  return Object.fromEntries(files.reverse().map(({ output, path }) => [VARIABLES[output] as string, path]));
}
