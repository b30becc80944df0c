// What a decision depends on besides the failure: limits, the day's usage, who could be asked. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import type { Ledger } from '../triage/ledger.ts';
import type { Situation } from '../triage/situation.ts';

type Standing = Omit<Situation, 'entry' | 'failure' | 'run'>;

/** As things stand at `now`. This version ships neither executors nor escalations, so nobody can be asked. */
export function standing({ limits, wait }: LoopConfig, ledger: Ledger, now: number, ai: boolean): Standing {
  return {
    day: ledger.day,
    limits,
    backoff: wait.backoff,
    ai,
    safe_mode: false,
    executors: 'none',
    known_fix: false,
    escalations: 'none',
    now,
  };
}
