// What a decision depends on besides the failure: limits, the day's usage, who can be asked, whether a known fix fits.
import type { Stage } from '../config/context-map.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { type FixTier, KNOWN_FIXES } from '../events.ts';
import type { Run } from '../stage/run.ts';
import { type Availability, type Decision, decide, type Situation } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { hasPassed, type Ledger, type LedgerEntry } from '../triage/ledger.ts';
import { NOT_AGAIN } from '../triage/words.ts';
import type { FailedAttempt } from './failed-cell.ts';
import type { SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/** Tiers none of whose plugins could be reached, and the path of the saved prompt. */
export type Unreachable = { executor?: boolean; escalation?: boolean; prompt?: string };

/** The situation at `now` as the configuration has it: every plugin can be reached, no known fix fits. */
export function situationOf(
  { limits, wait, executors, escalations }: LoopConfig,
  ledger: Ledger,
  now: number,
  { ai, safe_mode }: Pick<Situation, 'ai' | 'safe_mode'>,
  history?: LedgerEntry,
): Situation & { known_fix: boolean } {
  return {
    time_left_ms: limits.run_minutes * 60_000,
    day: ledger.day,
    limits,
    backoff: wait.backoff,
    ai,
    safe_mode,
    executors: availability(
      executors.filter((name) => name !== KNOWN_FIXES),
      history,
    ),
    known_fix: false,
    escalations: availability(escalations, history),
    now,
  };
}

/** Whether somebody can be asked; with what the ledger has of a failure: who has proposed no change is taken to do so again. */
function availability(plugins: readonly string[], history: LedgerEntry | undefined): Availability {
  if (plugins.length === 0) return 'none';
  return history && plugins.every((name) => hasPassed(name, history)) ? 'passed' : 'ready';
}

/** What to do about a failure now. A known fix, which needs no model, is looked for only where that decides, and returned. */
export async function decideNow(
  run: Run,
  incident: Incident,
  failed: FailedAttempt,
  unreachable: Unreachable,
): Promise<{ decision: Decision; knownFix?: SoundFix | undefined }> {
  const { config, layout, journal, clock } = run;
  const { failure } = incident;
  const stage = config.map.stages[incident.stage] as Stage;
  // A given-up stage that a person asked to run once gets no AI.
  const ai = run.ai && !run.givenUp.has(incident.stage);
  const safe_mode = readSafeMode(layout) !== undefined;
  const now = situationOf(config.loop, journal.ledger, clock.now(), { ai, safe_mode });
  // Waiting and mending both end in another attempt.
  const rerun = failed.end.again !== false && stage.rerun;
  const { findKnownFix, passedTiers } = await import('./ask.ts');
  const passed = await passedTiers(run, incident);
  const whether = (tier: FixTier, configured: Availability): Availability =>
    configured === 'none' ? 'none' : unreachable[tier] ? 'down' : passed.has(tier) ? 'passed' : configured;
  const situation = {
    ...now,
    time_left_ms: failed.timeLeftMs(),
    ai: ai && rerun,
    executors: whether('executor', now.executors),
    escalations: whether('escalation', now.escalations),
  };
  const transient = failure.transient && rerun;
  // After a fix was taken back `incident` is the failure before it, of an earlier attempt.
  const current = { ...incident, attempt: failed.attempt, failure: { ...failure, transient } };
  // Executors that could not be reached were asked after a known fix had been looked for.
  const decision = decide(current, { ...situation, known_fix: unreachable.executor ? false : undefined });
  if (decision.tier === 'find_known_fix') {
    const { fix: knownFix, out_of_reach } = await findKnownFix(run, incident);
    return { decision: decide(current, { ...situation, known_fix: knownFix !== undefined, out_of_reach }), knownFix };
  }
  return { decision: withCause(decision, stage, ai && !rerun) };
}

/** The decision, with the real cause where there is no other attempt. `isOff`: the AI is off only because there is none. */
function withCause(decision: Decision, { rerun }: Pick<Stage, 'rerun'>, isOff: boolean): Decision {
  if (decision.tier !== 'none') return decision;
  if (isOff && decision.why === 'no_ai') {
    if (!rerun)
      return { ...decision, why: 'no_executor', exit: 3, reason: `it is ${NOT_AGAIN}, so no fix can be tried` };
    return { ...decision, why: 'no_executor', reason: 'no fix could bring what it lacks, so none is asked for' };
  }
  if (rerun || decision.exit !== 1) return decision;
  return { ...decision, exit: 3, reason: `${decision.reason}; ${NOT_AGAIN}` };
}
