import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unattendedOf } from '../../src/config/unattended.ts';

test("a stage's own line wins over that of the loop", () => {
  assert.is(unattendedOf({ unattended: 'repairs' }, { unattended: 'all', rerun: true }), 'all');
  assert.is(unattendedOf({ unattended: 'all' }, { unattended: 'none', rerun: true }), 'none');
  assert.is(unattendedOf({ unattended: 'all' }, { rerun: true }), 'all');
});

test('of a stage that must not run twice nothing runs unattended, unless its own line says so', () => {
  assert.is(unattendedOf({ unattended: 'all' }, { rerun: false }), 'none');
  assert.is(unattendedOf({ unattended: 'none' }, { unattended: 'repairs', rerun: false }), 'repairs');
});

test.run();
