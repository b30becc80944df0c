// One failure, one decision: wait, ask the executors, escalate, give up, or leave it for now. Pure: a decision is made from
// plain values, so that it can be explained and repeated.
import type { LoopConfig } from '../config/loop-config.ts';
import type { Incident } from './incident.ts';
import { type DayUsage, type FirstProposal, isFlapping, type LedgerEntry, usedOn } from './ledger.ts';
import { authorOf, counted, dayOf, ordinal } from './words.ts';

/** As much of an incident as a decision needs; `history` is undefined for a failure that was never seen. */
export interface DecidedIncident
  extends Pick<Incident, 'attempt' | 'waits'>,
    Partial<Pick<Incident, 'heldCase' | 'heldSince' | 'item'>> {
  failure: Pick<Incident['failure'], 'class' | 'transient' | 'external'>;
  history: LedgerEntry | undefined;
}

/** `none`: not configured; `down`: none of them can be reached now; `passed`: each proposed no change when it was asked just so. */
export type Availability = 'none' | 'down' | 'passed' | 'ready';

type Limits = 'executor_tries' | 'escalation_calls' | 'stage_attempts' | 'day_tries' | 'day_tokens';

/** What a decision depends on besides the failure. */
export interface Situation {
  time_left_ms: number;
  /** As the ledger has it. */
  day: DayUsage;
  limits: Pick<LoopConfig['limits'], Limits> & Partial<Pick<LoopConfig['limits'], 'day_dollars'>>;
  /** The pauses before each rerun after a transient failure, in ms. */
  backoff: readonly number[];
  /** False with `--no-ai`. */
  ai: boolean;
  safe_mode: boolean;
  /** Executors that ask a model. */
  executors: Availability;
  /** Whether a known fix fits this failure and was not tried on it; undefined: not looked for yet. */
  known_fix: boolean | undefined;
  /** Why no fix may mend it, where that was found when a known fix was looked for. */
  out_of_reach?: string | undefined;
  escalations: Availability;
  now: number;
}

/** Why nothing more is done about a failure now, and the exit code that stands for it. */
export const WHY = {
  open_case: 3,
  out_of_reach: 3,
  no_progress: 3,
  give_up_stands: 3,
  git_refused: 3,
  safe_mode: 3,
  stopped: 1,
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
  /** `first`: the change that waits for this failure is applied, and no plugin is asked. */
  | { tier: 'executor'; scope: 'all' | 'known-fixes-only' | 'first' }
  | { tier: 'escalation' }
  | { tier: 'give_up' }
  /** The stage ends failed. */
  | { tier: 'none'; why: Why; exit: 1 | 3 }
);

/** The decision depends on whether a known fix fits: look for one, then decide again. */
export type Undecided = { tier: 'find_known_fix' };

/** Give up after this many patches of escalations that did not help. */
const MAX_FRUITLESS = 2;

/**
 * What to do about a failure. Total: it always answers, and every answer but `none` and `give_up` spends something that
 * has an end. The first line that holds decides. When `known_fix` is a boolean it never answers `find_known_fix`.
 */
