// The second tier: a failure that keeps coming back goes out as a case. The answer is a fix, a wish for diagnostics, or a
// hand-over; every call counts, whatever comes of it, unless whoever was called could not be reached.

import type { Happening } from '../events.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { callHook } from '../plugin/call.ts';
import type { Escalation as Answer, RefusedRound } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { type AskScope, fixOf } from './ask.ts';
import type { Breaker } from './breaker.ts';
import type { CaseDesk, HandOver, More, WrittenCase } from './case-desk.ts';
import type { TellFacts, Told } from './fix-facts.ts';
import { judgeProposal } from './judge-proposal.ts';
import { type Made, type Offer, refusedBy } from './offer-fix.ts';
import { knownOf, type Recognised } from './recognise.ts';

export interface EscalationScope {
  run: string;
  escalations: readonly LoadedPlugin[];
  mostCalls: number;
  ledger: LedgerStore;
  facts: TellFacts;
  offers: Offer;
  cases: CaseDesk;
  breaker: Breaker;
  /** Whether the day's tokens are not spent. */
  mayAsk(): boolean;
  record(...happenings: Happening[]): void;
  live: AskScope['live'];
}

export interface Escalation {
  /** One pass through everyone there is. */
  escalate(subject: Recognised, signal: AbortSignal): Promise<Made>;
}

type Change = Extract<Answer, { answer: string } | { files: object }>;
/** `next`: whoever comes after may know more. */
type Consulted = Made | { none: 'next' };

/** An executor may have the same name. */
const keyOf = ({ name }: LoadedPlugin): string => `escalation ${name}`;

