import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Unattended, unattendedLines, unattendedOf } from '../../src/config/unattended.ts';

test("a stage's own line wins over that of the loop", () => {
  assert.is(unattendedOf({ unattended: 'repairs' }, { unattended: 'all', rerun: true }), 'all');
  assert.is(unattendedOf({ unattended: 'all' }, { unattended: 'none', rerun: true }), 'none');
  assert.is(unattendedOf({ unattended: 'all' }, { rerun: true }), 'all');
});

test('of a stage that must not run twice nothing runs unattended, unless its own line says so', () => {
  assert.is(unattendedOf({ unattended: 'all' }, { rerun: false }), 'none');
  assert.is(unattendedOf({ unattended: 'none' }, { unattended: 'repairs', rerun: false }), 'repairs');
});

test('what is not the default is told in one line each, for the stages that a fix may mend', () => {
  const stage = { files: ['a/'], rerun: true };
  const stages = { a: stage, b: { ...stage, rerun: false }, c: { ...stage, unattended: 'all' as const } };
  const texts = (all: typeof stages | object, unattended: Unattended) =>
    unattendedLines(all as typeof stages, { unattended }).map(({ text }) => text);
  assert.equal(texts({ a: stage, d: { files: [], rerun: false } }, 'repairs'), []);
  assert.equal(texts(stages, 'repairs'), [
    'unattended: none for b (every change is asked about)',
    'unattended: all for c (what is not refused runs, but for what may hide the failure or let somebody in)',
  ]);
  assert.equal(texts({ a: stage, b: stage }, 'none'), ['unattended: none (every change is asked about)']);
});

test.run();
