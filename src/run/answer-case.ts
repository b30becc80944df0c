// A person answers a case: their patch goes through the same gate, and is applied first when the failure comes back.

import { fail } from '../errors.ts';
import type { Clock } from '../io/clock.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { holdLock } from '../io/lock.ts';
import { requireWritable } from '../io/store.ts';
import { shellCheck } from '../io/tools.ts';
import { openLedger, readLedger } from '../journal/ledger-file.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { findCase } from '../mend/find-case.ts';
import { gateRules } from '../mend/gate-rules.ts';
import { judgeProposal, NO_NOTE, type SoundFix } from '../mend/judge-proposal.ts';
import { openMask } from '../mend/mask.ts';
import { patchFiles } from '../mend/patch-files.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import type { Change } from '../plugin/contract.ts';
import { configurationNow } from '../stage/configuration.ts';
import { entryOf, type Ledger, type LedgerEntry } from '../triage/ledger.ts';
import { type LedgerHappening, PERSON } from '../triage/records.ts';
import { isReversal } from '../worktree/find-fix.ts';
import { openWorktree } from '../worktree/open.ts';
import { snapshotOf } from '../worktree/read.ts';
import { isPackage, PACKAGE_PATHS } from './own-plugins.ts';
import type { RunPorts } from './request.ts';

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

/** Throws E_CASE… for what cannot be answered, and for a patch that the gate refuses: then nothing is changed. */
export async function answerCase(request: AnswerRequest, ports: Pick<RunPorts, 'clock' | 'env'>): Promise<Answered> {
  const layout = layoutOf(request.home);
  requireWritable(layout.state);
  const lock = holdLock(layout, request.command);
  try {
    const store = openCaseStore(layout);
    const summary = findCase(store, request.case);
    if (summary.state === 'closed') fail('E_CASE_CLOSED', { case: summary.case, why: summary.closed?.why ?? '' });
    const { ledger } = readLedger(layout);
    const { fix, shown } = await withObjects(request.home, (objects) =>
      judged(request, layout, summary, ledger, { env: ports.env, objects }),
    );
    if (!request.dry) {
      record(layout, ports.clock, summary, fix);
      store.writeSummary({ ...summary, state: 'answered', why: `answered: ${fix.note.fix}` });
    }
    const entry = entryOf(ledger, summary.stage, summary.fingerprint);
    return { stage: summary.stage, fix, shown, givenUp: entry?.gave_up_at !== undefined };
  } finally {
    lock.release();
  }
}

async function judged(
  { home, answer, case: name }: AnswerRequest,
  layout: Layout,
  { stage: of, fingerprint, patch }: CaseSummary,
  ledger: Ledger,
  { env, objects }: { env: RunPorts['env']; objects: GitObjects },
): Promise<{ fix: SoundFix; shown: string }> {
  const { base, config } = await configurationNow(home, objects);
  const stage = config.map.stages[of];
  if (!stage) return fail('E_CASE_BROKEN', { case: name, problem: `its stage ${of} is not in the map any more` });
  const tree = await openWorktree(home, base, { objects, carry: config.map.carry, merge: false });
  const snapshot = await snapshotOf(tree, tree.head);
  if (answer !== undefined) refuseMasked(answer);
  const proposal = answer === undefined ? await waitingFix(layout, patch, snapshot) : { answer };
  if (!proposal) return fail('E_CASE_NO_PATCH', { case: name });
  const own = (await isPackage(home)) ? PACKAGE_PATHS : [];
  const verdict = await judgeProposal(proposal, {
    rules: gateRules(stage, 'escalation', { map: config.map, limits: config.loop.limits, snapshot, own }),
    ...{ snapshot, shellCheck, unparsed: [] },
    entry: untried(entryOf(ledger, of, fingerprint)),
    isReversal: (files) => isReversal(tree, base.commit, tree.head, files),
  });
  const mask = openMask(home, config, env);
  if (!verdict.ok) {
    const reasons = verdict.reasons.map(mask);
    return fail('E_CASE_REFUSED', { code: verdict.code, handOver: verdict.handOver === true }, reasons);
  }
  const said =
    verdict.note === NO_NOTE ? { fix: `Answer to the case ${name}`, reason: 'given by a person' } : verdict.note;
  const note = { fix: mask(said.fix), reason: mask(said.reason) };
  return { fix: { ...verdict, note }, shown: mask(verdict.diff) };
}

/** What stands for a masked value in a case means nothing in a file. */
function refuseMasked(answer: string): void {
  const [mask] = /SECRET_\w+_END/.exec(answer) ?? [];
  if (mask === undefined) return;
  const reason = `${mask} stands for a masked value; write the line as it is in your file, or leave it out`;
  fail('E_CASE_REFUSED', { code: 'placeholder', handOver: false }, [reason]);
}

async function waitingFix(
  layout: Layout,
  hash: string | undefined,
  files: Parameters<ReturnType<typeof patchFiles>['proposalOf']>[1],
): Promise<Change | undefined> {
  return hash === undefined ? undefined : patchFiles(layout).proposalOf(hash, files);
}

/** A person may try again what did not help before. */
const untried = (entry: LedgerEntry | undefined): LedgerEntry =>
  ({ ...(entry ?? {}), patches: [] }) as unknown as LedgerEntry;

/** As a fix that was taken back unjudged: it comes first when the failure does. */
function record(layout: Layout, clock: Clock, { stage, fingerprint }: CaseSummary, fix: SoundFix): void {
  const { hash, files, diff, note } = fix;
  patchFiles(layout).write(hash, files, diff, note);
  const ledger = openLedger(layout, clock);
  const data = { hash, outcome: 'withdrawn' as const, tier: 'escalation' as const, plugin: PERSON, note: { ...note } };
  // The latest word counts.
  const earlier = (entryOf(ledger.ledger, stage, fingerprint)?.patches ?? [])
    .filter((patch) => patch.plugin === PERSON && patch.outcome === 'withdrawn' && patch.hash !== hash)
    .map(({ hash: old, tier, plugin }): LedgerHappening => {
      return { type: 'patch', stage, fingerprint, data: { hash: old, outcome: 'declined', tier, plugin } };
    });
  const told: LedgerHappening = { type: 'patch', stage, fingerprint, data };
  ledger.record({ type: 'case.closed', stage, fingerprint, data: {} }, ...earlier, told);
  ledger.close();
}
