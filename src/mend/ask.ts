// Asking for a fix: the plugins of a tier in order, each in one conversation. What leaves is masked, answers go through the
// gate, and what was wrong goes back to the plugin. Tiers differ in their document (prompt or case), in what a call costs,
// and in two more answers that an escalation may give: a wish for diagnostics, and a hand-over to a person.
import { isDeepStrictEqual } from 'node:util';
import { type FixTier, KNOWN_FIXES, PERSON } from '../events.ts';
import type { Refusal } from '../fix/edit.ts';
import { limited } from '../io/signals.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { callHook } from '../plugin/call.ts';
import type { Change, Escalation, Proposal, RefusedRound, Reporting } from '../plugin/contract.ts';
import { runOwnerDiagnostics } from '../stage/diagnose.ts';
import type { Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { mayAsk, usedOn } from '../triage/ledger.ts';
import { breakerOf } from './breaker.ts';
import { type HandOver, handBack, openCase, recordAnswer, recordPatch, type WrittenCase, writeCase } from './cases.ts';
import type { FixOrigin } from './commit.ts';
import { contextFor, type FixContext, maskedPrompt } from './context.ts';
import { currentIncident, record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { judgeProposal, type SoundFix } from './proposal.ts';
import { type Conversation, type Document, keepTranscript, savePrompt } from './transcript.ts';

type Answer = Proposal | Escalation;

/** What one plugin came to. `next`: ask the next one; `down`: it could not be reached, which spends no try. */
type Reply =
  | { sound: SoundFix; document: Document | undefined }
  | { none: 'next' | 'down' | 'stopped' | 'handed_over' };

/**
 * What came of asking. `spent`: nothing, and that was a try or a call; `down`: nobody could be reached, `prompt` is the
 * path of the saved question; `handed_over`: a person has it.
 */
export type Asked =
  | { sound: SoundFix; origin: FixOrigin }
  | { none: 'spent' | 'stopped' | 'handed_over' }
  | { none: 'down'; prompt?: string };

/** A fix that passed the gate: one of an earlier run, a known one, or an answer given within `timeLeftMs`. */
export async function askForFix(
  run: Run,
  incident: Incident,
  decision: Extract<Decision, { tier: FixTier }>,
  knownFix: SoundFix | undefined,
  timeLeftMs: number,
): Promise<Asked> {
  const { signal, end } = limited(timeLeftMs, run.signal);
  try {
    // Now, while the failure is fresh; cases show what they printed.
    await runOwnerDiagnostics(run, incident, incident.failure.fingerprint, signal);
    const withdrawn = decision.tier === 'executor' ? decision.reapply : [];
    if (withdrawn.length > 0) return await reapply(run, incident, withdrawn);
    if (!knownFix) return await askTier(run, incident, decision.tier, signal);
    return { sound: knownFix, origin: { plugin: KNOWN_FIXES, tier: 'executor', tried: false } };
  } finally {
    end();
  }
}

/** A fix that needs no model and was not tried on this failure. */
export async function findKnownFix(run: Run, incident: Incident): Promise<SoundFix | undefined> {
  const plugin = run.plugins.executors.find(({ name }) => name === KNOWN_FIXES);
  if (!plugin) return undefined;
  const context = await contextFor(run, incident, 'executor');
  const { signal } = run;
  const reply = await converse({ run, incident, tier: 'executor', plugin, context, document: undefined, signal });
  return 'sound' in reply ? reply.sound : undefined;
}

/** Of fixes that were taken back unjudged, the first that still fits. A person's answer that does not is handed back to them. */
export async function reapply(run: Run, incident: Incident, hashes: readonly string[]): Promise<Asked> {
  for (const { hash, tier, plugin } of incident.history.patches.filter((patch) => hashes.includes(patch.hash))) {
    const context = await contextFor(run, incident, tier);
    const proposal = await patchFiles(run.layout).proposalOf(hash, context.snapshot);
    const judged = proposal && (await judgeProposal(proposal, context));
    if (judged?.ok) return { sound: { ...judged, hash }, origin: { plugin, tier, tried: false } };
    const { code, reasons } = judged ?? { code: 'no_change', reasons: ['it is not kept any more'] };
    record(run, incident, 'fix.refused', { tier, plugin, round: 1, code, reasons: [...reasons], hash });
    if (plugin === PERSON) {
      const text = `your answer no longer fits (${code}): ${reasons.join('; ')}`;
      const answer = patchFiles(run.layout).diffOf(hash);
      await handBack(run, incident, context, { by: PERSON, text, ...(answer !== undefined && { patch: answer }) });
    }
  }
  return { none: 'spent' };
}

/** One pass through the plugins of a tier: a try of the executors, or calls of the escalations. */
async function askTier(run: Run, incident: Incident, tier: FixTier, signal: AbortSignal): Promise<Asked> {
  const isTry = tier === 'executor';
  const executors = run.plugins.executors.filter(({ name }) => mayAsk(name, incident.history));
  const prompt = isTry ? await documentFor(run, incident, tier, signal) : undefined;
  if (isTry && !prompt) return { none: 'down' };
  let answered = false;
  for (const plugin of isTry ? executors : run.plugins.escalations) {
    const blocked = breakerOf(run).refuses(tier, plugin.name);
    if (blocked !== undefined) {
      record(run, incident, 'plugin.failed', { plugin: plugin.name, reason: blocked });
      continue;
    }
    const given = prompt ?? (await documentFor(run, currentIncident(run, incident), tier, signal));
    const reply: Reply = given ? await converse({ run, incident, tier, plugin, ...given, signal }) : { none: 'down' };
    if ('sound' in reply) {
      const name = reply.document?.case?.name;
      const origin = { plugin: plugin.name, tier, tried: isTry, ...(name !== undefined && { case: name }) };
      return { sound: reply.sound, origin };
    }
    if (reply.none === 'stopped' || reply.none === 'handed_over') return { none: reply.none };
    answered ||= reply.none !== 'down';
  }
  if (!answered) return { none: 'down', ...(prompt && { prompt: savePrompt(run, incident, prompt.document.text) }) };
  if (isTry) record(run, incident, 'try.ended', {});
  return { none: 'spent' };
}

/** Context and document; undefined when it is not sure that every secret is known: then nothing is sent to anyone. */
async function documentFor(
  run: Run,
  incident: Incident,
  tier: FixTier,
  signal: AbortSignal,
): Promise<{ context: FixContext; document: Document } | undefined> {
  const context = await contextFor(run, incident, tier);
  const document = await unlessUnsafe(run, incident, () =>
    tier === 'executor' ? maskedPrompt(run, incident, context.facts) : caseFor(run, incident, context, { signal }),
  );
  return document && { context, document };
}

async function caseFor(...args: Parameters<typeof writeCase>): Promise<Document> {
  const written = await writeCase(...args);
  return { text: written.text, redactor: written.redactor, case: written };
}

async function unlessUnsafe<T>(run: Run, incident: Incident, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    record(run, incident, 'plugin.failed', { plugin: '', reason: `nothing is sent to anyone: ${error.message}` });
    return undefined;
  }
}

/** What only somebody else can do: asked again, they would say the same again. */
const NEEDS_PERSON =
  /\b(?:person|human|owner|operator|admin|administrator|user|someone|somebody|you)\s+(?:\w+\s+)?(?:must|has to|have to|needs? to|should)\b/i;

/** The most answers of one plugin that are judged in one go: an escalation gets one refinement call. */
const MAX_ROUNDS: Readonly<Record<FixTier, number>> = { executor: 3, escalation: 2 };

/**
 * Up to MAX_ROUNDS answers of one plugin: a refused one goes back to it with the reasons, the first that passes the gate
 * is returned. Never throws for what the plugin does.
 */
async function converse(conversation: Conversation): Promise<Reply> {
  const { run, incident, tier, plugin, context, signal } = conversation;
  const refused: RefusedRound[] = [];
  let { document } = conversation;
  let previous: { answer: Answer; judged: Awaited<ReturnType<typeof judgeProposal>> } | undefined;
  for (let round = 1; refused.length < MAX_ROUNDS[tier] && mayCall(conversation, round); round++) {
    const now = { ...conversation, document };
    const called = await call(now, refused);
    if ('none' in called) return called;
    const { answer } = called;
    if (document?.case) recordAnswer(run, document.case, plugin.name, answer);
    const isFix = 'answer' in answer || 'files' in answer;
    if (document && !isFix) keepTranscript(now, answer);
    if ('pass' in answer) {
      const reason = redact(document, answer.pass);
      const person = NEEDS_PERSON.test(reason) && { person: true };
      if (document && !document.case) {
        record(run, incident, 'plugin.passed', { tier, plugin: plugin.name, reason, ...person });
      }
      return { none: 'next' };
    }
    if ('unreadable' in answer) {
      const refusal = { code: 'unreadable' as const, reasons: [redact(document, answer.unreadable)] };
      record(run, incident, 'fix.refused', { tier, plugin: plugin.name, round, ...refusal });
      refused.push(refusal);
      continue;
    }
    if ('hand_over' in answer) return handOver(now, { by: plugin.name, text: answer.hand_over });
    if ('diagnostics' in answer) {
      // Asked once more after it has seen them, it gets no others.
      if (document?.case?.version !== 1) return { none: 'next' };
      const asked = answer.diagnostics;
      document = await unlessUnsafe(run, incident, () =>
        caseFor(run, currentIncident(run, incident), context, { signal, asked }),
      );
      if (!document) return { none: 'down' };
      continue;
    }
    // A structured answer repeated after its refusal will not change; a text may, when asked for in another form.
    const isRepeated = !('answer' in answer) && isDeepStrictEqual(answer, previous?.answer);
    const judged =
      isRepeated && previous
        ? previous.judged
        : await judgeProposal(answer, { ...context, redactor: document?.redactor });
    if (document) keepTranscript(now, answer, judged);
    if (isRepeated) break;
    previous = { answer, judged };
    if (judged.ok) {
      if (document?.case) recordPatch(run, document.case, judged.diff);
      return { sound: judged, document };
    }
    // It proposes what it is certain of, whatever came of that before: once in vain is enough.
    if (plugin.name === KNOWN_FIXES && judged.code === 'already_tried') return { none: 'next' };
    const refusal = refusedRound(answer, judged, document);
    const { fix, code, reasons } = refusal;
    record(run, incident, 'fix.refused', { tier, plugin: plugin.name, round, code, reasons: [...reasons], fix });
    if (judged.handOver && tier === 'escalation') {
      const text = `it proposes what only a person may decide (${code}): ${reasons.join('; ')}`;
      return handOver(now, { by: plugin.name, text, ...('answer' in answer && { patch: answer.answer }) });
    }
    refused.push(refusal);
  }
  return { none: 'next' };
}

/** Whether another call may be made: the day's tokens and, of an escalation, its calls are not spent. */
function mayCall({ run, incident, tier }: Conversation, round: number): boolean {
  if (tier === 'executor' && round === 1) return true;
  const { day_tokens, day_dollars, escalation_calls } = run.config.loop.limits;
  const calls = currentIncident(run, incident).history.escalation_calls;
  if (tier === 'escalation' && calls >= escalation_calls) return false;
  const { tokens, dollars = 0 } = usedOn(run.journal.ledger.day, run.clock.now());
  return tokens < day_tokens && dollars < (day_dollars ?? Number.POSITIVE_INFINITY);
}

/** One call of the plugin's hook. */
async function call(
  conversation: Conversation,
  refused: readonly RefusedRound[],
): Promise<{ answer: Answer } | { none: 'down' | 'stopped' }> {
  const { run, incident, tier, plugin, context, document, signal } = conversation;
  const options = { signal, reporting: reporting(conversation) };
  const facts = { ...context.facts, prompt: document?.text ?? '', refused };
  const sentCase = document?.case;
  // Counted before: a process that dies while it waits must not call for ever.
  if (sentCase) record(run, incident, 'escalation.called', { case: sentCase.name });
  const called = sentCase
    ? await callHook(plugin, 'escalate', { ...facts, case: caseOf(sentCase) }, options)
    : await callHook(plugin, 'propose', facts, options);
  const breaker = breakerOf(run);
  if ('answer' in called) {
    if (document) breaker.answered(tier, plugin.name);
    return { answer: called.answer };
  }
  // A provider error refunds the call; a timeout, an abort or an invalid answer still counts.
  if (sentCase && called.why === 'threw') record(run, incident, 'escalation.refunded', {});
  if (called.why === 'stopped') return { none: 'stopped' };
  const reason = redact(document, called.failed.replace(/: (?:propose|escalate) threw: /, ': '));
  if (document) breaker.failed(tier, plugin.name, reason);
  record(run, incident, 'plugin.failed', { plugin: plugin.name, reason });
  return { none: 'down' };
}

const caseOf = ({ name, version, text }: WrittenCase) => ({ name, version, text });

const redact = (document: Document | undefined, text: string): string => document?.redactor.redact(text) ?? text;

function reporting({ run, incident, plugin: { name: plugin }, document }: Conversation): Reporting {
  const mask = (text: string) => redact(document, text);
  return {
    mask,
    say: (text) => record(run, incident, 'plugin.said', { plugin, text: mask(text) }),
    progress: (text) => run.live?.(incident.step, `${plugin}: ${text}`),
    used: (tokens, dollars = 0) => record(run, incident, 'model.used', { tokens, dollars }),
  };
}

function handOver({ run, incident, document }: Conversation, why: HandOver): Reply {
  openCase(run, incident, document?.case as WrittenCase, why);
  return { none: 'handed_over' };
}

const MAX_FIX_LENGTH = 300;

/** A refusal as it goes to the journal and back to the plugin, masked: reasons may quote lines of files. */
function refusedRound(answer: Change, { code, reasons }: Refusal, document: Document | undefined): RefusedRound {
  const line =
    'answer' in answer
      ? /^[\s>*_#-]{0,8}Fix[*_]{0,3}:[*_]{0,3}[^\S\n]*(\S[^\n]*)$/im.exec(answer.answer)?.[1]
      : undefined;
  const fix = (answer.note?.fix ?? line)?.slice(0, MAX_FIX_LENGTH);
  const masked = reasons.map((reason) => redact(document, reason));
  return { ...(fix !== undefined && { fix: redact(document, fix) }), code, reasons: masked };
}
