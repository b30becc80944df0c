// What a decision is made from, and what it can be: plain values, so that a decision can be explained and repeated. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import type { DayUsage, LedgerEntry } from './ledger.ts';

/** `none`: not configured; `down`: configured, and none of them can be reached now. */
export type Availability = 'none' | 'down' | 'ready';

export interface Situation {
  /** What the ledger knows of the failure, this sighting included. */
  entry: LedgerEntry | undefined;
  failure: { class: string; transient: boolean; external: boolean };
  /** This stage in this run, and what is left of the run. */
  run: { attempts: number; waits: number; time_left_ms: number };
  /** As the ledger has it. */
  day: DayUsage;
  limits: Pick<
    LoopConfig['limits'],
    'executor_tries' | 'escalation_calls' | 'stage_attempts' | 'day_tries' | 'day_tokens'
  > &
    Partial<Pick<LoopConfig['limits'], 'day_dollars'>>;
  /** The pauses before each rerun after a transient failure, in ms. */
  backoff: readonly number[];
  /** False with `--no-ai`. */
  ai: boolean;
  safe_mode: boolean;
  /** Executors that ask a model. */
  executors: Availability;
  /** Whether a known fix fits this failure and was not tried on it. */
  known_fix: boolean;
  escalations: Availability;
  now: number;
}

/** Why nothing more is done about a failure now, and the exit code that stands for it. */
export const WHY = {
  open_case: 3,
  give_up_stands: 3,
  safe_mode: 3,
  attempts_spent: 1,
  run_time_spent: 1,
  external: 1,
  no_ai: 1,
  no_executor: 1,
  no_escalation: 1,
  day_tries_spent: 1,
  day_tokens_spent: 1,
  day_dollars_spent: 1,
} as const;
export type Why = keyof typeof WHY;

/** What is done about a failure; `reason` is for a person. */
export type Decision = { reason: string } & (
  | { tier: 'wait'; pause_ms: number }
  /** `reapply`: withdrawn patches that come back; when there are any, nobody is asked. */
  | { tier: 'executor'; scope: 'all' | 'known-fixes-only'; reapply: string[] }
  | { tier: 'escalation' }
  | { tier: 'give_up' }
  /** The stage ends failed. */
  | { tier: 'none'; why: Why; exit: 1 | 3 }
);
