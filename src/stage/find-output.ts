// Which output a name means: `talos.kubeconfig`, or `talos[host=cp1].kubeconfig` for one cell.
import type { ContextMap } from '../config/context-map.ts';
import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { splitStepName } from '../plan/matrix.ts';
import { type OutputFile, outputsOf } from './outputs.ts';
import { unknownStage } from './unknown-stage.ts';

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
    const known = [...new Set(all.map((o) => o.output))];
    fail('E_UNKNOWN_OUTPUT', { name, hint: didYouMean(wanted, known, 'it has'), stage });
  }
  return { stage, files };
}
