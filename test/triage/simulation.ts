// A stage that fails in any way, mended by a loop that does what decide() and judge() say and nothing else.
import * as assert from 'uvu/assert';
import type { FixState, FixTier } from '../../src/events.ts';
import { type Decision, decide, type Situation } from '../../src/triage/decide.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import type { TrialFix } from '../../src/triage/incident.ts';
import { judge, MAX_FIXES } from '../../src/triage/judge.ts';
import { emptyLedger, entryOf } from '../../src/triage/ledger.ts';
import {
  called,
  closed,
  decided,
  ENDED,
  failureOf,
  fixOf,
  gaveUp,
  HOUR,
  incident,
  NOW,
  on,
  opened,
  patch,
  prepared,
  reset,
  type Story,
  seen,
  situation,
  stamped,
  tried,
  used,
} from './builders.ts';

/** How an attempt ends. `lost`: it was interrupted, or its backend failed. */
export type Ended =
  | { how: 'green' }
  | { how: 'failed'; fingerprint: string; transient: boolean; external: boolean; timed_out: boolean }
  | { how: 'lost' };

interface Proposal {
  hash: string;
  tier: FixTier;
  plugin: string;
}

export interface World {
  /** How attempts end, in turn and over again. */
  ends: readonly Ended[];
  /** What executors and escalations answer, in turn and over again. */
  executor: readonly ('fix' | 'refused' | 'down')[];
  escalation: readonly ('fix' | 'refused' | 'hand_over' | 'down')[];
  /** How far the clock goes, or jumps back, with each attempt. */
  jumps: readonly number[];
  /** What a person does before each run. */
  runs: readonly ('nothing' | 'reset' | 'close')[];
  known_fixes: number;
  limits: Situation['limits'];
  safe_mode: boolean;
  ai: boolean;
}

