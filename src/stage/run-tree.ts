// The worktree as a run uses it: where its HEAD is now, the files there, and a look after each attempt, one at a time.
import { join, relative } from 'node:path';
import type { Layout } from '../io/layout.ts';
import { lockTakenAt } from '../io/lock.ts';
import type { Tree } from '../plan/inputs.ts';
import { type Before, type Inspection, inspect, type QuickLook, quickLook } from '../worktree/after-attempt.ts';
import { applySaved, changesNow } from '../worktree/save-changes.ts';
import type { CarryLink, Worktree } from '../worktree/tree.ts';

export interface RunTree extends Omit<Worktree, 'notices' | 'seen' | 'changed' | 'unlinked'> {
  /** The files at its commit. */
  files(): Promise<Tree>;
  /** Called before anything runs in it. */
  watch(): Promise<unknown>;
  /** Looks at what an attempt did to it. Throws MendError when the run must not go on. */
  inspect(
    run: string,
    step: string,
    attempt: number,
    checkFiles: Before['checkFiles'],
  ): Promise<Pick<Inspection, 'changed' | 'checkFiles' | 'patch' | 'unstorable'>>;
  /** Nothing in it differs from HEAD, by the last look. */
  readonly clean: boolean;
  /** The worktree is at another commit now; `isTrial`: with HEAD detached there. */
  moved(head: string, isTrial?: boolean): void;
  /** What is carried is linked now. */
  furnished(links: readonly CarryLink[]): void;
  /** An attempt on another machine changed tracked files and reported it: no attempt here is charged with that. */
  changedElsewhere(): Promise<void>;
  /** Writes tracked files as a saved patch (from home) has them; false when it does not fit any more. */
  rewrite(patch: string, paths: readonly string[]): Promise<boolean>;
}

export function runTree(opened: Worktree, layout: Layout): RunTree {
  let worktree = opened;
  let head = worktree.head;
  let isTrial = opened.isTrial === true;
  let listed: Promise<Tree> | undefined;
  let look: Promise<QuickLook> | undefined;
  let seen = worktree.seen;
  let turn: Promise<unknown> = Promise.resolve();
  const files = () => {
    listed ??= worktree.objects.files(head);
    return listed;
  };
  // The lock is older than the worktree as it was opened, and has its time from the disk, as its files have theirs.
  const isClean = worktree.changed.length === 0 && worktree.putBack.length === 0;
  let cleanSince = isClean ? lockTakenAt(layout.lock) : 0;
  const watch = () => {
    look ??= files().then((tree) => quickLook(worktree, tree, Date.now, cleanSince));
    return look;
  };
  const changedElsewhere = async () => {
    seen = await changesNow(worktree);
  };
  return {
    ...worktree,
    changedElsewhere,
    watch,
    get head() {
      return head;
    },
    get links() {
      return worktree.links;
    },
    furnished(links) {
      worktree = { ...worktree, links };
      look = undefined;
    },
    get clean() {
      return seen.size === 0;
    },
    files,
    moved(to, onTrial = false) {
      head = to;
      isTrial = onTrial;
      listed = undefined;
      look = undefined;
      cleanSince = 0;
      seen = new Map();
    },
    async rewrite(patch, paths) {
      const fits = await applySaved(worktree, join(layout.home, patch), paths);
      await changedElsewhere();
      return fits;
    },
    inspect(run, step, attempt, checkFiles) {
      const patchFile = layout.patch(run, step, attempt);
      // Two steps that end together would both claim the same change.
      const mine = turn.then(async () => {
        const ask = () => inspect(worktree, { head, isTrial, patchFile, seen, checkFiles });
        const same: Inspection = { changed: [], checkFiles: [], unstorable: [], seen };
        const { seen: now, patch, ...found } = await (await watch()).orAsk(same, ask);
        seen = now;
        return { ...found, ...(patch === undefined ? {} : { patch: relative(layout.home, patch) }) };
      });
      turn = mine.catch(() => {});
      return mine;
    },
  };
}
