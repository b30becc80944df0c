// A stage that fails in any way, mended by a loop that does what decide() and judgeFix() say and nothing else.
import * as assert from 'uvu/assert';
import type { Decision, Situation } from '../../src/triage/decide.ts';
import { decide } from '../../src/triage/decide.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import { type Ended, judgeFix, MOST_PROVISIONAL } from '../../src/triage/judge.ts';
import { emptyLedger, entriesOf, entryOf, type Ledger } from '../../src/triage/ledger.ts';
import type { LedgerHappening, PatchData, PatchOutcome } from '../../src/triage/records.ts';
import { ENDED, HOUR, NOW, situation, stamped } from './builders.ts';

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
  let hashes = 0;
  let knownLeft = world.known_fixes;
  /** Counted here on their own: passes and calls of each failure since its last restart, tries of each day. */
  const passes = new Map<string, number>();
  const calls = new Map<string, number>();
  return world.runs.map((before, n) => {
    if (before === 'reset') record({ type: 'reset', stage: 's', data: {} });
    if (before === 'close') record({ type: 'case.closed', stage: 's', data: {} });
    if (before === 'reset') for (const counts of [passes, calls]) counts.clear();
    return oneRun(`run-${n}`);
  });

  function record(happening: LedgerHappening): void {
    foldLedger(ledger, stamped(happening, ledger.as_of.seq + 1, now));
    if (happening.type !== 'patch' || happening.data.outcome !== 'verified') return;
    for (const counts of [passes, calls]) counts.delete(happening.fingerprint);
  }

  function oneRun(run: string): string {
    const progress = { attempts: 0, waits: 0, time_left_ms: HOUR };
    const had: string[] = [];
    let kept = 0;
    let executors: Situation['executors'] = 'ready';
    let escalations: Situation['escalations'] = 'ready';
    let ended = attempt();
    for (let steps = 0; ; steps += 1) {
      assert.ok(steps < 100, 'a run ends');
      if (ended.how !== 'failed') return end(ended.how);
      const { fingerprint, transient, external } = ended;
      const at = { stage: 's', fingerprint, run };
      const entry = entryOf(ledger, 's', fingerprint);
      const { ai, safe_mode, limits } = world;
      const now_ = { now, day: ledger.day, entry, run: progress, known_fix: knownLeft > 0 };
      const failure = { class: 'unknown', transient, external };
      const decision = decide(situation({ ...now_, failure, limits, ai, safe_mode, executors, escalations }));
      record({ type: 'decided', ...at, data: { tier: decision.tier, reason: decision.reason } });
      if (decision.tier === 'none') return end(decision.why);
      if (decision.tier === 'give_up') {
        record({ type: 'gave_up', ...at, data: {} });
        return end('give_up');
      }
      if (decision.tier === 'wait') {
        progress.waits += 1;
        progress.time_left_ms -= decision.pause_ms;
        assert.ok(progress.time_left_ms > 0 && progress.waits <= 3);
        ended = attempt();
        continue;
      }
      assert.ok(ai && !safe_mode);
      const patches = ask(decision, at);
      if (patches.length > 0) ended = trial(patches, at, ended);
    }

    function attempt(): Ended {
      progress.attempts += 1;
      assert.ok(progress.attempts <= world.limits.stage_attempts);
      progress.time_left_ms -= 60_000;
      now += take(world.jumps);
      const next = take(world.ends);
      if (next.how === 'failed') {
        const { fingerprint, transient, external } = next;
        had.push(fingerprint);
        const data = { class: 'unknown', transient, external, excerpt: 'it broke', ended: ENDED } as const;
        record({ type: 'seen', stage: 's', fingerprint, run, data });
      }
      return next;
    }

    /** The patches to be tried, when anyone had one. */
    function ask(decision: Decision, at: { stage: string; fingerprint: string; run: string }): PatchData[] {
      const entry = entryOf(ledger, 's', at.fingerprint);
      const { limits } = world;
      if (decision.tier === 'executor' && decision.reapply.length > 0) {
        return entry?.patches.filter((p) => decision.reapply.includes(p.hash)) ?? [];
      }
      const patch = (plugin: string, tier: PatchData['tier'] = 'executor'): PatchData => {
        hashes += 1;
        return { hash: `h${hashes}`, outcome: 'applied', tier, plugin };
      };
      if (decision.tier === 'executor' && knownLeft > 0) {
        knownLeft -= 1;
        return [patch('known-fixes')];
      }
      assert.ok(decision.tier === 'escalation' || (decision.tier === 'executor' && decision.scope === 'all'));
      assert.ok(ledger.day.tokens < limits.day_tokens || now > Date.parse(ledger.day.date) + 24 * HOUR);
      if (decision.tier === 'executor') {
        const answer = take(world.executor);
        if (answer === 'down') executors = 'down';
        if (answer === 'down') return [];
        raise(passes, at.fingerprint, limits.executor_tries);
        record({ type: 'used', data: { tokens: 100 } });
        const found = answer === 'fix' ? [patch('ollama')] : [];
        record({ type: 'tried', ...at, data: found[0] ? { hash: found[0].hash } : {} });
        assert.ok(ledger.day.tries <= limits.day_tries);
        return found;
      }
      const answer = take(world.escalation);
      if (answer === 'down') escalations = 'down';
      if (answer === 'down') return [];
      raise(calls, at.fingerprint, limits.escalation_calls);
      record({ type: 'called', ...at, data: {} });
      record({ type: 'used', data: { tokens: 100 } });
      if (answer === 'hand_over') record({ type: 'case.opened', ...at, data: { case: 'c' } });
      return answer === 'fix' ? [patch('model', 'escalation')] : [];
    }

    /** Applies patches, runs the stage, judges; returns the failure the stage has then. */
    function trial(patches: PatchData[], at: { stage: string; fingerprint: string; run: string }, was: Ended): Ended {
      const say = (outcome: PatchOutcome) => {
        for (const { hash, tier, plugin } of patches) {
          record({ type: 'patch', ...at, data: { hash, outcome, tier, plugin } });
        }
      };
      say('applied');
      const earlier = had.filter((f) => f !== at.fingerprint);
      for (let rerun = false; ; rerun = true) {
        if (progress.attempts >= world.limits.stage_attempts) return { how: 'lost' };
        const ended = attempt();
        const trial = { fingerprint: at.fingerprint, ended, earlier, broken_syntax: false, provisional: kept, rerun };
        const { verdict } = judgeFix(trial);
        if (verdict === 'rerun') continue;
        say(verdict);
        if (verdict === 'provisional') kept += 1;
        assert.ok(kept <= MOST_PROVISIONAL);
        return verdict === 'no_effect' || verdict === 'broke' ? was : ended;
      }
    }

    function end(how: string): string {
      for (const happening of settle(ledger, 's', run, how === 'green')) record(happening);
      return how;
    }
  }
}

/** What the end of a stage makes of the fixes that it still carries. */
function settle(ledger: Ledger, stage: string, run: string, green: boolean): LedgerHappening[] {
  const outcome = green ? 'verified' : 'withdrawn';
  return entriesOf(ledger, stage).flatMap(({ fingerprint, patches }) =>
    patches
      .filter((p) => p.outcome === 'applied' || p.outcome === 'provisional')
      .map(({ hash, tier, plugin }): LedgerHappening => {
        return { type: 'patch', stage, fingerprint, run, data: { hash, outcome, tier, plugin } };
      }),
  );
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
