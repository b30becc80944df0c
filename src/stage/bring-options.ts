import { openGit } from '../io/git.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { startedBases } from '../journal/history.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { type Ledger, patchIn } from '../triage/ledger.ts';
import { type Base, commitOf, droppedBase } from '../worktree/base.ts';
import type { BringOptions } from '../worktree/merge.ts';

/** The commit that the AI branch has from the base and that the base has no longer; undefined when there is none. */
export async function droppedCommit(home: string, base: Base): Promise<string | undefined> {
  const git = openGit(home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  return tip && droppedBase(git, base, tip, () => startedBases(layoutOf(home)));
}

export function bringOptions(layout: Layout, run: string, sign: boolean): BringOptions {
  let ledger: Ledger | undefined;
  return {
    run,
    sign,
    isVerified(fix) {
      ledger ??= readLedger(layout).ledger;
      const outcome = patchIn(ledger, fix)?.outcome;
      // The changes of an accepted item count, though stages are still to be made green with them.
      return outcome === 'kept';
    },
    earlierBases: () => startedBases(layout),
  };
}
