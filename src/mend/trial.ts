// The life of a trial after its first fix: fixes that did not help are taken off, and in the end all that stands is kept by one move of
// the AI branch, or undone. Every end is on record before the tree follows; a process that dies between leaves the tree to
// `recover.ts`.
import { isItemStage } from '../backlog/stage-of-item.ts';
import type { DataOf, Fix, NewEvent } from '../events.ts';
import { cleanDiff, patchHash } from '../fix/clean-diff.ts';
import type { Edit } from '../fix/edit.ts';
import { type StepRecord, stepRecords } from '../journal/stages.ts';
import { stepNames } from '../plan/matrix.ts';
import { hasChecks } from '../stage/checks.ts';
import type { Run } from '../stage/run.ts';
import { recordStale, writeAgain } from '../stage/stale.ts';
import type { Trial } from '../triage/incident.ts';
import { entryOf } from '../triage/ledger.ts';
import { snapshotOf } from '../worktree/read.ts';
import { backTo, changedBetween, endTrial, keepInTree } from '../worktree/trial-tree.ts';
import { type FixEnd, fixJudged, restoreTracked } from './commit.ts';
import { recordAccepted, tickItem } from './item.ts';
import { patchFiles } from './patch-files.ts';
import { tripSafeMode } from './trip-safe-mode.ts';

/** Records how a fix ended. */
export const recordEnd = ({ journal }: Pick<Run, 'journal'>, fix: Fix, end: FixEnd): void =>
  journal.append(fixJudged(fix, end));

/** Takes off the fixes from number `from` on: with none left the trial is over. Throws MendError when git or the disk refuses. */
export async function takeOff(run: Run, from: number, { outcome, reason }: FixEnd): Promise<void> {
  const trial = run.journal.failures.trial as Trial;
  const isOver = from === 0;
  const to = isOver ? trial.from : (trial.fixes[from - 1]?.fix.commit as string);
  await run.barrier.alone(async () => {
    const ended = trial.fixes.slice(from).reverse();
    const end = isOver ? [endOfTrial(trial, { outcome: 'undone', reason: 'no fix of it helped', to })] : [];
    run.journal.append(...ended.map(({ fix }) => fixJudged(fix, { outcome, reason })), ...end);
    await goBack(run, to, isOver);
  });
  tripSafeMode(run);
}

/** A failure of another step that a trial is undone for. */
export type Suspect = Readonly<Record<'step' | 'fingerprint', string>>;

/**
 * Undoes all that stands. It is proposed first when the first failure returns: always when nothing was seen with it, once when
 * it came further. Throws as `takeOff`.
 */
export function undoTrial(run: Run, reason: string, suspect?: Suspect): Promise<void> {
  const trial = run.journal.failures.trial as Trial;
  return run.barrier.alone(async () => {
    if (!isOpen(run, trial)) return;
    await recordUndone(run, trial, reason, { suspect });
    await goBack(run, trial.from, true);
  });
}

/** Of steps that end at the same time, the first may have ended the trial that both saw. */
const isOpen = ({ journal }: Run, { fixes: [first] }: Trial): boolean =>
  journal.failures.trial?.fixes[0]?.fix.commit === first?.fix.commit;

interface Undoing {
  readonly suspect?: Suspect | undefined;
  /** Git has its commits no longer. */
  readonly isGone?: boolean;
  /** The process died: nothing speaks against the change. */
  readonly isCutOff?: boolean;
}

/** Records that all that stands is undone; the tree is to follow. */
export async function recordUndone(
  run: Run,
  trial: Trial,
  reason: string,
  { suspect, isGone = false, isCutOff = false }: Undoing = {},
): Promise<void> {
  const prepared = isGone ? undefined : await wholeChange(run, trial, isCutOff);
  const ended = [...trial.fixes.entries()].reverse().map(([i, { fix, judged }]) => {
    const unjudged = i === trial.fixes.length - 1 && judged.size === 0;
    return fixJudged(fix, { outcome: 'undone', reason, ...(unjudged && { unjudged }) });
  });
  const end = { outcome: 'undone', reason, to: trial.from, ...(suspect && { suspect: { ...suspect } }) } as const;
  run.journal.append(...ended, ...(prepared ? [prepared] : []), endOfTrial(trial, end));
}

