// Where fixes are made: who is asked, in which order, what they are told, and what becomes of a sound answer.

import type { Happening } from '../events.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import { PERSON, type RefusedAnswer } from '../triage/records.ts';
import { type Asked, type AskScope, ask } from './ask.ts';
import type { Breaker } from './breaker.ts';
import type { TellFacts } from './fix-facts.ts';
import type { FixStore } from './fix-store.ts';
import { judgeProposal, type SoundFix } from './judge-proposal.ts';
import { keepPrompt, keepTry } from './keep-try.ts';
import { type By, type Made, type Offer, refusedBy } from './offer-fix.ts';
import { type OutgoingScope, outgoing } from './outgoing.ts';
import { knownOf, type Recognised } from './recognise.ts';
import { KNOWN_FIXES } from './standing.ts';

export interface WorkshopScope {
  run: string;
  executors: readonly LoadedPlugin[];
  ledger: LedgerStore;
  fixes: FixStore;
  facts: TellFacts;
  outgoing: OutgoingScope;
  /** Whether the day's tokens are not spent. */
  mayAsk(): boolean;
  breaker: Breaker;
  offers: Offer;
  signal: AbortSignal;
  record(...happenings: Happening[]): void;
  live: AskScope['live'];
}

export interface Workshop {
  /** A fix that needs no model and was not tried on this failure. */
  knownFix(subject: Recognised): Promise<SoundFix | undefined>;
  applyKnown(subject: Recognised, fix: SoundFix, signal: AbortSignal): Promise<Made>;
  /** Puts fixes back that were taken back unjudged, the first that still fits. */
  reapply(subject: Recognised, hashes: readonly string[], signal: AbortSignal): Promise<Made>;
  /** One pass through everyone else: a try. */
  askAll(subject: Recognised, signal: AbortSignal): Promise<Made>;
}

export function openWorkshop(scope: WorkshopScope): Workshop {
  const { ledger, fixes, run, breaker, offers } = scope;
  const known = scope.executors.find(({ name }) => name === KNOWN_FIXES);
  const others = scope.executors.filter((plugin) => plugin !== known);

  return {
    async knownFix(subject) {
      const asked = known && (await ask(known, await askScope(subject)));
      return asked && 'fix' in asked ? asked.fix : undefined;
    },
    applyKnown: (subject, fix, signal) => offers.offer(subject, fix, BY_KNOWN, signal),
    async reapply(subject, hashes, signal) {
      for (const { hash, tier, plugin } of entryOf(subject).patches.filter((patch) => hashes.includes(patch.hash))) {
        const judging = await scope.facts(subject, tier);
        const proposal = await fixes.proposalOf(hash, judging.snapshot);
        const judged = proposal && (await judgeProposal(proposal, judging));
        const by = { plugin, tier, tried: false };
        // A person's own patch is not theirs to be asked about once more.
        const put = plugin === PERSON ? offers.apply : offers.offer;
        if (judged?.ok) return put(subject, { ...judged, hash }, by, signal);
        const { stage, step, attempt, failure } = subject;
        const [code, reasons] = judged ? [judged.code, judged.reasons] : ['no_change', ['it is not kept any more']];
        scope.record({ type: 'fix.refused', stage, step, attempt, data: { plugin, round: 1, code, reasons } });
        const why = `${code}: ${reasons[0] ?? ''}`;
        const data = { hash, outcome: 'refused' as const, tier, plugin, why };
        ledger.record({ type: 'patch', stage, fingerprint: failure.fingerprint, run, data });
      }
      return { none: 'spent' };
    },
    askAll,
  };

  async function askAll(subject: Recognised, signal: AbortSignal): Promise<Made> {
    const judging = await told(subject, { ...(await askScope(subject)), signal });
    if (!judging) return { none: 'down' };
    const refused: RefusedAnswer[] = [];
    let answered = false;
    for (const plugin of others) {
      const asked = await askUnlessDown(plugin, judging);
      if ('fix' in asked)
        return offers.offer(
          subject,
          asked.fix,
          { plugin: plugin.name, tier: 'executor', tried: true, refused },
          signal,
        );
      if (asked.none === 'stopped') return { none: 'stopped' };
      answered ||= asked.none !== 'down';
      refused.push(...turnedDown(plugin.name, asked));
    }
    if (!answered) return { none: 'down', prompt: keepQuestion(subject, judging.facts.prompt) };
    offers.tried(subject, refused);
    return { none: 'spent' };
  }

  async function askUnlessDown(plugin: LoadedPlugin, judging: AskScope): Promise<Asked> {
    const reason = breaker.refuses(plugin.name);
    if (reason !== undefined) {
      scope.record({ type: 'plugin.failed', ...judging.place, data: { plugin: plugin.name, reason } });
      return { none: 'down', reason };
    }
    const asked = await ask(plugin, judging);
    if ('fix' in asked || asked.none !== 'down') breaker.answered(plugin.name);
    else breaker.failed(plugin.name, asked.reason);
    return asked;
  }

  /** The same with a prompt, secrets masked; undefined when it is not sure that all are known: then nobody is asked. */
  async function told(subject: Recognised, judging: AskScope): Promise<AskScope | undefined> {
    const { stage, step, attempt } = subject;
    try {
      const { prompt, redactor } = await outgoing(judging.facts, subject.how, scope.outgoing);
      const keep = keepTry(scope.outgoing.home, { run, step, attempt }, prompt, redactor);
      return { ...judging, facts: { ...judging.facts, prompt }, redactor, keep };
    } catch (error) {
      if (!(error instanceof RedactionError)) throw error;
      const reason = `nothing is sent to anyone: ${error.message}`;
      scope.record({ type: 'plugin.failed', stage, step, attempt, data: { plugin: '', reason } });
      return undefined;
    }
  }

  function keepQuestion({ stage, step, attempt }: Recognised, prompt: string): string {
    const path = keepPrompt(scope.outgoing.home, { run, step, attempt }, prompt);
    scope.record({ type: 'prompt.saved', stage, step, attempt, data: { path } });
    return path;
  }

  function entryOf({ stage, failure }: Recognised): LedgerEntry {
    return knownOf(ledger, stage, failure.fingerprint);
  }

  async function askScope(subject: Recognised): Promise<AskScope> {
    const { stage, step, attempt, failure } = subject;
    const { signal, record, live, mayAsk } = scope;
    return {
      ...(await scope.facts(subject, 'executor')),
      ...{ signal, record, live, mayAsk, place: { stage, step, attempt } },
      used: (tokens, dollars = 0) =>
        ledger.record({ type: 'used', stage, fingerprint: failure.fingerprint, run, data: { tokens, dollars } }),
    };
  }
}

/** Answers that were not taken, and the word of who has none: whoever is asked next should know. */
function turnedDown(plugin: string, asked: Extract<Asked, { none: string }>): RefusedAnswer[] {
  if (asked.none === 'refused') return asked.rounds.map((round) => refusedBy(plugin, 'executor', round));
  return asked.none === 'passed' ? [refusedBy(plugin, 'executor', { code: 'pass', reasons: [asked.reason] })] : [];
}

const BY_KNOWN: By = { plugin: KNOWN_FIXES, tier: 'executor', tried: false };
