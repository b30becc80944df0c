// Where the tools of a cluster find it, when somebody looks at it who did not write the stages: by the outputs that hold it.
import type { ContextMap } from '../config/context-map.ts';
import type { Layout } from '../io/layout.ts';
import { isFilled, outputsOf } from './outputs.ts';

/** Name of an output → the variable by which tools are told of such a file. */
const VARIABLES: Readonly<Record<string, string>> = { kubeconfig: 'KUBECONFIG', talosconfig: 'TALOSCONFIG' };

/** The variables for what stages have published; the first of a name counts. */
export function toolConfigs(map: ContextMap, layout: Layout): Record<string, string> {
  const found = Object.keys(map.stages)
    .flatMap((stage) => outputsOf(map, stage, layout))
    .filter(({ output, path }) => VARIABLES[output] !== undefined && isFilled(path));
  return Object.fromEntries(found.reverse().map(({ output, path }) => [VARIABLES[output] as string, path]));
}
