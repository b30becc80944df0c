import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deadlineOption, labOverride, runOptions } from '../../src/cli/run-options.ts';
import { shortRefusal as refusal } from '../refusal.ts';

const NOW = new Date(2026, 5, 15, 12, 0, 30);
const at = (text: string) => deadlineOption(text, NOW);

test('a deadline is a duration from now', () => {
  assert.is(at('90s'), NOW.getTime() + 90_000);
  assert.is(at('1h30m'), NOW.getTime() + 5_400_000);
});

test('a deadline is the next time the clock shows that hour', () => {
  assert.is(at('12:01'), new Date(2026, 5, 15, 12, 1).getTime());
  assert.is(at('23:59'), new Date(2026, 5, 15, 23, 59).getTime());
  assert.is(at('12:00'), new Date(2026, 5, 16, 12, 0).getTime());
  assert.is(at('06:30'), new Date(2026, 5, 16, 6, 30).getTime());
});

test('a deadline is a date and time, also one that has passed: the run refuses that', () => {
  assert.is(at('2026-12-24T06:30:00Z'), Date.UTC(2026, 11, 24, 6, 30));
  assert.is(at('2020-01-01T00:00:00Z'), Date.UTC(2020, 0, 1));
});

test('no deadline is none; anything else is refused', () => {
  assert.is(deadlineOption(undefined, NOW), undefined);
  for (const text of ['', '0s', 'soon', '25:00', '12:60', '6:30', '2026-12-24', '2026-13-99T00:00:00Z', '-1h', '5']) {
    assert.is(
      refusal(() => at(text)),
      `E_USAGE --deadline ${text} is neither a duration, a time of day nor a date`,
    );
  }
});

test('workers are a number from 1 to 9999', () => {
  assert.is(runOptions({ options: { workers: '12' } }).workers, 12);
  assert.is(runOptions({ options: {} }).workers, undefined);
  for (const workers of ['0', '-1', '1.5', 'two', '10000', '']) {
    assert.match(
      refusal(() => runOptions({ options: { workers } })),
      /^E_USAGE --workers /,
    );
  }
});

test('a backend is a name; whether there is such a one is said when it is loaded', () => {
  assert.is(
    refusal(() => runOptions({ options: { backend: 'local' } })),
    'nothing was refused',
  );
  assert.match(
    refusal(() => runOptions({ options: { backend: '../local' } })),
    'there is no backend "../local"',
  );
});

test('the lab is real or simulated, and empty means unset', () => {
  assert.equal([labOverride(undefined), labOverride(''), labOverride('real')], [undefined, undefined, 'real']);
  assert.match(
    refusal(() => labOverride('fake')),
    'E_USAGE MENDLOOP_LAB is "fake"',
  );
});

test('checks are repeated and needs left out unless asked otherwise', () => {
  const { recheck, withNeeds } = runOptions({ options: {} });
  assert.equal([recheck, withNeeds], [true, false]);
  const other = runOptions({ options: { 'no-recheck': true, 'with-needs': true } });
  assert.equal([other.recheck, other.withNeeds], [false, true]);
});

test.run();
