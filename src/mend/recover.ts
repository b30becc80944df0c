// Fixes that an earlier process left half done: written and not committed, committed or taken back and not recorded, or
// never judged.
import { type DataOf, type Fix, type LoopEvent, type NewEvent, NO_NOTE, noticeEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { readEvents } from '../journal/event-file.ts';
import { listRuns } from '../journal/runs.ts';
import type { Run } from '../stage/run.ts';
import { recordStale, writeAgain } from '../stage/stale.ts';
import { RunFailures } from '../triage/incident.ts';
import { fixesIn, type Ledger, type LedgerFix, type Patch, patchIn } from '../triage/ledger.ts';
import { putBack, unwriteFix } from '../worktree/commit-fix.ts';
import { type CommittedFix, committedFixes } from '../worktree/find-fix.ts';
import { treeGit } from '../worktree/tree.ts';
import { recordWithdrawn, takeBack } from './commit.ts';
import { patchFiles } from './patch-files.ts';

/** Finishes or takes back these fixes; those of this run that are on trial stay. Throws MendError when that fails. */
export async function recoverFixes(run: Run): Promise<void> {
  const { tree, journal, layout } = run;
  const events = journalsToLastWork(layout).at(-1) ?? [];
  const intent = openIntent(events);
  const openFixes = new RunFailures(events).openFixes();
  const isSettled = !intent && openFixes.length === 0 && !fixesIn(journal.ledger).some(isOpen);
  if (isSettled && [lastHead(events), tree.base.commit].includes(tree.head)) return;
  const onBranch = await committedFixes(treeGit(tree), tree.base.commit, tree.head);
  if (intent) await finishIntent(run, intent, onBranch, events);
  // An uncommitted revert would be judged in the place of the fix.
  const restored = isSettled ? [] : await putBack(tree);
  if (restored.length > 0) {
    tree.moved(tree.head);
    await recordStale(run, tree.head, { changed: [], putBack: restored });
    await writeAgain(run, restored);
  }
  const reverts = unrecordedReverts(journal.ledger, onBranch);
  journal.append(...reverts);
  for (const fix of fixesIn(journal.ledger).filter((entry) => isOpen(entry) || entry.outcome === 'holds')) {
    // Nothing is left to be taken back.
    if (fix.run !== run.id && !commitOf(onBranch, fix))
      recordWithdrawn(run, completed(fix, undefined, openFixes), LATER);
  }
  for (const fix of fixesOfOtherRuns(run, onBranch, openFixes)) {
    await takeBack(run, fix, 'withdrawn', 'the run that made it ended before it could be judged');
    const text = `a fix of ${fix.stage} was never judged; it is taken back, and comes again with its failure`;
    journal.append(noticeEvent(text));
  }
}

/** The newest journals, down to the first with work on a step: those above it ended before anything could be recovered. */
export function journalsToLastWork(layout: Layout): LoopEvent[][] {
  const journals: LoopEvent[][] = [];
  for (const id of listRuns(layout).reverse()) {
    const { events } = readEvents(layout.journal(id));
    journals.push(events);
    if (events.some(({ type }) => type.startsWith('step.'))) return journals;
  }
  return journals;
}

/**
 * The last intent of a journal without its commit: there is never more than one. It counts even if its step failed since: a
 * disk that was too full to commit may have been too full to put the files back.
 */
function openIntent(events: readonly LoopEvent[]): LoopEvent<'fix.intended'> | undefined {
  const intent = events.findLast((event): event is LoopEvent<'fix.intended'> => event.type === 'fix.intended');
  const isFinished = events.some(({ type, seq }) => type === 'fix.committed' && seq > (intent?.seq ?? 0));
  return isFinished ? undefined : intent;
}

async function finishIntent(
  run: Run,
  { stage, step, attempt, data, run: intentRun, seq }: LoopEvent<'fix.intended'>,
  onBranch: readonly CommittedFix[],
  events: readonly LoopEvent[],
): Promise<void> {
  const isEnded = events.some((event) => event.type === 'step.failed' && event.step === step && event.seq > seq);
  const { created, ...rest } = data;
  const commit = commitOf(onBranch, { hash: data.hash, run: intentRun });
  if (!commit) {
    const texts = patchFiles(run.layout).textsOf(data.hash);
    const newFiles = created.flatMap((path) => (texts.has(path) ? [{ path, text: texts.get(path) as string }] : []));
    await unwriteFix(run.tree, data.paths, newFiles);
    const text = 'a fix was being written when the loop was stopped; its files are as they were';
    if (!isEnded) run.journal.append(noticeEvent(text));
    return;
  }
  const isRecorded = fixesIn(run.journal.ledger).some(
    (fix) => isOpen(fix) && fix.stage === stage && fix.fingerprint === data.fingerprint && fix.commit === commit.commit,
  );
  if (isRecorded) return;
  run.journal.append({ type: 'fix.committed', stage, step, attempt, data: { ...rest, commit: commit.commit } });
}

/** A fix on the branch: by its commit, or by patch and run where only the intent or version 0.1 recorded it. */
const commitOf = (
  onBranch: readonly CommittedFix[],
  { commit, hash, run }: Pick<Patch, 'commit' | 'hash' | 'run'>,
): CommittedFix | undefined =>
  onBranch.find((fix) =>
    commit ? fix.commit === commit : fix.hash === hash && fix.run === run && fix.reverts === undefined,
  );

const isOpen = ({ outcome }: LedgerFix): boolean => outcome === 'applied' || outcome === 'provisional';

/** A fix with what its commit and the journal of its run add to the ledger. */
function completed(fix: LedgerFix, onBranch: CommittedFix | undefined, openFixes: readonly Fix[]): Fix {
  const { commit = fix.commit, note = NO_NOTE } = onBranch ?? {};
  const step = openFixes.find((open) => open.commit === commit)?.step ?? fix.stage;
  return { ...fix, step, commit, note: fix.note === NO_NOTE ? note : fix.note };
}

const LATER = 'recorded by a later process';

/** The outcomes in a revert's trailer, with their reasons; any other is `withdrawn`. */
const REVERT_OUTCOMES: Partial<Record<string, { outcome: DataOf<'fix.reverted'>['outcome']; reason: string }>> = {
  no_effect: { outcome: 'no_effect', reason: LATER },
  broke: { outcome: 'broke', reason: LATER },
  declined: { outcome: 'declined', reason: 'rolled back by its owner' },
  superseded: { outcome: 'superseded', reason: 'its owner wrote another text in its place' },
};

const STANDING: ReadonlySet<string | undefined> = new Set(['applied', 'provisional', 'holds', 'verified']);

/** Reverts on the branch (newest commit first) that the ledger lacks: by a merge, a rollback, a person. */
export function unrecordedReverts(ledger: Ledger, onBranch: readonly CommittedFix[]): NewEvent<'fix.reverted'>[] {
  const newest = new Map<string, CommittedFix>();
  for (const commit of onBranch) {
    const key = JSON.stringify([commit.stage, commit.fingerprint, commit.hash]);
    if (!newest.has(key)) newest.set(key, commit);
  }
  return [...newest.values()].flatMap((revert): NewEvent<'fix.reverted'>[] => {
    const { stage, fingerprint, hash, commit, reverts, note: message, charged, why } = revert;
    const patch = patchIn(ledger, revert);
    if (reverts === undefined || !patch || !STANDING.has(patch.outcome)) return [];
    const { tier, plugin, note = message } = patch;
    const { outcome, reason } = REVERT_OUTCOMES[revert.outcome ?? ''] ?? { outcome: 'withdrawn', reason: LATER };
    const end = { outcome, reason: why ?? reason };
    const step = onBranch.find((fix) => fix.commit === reverts)?.step ?? stage;
    const data = { fingerprint, hash, tier, plugin, note, ...end, commit, reverts, ...(charged && { charged }) };
    return [{ type: 'fix.reverted', stage, step, data }];
  });
}

/** The last commit that a journal records the branch at, before the process that resumed the run. */
function lastHead(events: readonly LoopEvent[]): string | undefined {
  const resumed = events.findLastIndex(({ type }) => type === 'run.resumed');
  const heads = events
    .slice(0, resumed === -1 ? undefined : resumed)
    .flatMap(({ type, data }) =>
      type === 'tree.opened' || type === 'fix.committed' || type === 'fix.reverted' ? [data.commit] : [],
    );
  return heads.findLast((commit) => commit !== '');
}

/** Fixes of other runs that were never judged, the newest first. */
function fixesOfOtherRuns(run: Run, onBranch: readonly CommittedFix[], openFixes: readonly Fix[]): Fix[] {
  const open = fixesIn(run.journal.ledger).filter(isOpen);
  const fixes = open.flatMap((fix) => {
    const commit = commitOf(onBranch, fix);
    return commit && commit.run !== run.id ? [completed(fix, commit, openFixes)] : [];
  });
  const age = (fix: Fix) => onBranch.findIndex(({ commit }) => commit === fix.commit);
  return fixes.sort((a, b) => age(a) - age(b));
}
