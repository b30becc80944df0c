// What a decision depends on besides the failure: limits, the day's usage, who could be asked. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import type { Ledger } from '../triage/ledger.ts';
import type { Situation } from '../triage/situation.ts';

type Standing = Omit<Situation, 'entry' | 'failure' | 'run'>;

/** The executor that needs no model: it spends no try, and sees every failure. */
export const KNOWN_FIXES = 'known-fixes';

/** As things stand at `now`, as far as the configuration tells; whether a known fix fits is not looked at. */
export function standing(
  { limits, wait, executors, escalations }: LoopConfig,
  ledger: Ledger,
  now: number,
  { ai, safe_mode }: { ai: boolean; safe_mode: boolean },
): Standing {
  return {
    day: ledger.day,
    limits,
    backoff: wait.backoff,
    ai,
    safe_mode,
    executors: executors.some((name) => name !== KNOWN_FIXES) ? 'ready' : 'none',
    known_fix: false,
    escalations: escalations.length > 0 ? 'ready' : 'none',
    now,
  };
}