/** Moves the AI branch to all that stands, which is what makes it kept. */
export function keepTrial(run: Run, reason: string): Promise<void> {
  const { journal, tree } = run;
  const trial = journal.failures.trial as Trial;
  return run.barrier.alone(async () => {
    if (!isOpen(run, trial)) return;
    journal.flush();
    // Ticks are a write of the tree; moving the branch alone is none.
    const restored = isItemStage(trial.stage) ? await restoreTracked(run) : [];
    const to = (await tickItem(run, trial.stage, trial.fixes)) ?? (trial.fixes.at(-1)?.fix.commit as string);
    await keepInTree(tree, tree.base.branch, trial.from, to);
    tree.moved(to);
    recordKept(run, trial, to, reason);
    await recordAccepted(run, trial.stage, to);
    await writeAgain(run, restored);
  });
}

/** Records that all that stands is kept: the branch is there already. */
export function recordKept(run: Run, trial: Trial, to: string, reason: string): void {
  const unseen = [...new Set(notMadeAgain(run, trial).map(({ stage }) => stage))].filter(
    (name) => name !== trial.stage,
  );
  const facts = {
    base: run.tree.base.commit,
    ...(unseen.length > 0 && { unseen }),
    ...(isUnchecked(run, trial) && { unchecked: true }),
  };
  const ended = trial.fixes.map(({ fix }) => {
    const left = stillFailing(run, fix);
    return fixJudged(fix, { outcome: 'kept', reason, ...facts, ...(left.length > 0 && { left }) });
  });
  run.journal.append(...ended, endOfTrial(trial, { outcome: 'kept', reason, to }));
}

/** The cells whose latest end is the failure that a fix was made for. */
const stillFailing = ({ journal }: Run, fix: Fix): string[] =>
  stepRecords(journal.stages).flatMap(({ stage, step, record }) =>
    stage === fix.stage && record.fingerprint === fix.fingerprint ? [step] : [],
  );

/** Recorded together with the ends of its fixes: all are on disk, or none. */
const endOfTrial = ({ stage, from }: Trial, end: Omit<DataOf<'trial.ended'>, 'from'>): NewEvent<'trial.ended'> => ({
  type: 'trial.ended',
  stage,
  data: { ...end, from },
});

/** The tree goes back to `to`, and what no longer stands is recorded. */
const goBack = (run: Run, to: string, isOver: boolean): Promise<void> =>
  moveInRun(run, to, !isOver, async () => {
    await backTo(run.tree, to);
    if (isOver) await endTrial(run.tree, run.tree.base.branch);
  });

/**
 * Moves the tree to another commit by `move`: tracked files that stages changed are put back first, what no longer stands is recorded
 * after it, and what must not be made twice is written again.
 */
export async function moveInRun(run: Run, to: string, isTrial: boolean, move: () => Promise<unknown>): Promise<void> {
  const { tree } = run;
  const changed = await changedBetween(tree, tree.head, to);
  const restored = await restoreTracked(run);
  await move();
  tree.moved(to, isTrial);
  await recordStale(run, to, { changed, putBack: [] });
  await writeAgain(run, restored);
}

