import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { durationText, parseDuration } from '../../src/config/duration.ts';

test('a duration is a sum of whole numbers with units, the largest first', () => {
  const cases: [string, number | undefined][] = [
    ['15m', 900_000],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['2d', 172_800_000],
    ['1m1ms', 60_001],
    ['0s', 0],
    ['', undefined],
    ['15', undefined],
    ['1.5h', undefined],
    ['-1s', undefined],
    ['30m1h', undefined],
    ['1 h', undefined],
    ['15M', undefined],
    [`${'9'.repeat(30)}d`, undefined],
  ];
  for (const [text, ms] of cases) assert.is(parseDuration(text), ms, text);
});

test('a duration is told in the largest units, milliseconds only below a second', () => {
  const told = [0, 300, 3000, 90_000, 5_400_000, 172_800_000, 3_599_877].map(durationText);
  assert.equal(told, ['0 s', '300 ms', '3 s', '1 min 30 s', '1 h 30 min', '2 d', '1 h']);
});

test.run();
