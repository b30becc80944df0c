// The fixes of the AI branch that the base does not have, and those it has and that were rolled back, each with how it
// stands. Reads only.
import { openGit } from '../io/git.ts';
import type { Layout } from '../io/layout.ts';
import { entryOf, type Ledger } from '../triage/ledger.ts';
import { PATCH_OUTCOMES, type PatchOutcome } from '../triage/records.ts';
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
  /** As the branch and the ledger have it; `landed`: the base has it already. */
  outcome: PatchOutcome | 'landed' | 'unknown';
  /** Set when it was taken back: the commit that did. */
  taken_back_by?: string;
  /** True: the base has the fix, and keeps it until what took it back is promoted. */
  on_base?: true;
  diff?: string;
}

/** Newest first; nothing when there is no AI branch yet. Throws a GitError. */
export async function listFixes(layout: Layout, base: Base, ledger: Ledger, withDiff: boolean): Promise<ListedFix[]> {
  const git = openGit(layout.home);
  const tip = await git.attempt(['rev-parse', '-q', '--verify', `refs/heads/${base.branch}`]);
  if (!tip.ok) return [];
  const head = tip.stdout.trim();
  const [found, landed] = await Promise.all([
    committedFixes(git, base.commit, head),
    landedCommits(git, base.commit, head),
  ]);
  const isRevert = ({ trailers }: CommittedFix) => trailers.has('Reverts');
  const reverts = new Map(found.filter(isRevert).map((by) => [by.trailers.get('Reverts') ?? '', by]));
  const inRange = new Set(found.map(({ commit }) => commit));
  const promoted = await Promise.all(
    [...reverts.keys()]
      .filter((commit) => !inRange.has(commit))
      .map((commit) => committedFixes(git, `${commit}^`, commit)),
  );
  const diffOf = (commit: string) => git.run(['show', '--format=', '--no-color', '--no-ext-diff', commit]);
  const rows = [
    ...found.filter((fix) => !isRevert(fix)).map((fix) => ({ fix, onBase: landed.has(fix.commit) })),
    ...promoted.flat().map((fix) => ({ fix, onBase: true })),
  ];
  return Promise.all(
    rows.map(async ({ fix, onBase }) => {
      const by = reverts.get(fix.commit);
      const stays = onBase && by !== undefined && !landed.has(by.commit);
      return {
        ...listed(fix, by ? outcomeOf(by) : onBase ? 'landed' : recorded(fix, ledger)),
        ...(by ? { taken_back_by: by.commit } : {}),
        ...(stays ? { on_base: true as const } : {}),
        ...(withDiff ? { diff: await diffOf(fix.commit) } : {}),
      };
    }),
  );
}

/** The same change may stand and have been taken back before: what took this one back knows its end. */
function outcomeOf({ trailers }: CommittedFix): ListedFix['outcome'] {
  const told = PATCH_OUTCOMES.find((outcome) => outcome === trailers.get('Outcome'));
  return told ?? 'withdrawn';
}

function recorded({ trailers }: CommittedFix, ledger: Ledger): ListedFix['outcome'] {
  const of = (name: string) => trailers.get(name) ?? '';
  const patch = entryOf(ledger, of('Stage'), of('Fingerprint'))?.patches.find(({ hash }) => hash === of('Patch'));
  return patch?.outcome ?? 'unknown';
}

function listed({ commit, time, paths, note, trailers }: CommittedFix, outcome: ListedFix['outcome']): ListedFix {
  const of = (name: string) => trailers.get(name) ?? '';
  return {
    ...{ commit, time, paths, fix: note.fix, reason: note.reason, outcome },
    ...{ stage: of('Stage'), fingerprint: of('Fingerprint'), class: of('Class'), plugin: of('Plugin'), run: of('Run') },
  };
}
