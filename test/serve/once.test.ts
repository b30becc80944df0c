// One-time values of forms: for one action, for what was shown, once, for an hour, of one process.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oneTimeValues } from '../../src/serve/once.ts';

const HOUR_MS = 3_600_000;

test('a value counts once, for its action, while what was shown is there and the hour is not over', () => {
  let now = 1_000_000;
  const values = oneTimeValues(() => now);
  const fresh = () => values.issue('/run', 'idle');
  const first = fresh();
  assert.is(values.take(first, '/run', 'idle'), undefined);
  assert.is(values.take(first, '/run', 'idle'), 'used');
  assert.is(values.take(fresh(), '/promote', 'idle'), 'unknown');
  assert.is(oneTimeValues().take(fresh(), '/run', 'idle'), 'unknown', 'an earlier start of the page');
  const [left, right] = [fresh(), fresh()];
  assert.is(values.take(left, '/run', 'busy'), 'changed');
  assert.is(values.take(left, '/run', 'idle'), undefined, 'what was not done is not used up');
  now += HOUR_MS + 1;
  assert.is(values.take(right, '/run', 'idle'), 'old');
});

test('what is no value, or one that was changed, is unknown', () => {
  const values = oneTimeValues();
  const value = values.issue('/run', 'idle');
  const [expires, ...rest] = value.split('.');
  const later = [Number(expires) + HOUR_MS, ...rest].join('.');
  for (const wrong of ['', '.', '...', 'x'.repeat(5000), `${value}x`, value.slice(0, -1), later])
    assert.is(values.take(wrong, '/run', 'idle'), 'unknown', wrong);
});

test.run();
