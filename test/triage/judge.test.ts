import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, judgeFix, type Trial } from '../../src/triage/judge.ts';
import type { LedgerHappening } from '../../src/triage/records.ts';
import { safeModeAfter } from '../../src/triage/safe-mode.ts';
import { escalated, ledgerOf, patch, RUN, seen } from './builders.ts';

const failed = (fingerprint: string, noise: Partial<Extract<Ended, { how: 'failed' }>> = {}): Ended => ({
  ...{ how: 'failed', fingerprint, transient: false, external: false, timed_out: false, ...noise },
});
const verdict = (ended: Ended, more: Partial<Trial> = {}) =>
  judgeFix({ fingerprint: 'f1', ended, earlier: ['f0'], broken_syntax: false, provisional: 0, rerun: false, ...more })
    .verdict;
const on = (fingerprint: string, happening: LedgerHappening) => ({ ...happening, fingerprint }) as LedgerHappening;

test('a fix after which the stage is green is verified', () => {
  assert.is(verdict({ how: 'green' }), 'verified');
  assert.is(verdict({ how: 'green' }, { provisional: 3, rerun: true }), 'verified');
});

test('a fix after which the same failure comes had no effect; one that brings back an earlier one, or breaks a file, broke it', () => {
  assert.is(verdict(failed('f1')), 'no_effect');
  assert.is(verdict(failed('f0')), 'broke');
  assert.is(verdict(failed('f9'), { broken_syntax: true }), 'broke');
  assert.is(verdict(failed('f9', { transient: true }), { broken_syntax: true }), 'broke');
});

test('a fix after which another failure comes is kept, but not a fourth one on the same stage in the same run', () => {
  for (const provisional of [0, 1, 2]) assert.is(verdict(failed('f9'), { provisional }), 'provisional');
  assert.equal(
    judgeFix({
      ...{ fingerprint: 'f1', ended: failed('f9'), earlier: [], broken_syntax: false, provisional: 3, rerun: false },
    }),
    { verdict: 'no_effect', reason: '3 fixes are kept already and the stage is not green' },
  );
});

test('transient, external, timed-out and lost ends judge nothing: the stage runs once more, then they count like any other', () => {
  const noise = [{ transient: true }, { external: true }, { timed_out: true }];
  for (const kind of noise) {
    for (const fingerprint of ['f0', 'f1', 'f9']) assert.is(verdict(failed(fingerprint, kind)), 'rerun');
    assert.is(verdict(failed('f0', kind), { rerun: true }), 'broke');
    assert.is(verdict(failed('f1', kind), { rerun: true }), 'no_effect');
    assert.is(verdict(failed('f9', kind), { rerun: true }), 'provisional');
  }
  assert.is(verdict({ how: 'lost' }), 'rerun');
  assert.is(verdict({ how: 'lost' }, { rerun: true }), 'provisional');
});

test('safe mode goes on when fixes on 3 different failures were reverted in one run', () => {
  const two = [patch('h1', 'no_effect'), patch('h2', 'broke'), on('f2', patch('h3', 'broke'))];
  assert.is(safeModeAfter(ledgerOf(two), RUN, []), undefined);
  const more: [LedgerHappening, boolean][] = [
    [patch('h4', 'no_effect'), true],
    [escalated('h4', 'broke'), true],
    [patch('h4', 'withdrawn'), false],
    [patch('h4', 'refused'), false],
    [patch('h4', 'provisional'), false],
    [{ ...patch('h4', 'broke'), run: 'another' }, false],
  ];
  for (const [third, goes] of more) {
    const why = safeModeAfter(ledgerOf([...two, on('f3', third)]), RUN, []);
    assert.is(why, goes ? 'fixes on 3 different failures were reverted in this run' : undefined);
  }
});

test('safe mode goes on when a fix turned a green stage red', () => {
  assert.is(safeModeAfter(ledgerOf([seen()]), RUN, ['apps', 'obs']), 'a fix turned a green stage red: apps, obs');
});

test.run();
