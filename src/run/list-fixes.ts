// The fixes of the AI branch that the base does not have, each with how it stands. Reads only.
import { openGit } from '../io/git.ts';
import type { Layout } from '../io/layout.ts';
import { entryOf, type Ledger } from '../triage/ledger.ts';
import type { PatchOutcome } from '../triage/records.ts';
import type { Base } from '../worktree/base.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { landedCommits } from '../worktree/landed.ts';

export interface ListedFix {
  commit: string;
  time: string;
  stage: string;
  fingerprint: string;
  class: string;
  plugin: string;
  run: string;
  paths: readonly string[];
  fix: string;
  reason: string;
  /** As the ledger has it; `landed`: the base has it already. */
  outcome: PatchOutcome | 'landed' | 'unknown';
  diff?: string;
}

/** Newest first; nothing when there is no AI branch yet. Throws a GitError. */
export async function listFixes(layout: Layout, base: Base, ledger: Ledger, withDiff: boolean): Promise<ListedFix[]> {
  const git = openGit(layout.home);
  const tip = await git.attempt(['rev-parse', '-q', '--verify', `refs/heads/${base.branch}`]);
  if (!tip.ok) return [];
  const head = tip.stdout.trim();
  const found = await committedFixes(git, base.commit, head);
  const landed = await landedCommits(git, base.commit, head);
  return Promise.all(
    found
      .filter(({ trailers }) => !trailers.has('Reverts'))
      .map(async (fix) => ({
        ...listed(fix, ledger, landed),
        ...(withDiff ? { diff: await git.run(['show', '--format=', '--no-color', '--no-ext-diff', fix.commit]) } : {}),
      })),
  );
}

function listed(
  { commit, time, paths, note, trailers }: CommittedFix,
  ledger: Ledger,
  landed: ReadonlySet<string>,
): ListedFix {
  const of = (name: string) => trailers.get(name) ?? '';
  const patch = entryOf(ledger, of('Stage'), of('Fingerprint'))?.patches.find(({ hash }) => hash === of('Patch'));
  return {
    ...{ commit, time, paths, fix: note.fix, reason: note.reason },
    ...{ stage: of('Stage'), fingerprint: of('Fingerprint'), class: of('Class'), plugin: of('Plugin'), run: of('Run') },
    outcome: landed.has(commit) ? 'landed' : (patch?.outcome ?? 'unknown'),
  };
}
