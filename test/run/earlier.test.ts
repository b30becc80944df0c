import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { earlierFacts, takeUp } from '../../src/run/earlier.ts';
import { journalOf } from '../events.ts';

const leader = { pid: 7, start: '1', boot: 'b', host: 'h' };

test('done and fresh steps are over; failed, skipped and interrupted ones are to do again', () => {
  const { states, cutOff } = earlierFacts(
    journalOf([
      ['run.started'],
      ['step.done', 'a'],
      ['step.fresh', 'b'],
      ['step.failed', 'c'],
      ['step.skipped', 'd'],
      ['step.interrupted', 'e'],
      ['step.done', 'f'],
      ['step.failed', 'f'],
    ]),
  );
  assert.equal(
    [...states],
    [
      ['a', 'DONE'],
      ['b', 'DONE'],
    ],
  );
  assert.equal(cutOff, []);
});

test('attempts are the highest number that was used, cell by cell', () => {
  const { attempts } = earlierFacts(
    journalOf([
      ['attempt.started', 'a[h=1]', { leader }, 1],
      ['attempt.ended', 'a[h=1]', {}, 1],
      ['attempt.started', 'a[h=1]', { leader }, 2],
      ['attempt.ended', 'a[h=2]', {}, 1],
    ]),
  );
  assert.equal(
    [...attempts],
    [
      ['a[h=1]', 2],
      ['a[h=2]', 1],
    ],
  );
});

test('a step nobody recorded the end of was cut off, with the group that may still run', () => {
  const events = journalOf([
    ['step.started', 'a'],
    ['step.started', 'b[h=1]'],
    ['attempt.started', 'b[h=1]', { leader }, 2],
    ['step.started', 'c'],
    ['attempt.started', 'c', { leader }, 1],
    ['attempt.ended', 'c', {}, 1],
    ['step.started', 'd'],
    ['step.done', 'd'],
  ]);
  assert.equal(earlierFacts(events).cutOff, [
    { stage: 'a', step: 'a' },
    { stage: 'b', step: 'b[h=1]', leader, attempt: 2 },
    { stage: 'c', step: 'c' },
  ]);
});

test('time at work counts, the time between two processes does not', () => {
  const day = 86_400_000;
  const first = journalOf([['run.started'], ['step.started', 'a'], ['step.done', 'a'], ['step.started', 'b']]);
  const second = journalOf([['run.resumed'], ['step.done', 'b']], { from: Date.UTC(2026, 0, 1) + day });
  const third = journalOf([['run.resumed'], ['notice'], ['notice']], { from: Date.UTC(2026, 0, 1) + 2 * day });
  assert.is(earlierFacts(first).spentMs, 3000);
  assert.is(earlierFacts([...first, ...second]).spentMs, 4000);
  assert.is(earlierFacts([...first, ...second, ...third]).spentMs, 6000);
  assert.is(earlierFacts([...first, ...second]).lastEventAt, Date.UTC(2026, 0, 1) + day + 1000);
});

test('a clock that was set back refills nothing', () => {
  const back = journalOf([['run.resumed'], ['notice']], { from: Date.UTC(2025, 0, 1) });
  const forth = journalOf([['run.started'], ['notice'], ['notice']]);
  assert.is(earlierFacts([...forth, ...back]).spentMs, 3000);
  const inside = [...forth, ...journalOf([['notice']], { from: Date.UTC(2025, 0, 1) })];
  assert.ok(earlierFacts(inside).spentMs >= 0);
});

test('a start takes up the run that asked for the same, up to six hours after its last event', () => {
  const hours = 3_600_000;
  const before = { asked: 'all', lastEventAt: 1000 };
  assert.equal(takeUp(before, 'all', 1000 + 6 * hours), { resume: true });
  assert.equal(takeUp(before, 'all', 1001 + 6 * hours), {
    resume: false,
    why: 'its last event is more than 6 hours old',
  });
  assert.equal(takeUp(before, 'vms', 1000), { resume: false, why: 'it ran all, this start asks for vms' });
  assert.equal(takeUp(before, 'all', 0), { resume: true });
});

test.run();
