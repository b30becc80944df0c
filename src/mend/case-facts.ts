// What a case tells of a failure, gathered from the ledger, the log, the files and the owner's map. Not masked yet.
import type { LoopConfig } from '../config/loop-config.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { CaseOptions } from '../outbound/case.ts';
import type { FailureContext } from '../outbound/context.ts';
import type { Told } from './fix-facts.ts';
import type { FixStore } from './fix-store.ts';
import { contextOf, type OutgoingScope } from './outgoing.ts';
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
  {
    diagnostics,
    notes,
    ...about
  }: Pick<CaseOptions, 'case' | 'version'> & Pick<FailureContext, 'diagnostics' | 'notes'>,
  scope: CaseFactsScope,
): Promise<{ context: FailureContext; options: CaseOptions }> {
  const { stage, step, attempt, failure, how, log } = subject;
  const entry = knownOf(scope.ledger, stage, failure.fingerprint);
  const { executor_tries, escalation_calls } = scope.limits;
  return {
    context: {
      ...(await contextOf(facts, how, scope.outgoing)),
      ...(step === stage ? {} : { step }),
      diagnostics: diagnostics ?? [],
      notes: notes ?? [],
    },
    options: {
      ...about,
      run: scope.run,
      fingerprint: failure.fingerprint,
      times_seen: entry.times_seen,
      first_seen: entry.first_seen,
      last_seen: entry.last_seen,
      log_file: log,
      attempts: scope.attempts(step) ?? attempt,
      tries_spent: { spent: entry.executor_tries, of: executor_tries },
      calls_spent: { spent: entry.escalation_calls, of: escalation_calls },
    },
  };
}
