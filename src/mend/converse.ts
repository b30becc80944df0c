// One conversation with one plugin: what leaves is masked, answers go through the gate, and a refusal goes back to the plugin.
// Tiers differ in their document (prompt or case), in what a call costs, and in two more answers of an escalation: a request for
// diagnostics, and a hand-over to a person.
import { type FixTier, KNOWN_FIXES, NO_NOTE } from '../events.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { sendable } from '../outbound/chat-forms.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { oneLine } from '../outbound/text.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { Change, Escalation, Proposal, RefusedRound, Reporting } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import type { Run } from '../stage/run.ts';
import { dayBudgetSpent } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { breakerOf } from './breaker.ts';
import { type HandOver, recordAnswer, recordPatch, writeCase } from './cases.ts';
import { contextFor, type FixContext } from './context.ts';
import { type CaseDocument, type Document, maskedPrompt } from './documents.ts';
import { currentIncident, record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { judgeProposal, type ProposedFix, type RefusedFix, type SoundFix } from './proposal.ts';
import { speedsOf } from './speeds.ts';
import { keepTranscript } from './transcript.ts';

type Answer = Proposal | Escalation;

/** One conversation with one plugin; without a document when it needs no model. */
export interface Conversation {
  run: Run;
  incident: Incident;
  tier: FixTier;
  plugin: LoadedPlugin;
  context: FixContext;
  document: Document | undefined;
  /** Milliseconds that the run still has. */
  timeLeft: () => number;
  signal: AbortSignal;
}

/**
 * How a conversation ended. `next`: ask the next plugin; `repeated`: this one has nothing new, which ends the try; `down`: it could
 * not be reached, which spends no try.
 */
export type Reply =
  | { none: 'next' | 'repeated' | 'down' | 'stopped' }
  | { handOver: HandOver; document: Document | undefined }
  | ProposedFix;

/** Context and document; undefined when a secret may be left in it: then nothing is sent to anyone. */
export async function documentFor(
  run: Run,
  incident: Incident,
  tier: FixTier,
  signal: AbortSignal,
): Promise<{ context: FixContext; document: Document } | undefined> {
  const context = await contextFor(run, incident, tier);
  const document = await unlessUnsafe(run, incident, () =>
    tier === 'executor' ? maskedPrompt(run, incident, context) : writeCase(run, incident, context, { signal }),
  );
  return document && { context, document };
}

async function unlessUnsafe(
  run: Run,
  incident: Incident,
  work: () => Promise<Document>,
): Promise<Document | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    record(run, incident, 'plugin.failed', { plugin: '', reason: `nothing is sent to anyone: ${error.message}` });
    return undefined;
  }
}

/** Answers of one plugin that are judged in one conversation: an escalation gets one refinement call. */
const MAX_ROUNDS: Readonly<Record<FixTier, number>> = { executor: 3, escalation: 2 };

/**
 * Up to MAX_ROUNDS answers of one plugin: a refused one goes back to it with the reasons, the first that passes the gate is
 * returned, also where the owner is asked about it. Never throws for what the plugin does.
 */
export async function converse(conversation: Conversation): Promise<Reply> {
  const { run, incident, tier, plugin, context } = conversation;
  const refused: RefusedRound[] = [];
  let { document } = conversation;
  for (let round = 1; refused.length < MAX_ROUNDS[tier] && mayCall(conversation, round); round++) {
    const now = { ...conversation, document };
    const called = await call(now, refused);
    if ('none' in called) return called;
    const { answer } = called;
    if (isCase(document)) recordAnswer(run, incident, document, plugin.name, answer);
    if ('answer' in answer || 'files' in answer) {
      const judged = await judgeProposal(answer, { ...context, redactor: document?.redactor });
      if (document) keepTranscript(run, incident, plugin.name, document, answer, judged);
      if (judged.ok) {
        if (isCase(document)) recordPatch(run, document, judged.diff);
        return proposedFix(now, judged);
      }
      if (judged.code === 'no_change') return passOn(now, wordsOf(answer, judged));
      // Known fixes propose the same at every failure: once without success is enough.
      if (judged.repeated && plugin.name === KNOWN_FIXES) return { none: 'next' };
      refused.push(recordRefusal(now, judged, round));
      if (judged.repeated) return { none: 'repeated' };
      continue;
    }
    if (document) keepTranscript(run, incident, plugin.name, document, answer);
    if ('pass' in answer) return passOn(now, answer.pass, answer.unsure);
    if ('hand_over' in answer) return { handOver: { by: plugin.name, text: answer.hand_over }, document };
    if ('unreadable' in answer) {
      const refusal = { code: 'unreadable' as const, reasons: [redact(document, answer.unreadable)] };
      record(run, incident, 'fix.refused', { tier, plugin: plugin.name, round, ...refusal });
      // An executor has asked once more by itself; its next try asks anew.
      if (tier === 'executor') return { none: 'next' };
      refused.push(refusal);
      continue;
    }
    // It asks for diagnostics, which it gets once.
    if (document?.case?.version !== 1) return { none: 'next' };
    document = await withDiagnostics(conversation, answer.diagnostics);
    if (!document) return { none: 'down' };
  }
  return { none: 'next' };
}

const isCase = (document: Document | undefined): document is CaseDocument => document?.case !== undefined;

/** A plugin without a fix to propose. `unsure`: one that asks nobody, and has something to say all the same. */
function passOn({ run, incident, tier, plugin, document }: Conversation, why: string, unsure?: boolean): Reply {
  const reason = redact(document, why);
  const asked = document && { prompt: document.digest };
  if (document || unsure) record(run, incident, 'plugin.passed', { tier, plugin: plugin.name, reason, ...asked });
  return { none: 'next' };
}

