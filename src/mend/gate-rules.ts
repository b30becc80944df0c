// The gate's rules for one stage: what the owner's map allows, and what no fix may touch.
import { isItemStage } from '../backlog/stage-of-item.ts';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { UNATTENDED, unattendedOf } from '../config/unattended.ts';
import type { FixTier } from '../events.ts';
import type { CheckFiles } from '../fix/check-files/check-files.ts';
import { carriedPaths } from '../fix/gate/protected-names.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { type StageState, stepRecords } from '../journal/stages.ts';
import { isMadeFrom, type Tree } from '../plan/inputs.ts';
import type { RepositoryFacts } from '../repository/repository.ts';
import type { Listing } from '../repository/tree.ts';
import { checkFilesAt } from '../stage/check-files.ts';
import type { Configuration } from '../stage/configuration.ts';
import { packagePaths } from '../stage/own-plugins.ts';
import type { Snapshot } from '../worktree/read.ts';
import type { RepositoryReader } from '../worktree/repository-at.ts';

/** `snapshot`: what a fix would be written into; `given`: what of it no fix may touch, where that is known already. */
export async function gateRules(
  home: string,
  { map, loop }: Configuration,
  stage: Stage,
  tier: FixTier,
  snapshot: Snapshot,
  given?: CheckFiles,
): Promise<GateRules> {
  const checkFiles = [...(given ?? (await checkFilesAt(map, snapshot))).keys()];
  const { files = 0, lines = 0, new_folders: maxFolders = 0, programs = [] } = stage.wider ?? {};
  const { limits } = loop;
  const maxLines = Math.max(limits.changed_lines, lines);
  return {
    allow: stage.files,
    protect: map.protected_files,
    untouchable: [...checkFiles, ...carriedPaths(map.carry), ...(await packagePaths(home))],
    programs: [...stage.requires.tools, ...programs],
    // Escalations may change several files: at most one a line.
    maxFiles: tier === 'executor' ? Math.max(limits.executor_files, files) : maxLines,
    maxLines,
    maxFolders,
    unattended: unattendedOf(loop, stage),
    tree: snapshotTree(snapshot),
  };
}

/** What holds for a change of `paths`: that of an item is judged as the strictest of the stages says that are made from them. */
export function unattendedFor({ map, loop }: Configuration, stage: Stage, paths: readonly string[], tree: Tree) {
  const isItem = stage.wider !== undefined;
  const others = Object.entries(map.stages).filter(
    ([name, other]) => !isItemStage(name) && isMadeFrom(other, paths, tree),
  );
  const said = isItem ? others.map(([, other]) => unattendedOf(loop, other)) : [unattendedOf(loop, stage)];
  return UNATTENDED.find((one) => said.includes(one)) ?? 'all';
}

export const snapshotTree = ({ files, links }: Pick<Snapshot, 'files' | 'links'>): Listing => ({
  files: [...files.keys()],
  executables: [...files].filter(([, { mode }]) => mode === '100755').map(([path]) => path),
  links,
});

/** What the repository defines, for proofs; `state`: which files its stages were seen to write. */
export const repositoryFacts = (
  reader: RepositoryReader,
  snapshot: Snapshot,
  { carry }: Pick<ContextMap, 'carry'>,
  state?: StageState,
): Promise<RepositoryFacts> =>
  reader.at(snapshot, {
    carried: carry,
    written: state ? stepRecords(state).flatMap(({ record: { wrote = [] } }) => wrote) : [],
  });
