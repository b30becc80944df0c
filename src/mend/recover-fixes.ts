// Fixes that an earlier process left between two points: written and not committed, committed and not told, taken back and
// not told, or never judged.
import type { Happening, LoopEvent } from '../events.ts';
import type { Ledger, LedgerEntry } from '../triage/ledger.ts';
import type { LedgerHappening, PatchOutcome } from '../triage/records.ts';
import { putBack, unwriteFix } from '../worktree/commit-fix.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { type Tree, treeGit } from '../worktree/tree.ts';
import type { AppliedFix } from './applied-fix.ts';
import type { FixStore } from './fix-store.ts';

export interface RecoverScope {
  run: string;
  tree: Tree;
  base: string;
  head(): string;
  /** Of the newest run that worked on a step: this one, when it goes on, or one before. */
  events: readonly LoopEvent[];
  /** The fixes of these events that nobody said the end of. */
  open: readonly AppliedFix[];
  ledger: Ledger;
  fixes: FixStore;
  record(...happenings: LedgerHappening[]): void;
}

export interface Recovered {
  /** What a person should know, a line each. */
  notices: string[];
  /** What the run that goes on had no time to say. */
  untold: Happening[];
}

/** Sets right what was left; fixes of this run that wait for judgement stay. */
export async function recoverFixes(scope: RecoverScope): Promise<Recovered> {
  const { tree, run, fixes } = scope;
  const intent = intentOf(scope.events);
  const unjudged = openPatches(scope.ledger);
  if (!intent && unjudged.length === 0 && scope.open.length === 0) return { notices: [], untold: [] };
  const found = await committedFixes(treeGit(tree), scope.base, scope.head());
  const recovered: Recovered = { notices: [], untold: [] };
  if (intent) await finishIntent(intent, found, recovered, scope);
  // A revert that was not committed is in the files, and would be judged in the place of the fix.
  await putBack(tree);
  for (const fix of scope.open) {
    const taken = takenBack(found, fix.commit);
    if (taken) recovered.untold.push(...toldBack(fix, taken, scope));
  }
  for (const { patch, stage, fingerprint } of openPatches(scope.ledger)) {
    const there = commitOf(found, patch.hash, patch.run ?? '');
    const taken = there && takenBack(found, there.commit);
    // Not on the branch: nothing is left to be taken back.
    if (taken || (!there && patch.run !== run)) settle({ stage, fingerprint, patch }, outcomeOf(taken), scope);
  }
  for (const fix of foreign(scope.ledger, run, found)) {
    await fixes.takeBack(fix, 'withdrawn', 'the run that made it ended before it could be judged');
    recovered.notices.push(
      `a fix of ${fix.stage} was never judged; it is taken back, and comes again with its failure`,
    );
  }
  const mine = scope.events[0]?.run === run;
  return { ...recovered, untold: mine ? recovered.untold : [] };
}

/** The last intent of a journal that nobody said more of: there is never more than one on its way. */
function intentOf(events: readonly LoopEvent[]): LoopEvent | undefined {
  const intent = events.findLast(({ type }) => type === 'fix.intended');
  const told = events.some(
    ({ type, seq, step }) =>
      intent !== undefined &&
      seq > intent.seq &&
      (type === 'fix.committed' || (type === 'step.failed' && step === intent.step)),
  );
  return told ? undefined : intent;
}

async function finishIntent(
  intent: LoopEvent,
  found: readonly CommittedFix[],
  { notices, untold }: Recovered,
  scope: RecoverScope,
): Promise<void> {
  const { stage = '', step, attempt, data, run } = intent;
  const there = commitOf(found, String(data.hash), run);
  if (!there) {
    await unwriteFix(scope.tree, data.paths as string[], data.created as string[]);
    notices.push('a fix was being written when the loop was stopped; its files are as they were');
    return;
  }
  const { created: _, tried, ...told } = data;
  const { hash, fingerprint, tier, plugin } = told as unknown as AppliedFix;
  const known = openPatches(scope.ledger).some(
    (open) => open.stage === stage && open.fingerprint === fingerprint && open.patch.hash === hash,
  );
  if (!known && !takenBack(found, there.commit)) {
    scope.record(
      { type: 'patch', stage, fingerprint, run, data: { hash, outcome: 'applied', tier, plugin } },
      ...(tried ? [{ type: 'tried' as const, stage, fingerprint, run, data: { hash } }] : []),
    );
  }
  untold.push({ type: 'fix.committed', stage, step, attempt, data: { ...told, commit: there.commit } });
}

const commitOf = (found: readonly CommittedFix[], hash: string, run: string): CommittedFix | undefined =>
  found.find(
    ({ trailers }) => trailers.get('Patch') === hash && trailers.get('Run') === run && !trailers.has('Reverts'),
  );

const takenBack = (found: readonly CommittedFix[], commit: string): CommittedFix | undefined =>
  found.find(({ trailers }) => trailers.get('Reverts') === commit);

const outcomeOf = (taken: CommittedFix | undefined): PatchOutcome => {
  const told = taken?.trailers.get('Outcome');
  return told === 'no_effect' || told === 'broke' || told === 'declined' ? told : 'withdrawn';
};

/** The end of a fix whose taking back is on the branch, and in no journal. */
function toldBack(fix: AppliedFix, taken: CommittedFix, scope: RecoverScope): Happening[] {
  const { stage, step, fingerprint, hash, plugin, note } = fix;
  const outcome = outcomeOf(taken);
  const open = openPatches(scope.ledger).find((o) => o.fingerprint === fingerprint && o.patch.hash === hash);
  if (open) settle(open, outcome, scope);
  const reason = 'told by a later process';
  const data = { hash, plugin, note, outcome, reason, commit: taken.commit, reverts: fix.commit };
  return [{ type: 'fix.reverted', stage, step, data }];
}

interface OpenPatch {
  stage: string;
  fingerprint: string;
  patch: LedgerEntry['patches'][number];
}

/** Patches that the ledger knows no end of. */
const openPatches = (ledger: Ledger): OpenPatch[] =>
  Object.values(ledger.entries).flatMap(({ stage, fingerprint, patches }) =>
    patches
      .filter(({ outcome }) => outcome === 'applied' || outcome === 'provisional')
      .map((patch) => ({ stage, fingerprint, patch })),
  );

function settle({ stage, fingerprint, patch }: OpenPatch, outcome: PatchOutcome, { record, run }: RecoverScope): void {
  const { hash, tier, plugin } = patch;
  record({ type: 'patch', stage, fingerprint, run, data: { hash, outcome, tier, plugin } });
}

/** Fixes of other runs that were never judged, the newest first. */
function foreign(ledger: Ledger, run: string, found: readonly CommittedFix[]): AppliedFix[] {
  const fixes = openPatches(ledger).flatMap(({ stage, fingerprint, patch }) => {
    const { hash, tier, plugin, run: of = '' } = patch;
    const there = of === run ? undefined : commitOf(found, hash, of);
    if (!there) return [];
    const { commit, paths, note } = there;
    return [{ stage, step: stage, fingerprint, hash, commit, paths, tier, plugin, note }];
  });
  const age = (fix: AppliedFix) => found.findIndex(({ commit }) => commit === fix.commit);
  return fixes.sort((a, b) => age(a) - age(b));
}