export function decide(incident: DecidedIncident, situation: Situation & { known_fix: boolean }): Decision;
export function decide(incident: DecidedIncident, situation: Situation): Decision | Undecided;
export function decide(incident: DecidedIncident, situation: Situation): Decision | Undecided {
  const { history, failure, attempt, waits } = incident;
  const { limits, backoff, time_left_ms } = situation;
  // A person was asked: until they answer, the stage runs once each run and no plugin is asked.
  const openCase = history?.case ?? incident.heldCase;
  if (openCase !== undefined) {
    const [sentence] = (history?.case && history.suggestion?.ask?.reasons) || [];
    return none('open_case', `case ${openCase} is open${sentence ? `, a fix waits for your word: ${sentence}` : ''}`);
  }
  const gaveUpAt = history?.gave_up_at ?? incident.heldSince;
  if (gaveUpAt !== undefined) {
    return none('give_up_stands', `it was given up on ${dayOf(gaveUpAt)}; reset the stage to start again`);
  }
  // Whatever comes below ends in another attempt.
  if (attempt >= limits.stage_attempts) {
    return none('attempts_spent', `${counted(attempt, 'attempt')} in this run, ${limits.stage_attempts} at most`);
  }
  if (time_left_ms <= 0) return none('run_time_spent', 'the time of this run is spent');
  const pause = failure.transient ? backoff[waits] : undefined;
  if (pause !== undefined) {
    if (pause >= time_left_ms) {
      return none('run_time_spent', `a wait of ${pause / 1000} s does not fit into the time left of this run`);
    }
    const which = `${ordinal(waits + 1)} of ${counted(backoff.length, 'wait')}`;
    return { tier: 'wait', pause_ms: pause, reason: `it may pass by itself, ${which}` };
  }
  const decision = decideFix(incident, situation);
  if (decision.tier === 'find_known_fix') return decision;
  // Checked last, so that it is the reason only where it really prevented something.
  const changes = decision.tier === 'executor' || decision.tier === 'escalation';
  if (situation.safe_mode && changes) {
    return afterWaits(none('safe_mode', 'safe mode is on: the AI changes nothing'), incident);
  }
  const isOver = isStuck(incident, decision, situation);
  return afterWaits(isOver ? none('no_progress', `no progress twice: ${decision.reason}`) : decision, incident);
}

const NO_PROGRESS: readonly (Why | undefined)[] = ['external', 'no_executor', 'no_escalation'];

/** A stage is tried again by every run; an item without progress twice is handed over to a person, unless nobody could be asked. */
const isStuck = (
  { item, history }: DecidedIncident,
  decision: Decision,
  { ai, executors, escalations }: Situation,
): boolean =>
  item !== undefined &&
  ai &&
  executors !== 'down' &&
  escalations !== 'down' &&
  'why' in decision &&
  NO_PROGRESS.includes(decision.why) &&
  history !== undefined &&
  history.times_seen > 1;

function afterWaits(decision: Decision, { failure, waits }: DecidedIncident): Decision {
  if (!failure.transient || waits === 0) return decision;
  return { ...decision, reason: `it did not pass in ${counted(waits, 'wait')}; ${decision.reason}` };
}

/** What to do about a failure that waiting does not mend. */
function decideFix(incident: DecidedIncident, situation: Situation): Decision | Undecided {
  const { history, failure } = incident;
  const { limits, ai, known_fix, safe_mode, now } = situation;
  const first = history?.first;
  // No model can fix what is not in the repository; a known fix costs nothing.
  if (failure.external && (!ai || !first)) {
    if (ai && known_fix === undefined && !safe_mode) return { tier: 'find_known_fix' };
    if (!ai || !known_fix) return none('external', `${failure.class}: nothing in the repository can fix it`);
    return knownFix('nothing in the repository can fix it, but a known fix fits');
  }
  if (!ai) return none('no_ai', 'the AI is switched off for this run');
  if (first) return { tier: 'executor', scope: 'first', reason: firstWords(first) };
  if (history && isFlapping(history, now)) {
    const day = dayOf(history.kept_at as string);
    return escalate(incident, situation, `it is back within 7 days of a fix that was kept on ${day}`);
  }
  const tries = history?.executor_tries ?? 0;
  if (tries < limits.executor_tries) return askExecutors(incident, situation, tries);
  return escalate(incident, situation, `${tries} of ${counted(limits.executor_tries, 'try', 'tries')} spent`);
}

const FIRST_WORDS: Readonly<Record<FirstProposal['because'], string>> = {
  answered: 'a person answered the case: their change is applied first',
  prepared: 'what an earlier trial came further with is applied first, nobody is asked',
  undone: 'a change that was undone unjudged is applied again, nobody is asked',
};

const firstWords = (first: FirstProposal): string =>
  first.proposed_by ? `${authorOf(first)}: applied first` : FIRST_WORDS[first.because];

