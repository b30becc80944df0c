// The gate's rules for one stage: what the owner's map allows it, and what nobody's fix may touch.
import type { Stage } from '../config/context-map.ts';
import { carriedPaths } from '../fix/gate/protected-names.ts';
import { type GateRules, type Tree, treeOf } from '../fix/gate/rules.ts';
import type { JudgingSet } from '../fix/judging/judging-set.ts';
import type { Configuration } from '../stage/configuration.ts';
import { packagePaths } from '../stage/own-plugins.ts';
import type { Snapshot } from '../worktree/read.ts';

/** `tree`: what a fix would be written into; `judges`: what of it no fix may touch. */
export async function gateRules(
  home: string,
  { map, loop: { limits } }: Configuration,
  stage: Stage,
  tier: GateRules['tier'],
  tree: Tree,
  judges: JudgingSet,
): Promise<GateRules> {
  const whole = [...judges].filter(([, { part }]) => part === undefined);
  return {
    allow: stage.files,
    protect: map.protected_files,
    untouchable: [...whole.map(([path]) => path), ...carriedPaths(map.carry), ...(await packagePaths(home))],
    partly: new Map([...judges].flatMap(([path, { part }]) => (part ? [[path, part] as const] : []))),
    // Whoever escalates may change more than one; more files than lines there cannot be.
    maxFiles: tier === 'executor' ? limits.executor_files : limits.changed_lines,
    maxLines: limits.changed_lines,
    tier,
    tree,
  };
}

export const snapshotTree = ({ files, links }: Snapshot): Tree => ({
  ...treeOf([...files.keys()], links),
  isExecutable: (path) => files.get(path)?.mode === '100755',
});
