import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ago, lastLine, since, spell } from '../../src/console/words.ts';
import { counted } from '../../src/triage/words.ts';

test('times in the words people use', () => {
  const cases: [number, string][] = [
    [0, '0.0 s'],
    [340, '0.3 s'],
    [9940, '9.9 s'],
    [9999, '10 s'],
    [10_000, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [245_000, '4 min 5 s'],
    [3_599_900, '1 h 0 min'],
    [7_380_000, '2 h 3 min'],
  ];
  for (const [ms, text] of cases) assert.is(spell(ms), text, String(ms));
});

test('how long ago', () => {
  const now = Date.UTC(2026, 0, 10);
  const before = (minutes: number) => ago(new Date(now - minutes * 60_000).toISOString(), now);
  assert.is(before(0.5), 'just now');
  assert.is(before(-5), 'just now');
  assert.is(before(5), '5 min ago');
  assert.is(before(59.9), '59 min ago');
  assert.is(before(60), '1 h ago');
  assert.is(before(47 * 60), '47 h ago');
  assert.is(before(48 * 60), '2 days ago');
});

test('when something began, in the words people use, by the days of this place', () => {
  const now = new Date(2026, 10, 10, 14, 30).getTime();
  const at = (...moment: [number, number, number, number, number]) => since(new Date(...moment).toISOString(), now);
  assert.is(at(2026, 10, 10, 0, 5), '00:05');
  assert.is(at(2026, 10, 10, 14, 2), '14:02');
  assert.is(at(2026, 10, 11, 9, 0), '09:00', 'a clock that was set back');
  assert.is(at(2026, 10, 9, 23, 59), 'yesterday');
  assert.is(at(2026, 10, 9, 0, 0), 'yesterday');
  assert.is(at(2026, 10, 8, 23, 59), 'Sunday');
  assert.is(at(2026, 10, 4, 0, 0), 'Wednesday');
  assert.is(at(2026, 10, 3, 23, 59), '3 November');
  assert.is(at(2026, 0, 1, 0, 0), '1 January');
  assert.is(at(2025, 11, 31, 23, 59), '31 December 2025');
});

test('the last line with something to read in it, without what a terminal would do', () => {
  assert.is(lastLine('one\ntwo\n\n  \n', 80), 'two');
  assert.is(lastLine('10%\r50%\r100%\r', 80), '100%');
  assert.is(lastLine('\u001b[32mgreen\u001b[0m \u001b]0;title\u0007text\u0008', 80), 'green text');
  assert.is(lastLine('', 80), '');
  assert.is(lastLine('abcdef', 4), 'abc…');
  assert.is(lastLine('abcd', 4), 'abcd');
  assert.is(lastLine('abcd', 0), '…');
});

test('one and many', () => {
  assert.equal([counted(0, 'stage'), counted(1, 'stage'), counted(2, 'stage')], ['0 stages', '1 stage', '2 stages']);
  assert.equal([counted(1, 'try', 'tries'), counted(2, 'try', 'tries')], ['1 try', '2 tries']);
});

test.run();
