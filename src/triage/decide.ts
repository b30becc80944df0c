// One failure, one decision: wait, ask the executors, escalate, give up, or leave it for now. Pure.
import { isFlapping, type LedgerEntry, triesSpent, usedOn } from './ledger.ts';
import { PERSON } from './records.ts';
import { type Decision, type Situation, WHY, type Why } from './situation.ts';
import { counted, dayOf, history, ordinal, seconds } from './words.ts';

/** Escalations whose patch was reverted, after which there is no other. */
const MOST_FRUITLESS = 2;

/**
 * What to do about a failure. Total: it always answers, and every answer but `none` and `give_up` spends something that
 * has an end. The first line that holds decides.
 */
export function decide(situation: Situation): Decision {
  const { entry, run, limits, backoff, failure } = situation;
  // A person was asked: until they answer, the stage runs once each run and nobody else is bothered.
  if (entry?.case !== undefined) return none('open_case', `case ${entry.case} is open`);
  if (entry?.gave_up_at !== undefined) {
    return none('give_up_stands', `it was given up on ${dayOf(entry.gave_up_at)}; reset the stage to start again`);
  }
  // Whatever comes below ends in another attempt.
  if (run.attempts >= limits.stage_attempts) {
    return none('attempts_spent', `${counted(run.attempts, 'attempt')} in this run, ${limits.stage_attempts} at most`);
  }
  if (run.time_left_ms <= 0) return none('run_time_spent', 'the time of this run is spent');
  const pause = failure.transient ? backoff[run.waits] : undefined;
  if (pause !== undefined) {
    if (pause >= run.time_left_ms) {
      return none('run_time_spent', `a wait of ${seconds(pause)} does not fit into the time left of this run`);
    }
    const which = `${ordinal(run.waits + 1)} of ${counted(backoff.length, 'wait')}`;
    return { tier: 'wait', pause_ms: pause, reason: `it may pass by itself, ${which}` };
  }
  const mended = afterWaits(mend(situation), situation);
  // Asked last, so that it is named only where it really kept something from being done.
  const changes = mended.tier === 'executor' || mended.tier === 'escalation';
  return situation.safe_mode && changes ? none('safe_mode', 'safe mode is on: the AI changes nothing') : mended;
}

function afterWaits(decision: Decision, { failure, run }: Situation): Decision {
  if (!failure.transient || run.waits === 0) return decision;
  return { ...decision, reason: `it did not pass in ${counted(run.waits, 'wait')}; ${decision.reason}` };
}

/** What to do about a failure that waiting does not mend. */
function mend(situation: Situation): Decision {
  const { entry, failure, limits, ai, known_fix, now } = situation;
  const reapply = entry?.patches.filter((p) => p.outcome === 'withdrawn').map((p) => p.hash) ?? [];
  // No model can fix what is not in the repository; what costs no model may still be worth a look.
  if (failure.external && !(ai && (known_fix || reapply.length > 0))) {
    return none('external', `${failure.class}: nothing in the repository can fix it`);
  }
  if (!ai) return none('no_ai', 'the AI is switched off for this run');
  if (reapply.length > 0) {
    const theirs = entry?.patches.some((p) => p.outcome === 'withdrawn' && p.plugin === PERSON);
    const what = `${counted(reapply.length, 'fix', 'fixes')} withdrawn earlier: applied again, nobody is asked`;
    const reason = theirs ? 'a person answered the case: their change is applied first' : what;
    return { tier: 'executor', scope: 'known-fixes-only', reapply, reason };
  }
  if (failure.external) return knownFix('nothing in the repository can fix it, but a known fix fits');
  if (entry && isFlapping(entry, now)) {
    return escalate(situation, `it is back within 7 days of a fix verified on ${dayOf(entry.verified_at as string)}`);
  }
  const tries = entry ? triesSpent(entry) : 0;
  if (tries < limits.executor_tries) return askExecutors(situation, tries);
  return escalate(situation, `${tries} of ${counted(limits.executor_tries, 'try', 'tries')} spent`);
}

function askExecutors(situation: Situation, tries: number): Decision {
  const { entry, limits, executors, known_fix, escalations } = situation;
  // Known fixes spend no try and no tokens, and are here to be reached.
  if (known_fix) return knownFix('a known fix fits');
  const blocked = executors === 'ready' ? (dayTriesSpent(situation) ?? dayUsed(situation)) : noExecutor(executors);
  if (!blocked) {
    const which = `${ordinal(tries + 1)} of ${counted(limits.executor_tries, 'try', 'tries')}`;
    return { tier: 'executor', scope: 'all', reapply: [], reason: `${history(entry)}: ${which}` };
  }
  // An owner who wants no executors goes straight to who they do want; executors that are only down come back.
  if (executors === 'none' && escalations !== 'none') return escalate(situation, blocked.reason);
  return blocked;
}

function escalate(situation: Situation, because: string): Decision {
  const { entry, limits, executors, escalations } = situation;
  const { escalation_calls: calls = 0, fruitless = 0 }: Partial<LedgerEntry> = entry ?? {};
  if (escalations === 'none' || limits.escalation_calls === 0) {
    // Nobody was ever to be asked: that is no spent budget, and the next run may be luckier.
    if (executors === 'none' || limits.executor_tries === 0) return noExecutor('none');
    return { tier: 'give_up', reason: `${because}, and there is no escalation` };
  }
  if (fruitless >= MOST_FRUITLESS) {
    return { tier: 'give_up', reason: `${because}, and ${counted(fruitless, 'escalation')} had no effect` };
  }
  const most = counted(limits.escalation_calls, 'call');
  if (calls >= limits.escalation_calls) return { tier: 'give_up', reason: `${because}, and ${calls} of ${most} made` };
  if (escalations === 'down') return none('no_escalation', `${because}, but no escalation can be reached`);
  return (
    dayUsed(situation) ?? {
      tier: 'escalation',
      reason: `${because}: ${ordinal(calls + 1)} of ${most}, ${history(entry)}`,
    }
  );
}

function dayTriesSpent({ limits, day, now }: Situation): Decision | undefined {
  const { date, tries } = usedOn(day, now);
  if (tries < limits.day_tries) return undefined;
  return none('day_tries_spent', `${counted(tries, 'try', 'tries')} on ${date}, ${limits.day_tries} at most`);
}

/** Whether models have used up what they may in a day. */
function dayUsed({ limits, day, now }: Situation): Decision | undefined {
  const { date, tokens, dollars = 0 } = usedOn(day, now);
  if (tokens >= limits.day_tokens) {
    return none('day_tokens_spent', `${counted(tokens, 'token')} used on ${date}, ${limits.day_tokens} at most`);
  }
  const most = limits.day_dollars ?? Number.POSITIVE_INFINITY;
  if (dollars < most) return undefined;
  return none('day_dollars_spent', `$${dollars.toFixed(2)} spent on ${date}, $${most} at most`);
}

const knownFix = (reason: string): Decision => ({ tier: 'executor', scope: 'known-fixes-only', reapply: [], reason });

const noExecutor = (executors: 'none' | 'down'): Decision =>
  none('no_executor', executors === 'none' ? 'no executor has a fix for it' : 'no executor can be reached');

const none = (why: Why, reason: string): Decision => ({ tier: 'none', why, exit: WHY[why], reason });
