// The gate's rules for one stage: what the owner's map allows it, and what nobody's fix may touch.

import type { ContextMap, Stage } from '../config/context-map.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { carriedPaths, checkCommands, judgingScripts } from '../fix/gate/protected-names.ts';
import type { GateRules, Tree } from '../fix/gate/rules.ts';
import type { Snapshot } from '../worktree/read.ts';

export interface GateScope {
  map: ContextMap;
  limits: LoopConfig['limits'];
  snapshot: Snapshot;
  /** Paths of the running package's own code, when the repository is that package. */
  own: readonly string[];
}

export function gateRules(stage: Stage, tier: GateRules['tier'], scope: GateScope): GateRules {
  const { map, limits, snapshot, own } = scope;
  const tree = treeOf(snapshot);
  return {
    allow: stage.files,
    protect: map.protected_files,
    untouchable: [...judgingScripts(checkCommands(map), tree), ...carriedPaths(map.carry), ...own],
    // Whoever escalates may change more than one; more files than lines there cannot be.
    maxFiles: tier === 'executor' ? limits.executor_files : limits.changed_lines,
    maxLines: limits.changed_lines,
    tier,
    tree,
  };
}

function treeOf({ files, links }: Snapshot): Tree {
  const folders = new Set([...files.keys()].flatMap(parents));
  return {
    exists: (path) => files.has(path) || folders.has(path),
    isFolder: (path) => folders.has(path),
    linkTarget: (path) => links.get(path),
    isExecutable: (path) => files.get(path)?.mode === '100755',
  };
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}
