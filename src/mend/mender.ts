import type { Happening } from '../events.ts';
import { limited } from '../io/signals.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { PlanStep } from '../plan/contract.ts';
import { stepLabel } from '../plan/step-label.ts';
import { judgeFix } from '../triage/judge.ts';
import { entryKey } from '../triage/ledger.ts';
import type { Decision } from '../triage/situation.ts';
import type { CaseDesk } from './case-desk.ts';
import { type DecideScope, type Down, decideNow } from './decide-now.ts';
import { endOfStep } from './ending.ts';
import type { Escalation } from './escalation.ts';
import type { FailedAttempt, Mender, Triaged } from './failed-attempt.ts';
import type { FixStore } from './fix-store.ts';
import type { SoundFix } from './judge-proposal.ts';
import type { MendingFacts } from './mending-facts.ts';
import { noticeOf } from './notice-of.ts';
import type { Notices } from './notices.ts';
import type { Made } from './offer-fix.ts';
import { knownOf, type Recognised, type RecogniseScope, recognise } from './recognise.ts';
import { type GuardScope, type SafeModePort, safeGuard } from './safe-guard.ts';
import type { Workshop } from './workshop.ts';

export interface MenderScope extends RecogniseScope, DecideScope, GuardScope {
  run: string;
  ledger: LedgerStore;
  /** Stages that were given up and that a person asked to run once. */
  givenUp: ReadonlySet<string>;
  record(...happenings: Happening[]): void;
  fixes: FixStore;
  tools: () => Promise<MendingTools>;
  notices: Notices;
  /** What is known of this run so far, that of earlier processes included. Kept up to date here. */
  facts: MendingFacts;
  safeMode: SafeModePort;
  signal: AbortSignal;
}

/** Everyone and everything that is needed only once something failed. */
export interface MendingTools {
  workshop: Workshop;
  escalation: Escalation;
  cases: CaseDesk;
}

const STOPPED: Decision = {
  ...{ tier: 'none', why: 'run_time_spent', exit: 1 },
  reason: 'the run was stopped while a fix was asked for',
};

/** Besides what may be spent: known fixes, fixes that come back, a tier that is down. */
const MORE_TURNS = 12;

