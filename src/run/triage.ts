// A failed attempt: who it is, what the ledger knows of it, what to do about it. Everything is recorded before it is answered.
import { relative } from 'node:path';
import type { Happening } from '../events.ts';
import { excerptOf, type Failure } from '../failure/fingerprint.ts';
import { identifyFrom } from '../failure/windows.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { readLogEnd } from '../io/log-end.ts';
import { cellKey } from '../plan/matrix.ts';
import { eventLabel } from '../plan/step-label.ts';
import { recordOf, type StageState } from '../stage/stage-state.ts';
import { decide } from '../triage/decide.ts';
import { entryOf, type LedgerEntry } from '../triage/ledger.ts';
import type { AttemptEnded } from '../triage/records.ts';
import type { Decision } from '../triage/situation.ts';
import type { Configuration } from './configuration.ts';
import type { LedgerStore } from './ledger-store.ts';
import { projectRules } from './project-rules.ts';
import { standing } from './standing.ts';
import type { FailedAttempt, Triage, Triaged } from './work.ts';

export interface TriageScope {
  run: string;
  layout: Layout;
  config: Configuration;
  stages: StageState;
  ledger: LedgerStore;
  record(...happenings: Happening[]): void;
  clock: Clock;
  /** False with --no-ai. */
  ai: boolean;
  /** Stage → failures waited out in this run so far, those of earlier processes included. */
  waited: Map<string, number>;
}

export function stageTriage(scope: TriageScope): Triage {
  return (failed) => {
    const place = placeOf(failed, scope);
    const failure = identifyAttempt(failed, place, scope);
    for (const name of failure.slow ?? []) {
      scope.record({ type: 'notice', data: { text: `passed over, because it takes too long on this log: ${name}` } });
    }
    const entry = see(failed, place, failure, scope);
    const decision = answer(failed, place.stage, entry, failure, scope);
    const { stage } = place;
    const { fingerprint } = failure;
    const { tier, reason } = decision;
    scope.ledger.record({ type: 'decided', stage, fingerprint, run: scope.run, data: { tier, reason } });
    scope.record({
      type: 'failure.decided',
      ...eventLabel(failed.step),
      attempt: failed.attempt,
      data: { ...decision },
    });
    if (tier === 'wait') scope.waited.set(stage, (scope.waited.get(stage) ?? 0) + 1);
    return outcome(failure, decision);
  };
}

interface Place {
  stage: string;
  step: string;
  log: string;
}

function placeOf({ step, attempt }: FailedAttempt, { layout, run }: TriageScope): Place {
  const payload = step.payload as { stage: string; step: string; cell: Record<string, string> };
  return { ...payload, log: layout.log(payload.stage, cellKey(payload.cell), run, attempt) };
}

function endedBy({ error }: FailedAttempt): AttemptEnded {
  const { exit_code = null, signal = null } = error.context as Partial<AttemptEnded>;
  return { exit_code, signal, timed_out: error.error_code === 'STEP_TIMEOUT' };
}

function identifyAttempt(failed: FailedAttempt, { stage, step, log }: Place, scope: TriageScope): Failure {
  const green = recordOf(scope.stages, step)?.green_log;
  return identifyFrom((bytes) => readLogEnd(log, bytes), {
    ...{ stage, ended: endedBy(failed), rules: projectRules(scope.config.loop) },
    green: green === undefined ? undefined : (bytes) => readLogEnd(`${scope.layout.home}/${green}`, bytes),
  });
}

/** Puts the sighting into ledger and journal; what the ledger knows now. */
function see(failed: FailedAttempt, place: Place, failure: Failure, scope: TriageScope): LedgerEntry {
  const { step, attempt } = failed;
  const { fingerprint, transient, external, rules } = failure;
  const log = relative(scope.layout.home, place.log);
  const what = { class: failure.class, transient, external, excerpt: excerptOf(failure), log, ended: endedBy(failed) };
  const { stage } = place;
  scope.ledger.record({ type: 'seen', stage, fingerprint, run: scope.run, data: what });
  const entry = entryOf(scope.ledger.ledger, stage, fingerprint) as LedgerEntry;
  const { times_seen, first_seen } = entry;
  const data = { fingerprint, ...what, rules, times_seen, first_seen };
  scope.record({ type: 'failure.seen', ...eventLabel(step), attempt, data });
  return entry;
}

function answer(
  { attempt, mayRunAgain, timeLeftMs }: FailedAttempt,
  stage: string,
  entry: LedgerEntry,
  failure: Failure,
  scope: TriageScope,
): Decision {
  const { config, ledger, clock, ai } = scope;
  // A stage that must not run twice is not waited for either: a wait ends in another attempt.
  const rerun = mayRunAgain && config.map.stages[stage]?.rerun !== false;
  return decide({
    ...standing(config.loop, ledger.ledger, clock.now(), ai),
    entry,
    failure: { ...failure, transient: failure.transient && rerun },
    run: { attempts: attempt, waits: scope.waited.get(stage) ?? 0, time_left_ms: timeLeftMs },
  });
}

/** What to do about a failure that the owner's own rule calls external, without more advice. */
const OUTSIDE = 'mend what the log names outside of this repository';

function outcome({ fingerprint, class: found, advice }: Failure, decision: Decision): Triaged {
  const context = {
    fingerprint,
    class: found,
    tier: decision.tier,
    ...('why' in decision ? { why: decision.why } : {}),
  };
  const human = 'exit' in decision && decision.exit === 3 ? { human: true } : {};
  const todo = advice ?? (decision.tier === 'none' && decision.why === 'external' ? OUTSIDE : undefined);
  const next = todo === undefined ? {} : { next: `${todo}, then: mendloop` };
  return {
    ...(decision.tier === 'wait' ? { pauseMs: decision.pause_ms } : {}),
    reason: decision.reason,
    context: { ...context, ...human, ...next },
  };
}
