import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Trial } from '../../src/triage/incident.ts';
import { judge, MAX_PROVISIONAL } from '../../src/triage/judge.ts';
import { ENDED, failureOf, fixOf } from './builders.ts';

interface After {
  fingerprint: string;
  transient?: boolean;
  external?: boolean;
  timed_out?: boolean;
  rerun?: boolean;
  provisional?: number;
}

/** What is said of a fix for f1, after f0 and f1 in the same run, when this failure follows. */
function judged({ fingerprint, transient = false, external = false, ...more }: After) {
  const { timed_out = false, rerun = false, provisional = 0 } = more;
  const trial: Trial = { fix: fixOf('f1'), earlier: ['f0', 'f1'], inputs: undefined, failed: true, rerun };
  return judge({
    failure: failureOf(fingerprint, { transient, external }),
    ended: { ...ENDED, timed_out },
    trial,
    provisional: Array.from({ length: provisional }, () => fixOf('f2')),
  });
}
const verdict = (after: After) => judged(after)?.verdict;

test('without a fix on trial there is nothing to judge', () => {
  assert.is(judge({ failure: failureOf('f1'), ended: ENDED, trial: undefined, provisional: [] }), undefined);
});

test('a fix after which the same failure comes had no effect; one that brings back an earlier one broke it', () => {
  assert.equal(judged({ fingerprint: 'f1' }), { verdict: 'no_effect', reason: 'the same failure again' });
  assert.equal(judged({ fingerprint: 'f0' }), {
    verdict: 'broke',
    reason: 'a failure is back that the stage had earlier in this run',
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

test.run();
