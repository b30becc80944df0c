import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/case/redact/redactor.ts';
import { dice } from './fill.ts';
import { ordinaryLines } from './ordinary.ts';

const LINES = ordinaryLines(4000, dice(11));

test('fewer than 1 in 100 ordinary log lines are touched; digests, commits, UUIDs and public keys stay', () => {
  const { redact } = createRedactor({ secrets: [] });
  const touched = LINES.filter((line) => redact(line) !== line);
  assert.ok(touched.length < LINES.length / 100, `${touched.length}: ${touched.slice(0, 5).join('\n')}`);
});

test('the lines together are as readable as alone', () => {
  const { redact } = createRedactor({ secrets: [] });
  const text = LINES.join('\n');
  const masked = redact(text).split('\n');
  assert.is(masked.length, text.split('\n').length);
  const touched = text.split('\n').filter((line, i) => line !== masked[i]);
  assert.ok(touched.length < LINES.length / 100, touched.slice(0, 5).join('\n'));
});

test.run();
