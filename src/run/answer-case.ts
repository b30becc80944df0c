// A person answers a case: their patch goes through the same gate, and is applied first when the failure comes back.
import { fail } from '../errors.ts';
import { PERSON } from '../events.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { withLock } from '../io/lock.ts';
import { shellCheck } from '../io/shell-check.ts';
import { recordAction } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { findCase, openCaseStore } from '../mend/case-store.ts';
import { gateRules, snapshotTree } from '../mend/gate-rules.ts';
import { patchFiles } from '../mend/patch-files.ts';
import { judgeProposal, NO_NOTE, type SoundFix } from '../mend/proposal.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { configurationNow } from '../stage/configuration.ts';
import { judgesAt } from '../stage/judges.ts';
import type { RunPorts } from '../stage/run.ts';
import { entryOf } from '../triage/ledger.ts';
import { isReversal } from '../worktree/find-fix.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { openWorktree } from '../worktree/open.ts';
import { type Snapshot, snapshotOf, withTexts } from '../worktree/read.ts';
import { closeOpenRun } from './close-run.ts';

export interface AnswerRequest {
  home: string;
  case: string;
  /** What the person says, in any form a model may; undefined: the fix that waits for a word. */
  answer: string | undefined;
  command: string;
  /** Only say what would be. */
  dry: boolean;
}

export interface Answered {
  stage: string;
  fix: SoundFix;
  /** Its diff as a person is shown it. */
  shown: string;
  /** The stage was given up, and must be reset before it runs. */
  givenUp: boolean;
}

type AnswerPorts = Pick<RunPorts, 'clock' | 'env' | 'graceMs'>;

/** Throws E_CASE… for what cannot be answered, and for a patch that the gate refuses: then nothing is changed. */
export async function answerCase(request: AnswerRequest, ports: AnswerPorts): Promise<Answered> {
  const layout = layoutOf(request.home);
  return withLock(layout, request.command, async () => {
    const store = openCaseStore(layout);
    const summary = findCase(store, request.case);
    if (summary.state === 'closed') fail('E_CASE_CLOSED', { case: summary.case, why: summary.closed?.why ?? '' });
    const { ledger } = readLedger(layout);
    const { fix, shown } = await withObjects(request.home, (objects) =>
      judge(request, layout, summary, objects, ports.env),
    );
    if (!request.dry) {
      await record(layout, summary, fix, ports);
      store.writeSummary({ ...summary, state: 'answered', why: `answered: ${fix.note.fix}` });
    }
    const entry = entryOf(ledger, summary.stage, summary.fingerprint);
    return { stage: summary.stage, fix, shown, givenUp: entry?.gave_up_at !== undefined };
  });
}

async function judge(
  { home, answer, case: name }: AnswerRequest,
  layout: Layout,
  { stage: stageName, fingerprint, patch }: CaseSummary,
  objects: GitObjects,
  env: RunPorts['env'],
): Promise<{ fix: SoundFix; shown: string }> {
  const { base, config } = await configurationNow(home, objects);
  const stage = config.map.stages[stageName];
  if (!stage)
    return fail('E_CASE_BROKEN', { case: name, problem: `its stage ${stageName} is not in the map any more` });
  const tree = await openWorktree(home, base, { objects, carry: config.map.carry, merge: false });
  const standing = entryOf(readLedger(layout).ledger, stageName, fingerprint)?.stands_on ?? [];
  const snapshot = await asShown(layout, await snapshotOf(tree, tree.head), standing);
  const judges = await judgesAt(config.map, snapshot);
  if (answer !== undefined) refuseMasked(answer);
  const waiting = patch === undefined ? undefined : patchFiles(layout).proposalOf(patch, snapshot);
  const proposal = answer === undefined ? await waiting : { answer };
  if (!proposal) return fail('E_CASE_NO_PATCH', { case: name });
  const verdict = await judgeProposal(proposal, {
    rules: await gateRules(home, config, stage, 'escalation', snapshotTree(snapshot), judges),
    snapshot,
    shellCheck,
    unparsed: [],
    // A person may try again what did not help before.
    patches: [],
    unwritable: (files) => unwritable(tree, files),
    isReversal: (files) => isReversal(tree, base.commit, tree.head, files),
  });
  const mask = openMask(home, config, env);
  if (!verdict.ok) {
    const { code, handOver = false, reasons } = verdict;
    return fail('E_CASE_REFUSED', { code, handOver }, reasons.map(mask));
  }
  const isSilent = verdict.note === NO_NOTE;
  const { fix, reason } = isSilent ? { fix: `Answer to the case ${name}`, reason: 'given by a person' } : verdict.note;
  return { fix: { ...verdict, note: { fix: mask(fix), reason: mask(reason) } }, shown: mask(verdict.diff) };
}

/** The files as the case shows them: with the fixes that it stands on. */
async function asShown(layout: Layout, snapshot: Snapshot, fixes: readonly { hash: string }[]): Promise<Snapshot> {
  let shown = snapshot;
  for (const { hash } of fixes) {
    const change = await patchFiles(layout).proposalOf(hash, shown);
    if (!change || !('files' in change)) return shown;
    shown = withTexts(shown, new Map(Object.entries(change.files)));
  }
  return shown;
}

/** What stands for a masked value in a case means nothing in a file. */
function refuseMasked(answer: string): void {
  const [mask] = /SECRET_\w+_END/.exec(answer) ?? [];
  if (mask === undefined) return;
  const reason = `${mask} stands for a masked value; write the line as it is in your file, or leave it out`;
  fail('E_CASE_REFUSED', { code: 'placeholder', handOver: false }, [reason]);
}

/** As a fix that was taken back unjudged: it comes first when the failure does. A cut-off run is closed first. */
async function record(layout: Layout, summary: CaseSummary, fix: SoundFix, ports: AnswerPorts): Promise<void> {
  const { hash, files, diff, note } = fix;
  const { stage, fingerprint, case: name } = summary;
  const { clock, graceMs } = ports;
  const loaded = loadStages(layout);
  await closeOpenRun(loaded, 'a case was answered', { layout, clock, graceMs });
  patchFiles(layout).write(hash, files, diff, note);
  const data = { fingerprint, case: name, hash, tier: 'escalation', plugin: PERSON, note: { ...note } } as const;
  recordAction({ layout, stages: loaded.state, clock }, { type: 'case.answered', stage, data });
}
