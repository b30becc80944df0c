// An answer, judged by what check-patch knows of this repository: the files that a run would change, and the rules that count there.
import { fileFacts } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { commonDirOf } from '../io/git-dir.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { shellCheck } from '../io/shell-check.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { recordOf } from '../journal/stages.ts';
import { failureRules } from '../mend/context.ts';
import { gateRules, repositoryFacts, unattendedFor } from '../mend/gate-rules.ts';
import { judgeProposal, type ProposalContext } from '../mend/proposal.ts';
import { withItems } from '../run/items.ts';
import { configurationNow } from '../stage/configuration.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import { entryOf } from '../triage/ledger.ts';
import type { Base } from '../worktree/base.ts';
import { short } from '../worktree/messages.ts';
import { rehearse } from '../worktree/on-base.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { snapshotOf } from '../worktree/read.ts';
import { openRepositoryReader } from '../worktree/repository-at.ts';

/** Judges an answer as a run would that has not tried anything. Throws MendError for an unknown stage, and where no run could start. */
export async function checkHere(home: string, stage: string, answer: string) {
  return withObjects(home, async (objects) => {
    const { against, context } = await lookHere(home, objects, stage);
    return { checked: await judgeProposal({ answer }, context), against };
  });
}

async function lookHere(home: string, objects: GitObjects, name: string) {
  const { base, config: committed } = await configurationNow(home, objects);
  const target = await targetOf(home, base);
  const snapshot = await snapshotOf({ objects }, target.tree);
  const config = await withItems(committed, [name], objects, base.commit);
  const { map } = config;
  const stage = map.stages[name] ?? unknownStage(name, Object.keys(map.stages));
  const layout = layoutOf(home);
  const { state: stages } = loadStages(layout, { look: true });
  const { fingerprint = '' } = recordOf(stages, name) ?? {};
  const rules = {
    ...(await gateRules(home, config, stage, 'executor', snapshot)),
    ...failureRules(home, entryOf(readLedger(layout).ledger, name, fingerprint)),
  };
  const standing = { config, journal: { stages }, tree: { files: async () => snapshot.files } };
  const { worktree } = layout;
  const context: ProposalContext = {
    rules,
    snapshot,
    shellCheck,
    patches: [],
    unparsed: [],
    repository: () => repositoryFacts(openRepositoryReader(), snapshot, map, stages),
    unwritable: async (files) =>
      unwritable({ home, path: fileFacts(worktree) ? worktree : home, gitDir: await commonDirOf(home) }, files),
    isReversal: async () => false,
    unattendedFor: (paths) => unattendedFor(config, stage, paths, snapshot.files),
    madeOnceFrom: (paths) => madeOnceFrom(standing, paths),
  };
  return { against: target.about, context };
}

/** The tree that the next run works on, as far as it can be told beforehand, and in words which one it is. */
async function targetOf(home: string, base: Base): Promise<{ tree: string; about: string }> {
  const { branch, name, commit } = base;
  const git = openGit(home);
  const baseNow = `${name} (${short(commit)})`;
  const next = await rehearse(git, base);
  if (next === undefined) return { tree: commit, about: `${baseNow}, where the first run starts` };
  if (next.to === next.tip) return { tree: next.tip, about: `${branch} (${short(next.tip)})` };
  return { tree: next.to, about: `${branch} put onto ${baseNow}, as the next run does` };
}