/** The tier, or the reason, each run of the stage ended with. Throws when a cap is passed or a run does not end. */
export function simulate(world: World): string[] {
  const ledger = emptyLedger();
  const take = turns();
  let now = NOW;
  let run = '';
  let hashes = 0;
  let knownLeft = world.known_fixes;
  /** Counted here on their own: passes and calls of each failure since its last restart, tries of each day. */
  const passes = new Map<string, number>();
  const calls = new Map<string, number>();
  return world.runs.map((before, n) => {
    run = `run-${n}`;
    if (before === 'reset') record({ ...reset, stage: 's' });
    if (before === 'close') record({ ...closed, stage: 's' });
    if (before === 'reset') for (const counts of [passes, calls]) counts.clear();
    return oneRun();
  });

  function record(story: Story): void {
    foldLedger(ledger, stamped(story, ledger.as_of.seq + 1, now, run));
    if (story.type !== 'fix.judged' || story.data.outcome !== 'kept') return;
    for (const counts of [passes, calls]) counts.delete(story.data.fingerprint);
  }

  function oneRun(): string {
    const progress = { attempts: 0, waits: 0, time_left_ms: HOUR };
    const standing: (TrialFix & { proposal: Proposal })[] = [];
    let executors: Situation['executors'] = 'ready';
    let escalations: Situation['escalations'] = 'ready';
    let ended = nextAttempt();
    for (let steps = 0; ; steps += 1) {
      assert.ok(steps < 100, 'a run ends');
      if (ended.how !== 'failed') return end(ended.how);
      const { fingerprint, transient, external } = ended;
      const history = entryOf(ledger, 's', fingerprint);
      const { ai, safe_mode, limits } = world;
      const { attempts: attempt, waits, time_left_ms } = progress;
      const failure = failureOf(fingerprint, { transient, external });
      const decision = decide(
        incident({ history, failure, attempt, waits }),
        situation({
          now,
          day: ledger.day,
          time_left_ms,
          known_fix: knownLeft > 0,
          limits,
          ai,
          safe_mode,
          executors,
          escalations,
        }),
      );
      record(on(fingerprint, { ...decided, data: { ...decided.data, tier: decision.tier } } as Story, 's'));
      if (decision.tier === 'none') return end(decision.why);
      if (decision.tier === 'give_up') {
        record(on(fingerprint, gaveUp, 's'));
        return end('give_up');
      }
      if (decision.tier === 'wait') {
        progress.waits += 1;
        progress.time_left_ms -= decision.pause_ms;
        assert.ok(progress.time_left_ms > 0 && progress.waits <= 3);
        ended = nextAttempt();
        continue;
      }
      assert.ok(ai && !safe_mode);
      const fixes = ask(decision, fingerprint);
      if (fixes.length > 0) ended = tryFixes(fixes, fingerprint, ended);
    }

    function nextAttempt(): Ended {
      progress.attempts += 1;
      assert.ok(progress.attempts <= world.limits.stage_attempts);
      progress.time_left_ms -= 60_000;
      now += take(world.jumps);
      const next = take(world.ends);
      if (next.how === 'failed') {
        record(seen(next.fingerprint, 's'));
      }
      return next;
    }

    /** The fixes to be tried, when anyone had one. */
    function ask(decision: Decision, fingerprint: string): Proposal[] {
      const { limits } = world;
      if (decision.tier === 'executor' && decision.scope === 'first') {
        const { first } = entryOf(ledger, 's', fingerprint) ?? {};
        assert.ok(first);
        return [first];
      }
      const fix = (plugin: string, tier: FixTier = 'executor'): Proposal => {
        hashes += 1;
        return { hash: `h${hashes}`, tier, plugin };
      };
      if (decision.tier === 'executor' && knownLeft > 0) {
        knownLeft -= 1;
        return [fix('known-fixes')];
      }
      assert.ok(decision.tier === 'escalation' || (decision.tier === 'executor' && decision.scope === 'all'));
      assert.ok(ledger.day.tokens < limits.day_tokens || now > Date.parse(ledger.day.date) + 24 * HOUR);
      if (decision.tier === 'executor') {
        const answer = take(world.executor);
        if (answer === 'down') executors = 'down';
        if (answer === 'down') return [];
        raise(passes, fingerprint, limits.executor_tries);
        record(on(fingerprint, used(100), 's'));
        const fixes = answer === 'fix' ? [fix('ollama')] : [];
        record(on(fingerprint, tried(), 's'));
        assert.ok(ledger.day.tries <= limits.day_tries);
        return fixes;
      }
      const answer = take(world.escalation);
      if (answer === 'down') escalations = 'down';
      if (answer === 'down') return [];
      raise(calls, fingerprint, limits.escalation_calls);
      record(on(fingerprint, called, 's'));
      record(on(fingerprint, used(100), 's'));
      if (answer === 'hand_over') record(on(fingerprint, opened, 's'));
      return answer === 'fix' ? [fix('model', 'escalation')] : [];
    }

    /** Applies a fix, runs the stage, judges; returns the failure the stage has then. */
    function tryFixes([proposal]: Proposal[], fingerprint: string, before: Ended): Ended {
      if (!proposal) return before;
      const say = (of: TrialFix & { proposal: Proposal }, state: FixState) => {
        const { hash, tier, plugin } = of.proposal;
        record(on(of.fix.fingerprint, patch(hash, state, { tier, plugin }), 's'));
      };
      const sets = { green: new Set<string>(), failed: new Set<string>(), judged: new Set<string>() };
      const rerun = new Set<string>();
      const latest = {
        fix: fixOf(fingerprint),
        steps: new Map([['s', undefined]]),
        wasTimeOut: false,
        ...sets,
        rerun,
        proposal,
      };
      standing.push(latest);
      say(latest, 'applied');
      assert.ok(standing.length <= MAX_FIXES);
      for (; ; rerun.add('s')) {
        if (progress.attempts >= world.limits.stage_attempts) return { how: 'lost' };
        const ended = nextAttempt();
        if (ended.how === 'green') for (const each of standing.splice(0)) say(each, 'kept');
        if (ended.how !== 'failed') return ended;
        const { transient, external, timed_out } = ended;
        const failure = failureOf(ended.fingerprint, { transient, external });
        const trial = { stage: 's', from: 'tip', fixes: standing, stale: new Set<string>() };
        const judgement = judge(trial, [{ step: 's', failure, ended: { ...ENDED, timed_out } }]);
        assert.is.not(judgement.verdict, 'helped', 'of one step that failed');
        if (judgement.verdict === 'rerun') continue;
        if (judgement.verdict !== 'off') return ended;
        const off = standing.splice(judgement.from);
        for (const each of off) say(each, judgement.outcome);
        const first = off[0]?.fix.fingerprint ?? '';
        return {
          ...(ended as Extract<Ended, { how: 'failed' }>),
          fingerprint: first,
          transient: false,
          external: false,
        };
      }
    }

    function end(how: string): string {
      const [first] = standing;
      for (const { fix, proposal } of standing.splice(0).reverse()) {
        const { hash, tier, plugin } = proposal;
        record(on(fix.fingerprint, patch(hash, 'undone', { tier, plugin }), 's'));
      }
      if (first && !entryOf(ledger, 's', first.fix.fingerprint)?.prepared)
        record(on(first.fix.fingerprint, prepared(first.proposal.hash, 'prepared'), 's'));
      return how;
    }
  }
}

function raise(counts: Map<string, number>, fingerprint: string, most: number): void {
  const n = (counts.get(fingerprint) ?? 0) + 1;
  assert.ok(n <= most, `${n} of ${most}`);
  counts.set(fingerprint, n);
}

function turns() {
  const at = new Map<readonly unknown[], number>();
  return <T>(list: readonly T[]): T => {
    const n = at.get(list) ?? 0;
    at.set(list, n + 1);
    return list[n % list.length] as T;
  };
}
