// Asking for a fix: the plugins of a tier in order, each in one conversation. What leaves is masked, answers are judged by the
// gate, and what was wrong goes back to whoever answered. A tier is a row: its plugins, its document, what a call costs.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type FixTier, KNOWN_FIXES, PERSON } from '../events.ts';
import type { Refusal } from '../fix/edit.ts';
import type { Clock } from '../io/clock.ts';
import { limited } from '../io/signals.ts';
import { folderOf, writeAtomic } from '../io/store.ts';
import type { Redactor } from '../outbound/redact/redactor.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { callHook } from '../plugin/call.ts';
import type { Change, Escalation, Proposal, RefusedRound, Reporting } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { perRun, type Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { usedOn } from '../triage/ledger.ts';
import {
  type HandOver,
  lookAtFailure,
  openCase,
  recordAnswer,
  recordPatch,
  type WrittenCase,
  writeCase,
} from './cases.ts';
import { applyFix, endTry, type FixResult, putOnBranch } from './commit.ts';
import { contextFor, type FixContext, maskedPrompt } from './context.ts';
import { currentIncident, placeOf } from './identify.ts';
import { madeFor } from './judge-fixes.ts';
import { patchFiles } from './patch-files.ts';
import { judgeProposal, type SoundFix } from './proposal.ts';

/** What goes out: the prompt, or the case. */
interface Document {
  text: string;
  redactor: Redactor;
  case?: WrittenCase;
}

type Answer = Proposal | Escalation;
/** What one plugin came to. `next`: whoever comes after may know more; `down`: it could not be reached, which is nobody's failed try. */
type Reply = { sound: SoundFix; document: Document | undefined } | { none: 'next' | 'down' | 'stopped' | 'left' };

/** One conversation with one plugin. */
interface Conversation {
  run: Run;
  incident: Incident;
  tier: FixTier;
  plugin: LoadedPlugin;
  context: FixContext;
  /** Undefined for who needs no model. */
  document: Document | undefined;
  signal: AbortSignal;
}

/** The most answers of one plugin that are judged in one go: an escalation gets one refinement call. */
const MAX_ROUNDS: Readonly<Record<FixTier, number>> = { executor: 3, escalation: 2 };

/** What was decided, done: a fix of an earlier run again, a known fix, or whoever the tier asks. Answers that come after `timeLeftMs` come too late. */
export async function askForFix(
  run: Run,
  incident: Incident,
  decision: Extract<Decision, { tier: FixTier }>,
  knownFix: SoundFix | undefined,
  timeLeftMs: number,
): Promise<FixResult> {
  const { signal, end } = limited(timeLeftMs, run.signal);
  try {
    await lookAtFailure(run, incident, signal);
    const again = decision.tier === 'executor' ? decision.reapply : [];
    const known = { plugin: KNOWN_FIXES, tier: 'executor', tried: false } as const;
    const result =
      again.length > 0
        ? await reapply(run, incident, again, signal)
        : knownFix
          ? await applyFix(run, incident, knownFix, known, signal)
          : await ask(run, incident, decision.tier, signal);
    if ('fix' in result) madeFor(run).set(result.fix.commit, incident);
    return result;
  } finally {
    end();
  }
}

/** One pass through the plugins of a tier: a try of the executors, or calls of the escalations. */
async function ask(run: Run, incident: Incident, tier: FixTier, signal: AbortSignal): Promise<FixResult> {
  const prompt = tier === 'executor' ? await promptFor(run, incident) : undefined;
  if (tier === 'executor' && !prompt) return { none: 'down' };
  let answered = false;
  for (const plugin of pluginsOf(run, tier)) {
    const reply = await askPlugin(run, incident, tier, plugin, prompt, signal);
    if ('sound' in reply) {
      const origin = { plugin: plugin.name, tier, tried: tier === 'executor' };
      const answers = reply.document?.case;
      return applyFix(run, incident, reply.sound, answers ? { ...origin, case: answers.name } : origin, signal);
    }
    if (reply.none === 'stopped' || reply.none === 'left') return { none: reply.none };
    answered ||= reply.none !== 'down';
  }
  if (!answered)
    return { none: 'down', ...(prompt ? { prompt: savePrompt(run, incident, prompt.document.text) } : {}) };
  if (tier === 'executor') endTry(run, incident);
  return { none: 'spent' };
}

/** A fix that needs no model and was not tried on this failure. */
export async function findKnownFix(run: Run, incident: Incident): Promise<SoundFix | undefined> {
  const plugin = run.plugins.executors.find(({ name }) => name === KNOWN_FIXES);
  if (!plugin) return undefined;
  const context = await contextFor(run, incident, 'executor');
  const reply = await converse({
    run,
    incident,
    tier: 'executor',
    plugin,
    context,
    document: undefined,
    signal: run.signal,
  });
  return 'sound' in reply ? reply.sound : undefined;
}

/** Puts fixes back that were taken back unjudged, the first that still fits. */
async function reapply(
  run: Run,
  incident: Incident,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<FixResult> {
  for (const { hash, tier, plugin } of incident.history.patches.filter((patch) => hashes.includes(patch.hash))) {
    const context = await contextFor(run, incident, tier);
    const proposal = await patchFiles(run.layout).proposalOf(hash, context.snapshot);
    const judged = proposal && (await judgeProposal(proposal, context));
    const origin = { plugin, tier, tried: false };
    if (judged?.ok) {
      const fix = { ...judged, hash };
      // A patch that a person supplied needs no confirmation.
      return plugin === PERSON ? putOnBranch(run, incident, fix, origin) : applyFix(run, incident, fix, origin, signal);
    }
    const { code, reasons } = judged ?? { code: 'no_change' as const, reasons: ['it is not kept any more'] };
    refuse({ run, incident, tier }, plugin, 1, { code, reasons }, hash);
  }
  return { none: 'spent' };
}

const pluginsOf = ({ plugins }: Run, tier: FixTier): readonly LoadedPlugin[] =>
  tier === 'escalation' ? plugins.escalations : plugins.executors.filter(({ name }) => name !== KNOWN_FIXES);

/** Context and prompt of a try; undefined when it is not sure that every secret is known: then nobody is asked. */
async function promptFor(
  run: Run,
  incident: Incident,
): Promise<{ context: FixContext; document: Document } | undefined> {
  const context = await contextFor(run, incident, 'executor');
  return unlessUnsafe(run, incident, async () => {
    return { context, document: await maskedPrompt(run, incident, context.facts) };
  });
}

/** The case as it goes out. */
function caseFor(run: Run, incident: Incident, context: FixContext, signal: AbortSignal, asked?: readonly string[][]) {
  return unlessUnsafe(run, incident, async (): Promise<Document> => {
    const written = await writeCase(run, incident, context, { signal, ...(asked ? { asked } : {}) });
    return { text: written.text, redactor: written.redactor, case: written };
  });
}

async function unlessUnsafe<T>(run: Run, incident: Incident, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    pluginFailed(run, incident, '', `nothing is sent to anyone: ${error.message}`);
    return undefined;
  }
}

/** One plugin, unless it failed too often lately. */
async function askPlugin(
  run: Run,
  incident: Incident,
  tier: FixTier,
  plugin: LoadedPlugin,
  prompt: { context: FixContext; document: Document } | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const blocked = breakerOf(run).refuses(tier, plugin.name);
  if (blocked !== undefined) {
    pluginFailed(run, incident, plugin.name, blocked);
    return { none: 'down' };
  }
  const context = prompt?.context ?? (await contextFor(run, currentIncident(run, incident), tier));
  const document = prompt?.document ?? (await caseFor(run, incident, context, signal));
  return document ? converse({ run, incident, tier, plugin, context, document, signal }) : { none: 'down' };
}

/** Never throws for what the plugin does. */
async function converse(conversation: Conversation): Promise<Reply> {
  const { run, incident, tier, plugin, context, signal } = conversation;
  const refused: RefusedRound[] = [];
  let { document } = conversation;
  let before: Answer | undefined;
  for (let round = 1; refused.length < MAX_ROUNDS[tier] && mayCall(run, incident, tier, round); round++) {
    const called = await call({ ...conversation, document }, refused);
    if ('none' in called) return called;
    const { answer } = called;
    if (document?.case) recordAnswer(run, document.case, plugin.name, answer);
    if ('pass' in answer) {
      if (document && !document.case) passed(conversation, document, round, answer);
      return { none: 'next' };
    }
    if ('hand_over' in answer) return handOver(conversation, document, { by: plugin.name, text: answer.hand_over });
    if ('diagnostics' in answer) {
      // Asked once more after it has seen them, it gets no others.
      if (document?.case?.version !== 1) return { none: 'next' };
      document = await caseFor(
        run,
        currentIncident(run, incident),
        context,
        signal,
        answer.diagnostics.map((argv) => [...argv]),
      );
      if (!document) return { none: 'down' };
      continue;
    }
    // Told why it was refused, and given once more: it will not change. A model may be asked in another form next time.
    if (!('answer' in answer) && isDeepStrictEqual(answer, before)) break;
    before = answer;
    const judged = await judgeProposal(answer, { ...context, redactor: document?.redactor });
    if (document && !document.case) keepTranscript(conversation, document, round, answer, judged);
    if (judged.ok) {
      if (document?.case) recordPatch(run, document.case, judged.diff);
      return { sound: judged, document };
    }
    const refusal = refusedRound(answer, judged, document);
    refuse(conversation, plugin.name, round, refusal);
    if (judged.handOver && tier === 'escalation') {
      const text = `it proposes what only a person may decide (${judged.code}): ${refusal.reasons.join('; ')}`;
      return handOver(conversation, document, { by: plugin.name, text, ...patchOf(answer) });
    }
    refused.push(refusal);
  }
  return { none: 'next' };
}

/** Whether another call may be made: the day's tokens and, of an escalation, its calls are not spent. */
function mayCall(run: Run, incident: Incident, tier: FixTier, round: number): boolean {
  const { day_tokens, day_dollars, escalation_calls } = run.config.loop.limits;
  if (tier === 'executor' && round === 1) return true;
  const { tokens, dollars = 0 } = usedOn(run.journal.ledger.day, run.clock.now());
  const calls = currentIncident(run, incident).history.escalation_calls;
  if (tier === 'escalation' && calls >= escalation_calls) return false;
  return tokens < day_tokens && dollars < (day_dollars ?? Number.POSITIVE_INFINITY);
}

/** One call of the plugin's hook. */
async function call(
  conversation: Conversation,
  refused: readonly RefusedRound[],
): Promise<{ answer: Answer } | { none: 'down' | 'stopped' }> {
  const { run, incident, tier, plugin, context, document, signal } = conversation;
  const { fingerprint } = incident.failure;
  const place = placeOf(incident);
  const options = { signal, reporting: reporting(conversation) };
  const facts = { ...context.facts, prompt: document?.text ?? '', refused };
  // Counted before: a process that dies while it waits must not call for ever.
  if (document?.case) {
    run.journal.append({ type: 'escalation.called', ...place, data: { fingerprint, case: document.case.name } });
  }
  const called = document?.case
    ? await callHook(plugin, 'escalate', { ...facts, case: caseOf(document.case) }, options)
    : await callHook(plugin, 'propose', facts, options);
  const breaker = breakerOf(run);
  if ('answer' in called) {
    if (document) breaker.answered(tier, plugin.name);
    return { answer: called.answer };
  }
  // A provider error refunds the call; a timeout, an abort or an invalid answer still counts.
  if (document?.case && called.why === 'threw') {
    run.journal.append({ type: 'escalation.refunded', ...place, data: { fingerprint } });
  }
  if (called.why === 'stopped') return { none: 'stopped' };
  const reason = redact(document, called.failed.replace(/: (?:propose|escalate) threw: /, ': '));
  if (document) breaker.failed(tier, plugin.name, reason);
  pluginFailed(run, incident, plugin.name, reason);
  return { none: 'down' };
}

const caseOf = ({ name, version, text }: WrittenCase) => ({ name, version, text });

const redact = (document: Document | undefined, text: string): string => document?.redactor.redact(text) ?? text;

function reporting({ run, incident, plugin, document }: Conversation): Reporting {
  const place = placeOf(incident);
  const mask = (text: string) => redact(document, text);
  return {
    mask,
    say: (text) =>
      run.journal.append({ type: 'plugin.said', ...place, data: { plugin: plugin.name, text: mask(text) } }),
    progress: (text) => run.live?.(incident.step, `${plugin.name}: ${text}`),
    used: (tokens, dollars = 0) => {
      const data = { fingerprint: incident.failure.fingerprint, tokens, dollars };
      run.journal.append({ type: 'model.used', ...place, data });
    },
  };
}

function passed(conversation: Conversation, document: Document, round: number, answer: { pass: string }): void {
  const { run, incident, tier, plugin } = conversation;
  keepTranscript(conversation, document, round, answer);
  const reason = redact(document, answer.pass);
  const data = { fingerprint: incident.failure.fingerprint, tier, plugin: plugin.name, reason };
  run.journal.append({ type: 'plugin.passed', ...placeOf(incident), data });
}

function handOver({ run, incident }: Conversation, document: Document | undefined, why: HandOver): Reply {
  openCase(run, incident, document?.case as WrittenCase, why);
  return { none: 'left' };
}

/** Why an answer was not taken, as it goes to the journal and back to who answered: reasons may quote lines of files. */
function refusedRound(answer: Change, { code, reasons }: Refusal, document: Document | undefined): RefusedRound {
  const fix = fixOf(answer);
  const masked = reasons.map((reason) => redact(document, reason));
  return { ...(fix === undefined ? {} : { fix: redact(document, fix) }), code, reasons: masked };
}

function refuse(
  { run, incident, tier }: Pick<Conversation, 'run' | 'incident' | 'tier'>,
  plugin: string,
  round: number,
  { code, reasons, fix }: RefusedRound,
  hash?: string,
): void {
  const { fingerprint } = incident.failure;
  const data = { fingerprint, tier, plugin, round, code, reasons: [...reasons], fix, hash };
  run.journal.append({ type: 'fix.refused', ...placeOf(incident), data });
}

function pluginFailed(run: Run, incident: Incident, plugin: string, reason: string): void {
  run.journal.append({ type: 'plugin.failed', ...placeOf(incident), data: { plugin, reason } });
}

/** What was proposed, for a person to look at. */
const patchOf = (answer: Change): { patch?: string } => ('answer' in answer ? { patch: answer.answer } : {});

const MAX_FIX_LENGTH = 300;

/** What a proposal says that it does. */
export function fixOf(answer: Change): string | undefined {
  const line =
    'answer' in answer
      ? /^[\s>*_#-]{0,8}Fix[*_]{0,3}:[*_]{0,3}[^\S\n]*(\S[^\n]*)$/im.exec(answer.answer)?.[1]
      : undefined;
  return (answer.note?.fix ?? line)?.slice(0, MAX_FIX_LENGTH);
}

/** Keeps what was asked of a model, what it answered and what the gate said, for people: masked, one file a round. */
function keepTranscript(
  { run, incident, plugin }: Conversation,
  { text, redactor }: Document,
  round: number,
  answer: Proposal,
  judged?: SoundFix | Refusal,
): void {
  const reply = 'answer' in answer ? answer.answer : 'pass' in answer ? answer.pass : JSON.stringify(answer, null, 2);
  const parts = [
    '# Prompt',
    text,
    '# Answer',
    redactor.redact(reply),
    '# Verdict',
    redactor.redact(verdictOf(judged)),
    '',
  ];
  writeTranscript(run, incident, `${plugin.name}-${round}`, parts.join('\n\n'));
}

function verdictOf(judged: SoundFix | Refusal | undefined): string {
  if (!judged) return 'no fix was proposed';
  return judged.ok ? `accepted\n\n${judged.diff}` : `${judged.code}\n\n${judged.reasons.join('\n')}`;
}

/** Keeps a question that nobody could be asked. Returns its path from home. */
function savePrompt(run: Run, incident: Incident, prompt: string): string {
  const path = writeTranscript(run, incident, 'prompt', prompt);
  run.journal.append({ type: 'prompt.saved', ...placeOf(incident), data: { path } });
  return path;
}

/** Throws MendError when the disk refuses. */
function writeTranscript(run: Run, { step, attempt }: Incident, ending: string, text: string): string {
  const path = join('ai/logs/executor', `${run.id}-${step}-${attempt}-${ending}.md`);
  folderOf(join(run.layout.home, path));
  writeAtomic(join(run.layout.home, path), text);
  return path;
}

export interface Breaker {
  /** Why a plugin is passed over just now; undefined when it may be asked. */
  refuses(tier: FixTier, plugin: string): string | undefined;
  failed(tier: FixTier, plugin: string, reason: string): void;
  answered(tier: FixTier, plugin: string): void;
}

const breakerOf = perRun((run: Run) => openBreaker(run.clock));

const MAX_FAILURES = 3;
const PAUSE_MS = 60_000;

/** Who failed too often is not asked for a while: a host that is down costs its time-out thrice, not at every failure. After the pause one question finds out. */
export function openBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  const counts = new Map<string, { failures: number; until: number; reason: string }>();
  return {
    refuses(tier, plugin) {
      const { until = 0, failures = 0, reason = '' } = counts.get(`${tier} ${plugin}`) ?? {};
      if (failures < MAX_FAILURES || clock.monotonic() >= until) return undefined;
      return `${plugin}: not asked for ${PAUSE_MS / 1000} s after ${failures} failures in a row, the last: ${reason}`;
    },
    failed(tier, plugin, reason) {
      const failures = (counts.get(`${tier} ${plugin}`)?.failures ?? 0) + 1;
      counts.set(`${tier} ${plugin}`, { failures, until: clock.monotonic() + PAUSE_MS, reason });
    },
    answered: (tier, plugin) => void counts.delete(`${tier} ${plugin}`),
  };
}