/** All fixes that stand as one change, for the next time that the first failure returns; undefined where it had its one return to the end. */
async function wholeChange(run: Run, trial: Trial, isCutOff: boolean) {
  const [first] = trial.fixes;
  // What its owner must be asked about waits for their word.
  if (!first || trial.fixes.some(({ ask }) => ask)) return undefined;
  const isUnjudged = trial.fixes.length === 1 && first.judged.size === 0;
  const entry = entryOf(run.journal.ledger, trial.stage, first.fix.fingerprint);
  if (entry?.prepared && !isUnjudged && !isCutOff) return undefined;
  const known = isUnjudged ? entry?.patches.find(({ hash }) => hash === first.fix.hash) : undefined;
  const whole = await combined(run, trial);
  const { tier, plugin } = first.fix;
  return {
    type: 'fix.prepared',
    stage: trial.stage,
    data: {
      fingerprint: first.fix.fingerprint,
      hash: whole.hash,
      note: { ...whole.note },
      tier,
      plugin,
      because: !isUnjudged ? 'prepared' : known?.accepted ? 'answered' : 'undone',
      ...(known?.proposed_by !== undefined && { proposed_by: known.proposed_by }),
      ...(known?.answered_at !== undefined && { answered_at: known.answered_at }),
    },
  } as const;
}

/** What stands in a trial as one patch, stored; with `more` on top of it. A trial of one fix is that fix. */
export async function combined(run: Run, { from, fixes }: Trial, more?: { edits: readonly Edit[]; fix: string }) {
  const notes = [...fixes.map(({ fix }) => fix.note.fix), ...(more ? [more.fix] : [])];
  const [only] = fixes;
  const head = fixes.at(-1)?.fix.commit ?? from;
  if (only && fixes.length === 1 && !more) return { hash: only.fix.hash, note: only.fix.note };
  const [before, after] = await Promise.all([snapshotOf(run.tree, from), snapshotOf(run.tree, head)]);
  const edited = new Map((more?.edits ?? []).map((edit) => [edit.path, edit]));
  const paths = new Set([...(await changedBetween(run.tree, from, head)), ...edited.keys()]);
  const edits: Edit[] = [];
  for (const path of paths) {
    const text = edited.get(path)?.after ?? (await after.text(path)) ?? '';
    const becomesExecutable =
      edited.get(path)?.executable ??
      (after.files.get(path)?.mode === '100755' && before.files.get(path)?.mode !== '100755');
    edits.push({
      path,
      before: (await before.text(path)) ?? null,
      after: text,
      ...(becomesExecutable && { executable: true as const }),
    });
  }
  const note = { fix: notes.join('; then: '), reason: 'each was made for the failure that came after the one before' };
  const diff = cleanDiff(edits);
  const hash = patchHash(
    diff,
    edits.filter(({ executable }) => executable).map(({ path }) => path),
  );
  patchFiles(run.layout).write(hash, edits, diff, note);
  return { hash, note, edits, diff };
}

/** The steps that fixes of a trial made stale, and that are not green since. */
function notMadeAgain({ journal, config }: Run, { fixes }: Trial): { stage: string; step: string }[] {
  const commits = new Set(fixes.map(({ fix }) => fix.commit));
  const isStale = ({ stale }: StepRecord) => stale?.commits.some((commit) => commits.has(commit));
  return stepRecords(journal.stages).filter(
    ({ stage, step, record }) => isStale(record) && stepNames(stage, config.map.stages[stage]).includes(step),
  );
}

/** Those of them that have a say about the trial: what must not run twice judges nothing. */
export const staleBy = (run: Run, trial: Trial): { stage: string; step: string }[] =>
  notMadeAgain(run, trial).filter(({ stage }) => run.config.map.stages[stage]?.rerun);

/** Neither its stage, nor one that needs that, nor one that it made stale has checks: only exit codes speak for it. */
function isUnchecked({ config, requested }: Run, { stage, stale }: Trial): boolean {
  const { stages } = config.map;
  const isJudge = (name: string) => stages[name]?.needs.includes(stage) || stale.has(name);
  const judges = [stage, ...requested.filter(isJudge)];
  return stages[stage] !== undefined && !judges.some((name) => stages[name] && hasChecks(stages[name]));
}
