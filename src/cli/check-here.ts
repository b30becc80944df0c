// What check-patch needs to know of this repository: the files that a run would change, and the rules that count there.
import { pathMatcher } from '../config/paths.ts';
import type { Edit } from '../fix/edit.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import { fileFacts } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { commonDirOf } from '../io/git-dir.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { shellCheck } from '../io/shell-check.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { recordOf } from '../journal/stages.ts';
import { failureRules } from '../mend/context.ts';
import { gateRules, linesWith, snapshotTree } from '../mend/gate-rules.ts';
import { changesOnce, nearCopy, shellProblems } from '../mend/proposal.ts';
import { backlogOf, withItems } from '../run/items.ts';
import { droppedCommit } from '../stage/bring-options.ts';
import { configurationNow } from '../stage/configuration.ts';
import { judgesAt } from '../stage/judges.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import { entryOf } from '../triage/ledger.ts';
import { type Base, commitOf, isAncestor } from '../worktree/base.ts';
import { tryMerge } from '../worktree/merge-tree.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { snapshotOf } from '../worktree/read.ts';

export type Here = Awaited<ReturnType<typeof lookHere>>;

/** Looks at `paths` and at what the stage may edit. Throws MendError for an unknown stage, and where no run could start. */
export async function lookHere(home: string, objects: GitObjects, name: string, paths: readonly string[]) {
  const { base, config: committed } = await configurationNow(home, objects);
  const target = await targetOf(home, base);
  const snapshot = await snapshotOf({ objects }, target.tree);
  const config = await withItems(committed, [name], () => backlogOf(objects, base.commit));
  const { map } = config;
  const stage = map.stages[name] ?? unknownStage(name, Object.keys(map.stages));
  const allowed = [...snapshot.files.keys()].filter(pathMatcher(stage.files));
  const wanted = [...new Set([...paths, ...allowed])];
  const texts = new Map(await Promise.all(wanted.map(async (path) => [path, await snapshot.text(path)] as const)));
  const judges = await judgesAt(map, snapshot);
  const layout = layoutOf(home);
  const { state: stages } = loadStages(layout, { look: true });
  const { fingerprint = '' } = recordOf(stages, name) ?? {};
  const rules = {
    ...(await gateRules(home, config, stage, 'executor', snapshotTree(snapshot), judges)),
    ...failureRules(home, entryOf(readLedger(layout).ledger, name, fingerprint)),
  };
  const { worktree } = layout;
  return {
    against: target.about,
    editable: editablePaths(allowed, rules),
    text: (path: string) => texts.get(path),
    rules,
    lookUp: (names: readonly string[]) => linesWith(openGit(home), names, target.tree),
    unwritable: async (files: readonly Edit[]) =>
      unwritable({ home, path: fileFacts(worktree) ? worktree : home, gitDir: await commonDirOf(home) }, files),
    nearCopy: (files: readonly Edit[]) => nearCopy(files, stage.files, snapshot),
    shellProblems: (files: readonly Edit[]) => shellProblems(files, shellCheck),
    /** What the owner would be asked because of how the stages stand now. */
    ownersAsk: async (files: readonly Edit[]) => {
      const standing = { config, journal: { stages }, tree: { files: async () => snapshot.files } };
      const paths = files.map(({ path }) => path);
      return changesOnce(await madeOnceFrom(standing, paths));
    },
  };
}

/** The tree that the next run works on, as far as it can be told beforehand, and in words which one it is. */
async function targetOf(home: string, base: Base): Promise<{ tree: string; about: string }> {
  const { branch, name, commit } = base;
  const git = openGit(home);
  const short = (id: string) => `(${id.slice(0, 12)})`;
  const baseNow = `${name} ${short(commit)}`;
  const head = await commitOf(git, `refs/heads/${branch}`);
  if (head === undefined) return { tree: commit, about: `${baseNow}, where the first run starts` };
  if (await droppedCommit(layoutOf(home), base)) {
    const next = `the next run makes ${branch} anew from it, with the verified fixes that still fit`;
    return { tree: commit, about: `${baseNow} alone, because it was rewritten: ${next}` };
  }
  const branchNow = `${branch} ${short(head)}`;
  if (await isAncestor(git, commit, head)) return { tree: head, about: branchNow };
  const { tree, conflicts, failure } = await tryMerge(git, head, commit);
  if (failure !== undefined) return { tree: head, about: `${branchNow} alone: git could not merge ${baseNow}` };
  if (conflicts.length > 0) {
    const next = 'the next run first takes back the fixes that do';
    return { tree: head, about: `${branchNow} alone, because it conflicts with ${baseNow}: ${next}` };
  }
  return { tree, about: `${branchNow} with ${baseNow} merged, as the next run does` };
}
