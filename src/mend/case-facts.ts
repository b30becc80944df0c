// What a case tells of a failure, gathered from the ledger, the log, the files and the owner's map. Not masked yet.
import { randomBytes } from 'node:crypto';
import type { Stage } from '../config/context-map.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { CaseFacts, CaseTry } from '../outbound/case-file/facts.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import type { Told } from './fix-facts.ts';
import type { FixStore } from './fix-store.ts';
import { logEnd, type OutgoingScope, texts } from './outgoing.ts';
import { knownOf, type Recognised } from './recognise.ts';

export interface CaseFactsScope {
  run: string;
  layout: { home: string };
  limits: LoopConfig['limits'];
  ledger: LedgerStore;
  fixes: FixStore;
  outgoing: OutgoingScope;
  /** Attempts of a step in this run. */
  attempts(step: string): number | undefined;
}

/** `about` is what the caller knows of the case itself. */
export async function caseFacts(
  subject: Recognised,
  { facts }: Told,
  about: Pick<CaseFacts, 'case' | 'version' | 'diagnostics' | 'notes'>,
  scope: CaseFactsScope,
): Promise<CaseFacts> {
  const { stage, step, attempt, failure, how, log } = subject;
  const entry = knownOf(scope.ledger, stage, failure.fingerprint);
  const { map, memo } = scope.outgoing;
  const { executor_tries, escalation_calls } = scope.limits;
  return {
    ...about,
    run: scope.run,
    stage: { ...(map.stages[stage] as Stage), name: stage },
    ...(step === stage ? {} : { step }),
    failure: {
      ...{ class: failure.class, fingerprint: failure.fingerprint, ended: how, log },
      error_lines: failure.errors.flatMap(({ lines }) => lines),
      ...{ times_seen: entry.times_seen, first_seen: entry.first_seen, last_seen: entry.last_seen },
    },
    attempts: scope.attempts(step) ?? attempt,
    tries_spent: { spent: entry.executor_tries, of: executor_tries },
    calls_spent: { spent: entry.escalation_calls, of: escalation_calls },
    log: logEnd(`${scope.layout.home}/${log}`),
    files: await texts(facts),
    ...(memo === undefined ? {} : { memo, keywords: map.architecture_section_keywords }),
    tries: triesOf(entry, scope.fixes),
    limits: facts.limits,
    nonce: randomBytes(8).toString('hex'),
  };
}

/** Every change that was tried or not taken, the oldest first. */
function triesOf({ patches, refused = [] }: LedgerEntry, fixes: FixStore): CaseTry[] {
  const applied = patches.map(({ plugin, tier, outcome, hash, note, why, time }) => {
    const diff = fixes.diffOf(hash);
    const told = { ...(note ? { note } : {}), ...(why ? { why } : {}), ...(diff ? { diff } : {}) };
    return { time, told: { plugin, tier, outcome, ...told } };
  });
  const turnedDown = refused.map(({ plugin, tier, code, reason, fix, time = '' }) => {
    if (code === 'pass') return { time, told: { plugin, tier, outcome: 'passed', why: reason } };
    const note = fix === undefined ? {} : { note: { fix, reason: 'not given' } };
    return { time, told: { plugin, tier, outcome: 'refused', ...note, refused: [{ code, reasons: [reason] }] } };
  });
  return [...applied, ...turnedDown].sort((a, b) => (a.time < b.time ? -1 : 1)).map(({ told }) => told);
}