export function stageMender(scope: MenderScope): Mender {
  const { facts, fixes, ledger } = scope;
  const guard = safeGuard(scope);
  /** Failure → the end of the last who saw to it. */
  const turns = new Map<string, Promise<unknown>>();
  return { failed, ended };

  async function failed(attempt: FailedAttempt): Promise<Triaged> {
    const met = recognise(attempt, scope);
    facts.had(met.stage, met.failure.fingerprint);
    await guard.failed(met);
    const subject = await judgePending(met, attempt);
    if ('again' in subject) return subject.again;
    return inTurn(subject, () => answerOnce(subject, attempt));
  }

  /** Of several steps with one failure only one is seen to at a time: what it comes to is for the others, too. */
  async function inTurn(subject: Recognised, work: () => Promise<Triaged>): Promise<Triaged> {
    const key = entryKey(subject.stage, subject.failure.fingerprint);
    const before = turns.get(key) ?? Promise.resolve();
    const mine = before.then(work);
    turns.set(
      key,
      mine.catch(() => {}),
    );
    return mine;
  }

  async function answerOnce(subject: Recognised, attempt: FailedAttempt): Promise<Triaged> {
    const mended = [...facts.pending.values()].some(
      ({ fix }) =>
        fix.stage === subject.stage && fix.fingerprint === subject.failure.fingerprint && fix.step !== subject.step,
    );
    if (mended && roomFor(0, attempt))
      return again('another step has the same failure, and a fix is on the branch').again;
    return answer(subject, attempt);
  }

  /** The failure to deal with next, now that the fix before it is judged; or that the stage runs once more first. */
  async function judgePending(met: Recognised, attempt: FailedAttempt): Promise<Recognised | { again: Triaged }> {
    const pending = facts.pending.get(met.step);
    if (!pending) return met;
    const { fix, subject, earlier } = pending;
    const { failure, timedOut, stage } = met;
    const { verdict, reason } = judgeFix({
      fingerprint: fix.fingerprint,
      ended: { how: 'failed', ...failure, timed_out: timedOut },
      earlier: earlier.filter((known) => known !== fix.fingerprint),
      broken_syntax: false,
      provisional: facts.kept(stage).length,
      rerun: pending.rerun,
    });
    if (verdict === 'rerun') {
      const pauseMs = (failure.transient && scope.config.loop.wait.backoff[0]) || 0;
      // Without another attempt nobody can say: the end of the step takes the fix back unjudged.
      if (!roomFor(pauseMs, attempt)) return met;
      pending.rerun = true;
      return again(`${reason}: once more`, pauseMs);
    }
    if (verdict === 'no_effect' || verdict === 'broke') {
      await fixes.takeBack(fix, verdict, reason);
      facts.settled(fix);
      guard.takenBack();
      // The tree is as it was before the fix, and so is what is wrong with it.
      if (subject) return subject;
      const same = failure.fingerprint === fix.fingerprint;
      return same || !roomFor(0, attempt) ? met : again('the fix is taken back: once more');
    }
    fixes.keep(fix, 'provisional', reason);
    facts.keep(fix);
    return met;
  }

  function again(reason: string, pauseMs = 0): { again: Triaged } {
    return { again: { pauseMs, reason, context: {} } };
  }

  function roomFor(pauseMs: number, { attempt, timeLeftMs }: FailedAttempt): boolean {
    return attempt < scope.config.loop.limits.stage_attempts && timeLeftMs() > pauseMs;
  }

  async function answer(subject: Recognised, attempt: FailedAttempt): Promise<Triaged> {
    const down: Down = {};
    const { executor_tries, escalation_calls } = scope.config.loop.limits;
    // A pass that ends in nothing spends something; the end of turns is only for the day it does not.
    for (let turn = 0; turn < executor_tries + escalation_calls + MORE_TURNS; turn++) {
      const known = scope.ai(subject.stage) ? await (await scope.tools()).workshop.knownFix(subject) : undefined;
      const decision = decideNow(subject, attempt, { known: known !== undefined, down }, scope);
      tell(subject, decision);
      if (decision.tier === 'wait') {
        facts.waited(subject.stage);
        return { pauseMs: decision.pause_ms, tier: 'wait', reason: decision.reason, context: {} };
      }
      if (decision.tier === 'none' || decision.tier === 'give_up') return end(subject, decision, down.prompt);
      const made = await mend(subject, decision, known, attempt);
      if ('fix' in made) {
        const { plugin, note } = made.fix;
        return { pauseMs: 0, tier: 'fix', reason: `${plugin}: ${note.fix}`, context: {} };
      }
      if (made.none === 'stopped') {
        tell(subject, STOPPED);
        return end(subject, STOPPED);
      }
      if (made.none === 'moved') return again('another fix changed its files meanwhile: once more').again;
      if (made.none === 'down')
        Object.assign(down, { [decision.tier]: true, ...(made.prompt ? { prompt: made.prompt } : {}) });
    }
    throw new Error(`no end is found for ${subject.stage}/${subject.failure.fingerprint}`);
  }

  function tell(subject: Recognised, decision: Decision): void {
    const { stage, step, attempt, failure } = subject;
    const { tier, reason } = decision;
    ledger.record({ type: 'decided', stage, fingerprint: failure.fingerprint, run: scope.run, data: { tier, reason } });
    scope.record({ type: 'failure.decided', stage, step, attempt, data: { ...decision } });
  }

  async function mend(
    subject: Recognised,
    decision: Decision & { tier: 'executor' | 'escalation' },
    known: SoundFix | undefined,
    attempt: FailedAttempt,
  ): Promise<Made> {
    const { workshop, escalation, cases } = await scope.tools();
    // Whoever answers later answers too late for this run.
    const { signal, end: over } = limited(attempt.timeLeftMs(), scope.signal);
    try {
      await cases.look(subject, signal);
      const made =
        decision.tier === 'escalation'
          ? await escalation.escalate(subject, signal)
          : decision.reapply.length > 0
            ? await workshop.reapply(subject, decision.reapply, signal)
            : known
              ? await workshop.applyKnown(subject, known, signal)
              : await workshop.askAll(subject, signal);
      if ('fix' in made) facts.committed(made.fix, subject);
      return made;
    } finally {
      over();
    }
  }

  async function end(subject: Recognised, decision: Decision, prompt?: string): Promise<Triaged> {
    const { stage, failure } = subject;
    const { fingerprint } = failure;
    // One that was given up and runs again at a person's word stays given up.
    const stands = decision.tier === 'none' && (decision.why === 'give_up_stands' || scope.givenUp.has(stage));
    const gaveUp = decision.tier === 'give_up' || stands;
    if (gaveUp && !stands) {
      ledger.record({ type: 'gave_up', stage, fingerprint, run: scope.run, data: {} });
      await (await scope.tools()).cases.giveUp(subject, decision.reason);
    }
    const ended = endOfStep(subject, decision, {
      ...{ gaveUp, prompt, case: knownOf(ledger, stage, fingerprint).case },
      // Without the fixes that are taken back at the end: else that alone would count as a change of what it is made from.
      inputs: facts.foundBy(subject) ?? subject.inputs,
    });
    const notice = noticeOf(subject, decision, ended);
    if (notice) scope.notices.tell(notice, { stage, fingerprint });
    return ended;
  }

  /** The step is over: what its fixes came to. Told before the step's own end, so that no end stands without it. */
  async function ended(step: PlanStep, green: boolean): Promise<void> {
    const name = stepLabel(step);
    const stage = String(step.payload.stage);
    const pending = facts.pending.get(name);
    const open = [...facts.keptBy({ stage, step: name }), ...(pending ? [pending.fix] : [])];
    for (const fix of green ? open : open.reverse()) {
      if (green) fixes.keep(fix, 'verified', 'the stage is green');
      else await fixes.takeBack(fix, 'withdrawn', 'the stage did not end green');
      facts.settled(fix);
    }
  }
}
