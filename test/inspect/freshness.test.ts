// Whether green is old: by the times at which a run was due, or by a week without one.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTimes } from '../../src/cron/times.ts';
import { freshnessOf } from '../../src/inspect/freshness.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 5, 15, 12, 30);
const ran = (agoMs: number) => [{ from: NOW - agoMs - 60_000, to: NOW - agoMs }];
const hourly = [{ times: readTimes(undefined, '1h'), since: 0 }];
const daily = [{ times: readTimes('03:17', '1d'), since: 0 }];

const TABLE: [what: string, schedules: typeof hourly, agoMs: number, text: string][] = [
  ['by hand, yesterday', [], DAY_MS, ''],
  ['by hand, 14 days ago', [], 14 * DAY_MS, 'no run for 14 days'],
  ['hourly, one time missed', hourly, 1.1 * HOUR_MS, ''],
  ['hourly, five hours missed', hourly, 5 * HOUR_MS, 'no run for 5 hours'],
  ['daily, last night', daily, 9 * HOUR_MS, ''],
  ['daily, two nights missed', daily, 60 * HOUR_MS, 'no run for 2 days'],
  ['one of two schedules works', [...hourly, ...daily], 9 * HOUR_MS, ''],
];

test('green is old when the last two times that were due passed without a run, or a week without a schedule', () => {
  for (const [what, schedules, agoMs, text] of TABLE) {
    assert.equal(freshnessOf(schedules, ran(agoMs), NOW), { isOld: text !== '', text }, what);
  }
  assert.is(freshnessOf(hourly, [], NOW).isOld, false, 'no run yet');
});

test.run();
