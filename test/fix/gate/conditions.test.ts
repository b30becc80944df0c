// What becomes of a task by the words of its conditions.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { forgivenCodes, forgivesAll, holdsNowhere, unknownName } from '../../../src/fix/gate/conditions.ts';

test('a failed_when forgives the exit codes that it does not name, 0 aside', () => {
  const codes: readonly [string, number | undefined][] = [
    ['r.rc == 3', 254],
    ['r.rc != 3', 1],
    ['r.rc > 3', 3],
    ['r.rc >= 3', 2],
    ['r.rc < 3', 253],
    ['r.rc <= 3', 252],
    ['r.rc>=3', 2],
    ['r.rc not in [0, 3]', 1],
    ['r.rc in [0, 3]', 254],
    ['r.rc in range(3)', 253],
    ['r.rc not in range(3)', 2],
    ['r.rc != 0 and r.rc != 2', 1],
    ['r.rc != 0 and r.stderr', undefined],
    ['r.rc != 0 or r.rc != 2', undefined],
  ];
  for (const [condition, count] of codes) assert.is(forgivenCodes(condition), count, condition);
});

test('one forgives all that no code fulfils, and one that never holds', () => {
  for (const condition of ['r.rc == 256', 'r.rc < 0', 'r.rc > 255', 'r.rc != 0 and no', 'r is undefined'])
    assert.ok(forgivesAll(condition), condition);
  for (const condition of ['r.rc == 255', 'r.rc > 254', 'r.stderr', 'r.rc != 0']) assert.not(forgivesAll(condition));
});

test('a condition holds nowhere where a part of it cannot', () => {
  for (const condition of ['a and false', 'groups is none', "inventory_hostname == ''", 'a and not a'])
    assert.ok(holdsNowhere(condition), condition);
  for (const condition of ['a', 'a or false', 'not a', 'a is none']) assert.not(holdsNowhere(condition), condition);
});

test('names of hosts, groups and settings are to be known, but those that must not hold', () => {
  const unknown = (condition: string) => unknownName(condition, (name) => name === 'cp1');
  assert.is(unknown("inventory_hostname == 'cp1'"), undefined);
  assert.is(unknown("inventory_hostname == 'cp1' and 'workers' in group_names"), 'workers');
  assert.is(unknown('extra is defined'), 'extra');
  for (const condition of ["inventory_hostname != 'cp9'", "'workers' not in group_names", 'not extra', "kind == 'x'"])
    assert.is(unknown(condition), undefined, condition);
});

test.run();
