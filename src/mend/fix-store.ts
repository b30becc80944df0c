// Putting fixes onto the AI branch and taking them back: told before, done, told after, so that a later process can go on
// from any point between.
import type { Happening } from '../events.ts';
import type { Edit } from '../fix/edit.ts';
import type { Layout } from '../io/layout.ts';
import type { Change } from '../plugin/contract.ts';
import type { LedgerHappening, PatchOutcome } from '../triage/records.ts';
import { type CommitOptions, commitFix, isAsShown, revertFix } from '../worktree/commit-fix.ts';
import type { Snapshot } from '../worktree/read.ts';
import type { Tree } from '../worktree/tree.ts';
import { type AppliedFix, type FixStory, fixMessage, revertMessage } from './applied-fix.ts';
import type { Barrier } from './barrier.ts';
import type { SoundFix } from './judge-proposal.ts';
import { patchFiles } from './patch-files.ts';

export interface FixScope {
  run: string;
  layout: Layout;
  tree: Tree;
  barrier: Barrier;
  commit: CommitOptions;
  /** The worktree's commit is another one now. */
  moved(head: string): void;
  record(...happenings: Happening[]): void;
  ledger(...happenings: LedgerHappening[]): void;
  /** False while nothing may be changed by the AI; asked once more when nobody else writes. */
  mayWrite(): boolean;
}

export interface FixStore {
  /**
   * Commits the files as a fix; undefined when nothing may be changed any more, or when they are no longer what it was made
   * for, because another fix came between.
   * Throws MendError when git or the disk refuses.
   */
  apply(story: FixStory, files: readonly Edit[], diff: string, tried: boolean): Promise<AppliedFix | undefined>;
  /** Takes a fix back; `outcome` says why. Throws E_FIX_STUCK when it cannot be. */
  takeBack(fix: AppliedFix, outcome: 'no_effect' | 'broke' | 'withdrawn', reason: string): Promise<void>;
  /** Says how a fix that stays stands now. */
  keep(fix: AppliedFix, outcome: 'provisional' | 'verified', reason: string): void;
  /** Keeps a sound fix that is not applied, or not yet. Throws MendError when the disk refuses. */
  hold(fix: SoundFix): void;
  /** The diff of a patch that was applied or suggested once. */
  diffOf(hash: string): string | undefined;
  /** A patch that was applied or suggested once, as a proposal to these files; undefined when it is not kept any more. */
  proposalOf(hash: string, files: Pick<Snapshot, 'text'>): Promise<Change | undefined>;
}

export function openFixes(scope: FixScope): FixStore {
  const { run, layout, tree, barrier, record } = scope;
  const kept = patchFiles(layout);
  const place = ({ stage, step }: Pick<AppliedFix, 'stage' | 'step'>) => ({ stage, step });
  const patch = (fix: Omit<AppliedFix, 'commit' | 'paths'>, outcome: PatchOutcome, why?: string): LedgerHappening => {
    const { stage, fingerprint, hash, tier, plugin, note } = fix;
    const data = { hash, outcome, tier, plugin, note: { ...note }, ...(why === undefined ? {} : { why }) };
    return { type: 'patch', stage, fingerprint, run, data };
  };
  return {
    apply(story, files, diff, tried) {
      const { stage, fingerprint, hash, tier, plugin, note, attempt } = story;
      const paths = files.map(({ path }) => path);
      const created = files.filter(({ before }) => before === null).map(({ path }) => path);
      const told = { hash, fingerprint, class: story.class, tier, plugin, note, paths };
      // Told and done while nobody else writes: no two fixes are ever on their way at once.
      return barrier.alone(async () => {
        if (!scope.mayWrite() || !(await isAsShown(tree, files))) return undefined;
        kept.write(hash, files, diff, note);
        record({ type: 'fix.intended', ...place(story), attempt, data: { ...told, created, tried } });
        const texts = files.map(({ path, after, executable }) => ({
          path,
          text: after,
          ...(executable ? { executable } : {}),
        }));
        const commit = await commitFix(tree, texts, fixMessage(story), scope.commit);
        scope.moved(commit);
        scope.ledger(
          patch(story, 'applied'),
          ...(tried ? [{ type: 'tried' as const, stage, fingerprint, run, data: { hash } }] : []),
        );
        record({ type: 'fix.committed', ...place(story), attempt, data: { ...told, commit } });
        return { stage, step: story.step, fingerprint, hash, commit, paths, tier, plugin, note };
      });
    },
    takeBack(fix, outcome, reason) {
      return barrier.alone(async () => {
        const message = revertMessage(fix, outcome, reason, run);
        const commit = await revertFix(tree, fix.commit, message, scope.commit);
        scope.moved(commit);
        scope.ledger(patch(fix, outcome, reason));
        const { hash, plugin, note } = fix;
        const data = { hash, plugin, note, outcome, reason, commit, reverts: fix.commit };
        record({ type: 'fix.reverted', ...place(fix), data });
      });
    },
    keep(fix, outcome, reason) {
      scope.ledger(patch(fix, outcome, reason));
      const { hash, plugin, note, commit } = fix;
      record({ type: 'fix.judged', ...place(fix), data: { hash, plugin, note, outcome, reason, commit } });
    },
    hold: ({ hash, files, diff, note }) => kept.write(hash, files, diff, note),
    diffOf: kept.diffOf,
    proposalOf: kept.proposalOf,
  };
}
