// What a decision depends on besides the failure (limits, the day's usage, who can be asked), and what the end of a step
// tells once nothing more is done about it.
import type { Stage } from '../config/context-map.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { caseCommands } from '../outbound/case-summary.ts';
import type { ExecutionError } from '../plan/codes.ts';
import type { Run } from '../stage/run.ts';
import { type Decision, decide, type Situation, type Why } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { type Ledger, type LedgerEntry, mayAsk } from '../triage/ledger.ts';
import { currentIncident, type FailedAttempt, type Member, record } from './identify.ts';
import { notifyOfFailure } from './notify.ts';
import type { SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/** Tiers none of whose plugins could be reached, and the path of the saved prompt. */
export type Unreachable = { executor?: boolean; escalation?: boolean; prompt?: string };

/** Records that the run was stopped while a fix was asked for. */
export function stopped(run: Run, incident: Incident): Decision {
  const reason = 'the run was stopped while a fix was asked for';
  const decision: Decision = { tier: 'none', why: 'stopped', exit: 1, reason };
  record(run, incident, 'failure.decided', decision);
  return decision;
}

/** As things stand at `now`, as far as the configuration tells; no known fix is looked for. */
export function situationOf(
  { limits, wait, executors, escalations }: LoopConfig,
  stage: Pick<Stage, 'files'> | undefined,
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
    executors: !executors.some((name) => mayAsk(name, history))
      ? 'none'
      : stage?.files.length === 0
        ? 'barred'
        : 'ready',
    known_fix: false,
    escalations: escalations.length > 0 ? 'ready' : 'none',
    now,
  };
}

/** Whether the AI may work on a stage: not with --no-ai, nor on a given-up one that a person asked to run once. */
export const mayUseAi = (run: Run, stage: string): boolean => run.ai && !run.givenUp.has(stage);

/** What to do about a failure now, and the known fix if that is it. Where limits or safe mode decide, nobody is asked. */
export async function decideNow(
  run: Run,
  incident: Incident,
  attempt: FailedAttempt,
  unreachable: Unreachable,
): Promise<{ decision: Decision; knownFix?: SoundFix | undefined }> {
  const { config, layout, journal, clock } = run;
  const { failure } = incident;
  const stage = config.map.stages[incident.stage] as Stage;
  const ai = mayUseAi(run, incident.stage);
  const safe_mode = readSafeMode(layout) !== undefined;
  const now = situationOf(config.loop, stage, journal.ledger, clock.now(), { ai, safe_mode }, incident.history);
  // A stage that must not run twice is neither waited for nor mended by trying: both end in another attempt.
  const rerun = attempt.mayRunAgain && stage.rerun;
  const situation = {
    ...now,
    time_left_ms: attempt.timeLeftMs(),
    ai: ai && rerun,
    executors: unreachable.executor && now.executors === 'ready' ? ('down' as const) : now.executors,
    escalations: unreachable.escalation && now.escalations === 'ready' ? ('down' as const) : now.escalations,
  };
  // After a fix was taken back the failure before it is dealt with; the attempts are those of the step all the same.
  const transient = failure.transient && rerun;
  const subject = { ...incident, attempt: attempt.attempt, failure: { ...failure, transient } };
  // Who could not be reached came after known fixes: these were looked for already.
  const decision = decide(subject, { ...situation, known_fix: unreachable.executor ? false : undefined });
  if (decision.tier === 'find_known_fix') {
    const { findKnownFix } = await import('./ask.ts');
    const { fix: knownFix, out_of_reach } = await findKnownFix(run, incident);
    return { decision: decide(subject, { ...situation, known_fix: knownFix !== undefined, out_of_reach }), knownFix };
  }
  // `ai` is off only because the stage must not run twice: say that instead.
  if (ai && !rerun && 'why' in decision && decision.why === 'no_ai') {
    const reason = 'it is not run again by itself, so no fix can be tried';
    return { decision: { ...decision, why: 'no_executor', reason } };
  }
  return { decision };
}

/**
 * Nothing more is done about a failure now: the case is written when that is for good, and people are notified. Returns the
 * error that a step which has it ends with.
 */
export async function conclude(
  run: Run,
  incident: Incident,
  decision: Decision,
  prompt: string | undefined,
): Promise<(member: Member) => ExecutionError> {
  if (decision.tier === 'give_up') {
    const { giveUp } = await import('./cases.ts');
    await giveUp(run, incident, decision.reason);
  }
  if ('why' in decision && isHandedOver(decision.why)) {
    const { handOver } = await import('./cases.ts');
    await handOver(run, incident, decision.reason);
  }
  const { fingerprint, class: failureClass } = incident.failure;
  const why = 'why' in decision ? decision.why : undefined;
  // One that was given up and runs again at a person's word stays given up.
  const staysGivenUp = decision.tier === 'none' && (why === 'give_up_stands' || run.givenUp.has(incident.stage));
  const gaveUp = decision.tier === 'give_up' || staysGivenUp;
  const human = gaveUp || ('exit' in decision && decision.exit === 3);
  const next = adviceFor(currentIncident(run, incident), why, gaveUp, prompt);
  notifyOfFailure(run, incident, decision, { gaveUp, next });
  const told = {
    fingerprint,
    class: failureClass,
    tier: decision.tier,
    ...(why && { why }),
    ...(human && { human }),
    ...(gaveUp && { gave_up: decision.reason }),
    ...(next && { next }),
  };
  return ({ failed, incident: { stage, step, inputs: own } }) => {
    // Those before the step's fixes, which are taken back at its end: else that alone would count as changed inputs.
    const inputs = run.journal.failures.inputsBefore(stage, step) ?? own;
    return { ...failed.error, context: { ...failed.error.context, ...(inputs && { inputs }), ...told } };
  };
}

/** Nobody is asked any more: a case is opened for a person. */
const isHandedOver = (why: Why | undefined): boolean => why === 'out_of_reach' || why === 'no_progress';

/** What to do about a failure that the owner's own rule calls external, without more advice. */
const OUTSIDE = 'mend what the log names outside of this repository';

/** What only a person can do now; undefined where the usual words do. */
function adviceFor(
  { stage, failure, history, storyCase }: Incident,
  why: Why | undefined,
  gaveUp: boolean,
  prompt: string | undefined,
): string | undefined {
  if (gaveUp) return `see mendloop explain ${failure.fingerprint}; mend it, then: mendloop reset ${stage}`;
  if (why === 'safe_mode') return 'see why: mendloop safe-mode; when that is mended: mendloop safe-mode off';
  const name = history.case ?? storyCase;
  if (name !== undefined && (why === 'open_case' || isHandedOver(why))) {
    return caseCommands(name, history.case !== undefined && history.suggestion !== undefined).join('\n');
  }
  if (prompt !== undefined) {
    return `start the model and run mendloop again, or give ${prompt} to any other, try its answer (mendloop check-patch <answer> --stage ${stage}) and commit it on your branch`;
  }
  const todo = failure.advice ?? (why === 'external' ? OUTSIDE : undefined);
  return todo && `${todo}, then: mendloop`;
}
