import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TrialFix } from '../../src/triage/incident.ts';
import { judge, MAX_FIXES } from '../../src/triage/judge.ts';
import { ENDED, failureOf, fixOf } from './builders.ts';

type Part = Partial<Record<'steps' | 'green' | 'rerun', string[]>> & { wasTimeOut?: boolean };

/** A trial of a fix for each of these failures, the last one with `last`. */
function trialOf(fingerprints: readonly string[], last: Part = {}) {
  const fixes = fingerprints.map((fingerprint, i): TrialFix => {
    const { steps = ['talos'], green = [], rerun = [], wasTimeOut = false } = i === fingerprints.length - 1 ? last : {};
    const more = { failed: new Set<string>(), judged: new Set<string>() };
    const inputs = new Map(steps.map((step) => [step, undefined]));
    return {
      fix: fixOf(fingerprint),
      steps: inputs,
      wasTimeOut,
      green: new Set(green),
      rerun: new Set(rerun),
      ...more,
    };
  });
  return { stage: 'talos', from: 'tip', fixes, stale: new Set<string>() };
}

interface After {
  transient?: boolean;
  external?: boolean;
  timed_out?: boolean;
}

const red = (fingerprint: string, { timed_out = false, ...flags }: After = {}, step = 'talos') => ({
  step,
  failure: failureOf(fingerprint, flags),
  ended: { ...ENDED, timed_out },
});

test('the same failure again takes off the last fix alone', () => {
  const off = { verdict: 'off', outcome: 'no_effect', reason: 'the same failure again' };
  assert.equal(judge(trialOf(['f1']), [red('f1')]), { ...off, from: 0 });
  assert.equal(judge(trialOf(['f1', 'f2']), [red('f2')]), { ...off, from: 1 });
});

test('a failure that the trial had earlier takes off everything since', () => {
  const reason = 'a failure is back that it had earlier in this trial';
  assert.equal(judge(trialOf(['f1', 'f2']), [red('f1')]), { verdict: 'off', outcome: 'no_effect', from: 0, reason });
});

test('a fix with which the stage changes what checks run broke it, however it ended', () => {
  const judged = judge(trialOf(['f1']), [{ ...red('f9', { transient: true }), changedCheckFiles: true }]);
  const reason = 'with it the stage changed what checks run';
  assert.equal(judged, { verdict: 'off', outcome: 'broke', from: 0, reason });
});

test('a time-out where there was none before is no effect; where there was one, another failure decides', () => {
  assert.is(judge(trialOf(['f1']), [red('late', { timed_out: true })]).verdict, 'off');
  assert.is(judge(trialOf(['f1'], { wasTimeOut: true }), [red('late', { timed_out: true })]).verdict, 'progress');
});

test('another failure is progress, until as many fixes stand as may', () => {
  assert.is(MAX_FIXES, 3);
  assert.is(judge(trialOf(['f1', 'f2']), [red('f3')]).verdict, 'progress');
  const full = judge(trialOf(['f1', 'f2', 'f3']), [red('f4')]);
  assert.equal([full.verdict, 'from' in full && full.from], ['off', 2]);
});

test('an end that says nothing is looked at once more, and only once', () => {
  for (const why of [{ transient: true }, { external: true }]) {
    assert.equal(judge(trialOf(['f1']), [red('net', why)]), {
      verdict: 'rerun',
      steps: ['talos'],
      reason: 'this end says nothing about the fix',
    });
    assert.is(judge(trialOf(['f1'], { rerun: ['talos'] }), [red('net', why)]).verdict, 'progress');
  }
});

test('of several cells, only those whose end says nothing run again', () => {
  const steps = ['m[h=1]', 'm[h=2]'];
  const judged = judge(trialOf(['f1'], { steps }), [
    red('f1', {}, 'm[h=1]'),
    red('net', { transient: true }, 'm[h=2]'),
  ]);
  assert.equal([judged.verdict, 'steps' in judged && judged.steps], ['rerun', ['m[h=2]']]);
});

test('a fix that some cells are green with helped these', () => {
  const trial = trialOf(['f1'], { steps: ['m[h=1]', 'm[h=2]'], green: ['m[h=1]'] });
  assert.equal(judge(trial, [red('f1', {}, 'm[h=2]')]), { verdict: 'helped', reason: 'green with it: 1; not: 2' });
});

test('a change of an item is progress while its tests pass, as often as the item has steps', () => {
  const item = (steps: number, testsFailed = false) => ({ ...red('f1'), item: { steps, testsFailed } });
  assert.is(judge(trialOf(['f1']), [item(2)]).verdict, 'progress');
  assert.is(judge(trialOf(['f1', 'f1']), [item(2)]).verdict, 'off');
  const broken = judge(trialOf(['f1', 'f1']), [item(3, true)]);
  assert.equal([broken.verdict, 'outcome' in broken && [broken.outcome, broken.from]], ['off', ['broke', 1]]);
});

test.run();