/** What an answer without a change says. */
const wordsOf = (answer: Change, { reasons }: RefusedFix): string =>
  'answer' in answer && !readAnswer(answer.answer).ok && answer.answer.trim() !== ''
    ? `proposes no change: ${oneLine(answer.answer)}`
    : reasons.join('; ');

/** The case with the outputs that its reader asked for; undefined when a secret may be left in it. */
const withDiagnostics = ({ run, incident, context, signal }: Conversation, asked: readonly (readonly string[])[]) =>
  unlessUnsafe(run, incident, () => writeCase(run, currentIncident(run, incident), context, { signal, asked }));

function proposedFix({ tier, plugin, document }: Conversation, sound: SoundFix): ProposedFix {
  const name = document?.case?.name;
  const tried = tier === 'executor' && plugin.name !== KNOWN_FIXES;
  return { sound, origin: { plugin: plugin.name, tier, tried, ...(name !== undefined && { case: name }) } };
}

/** Whether another call may be made: the day's tokens and, of an escalation, its calls are not spent. */
function mayCall({ run, incident, tier }: Conversation, round: number): boolean {
  if (tier === 'executor' && round === 1) return true;
  const { limits } = run.config.loop;
  const calls = currentIncident(run, incident).history.escalation_calls;
  if (tier === 'escalation' && calls >= limits.escalation_calls) return false;
  return !dayBudgetSpent({ limits, day: run.journal.ledger.day, now: run.clock.now() });
}

/** One call of the plugin's hook. */
async function call(
  conversation: Conversation,
  refused: readonly RefusedRound[],
): Promise<{ answer: Answer } | { none: 'down' | 'stopped' }> {
  const { run, incident, tier, plugin, context, document, signal } = conversation;
  const { stop, ...told } = reporting(conversation);
  const options = { signal, reporting: told };
  const facts = { ...context.facts, prompt: document?.text ?? '', choices: document?.choices ?? [], refused };
  const sentCase = document?.case;
  // Counted before the call, so that a process that dies while it waits does not call for ever.
  if (sentCase) record(run, incident, 'escalation.called', { case: sentCase.name });
  const calling = sentCase
    ? callHook(plugin, 'escalate', { ...facts, case: { ...sentCase, text: facts.prompt } }, options)
    : callHook(plugin, 'propose', facts, options);
  const called = await calling.finally(stop);
  const breaker = breakerOf(run);
  if ('answer' in called) {
    if (document) breaker.answered(tier, plugin.name);
    return { answer: called.answer };
  }
  // A provider error refunds the call; a timeout, an abort or an invalid answer still counts.
  if (sentCase && called.why === 'threw') record(run, incident, 'escalation.refunded', {});
  if (called.why === 'stopped') return { none: 'stopped' };
  const reason = redact(document, faultLine(called));
  if (document) breaker.failed(tier, plugin.name, reason);
  record(run, incident, 'plugin.failed', { plugin: plugin.name, reason });
  return { none: 'down' };
}

const redact = (document: Document | undefined, text: string): string =>
  document ? sendable(text, document.redactor.redact) : text;

const TELL_EVERY_MS = 1000;

/** What the plugin reports while it works. Until `stop`, who watches the run is told each second what it does and for how long. */
function reporting(conversation: Conversation): Partial<Reporting> & { stop: () => void } {
  const { run, incident, plugin, document, timeLeft } = conversation;
  const { name } = plugin;
  const mask = (text: string) => redact(document, text);
  const say = (text: string) => record(run, incident, 'plugin.said', { plugin: name, text: mask(text) });
  const began = run.clock.monotonic();
  let doing = 'works';
  const tell = () => {
    const seconds = Math.floor((run.clock.monotonic() - began) / 1000);
    run.live?.(incident.step, `${name}: ${doing}${seconds > 0 ? `; ${seconds} s so far` : ''}`);
  };
  // Known fixes have no document, and answer at once.
  const timer = document && setInterval(tell, TELL_EVERY_MS);
  return {
    mask,
    say,
    timeLeft,
    speeds: speedsOf(run.layout, say),
    progress(text) {
      doing = mask(text);
      tell();
    },
    used: (tokens, dollars = 0) => record(run, incident, 'model.used', { tokens, dollars }),
    stop: () => clearInterval(timer),
  };
}

const MAX_NOTE_LENGTH = 300;

/**
 * Records a refusal, with the change where it could be read. Returned as it goes back to the plugin, masked: reasons may quote lines of
 * files.
 */
function recordRefusal(
  { run, incident, tier, plugin, document }: Conversation,
  { code, reasons, places: shown, note: said, proposed }: RefusedFix,
  round: number,
): RefusedRound {
  const mask = (text: string) => redact(document, text);
  const words = (text: string) => mask(text.slice(0, MAX_NOTE_LENGTH));
  const note = said && { fix: words(said.fix), reason: words(said.reason) };
  const { files, diff, hash } = proposed ?? {};
  const patches = patchFiles(run.layout);
  if (files && diff && hash && !patches.diffOf(hash)) patches.write(hash, files, diff, note ?? NO_NOTE);
  const masked = reasons.map(mask);
  const data = {
    tier,
    plugin: plugin.name,
    round,
    code,
    reasons: masked,
    ...(note && { note }),
    ...(hash && { hash }),
  };
  record(run, incident, 'fix.refused', data);
  const places = shown?.map((place) => ({ ...place, lines: place.lines.map(mask) }));
  return { ...(note?.fix && { fix: note.fix }), code, reasons: masked, ...(places && { places }) };
}
