// A person answers a case. Their fix, or the suggested one that they accept, goes through the gate and is applied first when
// the failure returns; one that they decline counts as tried.
import { isItemStage } from '../backlog/stage-of-item.ts';
import { fail, MendError } from '../errors.ts';
import { type AnsweredAt, NO_NOTE } from '../events.ts';
import { openGit } from '../io/git.ts';
import { withObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { runAtWork, withLock } from '../io/lock.ts';
import { shellCheck } from '../io/shell-check.ts';
import { recordAction } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { accepted, declined, declinedFix, leaveAnswer } from '../mend/answers.ts';
import { findCase, openCaseStore } from '../mend/case-store.ts';
import { gateRules, repositoryFacts } from '../mend/gate-rules.ts';
import { patchFiles } from '../mend/patch-files.ts';
import { judgeProposal, type SoundFix } from '../mend/proposal.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { type Configuration, configurationNow } from '../stage/configuration.ts';
import type { RunPorts } from '../stage/run.ts';
import { entryOf } from '../triage/ledger.ts';
import type { Base } from '../worktree/base.ts';
import { isReversal } from '../worktree/find-fix.ts';
import { rehearse } from '../worktree/on-base.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { openWorktree } from '../worktree/open.ts';
import { snapshotOf } from '../worktree/read.ts';
import { openRepositoryReader } from '../worktree/repository-at.ts';
import type { Worktree } from '../worktree/tree.ts';
import { closeOpenRun } from './close-run.ts';
import { withItems } from './items.ts';
import { withLockForWork } from './lock-for-work.ts';
import { resetStages } from './reset-stages.ts';

export interface CaseRequest {
  home: string;
  case: string;
  command: string;
  /** Change nothing; only report what would happen. */
  dry: boolean;
  /** Where the person is; on a terminal unless it says otherwise. */
  at?: AnsweredAt;
  /** The hash of the change that they saw. */
  patch?: string | undefined;
}

export interface AnswerRequest extends CaseRequest {
  /** The person's answer, in any form that a model may use; undefined: they accept the fix that the case suggests. */
  answer: string | undefined;
}

export interface Answered {
  stage: string;
  fix: SoundFix;
  /** Its diff, masked. */
  shown: string;
  /** The stage was given up, and must be reset before it runs. */
  givenUp: boolean;
  /** Notices of merging the base. */
  notices: readonly string[];
}

type AnswerPorts = Pick<RunPorts, 'clock' | 'env' | 'graceMs'>;

/**
 * Takes an answer that fits the AI branch as the next run puts it onto its base. Throws E_CASE… for what cannot be answered, and for a
 * patch that the gate refuses: then nothing else is changed.
 */
export async function answerCase(request: AnswerRequest, ports: AnswerPorts): Promise<Answered> {
  const layout = layoutOf(request.home);
  const work = (notices: readonly string[]) =>
    withObjects(request.home, async (objects) => {
      const store = openCaseStore(layout);
      const summary = openedCase(layout, request);
      if (request.answer !== undefined) refuseMasked(request.answer);
      else if (summary.patch === undefined) fail('E_CASE_NO_PATCH', { case: summary.case });
      const loaded = loadStages(layout);
      const { base, config } = await configurationNow(request.home, objects);
      const current = { base, config: await withItems(config, [summary.stage], objects, base.commit) };
      const { home, dry } = request;
      if (!dry) await closeOpenRun(loaded, 'a case was answered', { layout, ...ports });
      const opened = await openWorktree(home, base, { objects, carry: config.map.carry });
      // As the next run has it.
      const tree = { ...opened, head: (await rehearse(openGit(home), base))?.to ?? opened.head };
      const { fix, shown } = await judge(request, layout, summary, { ...current, tree }, ports.env);
      if (!dry) {
        const { hash, files, diff, note } = fix;
        patchFiles(layout).write(hash, files, diff, note);
        const proposed_by = request.answer === undefined ? summary.suggested?.plugin : undefined;
        const spoken = accepted(summary, { hash, note, proposed_by }, request.at ?? 'terminal');
        recordAction({ layout, stages: loaded.state, clock: ports.clock }, ...spoken.events);
        store.writeSummary(spoken.summary);
      }
      const entry = entryOf(readLedger(layout).ledger, summary.stage, summary.fingerprint);
      const givenUp = entry?.gave_up_at !== undefined;
      return { stage: summary.stage, fix, shown, givenUp, notices: [...notices, ...tree.notices] };
    });
  return lockFor(request, layout, ports, work);
}

/** A dry run closes nothing that another command left open. */
const lockFor = <T>(
  { command, dry }: Pick<CaseRequest, 'command' | 'dry'>,
  layout: Layout,
  { clock }: Pick<AnswerPorts, 'clock'>,
  work: (notices: readonly string[]) => Promise<T>,
): Promise<T> => (dry ? withLock(layout, command, work) : withLockForWork(layout, clock, command, work));

/** Throws E_CASE_CHANGED when another change than the one that was seen waits in it. */
function openedCase(layout: Layout, { case: name, patch }: Pick<CaseRequest, 'case' | 'patch'>): CaseSummary {
  const summary = findCase(openCaseStore(layout), name);
  if (patch !== undefined && patch !== summary.patch) fail('E_CASE_CHANGED', { case: name });
  if (summary.state === 'closed') fail('E_CASE_CLOSED', { case: name, why: summary.closed?.why ?? '' });
  return summary;
}

/** Declines a case. Returns the suggested fix, if there was one. Throws E_CASE… where the case is neither open nor answered. */
export async function declineCase(
  { home, case: name, command, dry, at = 'terminal', patch }: CaseRequest,
  { clock, graceMs }: AnswerPorts,
): Promise<{ stage: string; fix: string | undefined; notices: readonly string[] }> {
  const layout = layoutOf(home);
  return lockFor({ command, dry }, layout, { clock }, async (notices) => {
    const summary = openedCase(layout, { case: name, patch });
    const { stage, state } = summary;
    if (state !== 'open' && state !== 'answered') fail('E_CASE_NOT_OPEN', { case: name, stage });
    const { ledger } = readLedger(layout);
    const fix = declinedFix(summary, ledger)?.note.fix;
    if (!dry) {
      const loaded = loadStages(layout);
      await closeOpenRun(loaded, 'a case was declined', { layout, clock, graceMs });
      const spoken = declined(summary, ledger, clock.now(), at);
      recordAction({ layout, stages: loaded.state, clock }, ...spoken.events);
      openCaseStore(layout).writeSummary(spoken.summary);
    }
    return { stage, fix, notices };
  });
}

export interface Word extends Omit<CaseRequest, 'dry'> {
  readonly what: 'accept' | 'decline';
}

export interface Taken {
  readonly stage: string;
  /** What the change does. */
  readonly fix: string | undefined;
  /** It is left for the run at work. */
  readonly left: boolean;
  /** The stage was given up, and must be reset before it runs. */
  readonly givenUp: boolean;
  /** The accepted change, masked. */
  readonly diff: string;
  readonly notices: readonly string[];
}

/**
 * A person's word on the change in a case: taken at once, or left for the run at work, which tries it before it ends. Throws E_CASE… and
 * E_LOCKED.
 */
export async function takeWord(word: Word, ports: AnswerPorts): Promise<Taken> {
  const layout = layoutOf(word.home);
  for (let waited = 0; ; waited += LOCK_WAIT_MS) {
    if (runAtWork(layout)?.isRun) return leaveWord(layout, word, ports.clock.now());
    try {
      return await takeNow(word, ports);
    } catch (error) {
      if (!(error instanceof MendError) || error.code !== 'E_LOCKED' || waited >= LOCK_WAIT_MAX_MS) throw error;
      // A command that is done soon, or a run that has just begun.
      await ports.clock.sleep(LOCK_WAIT_MS);
    }
  }
}

const LOCK_WAIT_MS = 250;
const LOCK_WAIT_MAX_MS = 5000;

async function takeNow(word: Word, ports: AnswerPorts): Promise<Taken> {
  if (word.what === 'decline') {
    const { stage, fix, notices } = await declineCase({ ...word, dry: false }, ports);
    return { stage, fix, left: false, givenUp: false, diff: '', notices };
  }
  const { stage, fix, shown, givenUp, notices } = await answerCase({ ...word, dry: false, answer: undefined }, ports);
  return { stage, fix: fix.note.fix, left: false, givenUp, diff: shown, notices };
}

function leaveWord(layout: Layout, word: Word, now: number): Taken {
  const { case: name, what, at = 'terminal' } = word;
  const { stage, state, patch, suggested } = openedCase(layout, word);
  if (state !== 'open') fail('E_CASE_NOT_OPEN', { case: name, stage });
  if (what === 'accept' && !(patch && suggested)) fail('E_CASE_NO_PATCH', { case: name });
  leaveAnswer(layout, { case: name, what, patch, at }, now);
  return { stage, fix: suggested?.note.fix, left: true, givenUp: false, diff: '', notices: [] };
}

/** The stages to start for what was accepted, ready to run: one that was given up is reset. Items of the work queue are not among them. */
export async function stagesToRun(home: string, taken: readonly Taken[], ports: AnswerPorts): Promise<string[]> {
  const stages = (all: readonly Taken[]) =>
    [...new Set(all.map(({ stage }) => stage))].filter((stage) => !isItemStage(stage));
  const givenUp = stages(taken.filter((one) => one.givenUp));
  if (givenUp.length > 0)
    await resetStages({ home, stages: givenUp, command: 'mendloop cases accept', force: true }, ports);
  return stages(taken);
}

async function judge(
  { home, answer, case: name }: AnswerRequest,
  layout: Layout,
  { stage: stageName, patch = '' }: CaseSummary,
  { base, config, tree }: { base: Base; config: Configuration; tree: Worktree },
  env: RunPorts['env'],
): Promise<{ fix: SoundFix; shown: string }> {
  const stage = config.map.stages[stageName];
  if (!stage)
    return fail('E_CASE_BROKEN', {
      case: name,
      problem: `its stage ${stageName} is not in the map any more`,
      stage: stageName,
    });
  const snapshot = await snapshotOf(tree, tree.head);
  const proposal = answer === undefined ? await patchFiles(layout).proposalOf(patch, snapshot) : { answer };
  if (!proposal) return fail('E_CASE_NO_PATCH', { case: name });
  // Only a refusal counts: by accepting, the owner has agreed to what they would be asked about.
  const verdict = await judgeProposal(proposal, {
    rules: await gateRules(home, config, stage, 'escalation', snapshot),
    snapshot,
    repository: () => repositoryFacts(openRepositoryReader(), snapshot, config.map),
    shellCheck,
    unparsed: [],
    // A person may repeat what did not help before.
    patches: [],
    unwritable: (files) => unwritable(tree, files),
    isReversal: (files) => isReversal(tree, base.commit, tree.head, files),
  });
  const mask = openMask(home, config, env, snapshot.files.keys());
  if (!verdict.ok) {
    const { code, reasons } = verdict;
    return fail('E_CASE_REFUSED', { code }, reasons.map(mask));
  }
  const isSilent = verdict.note === NO_NOTE;
  const { fix, reason } = isSilent ? { fix: `Answer to the case ${name}`, reason: 'given by a person' } : verdict.note;
  return { fix: { ...verdict, note: { fix: mask(fix), reason: mask(reason) } }, shown: mask(verdict.diff) };
}

/** A placeholder of a masked value must not get into a file. */
function refuseMasked(answer: string): void {
  const [mask] = /SECRET_\w+_END/.exec(answer) ?? [];
  if (mask === undefined) return;
  const reason = `${mask} stands for a masked value; write the line as it is in your file, or leave it out`;
  fail('E_CASE_REFUSED', { code: 'placeholder' }, [reason]);
}
