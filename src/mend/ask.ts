// Where a fix comes from: first the change that waits for this failure, then a known one, then the plugins of a tier in order, each
// in one conversation. The first that passes the gate ends the try, also where the owner is asked about it.
import { FIX_TIERS, type FixTier, KNOWN_FIXES, PERSON } from '../events.ts';
import { limited } from '../io/signals.ts';
import { runOwnerDiagnostics } from '../stage/diagnose.ts';
import type { Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { hasPassed } from '../triage/ledger.ts';
import { breakerOf } from './breaker.ts';
import { handOver, openCase } from './cases.ts';
import { contextFor } from './context.ts';
import { type Conversation, converse, documentFor } from './converse.ts';
import { type CaseDocument, questionDigest, whyOutOfReach } from './documents.ts';
import { currentIncident, record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { judgeProposal, type ProposedFix, type SoundFix } from './proposal.ts';
import { savePrompt } from './transcript.ts';

/**
 * A fix, or why there is none. `spent`: a try or a call without result; `down`: no plugin could be reached, `prompt` is the
 * path of the saved prompt; `handed_over`: a case is open for a person.
 */
export type Asked = ProposedFix | { none: 'spent' | 'stopped' | 'handed_over' } | { none: 'down'; prompt?: string };

/** Before the run's deadline: an answer that does not come until then is told as such, not as a stop. */
const END_MS = 3000;

/** A fix that passed the gate: one of an earlier run, a known one, or an answer given within `timeLeftMs`. */
export async function askForFix(
  run: Run,
  incident: Incident,
  decision: Extract<Decision, { tier: FixTier }>,
  knownFix: SoundFix | undefined,
  timeLeftMs: number,
): Promise<Asked> {
  const { signal, end } = limited(timeLeftMs, run.signal);
  const until = run.clock.monotonic() + timeLeftMs - END_MS;
  const timeLeft = () => Math.max(0, until - run.clock.monotonic());
  try {
    // Run now, while the failure is fresh; cases show their output.
    await runOwnerDiagnostics(run, incident, signal);
    if (decision.tier === 'executor' && decision.scope === 'first') return await proposeFirst(run, incident);
    if (!knownFix) return await askTier(run, incident, decision.tier, { signal, timeLeft });
    return { sound: knownFix, origin: { plugin: KNOWN_FIXES, tier: 'executor', tried: false } };
  } finally {
    end();
  }
}

/**
 * A fix that needs no model and was not tried on this failure (the owner may have to be asked about it); without one,
 * why no fix may mend the failure, if that is certain.
 */
export async function findKnownFix(run: Run, incident: Incident): Promise<{ fix?: SoundFix; out_of_reach?: string }> {
  const context = await contextFor(run, incident, 'executor');
  const plugin = run.plugins.executors.find(({ name }) => name === KNOWN_FIXES);
  if (plugin) {
    const { signal } = run;
    const timeLeft = () => Number.POSITIVE_INFINITY;
    const conversation = { run, incident, tier: 'executor', plugin, context, document: undefined } as const;
    const reply = await converse({ ...conversation, timeLeft, signal });
    if ('sound' in reply) return { fix: reply.sound };
  }
  const { escalations, executors } = run.plugins;
  const isAsked = escalations.length > 0 || executors.some(({ name }) => name !== KNOWN_FIXES);
  const out_of_reach = isAsked ? await whyOutOfReach(run, incident, context) : undefined;
  return out_of_reach === undefined ? {} : { out_of_reach };
}

/** The tiers whose every plugin proposed no change when it was asked about this failure with all that is known of it now. */
export async function passedTiers(run: Run, incident: Incident): Promise<ReadonlySet<FixTier>> {
  const { history } = incident;
  if (!history.passes) return new Set();
  const digest = await questionDigest(run, incident, await contextFor(run, incident, 'executor'));
  const { executors, escalations } = run.plugins;
  const asked = { executor: executors.filter(({ name }) => name !== KNOWN_FIXES), escalation: escalations };
  return new Set(
    FIX_TIERS.filter(
      (tier) => asked[tier].length > 0 && asked[tier].every(({ name }) => hasPassed(name, history, digest)),
    ),
  );
}

/** The change that waits for this failure, judged for what is refused only. A person's answer that does not fit is handed back to them. */
export async function proposeFirst(run: Run, incident: Incident): Promise<Asked> {
  const { first } = incident.history;
  if (!first) return { none: 'spent' };
  const { hash, tier, plugin, because, proposed_by, answered_at } = first;
  const context = { ...(await contextFor(run, incident, tier)), patches: [] };
  const proposal = await patchFiles(run.layout).proposalOf(hash, context.snapshot);
  const judged = proposal && (await judgeProposal(proposal, context));
  const isAnswer = because === 'answered';
  if (judged?.ok) {
    const { ask: _, ...sound } = judged;
    const origin = {
      plugin,
      tier,
      tried: false,
      judged: true as const,
      ...(isAnswer && { accepted: true, proposed_by, answered_at }),
    };
    return { sound: { ...sound, hash }, origin };
  }
  const { code, reasons } = judged ?? { code: 'no_change', reasons: ['it is not kept any more'] };
  record(run, incident, 'fix.refused', { tier, plugin, round: 1, code, reasons: [...reasons], hash });
  if (isAnswer) {
    const text = `your answer no longer fits (${code}): ${reasons.join('; ')}`;
    const answer = patchFiles(run.layout).diffOf(hash);
    await handOver(run, incident, { by: PERSON, text, ...(answer !== undefined && { patch: answer }) });
  }
  return { none: 'spent' };
}

/** One pass through the plugins of a tier: a try of the executors, or calls of the escalations. */
async function askTier(
  run: Run,
  incident: Incident,
  tier: FixTier,
  { signal, timeLeft }: Pick<Conversation, 'signal' | 'timeLeft'>,
): Promise<Asked> {
  const isTry = tier === 'executor';
  const executors = run.plugins.executors.filter(({ name }) => name !== KNOWN_FIXES);
  const prompt = isTry ? await documentFor(run, incident, tier, signal) : undefined;
  if (isTry && !prompt) return { none: 'down' };
  let answered = false;
  for (const plugin of isTry ? executors : run.plugins.escalations) {
    const blocked = breakerOf(run).refuses(tier, plugin.name);
    if (blocked !== undefined) {
      record(run, incident, 'plugin.failed', { plugin: plugin.name, reason: blocked });
      continue;
    }
    const question = prompt ?? (await documentFor(run, currentIncident(run, incident), tier, signal));
    if (question && hasPassed(plugin.name, incident.history, question.document.digest)) continue;
    // Without a document nothing may be sent.
    if (!question) continue;
    const reply = await converse({ run, incident, tier, plugin, ...question, timeLeft, signal });
    if ('sound' in reply) return reply;
    if ('handOver' in reply) {
      // With a trial the case is about its first failure, not the one that was asked about.
      if (incident.trial) await handOver(run, incident, reply.handOver);
      else await openCase(run, incident, reply.document as CaseDocument, reply.handOver);
      return { none: 'handed_over' };
    }
    if (reply.none === 'stopped') return { none: reply.none };
    answered ||= reply.none !== 'down';
    if (reply.none === 'repeated') break;
  }
  if (!answered) return { none: 'down', ...(prompt && { prompt: savePrompt(run, incident, prompt.document.text) }) };
  if (isTry) record(run, incident, 'try.ended', {});
  return { none: 'spent' };
}