function askExecutors(incident: DecidedIncident, situation: Situation, tries: number): Decision | Undecided {
  const { limits, executors, known_fix, out_of_reach, escalations, safe_mode } = situation;
  // In safe mode nothing is changed, so that no fix is looked for.
  if (known_fix === undefined) return safe_mode ? knownFix('a known fix may fit') : { tier: 'find_known_fix' };
  // Known fixes spend no try and no tokens.
  if (known_fix) return knownFix('a known fix fits');
  // A plugin could only change something else.
  if (out_of_reach !== undefined) return none('out_of_reach', out_of_reach);
  const blocked =
    executors === 'ready' ? (dayTriesSpent(situation) ?? dayBudgetSpent(situation)) : noExecutor(executors);
  if (!blocked) {
    const which = `${ordinal(tries + 1)} of ${counted(limits.executor_tries, 'try', 'tries')}`;
    return { tier: 'executor', scope: 'all', reason: `${seenBefore(incident.history)}: ${which}` };
  }
  // Without executors it goes straight to the escalations; executors that are only down are waited for.
  if (executors === 'passed' || (executors === 'none' && escalations !== 'none')) {
    return escalate(incident, situation, blocked.reason);
  }
  return blocked;
}

function escalate(incident: DecidedIncident, situation: Situation, because: string): Decision {
  const { history } = incident;
  const { limits, executors, escalations } = situation;
  const { escalation_calls: calls = 0, fruitless = 0 }: Partial<LedgerEntry> = history ?? {};
  if (escalations === 'none' || limits.escalation_calls === 0) {
    // Neither executors nor escalations are configured: no budget was spent, and the next run may be luckier.
    if (executors === 'none' || limits.executor_tries === 0) return noExecutor('none');
    return { tier: 'give_up', reason: `${because}, and there is no escalation` };
  }
  if (fruitless >= MAX_FRUITLESS) {
    return { tier: 'give_up', reason: `${because}, and ${counted(fruitless, 'escalation')} had no effect` };
  }
  const limit = counted(limits.escalation_calls, 'call');
  if (calls >= limits.escalation_calls) return { tier: 'give_up', reason: `${because}, and ${calls} of ${limit} made` };
  if (escalations === 'passed') return { tier: 'give_up', reason: `${because}, and no escalation proposes a change` };
  if (escalations === 'down') return none('no_escalation', `${because}, but no escalation can be reached`);
  const reason = `${because}: ${ordinal(calls + 1)} of ${limit}, ${seenBefore(history)}`;
  return dayBudgetSpent(situation) ?? { tier: 'escalation', reason };
}

function dayTriesSpent({ limits, day, now }: Situation): Decision | undefined {
  const { date, tries } = usedOn(day, now);
  if (tries < limits.day_tries) return undefined;
  return none('day_tries_spent', `${counted(tries, 'try', 'tries')} on ${date}, ${limits.day_tries} at most`);
}

/** The decision when models have used up what they may in a day; undefined while they have not. */
export function dayBudgetSpent({ limits, day, now }: Pick<Situation, 'limits' | 'day' | 'now'>): Decision | undefined {
  const { date, tokens, dollars = 0 } = usedOn(day, now);
  if (tokens >= limits.day_tokens) {
    return none('day_tokens_spent', `${counted(tokens, 'token')} used on ${date}, ${limits.day_tokens} at most`);
  }
  const most = limits.day_dollars ?? Number.POSITIVE_INFINITY;
  if (dollars < most) return undefined;
  return none('day_dollars_spent', `$${dollars.toFixed(2)} spent on ${date}, $${most} at most`);
}

const knownFix = (reason: string): Decision => ({ tier: 'executor', scope: 'known-fixes-only', reason });

const NO_EXECUTOR = {
  none: 'no executor has a fix for it',
  down: 'no executor can be reached',
  passed: 'no executor proposes a change',
} as const;

const noExecutor = (executors: keyof typeof NO_EXECUTOR): Decision => none('no_executor', NO_EXECUTOR[executors]);

const none = (why: Why, reason: string): Decision => ({ tier: 'none', why, exit: WHY[why], reason });

/** How often a failure was seen. */
const seenBefore = (history: LedgerEntry | undefined): string =>
  history === undefined || history.times_seen <= 1
    ? 'a new failure'
    : `seen ${history.times_seen} times since ${dayOf(history.first_seen)}`;
