// Whether a fix made for one step broke another that was green: then the loop must stop and a person look.
import type { Stage } from '../config/context-map.ts';
import type { StepRecord } from '../journal/stages.ts';
import { type Tree as Files, inputFiles } from '../plan/inputs.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { type Tree, treeGit } from '../worktree/tree.ts';

/**
 * The fix of another step that changed what `step` is made from since it was green, and is still there; undefined when
 * there is none. Throws a GitError.
 */
export async function turnedRedBy(
  step: string,
  stage: Stage,
  record: StepRecord | undefined,
  { tree, head, files }: { tree: Tree; head: string; files: Files },
): Promise<CommittedFix | undefined> {
  const { reopened, green_head } = record ?? {};
  if (!reopened || green_head === undefined || green_head === head) return undefined;
  const since = await committedFixes(treeGit(tree), green_head, head);
  const gone = new Set(since.map(({ trailers }) => trailers.get('Reverts')));
  const inputs = new Set(inputFiles(stage, files));
  return since.find(
    ({ commit, trailers, paths }) =>
      !trailers.has('Reverts') &&
      !gone.has(commit) &&
      (trailers.get('Step') ?? trailers.get('Stage')) !== step &&
      paths.some((path) => inputs.has(path)),
  );
}