export function openEscalation(scope: EscalationScope): Escalation {
  const { ledger, run, cases, breaker } = scope;
  return { escalate };

  async function escalate(subject: Recognised, signal: AbortSignal): Promise<Made> {
    let answered = false;
    for (const plugin of scope.escalations) {
      const refuses = breaker.refuses(keyOf(plugin));
      if (refuses !== undefined) {
        failed(subject, plugin.name, refuses);
        continue;
      }
      const came = await consult(plugin, subject, signal);
      if (!('none' in came) || (came.none !== 'next' && came.none !== 'down')) return came;
      answered ||= came.none === 'next';
    }
    return answered ? { none: 'spent' } : { none: 'down' };
  }

  /** One plugin: its case, at most one look at diagnostics and one more word on a patch that did not pass. */
  async function consult(plugin: LoadedPlugin, subject: Recognised, signal: AbortSignal): Promise<Consulted> {
    const told = await scope.facts(subject, 'escalation');
    let sent = await written(subject, told, { signal });
    const refused: RefusedRound[] = [];
    while (sent && callsLeft(subject) > 0 && scope.mayAsk()) {
      const answer = await call(plugin, subject, { told, sent, refused, signal });
      if (answer === 'stopped' || answer === 'down') return { none: answer };
      cases.answered(sent, plugin.name, answer);
      if ('pass' in answer) return { none: 'next' };
      if ('hand_over' in answer) return handOver(subject, sent, { by: plugin.name, text: answer.hand_over });
      if ('diagnostics' in answer) {
        // Asked once more after it has seen them, it gets no others.
        if (sent.version > 1) return { none: 'next' };
        sent = await written(subject, told, { asked: answer.diagnostics, signal });
        continue;
      }
      const judged = await judge(plugin, subject, answer, { told, sent, refined: refused.length > 0, signal });
      if (!('refused' in judged)) return judged;
      refused.push(judged.refused);
      if (refused.length > 1) return { none: 'next' };
    }
    return sent ? { none: 'next' } : { none: 'down' };
  }

  /** The case as it goes out; undefined when it is not sure that every secret is known: then it goes to nobody. */
  async function written(subject: Recognised, told: Told, more: More) {
    try {
      return await cases.write(subject, told, more);
    } catch (error) {
      if (!(error instanceof RedactionError)) throw error;
      failed(subject, '', `nothing is sent to anyone: ${error.message}`);
      return undefined;
    }
  }

  function callsLeft({ stage, failure }: Recognised): number {
    return scope.mostCalls - knownOf(ledger, stage, failure.fingerprint).escalation_calls;
  }

  async function call(
    plugin: LoadedPlugin,
    subject: Recognised,
    { told, sent, refused, signal }: { told: Told; sent: WrittenCase; refused: RefusedRound[]; signal: AbortSignal },
  ): Promise<Answer | 'down' | 'stopped'> {
    const { stage, step, attempt, failure } = subject;
    const { fingerprint } = failure;
    const { name, version, text, redactor } = sent;
    // Counted before: a process that dies while it waits must not call for ever.
    ledger.record({ type: 'called', stage, fingerprint, run, data: { case: name } });
    const place = { stage, step, attempt };
    const facts = { ...told.facts, prompt: text, refused, case: { name, version, text } };
    const reporting = {
      mask: redactor.redact,
      say: (line: string) =>
        scope.record({ type: 'plugin.said', ...place, data: { plugin: plugin.name, text: redactor.redact(line) } }),
      progress: (line: string) => scope.live?.(step, `${plugin.name}: ${line}`),
      used: (tokens: number, dollars = 0) =>
        ledger.record({ type: 'used', stage, fingerprint, run, data: { tokens, dollars } }),
    };
    const called = await callHook(plugin, 'escalate', facts, { signal, reporting });
    if (!('failed' in called)) {
      breaker.answered(keyOf(plugin));
      return called.answer;
    }
    // Who says that it is at fault gives the call back. One that was late, cut off or nonsense was made all the same.
    if (called.why === 'threw') ledger.record({ type: 'uncalled', stage, fingerprint, run, data: {} });
    if (called.why === 'stopped') return 'stopped';
    const reason = redactor.redact(called.failed.replace(': escalate threw: ', ': '));
    breaker.failed(keyOf(plugin), reason);
    failed(subject, plugin.name, reason);
    return 'down';
  }

  async function judge(
    plugin: LoadedPlugin,
    subject: Recognised,
    answer: Change,
    { told, sent, refined, signal }: { told: Told; sent: WrittenCase; refined: boolean; signal: AbortSignal },
  ): Promise<Made | { refused: RefusedRound }> {
    const { stage, step, attempt, failure } = subject;
    const { redactor, name } = sent;
    const judged = await judgeProposal(answer, { ...told, redactor });
    if (judged.ok) {
      cases.patched(sent, judged.diff);
      const by = { plugin: plugin.name, tier: 'escalation', tried: false, case: name } as const;
      return scope.offers.offer(subject, judged, by, signal);
    }
    const { code } = judged;
    const reasons = judged.reasons.map((reason) => redactor.redact(reason));
    const data = { plugin: plugin.name, round: refined ? 2 : 1, code, reasons };
    scope.record({ type: 'fix.refused', stage, step, attempt, data });
    const fix = fixOf(answer);
    const round = { ...(fix === undefined ? {} : { fix: redactor.redact(fix) }), code, reasons };
    const refused = [refusedBy(plugin.name, 'escalation', round)];
    ledger.record({ type: 'refused', stage, fingerprint: failure.fingerprint, run, data: { refused } });
    if (judged.handOver) {
      const text = `it proposes what only a person may decide (${code}): ${reasons.join('; ')}`;
      return handOver(subject, sent, { by: plugin.name, text, ...patchOf(answer) });
    }
    return { refused: round };
  }

  function handOver(subject: Recognised, sent: WrittenCase, why: HandOver): Made {
    cases.open(subject, sent, why);
    return { none: 'left' };
  }

  function failed({ stage, step, attempt }: Recognised, plugin: string, reason: string): void {
    scope.record({ type: 'plugin.failed', stage, step, attempt, data: { plugin, reason } });
  }
}

/** What was proposed, for a person to look at. */
const patchOf = (answer: Change): { patch?: string } => ('answer' in answer ? { patch: answer.answer } : {});
