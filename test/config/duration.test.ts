import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDuration, parseDuration } from '../../src/config/duration.ts';
import { fc } from '../sweep.ts';

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

test('a formatted duration reads back as itself', () => {
  fc.assert(fc.property(fc.nat(), (ms) => parseDuration(formatDuration(ms)) === ms));
  assert.is(formatDuration(5_400_000), '1h30m');
  assert.is(formatDuration(0), '0s');
});

test.run();
