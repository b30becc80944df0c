// What to do about a failure in a run, as things stand: what triage decides, put together from run, ledger and settings.
import type { Stage } from '../config/context-map.ts';
import type { Clock } from '../io/clock.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { Configuration } from '../stage/configuration.ts';
import { decide } from '../triage/decide.ts';
import type { Decision } from '../triage/situation.ts';
import type { FailedAttempt } from './failed-attempt.ts';
import type { MendingFacts } from './mending-facts.ts';
import { knownOf, type Recognised } from './recognise.ts';
import { standing } from './standing.ts';

/** Tiers nobody of which could be reached, and where the question is kept. */
export type Down = { executor?: true; escalation?: true; prompt?: string };

export interface DecideScope {
  config: Configuration;
  clock: Clock;
  ledger: LedgerStore;
  facts: MendingFacts;
  /** False with --no-ai, and for a stage that was given up and that a person asked to run once. */
  ai(stage: string): boolean;
  safeMode: { isOn(): boolean };
}

/** `found`: whether a known fix fits, and who was down. */
export function decideNow(
  subject: Recognised,
  attempt: FailedAttempt,
  found: { known: boolean; down: Down },
  scope: DecideScope,
): Decision {
  const { stage, failure } = subject;
  const { config, ledger, facts } = scope;
  const at = { ai: scope.ai(stage), safe_mode: scope.safeMode.isOn() };
  const now = standing(config.loop, ledger.ledger, scope.clock.now(), at);
  // A stage that must not run twice is neither waited for nor mended by trying: both end in another attempt.
  const rerun = attempt.mayRunAgain && (config.map.stages[stage] as Stage).rerun;
  const decision = decide({
    ...now,
    entry: knownOf(ledger, stage, failure.fingerprint),
    failure: { ...failure, transient: failure.transient && rerun },
    run: { attempts: attempt.attempt, waits: facts.waits(stage), time_left_ms: attempt.timeLeftMs() },
    ai: now.ai && rerun,
    known_fix: found.known,
    executors: found.down.executor && now.executors === 'ready' ? 'down' : now.executors,
    escalations: found.down.escalation && now.escalations === 'ready' ? 'down' : now.escalations,
  });
  // The AI is off for it, but nobody switched it off.
  const unasked = 'why' in decision && decision.why === 'no_ai' && scope.ai(stage) && !rerun;
  return unasked
    ? { ...decision, why: 'no_executor', reason: 'it is not run again by itself, so no fix can be tried' }
    : decision;
}
