// When a schedule starts a run, also where clocks are changed; and when one should have begun.
import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  calendar,
  cronFields,
  missedSlots,
  nextSlot,
  pastSlots,
  readBack,
  readTimes,
  slots,
  spellTimes,
} from '../../src/cron/times.ts';
import { setEnv } from '../environment.ts';
import { needs } from '../needs.ts';
import { refusal } from '../refusal.ts';
import { fc, runs } from '../sweep.ts';

/** As if this process had been started in that zone. */
function inZone<T>(zone: string, work: () => T): T {
  const undo = setEnv({ TZ: zone });
  try {
    return work();
  } finally {
    undo();
  }
}

const iso = (time: number) => new Date(time).toISOString().slice(0, 16);

test('the words of --at and --every, as cron and systemd write them and as people read them', () => {
  const rows: [at: string | undefined, every: string | undefined, cron: string, systemd: string, spelt: string][] = [
    [undefined, undefined, '17 * * * *', '*-*-* *:17:00', 'every hour at minute 17'],
    ['3:05', undefined, '5 3 * * *', '*-*-* 03:05:00', 'every day at 03:05'],
    [undefined, '15m', '2,17,32,47 * * * *', '*-*-* *:02,17,32,47:00', 'every hour at minutes 2, 17, 32, 47'],
    ['03:30', '12h', '30 3,15 * * *', '*-*-* 03,15:30:00', 'every day at 03:30, 15:30'],
    ['23:59', '1d', '59 23 * * *', '*-*-* 23:59:00', 'every day at 23:59'],
    [undefined, '1m', '* * * * *', '*-*-* *:*:00', 'every minute'],
    [undefined, '60m', '17 * * * *', '*-*-* *:17:00', 'every hour at minute 17'],
  ];
  for (const [at, every, cron, systemd, spelt] of rows) {
    const times = readTimes(at, every);
    assert.equal([cronFields(times), calendar(times), spellTimes(times)], [cron, systemd, spelt]);
  }
});

test('what cron cannot say evenly is refused, with what it can', () => {
  for (const every of ['7m', '90m', '5h', '2d', '30s', '0m', 'often', ''])
    assert.is(
      refusal(() => readTimes(undefined, every)),
      `error E_USAGE: --every ${every} does not divide the hour or the day\n` +
        '  next:  take one of 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h, 1d',
    );
  for (const at of ['24:00', '3', '03:60', ':17', '03:17:00'])
    assert.match(
      refusal(() => readTimes(at, undefined)),
      `error E_USAGE: --at ${at} is no time of day\n  next:  for example: --at 03:17`,
    );
});

const anyTimes = fc
  .tuple(
    fc.integer({ min: 0, max: 1439 }),
    fc.constantFrom('1m', '5m', '10m', '15m', '20m', '30m', '1h', '2h', '3h', '4h', '6h', '8h', '12h', '1d'),
  )
  .map(([start, every]) => readTimes(`${Math.floor(start / 60)}:${String(start % 60).padStart(2, '0')}`, every));

test('what is written is read back; what their owner wrote instead is not guessed at', () => {
  fc.assert(
    fc.property(anyTimes, (times) => {
      assert.equal(readBack(cronFields(times)), times);
      assert.equal(readBack(calendar(times)), times);
    }),
  );
  for (const text of [
    '*/5 * * * *',
    '17 3 * * 1',
    '0-9 3 * * *',
    '61 * * * *',
    '17 24 * * *',
    'daily',
    'Mon *-*-* 03:00:00',
    '',
  ])
    assert.is(readBack(text), undefined, text);
});

test('a time that the clock skips is none, one that it shows twice counts once', () => {
  inZone('Europe/Berlin', () => {
    const at = readTimes('02:30', undefined);
    const days = (from: string, to: string) => slots(at, Date.parse(from), Date.parse(to)).map(iso);
    assert.equal(days('2027-03-27T00:00Z', '2027-03-30T00:00Z'), ['2027-03-27T01:30', '2027-03-29T00:30']);
    assert.equal(days('2026-10-24T00:00Z', '2026-10-27T00:00Z'), [
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    assert.is(iso(nextSlot(at, Date.parse('2027-03-27T12:00Z'))), '2027-03-29T00:30');
    const hourly = slots(
      readTimes(undefined, undefined),
      Date.parse('2027-03-28T00:00Z'),
      Date.parse('2027-03-28T03:00Z'),
    );
    assert.equal(hourly.map(iso), ['2027-03-28T00:17', '2027-03-28T01:17', '2027-03-28T02:17']);
  });
  inZone('Australia/Lord_Howe', () => {
    const at = slots(readTimes('02:15', undefined), Date.parse('2026-10-02T00:00Z'), Date.parse('2026-10-05T00:00Z'));
    assert.equal(at.map(iso), ['2026-10-02T15:45', '2026-10-04T15:15'], 'its clocks change by half an hour');
  });
});

needs('systemd-analyze')('systemd means the same times, also where clocks are changed', () => {
  const compare = (zone: string, base: string, times: ReturnType<typeof readTimes>) => {
    const asked = ['calendar', `--base-time=${base}`, '--iterations=4', calendar(times)];
    const answer = spawnSync('systemd-analyze', asked, { env: { ...process.env, TZ: zone }, encoding: 'utf8' });
    const theirs = [...answer.stdout.matchAll(/(\d{4}-\d\d-\d\d \d\d:\d\d):00 UTC$/gm)].map(([, time = '']) => time);
    const ours = inZone(zone, () => {
      const from = new Date(base.replace(' ', 'T')).getTime() + 1;
      return slots(times, from, from + 6 * 86_400_000).slice(0, 4);
    });
    assert.equal(
      ours.map((time) => iso(time).replace('T', ' ')),
      theirs,
      `${zone}, ${base}: ${calendar(times)}`,
    );
  };
  compare('Europe/Berlin', '2027-03-27 12:00:00', readTimes('02:30', undefined));
  compare('Europe/Berlin', '2026-10-24 23:00:00', readTimes(undefined, undefined));
  compare('America/New_York', '2027-03-13 22:00:00', readTimes('02:05', '6h'));
  fc.assert(
    fc.property(fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'UTC'), anyTimes, (zone, times) =>
      compare(zone, '2026-10-25 00:00:00', times),
    ),
    runs(3, 60),
  );
});

test('missed is a time at which no run was at work and after which none began before the next', () => {
  const minute = 60_000;
  const noon = Date.parse('2026-06-10T12:00Z');
  const times = inZone('UTC', () => pastSlots(readTimes('00:00', '1h'), noon - 5 * 60 * minute, noon + 2 * minute));
  assert.equal(
    times.map(iso).map((time) => time.slice(11)),
    ['07:00', '08:00', '09:00', '10:00', '11:00'],
  );
  const span = (from: number, to: number) => ({ from: noon + from * minute, to: noon + to * minute });
  // One that lasts over two of them, one by hand in between.
  const spans = [span(-301, -235), span(-100, -99)];
  assert.equal(missedSlots(times, spans).map(iso), ['2026-06-10T09:00', '2026-06-10T11:00']);
  assert.equal(missedSlots(times, [...spans, span(3, 4)]).map(iso), ['2026-06-10T09:00']);
  assert.equal(missedSlots(times, []).length, 5);
  assert.equal(pastSlots(readTimes(undefined, '1m'), 0, noon).length, 200, 'no more than can be looked at');
});

test.run();
