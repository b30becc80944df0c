// The AI branch in the hands of a command: what was left open is closed, it is put onto its base, and what is done with it is
// recorded in a journal of its own.
import type { Landing } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { newActionId, openJournal } from '../journal/journal.ts';
import { type LoadedStages, loadStages } from '../journal/load-stages.ts';
import { type BranchMover, bringOntoBase, closeMove, type Moved } from '../mend/move-branch.ts';
import { closeOpenRun } from '../run/close-run.ts';
import { withLockForWork } from '../run/lock-for-work.ts';
import { type Configuration, configurationNow } from '../stage/configuration.ts';
import { runTree } from '../stage/run-tree.ts';
import { findStale, staleEvent } from '../stage/stale.ts';
import { openWorktree } from '../worktree/open.ts';

export interface Ports {
  readonly clock: Clock;
  readonly graceMs: number;
}

export interface BranchRequest {
  readonly home: string;
  /** The command line, shown to others that find the lock taken. */
  readonly command: string;
  /** Why a run that was cut off is closed before it. */
  readonly why: string;
  /** Throws what can be told before anything is written; `landed`: a landing that was cut off and is finished now. */
  readonly check?: (landed: Landing | undefined) => Promise<unknown>;
}

export interface HeldBranch extends BranchMover {
  readonly config: Configuration;
  /** The name of the journal. */
  readonly id: string;
  /** Where the branch is, on its base. */
  readonly tip: string;
  readonly notices: readonly string[];
  /** A landing that was cut off and is finished now. */
  readonly landed: Landing | undefined;
}

/** Moves the branch, and returns where it went; undefined: nowhere. */
type Work<T> = (held: HeldBranch) => Promise<{ result: T; moved?: Moved | undefined }>;

/**
 * Does `work` with the branch on its base, under the lock; what no longer stands after a move is recorded. Throws E_LOCKED,
 * E_BASE_CONFLICT and what a start throws for a worktree that it may not touch.
 */
export async function withBranch<T>(
  { home, command, why, check }: BranchRequest,
  ports: Ports,
  work: Work<T>,
): Promise<T> {
  const layout = layoutOf(home);
  return withLockForWork(layout, ports.clock, command, (earlier, landed) =>
    withObjects(home, async (objects) => {
      await check?.(landed);
      const { base, config } = await configurationNow(home, objects);
      const loaded: LoadedStages = loadStages(layout);
      const closed = await closeOpenRun(loaded, why, { layout, ...ports });
      const tree = await openWorktree(home, base, { objects, carry: config.map.carry });
      const scope = { layout, stages: loaded.state, clock: ports.clock };
      const id = newActionId(scope);
      const journal = openJournal({ ...scope, run: id, path: layout.action(id) });
      const mover = { tree, base, sign: config.loop.git.sign, ledger: journal.ledger, record: journal.append };
      try {
        await closeMove(mover);
        const brought = await bringOntoBase(mover, tree.head);
        const tip = brought?.to ?? tree.head;
        const notices = [
          ...earlier,
          ...(closed ? [`run ${closed} was cut off and is closed: ${why}`] : []),
          ...tree.notices,
        ];
        const { result, moved } = await work({ ...mover, config, id, tip, notices, landed });
        const head = moved?.to ?? tip;
        const putBack = [...tree.putBack, ...(brought?.putBack ?? []), ...(moved?.putBack ?? [])];
        if (head !== tree.head || putBack.length > 0) {
          const inTree = runTree({ ...tree, head }, layout);
          const stale = await findStale({ config, layout, tree: inTree }, loaded.state, { putBack });
          journal.append(...stale.map((stage) => staleEvent(stage, head, false)));
        }
        return result;
      } finally {
        journal.close();
      }
    }),
  );
}
