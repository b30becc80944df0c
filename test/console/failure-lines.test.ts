import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type FailureView, failureLines, kind } from '../../src/console/failure-lines.ts';

const NOW = new Date(2026, 10, 10, 14, 30).getTime();
const VIEW: FailureView = {
  fingerprint: '0123456789abcdef',
  class: 'network_error',
  transient: false,
  external: false,
  excerpt: 'Error: one\nof two lines',
  times_seen: 1,
  first_seen: new Date(NOW).toISOString(),
};
const lines = (more: Partial<FailureView> = {}) => failureLines({ ...VIEW, ...more }, NOW);

test('a new failure: its kind, its fingerprint, its lines behind bars', () => {
  assert.equal(lines(), ['network_error; new  (0123456789abcdef)', '| Error: one', '| of two lines']);
});

test('a known one says how often it was seen, and since when', () => {
  const first_seen = new Date(NOW - 86_400_000).toISOString();
  assert.is(lines({ times_seen: 3, first_seen })[0], 'network_error; seen 3 times since yesterday  (0123456789abcdef)');
});

test('the kind names what sets it apart', () => {
  assert.is(kind({ class: 'unknown', transient: false, external: false }), 'unknown');
  assert.is(kind({ class: 'network_error', transient: true, external: false }), 'network_error, may pass by itself');
  assert.is(
    kind({ class: 'network_error', transient: true, external: true }),
    'network_error, may pass by itself, not from this repository',
  );
});

test('what was decided is told, but for a wait, which is told where it begins; the log comes last', () => {
  const told = (tier: string) => lines({ tier, reason: 'because', log: 'ai/logs/a/x-1.log' }).slice(3);
  const log = 'log: ai/logs/a/x-1.log';
  assert.equal(told('none'), ['left for the next run: because', log]);
  assert.equal(told('executor'), ['is being mended: because', log]);
  assert.equal(told('escalation'), ['escalates: because', log]);
  assert.equal(told('give_up'), ['gives up: because', log]);
  assert.equal(told('wait'), [log]);
  assert.equal(told('of a later version'), ['of a later version: because', log]);
});

test.run();
