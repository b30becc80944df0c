import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judge, MAX_PROVISIONAL } from '../../src/triage/judge.ts';
import { ENDED, failureOf, fixOf } from './builders.ts';

/** The fix for f1, after f0 and f1 in the same run, on trial by these steps. */
const trialOf = ({
  steps = ['talos'],
  green = [],
  rerun = [],
}: Partial<Record<'steps' | 'green' | 'rerun', string[]>>) => ({
  ...{ fix: fixOf('f1'), earlier: ['f0', 'f1'], steps: new Map(steps.map((step) => [step, undefined])) },
  ...{ green: new Set(green), failed: new Set<string>(), rerun: new Set(rerun) },
});

interface After {
  fingerprint: string;
  transient?: boolean;
  external?: boolean;
  timed_out?: boolean;
  rerun?: boolean;
  provisional?: number;
}

/** What is said of the fix when this failure follows. */
function judged({ fingerprint, transient = false, external = false, ...more }: After) {
  const { timed_out = false, rerun = false, provisional = 0 } = more;
  const trial = trialOf({ rerun: rerun ? ['talos'] : [] });
  const red = {
    step: 'talos',
    failure: failureOf(fingerprint, { transient, external }),
    ended: { ...ENDED, timed_out },
  };
  return judge({ trial, provisional: Array.from({ length: provisional }, () => fixOf('f2')) }, [red]);
}
const verdict = (after: After) => judged(after)?.verdict;

test('without a fix on trial there is nothing to judge', () => {
  const red = { step: 'talos', failure: failureOf('f1'), ended: ENDED };
  assert.is(judge({ trial: undefined, provisional: [] }, [red]), undefined);
});

test('a fix after which the same failure comes had no effect; one that brings back an earlier one broke it', () => {
  assert.equal(judged({ fingerprint: 'f1' }), { verdict: 'no_effect', reason: 'the same failure again' });
  assert.equal(judged({ fingerprint: 'f0' }), {
    verdict: 'broke',
    reason: 'a failure is back that the stage had earlier in this run',
  });
});

test('a fix with which the stage changes what checks run broke it, however it ended', () => {
  const red = { step: 'talos', failure: failureOf('f9', { transient: true }), ended: ENDED, changedCheckFiles: true };
  assert.equal(judge({ trial: trialOf({}), provisional: [] }, [red]), {
    verdict: 'broke',
    reason: 'with it the stage changed what checks run',
  });
});

test('a fix after which another failure comes is kept, but not a fourth one on the same stage in the same run', () => {
  assert.is(MAX_PROVISIONAL, 3);
  for (const provisional of [0, 1, 2]) assert.is(verdict({ fingerprint: 'f9', provisional }), 'provisional');
  assert.equal(judged({ fingerprint: 'f9', provisional: 3 }), {
    verdict: 'no_effect',
    reason: '3 fixes are kept already and the stage is not green',
  });
});

test('transient, external and timed-out ends judge nothing: the stage runs once more, then they count like any other', () => {
  for (const noise of [{ transient: true }, { external: true }, { timed_out: true }]) {
    for (const fingerprint of ['f0', 'f1', 'f9']) assert.is(verdict({ fingerprint, ...noise }), 'rerun');
    assert.is(verdict({ fingerprint: 'f0', ...noise, rerun: true }), 'broke');
    assert.is(verdict({ fingerprint: 'f1', ...noise, rerun: true }), 'no_effect');
    assert.is(verdict({ fingerprint: 'f9', ...noise, rerun: true }), 'provisional');
  }
});

test('a change for an item broke it when its tests fail; short of its last step it is kept while they pass', () => {
  const ofItem = (testsFailed: boolean, provisional: number) => {
    const red = { step: 'item-1', failure: failureOf('f1'), ended: ENDED, item: { steps: 3, testsFailed } };
    const kept = Array.from({ length: provisional }, () => fixOf('f2'));
    return judge({ trial: trialOf({ steps: ['item-1'] }), provisional: kept }, [red]);
  };
  assert.equal(ofItem(true, 0), { verdict: 'broke', reason: 'its tests fail with it' });
  for (const kept of [0, 1]) assert.is(ofItem(false, kept)?.verdict, 'provisional');
  assert.equal(
    ofItem(false, 2),
    { verdict: 'no_effect', reason: 'as many changes as steps, and what accepts it does not hold' },
    'with its last step it counts, whatever fails then',
  );
});

const CELLS = ['m[h=1]', 'm[h=2]', 'm[h=3]', 'm[h=4]'];

/** The verdict when these cells are green with the fix, and these fail. */
function ofCells(green: string[], reds: Record<string, string>, more: { transient?: boolean; rerun?: string[] } = {}) {
  const { transient = false, rerun = [] } = more;
  const failed = Object.entries(reds).map(([step, fingerprint]) => ({
    ...{ step, failure: failureOf(fingerprint, { transient }), ended: ENDED },
  }));
  return judge({ trial: trialOf({ steps: CELLS, green, rerun }), provisional: [] }, failed);
}

test('a fix after which some of the cells that had the failure are green stays for these, whatever the others have', () => {
  for (const other of ['f1', 'f0', 'f9'])
    assert.equal(ofCells(['m[h=1]', 'm[h=2]'], { 'm[h=3]': 'f1', 'm[h=4]': other }), {
      verdict: 'helped',
      reason: 'green with it: 1 2; not: 3 4',
    });
});

test('a fix after which no cell is green had no effect as soon as one fails as before; all others must have moved on', () => {
  assert.is(ofCells([], { 'm[h=1]': 'f9', 'm[h=2]': 'f1', 'm[h=3]': 'f0' })?.verdict, 'no_effect');
  assert.is(ofCells([], { 'm[h=1]': 'f9', 'm[h=2]': 'f0' })?.verdict, 'broke');
  assert.is(ofCells([], { 'm[h=1]': 'f9', 'm[h=2]': 'f8' })?.verdict, 'provisional');
});

test('only those cells run once more whose end says nothing about the fix, also when others are green', () => {
  const twice = { 'm[h=1]': 'f1', 'm[h=2]': 'f1' };
  assert.equal(ofCells(['m[h=3]'], twice, { transient: true, rerun: ['m[h=2]'] }), {
    verdict: 'rerun',
    reason: 'this end says nothing about the fix',
    steps: ['m[h=1]'],
  });
  assert.is(ofCells(['m[h=3]'], twice, { transient: true, rerun: ['m[h=1]', 'm[h=2]'] })?.verdict, 'helped');
});

test.run();
