import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFailureLine } from '../../src/cli/fingerprint.ts';

const read = (value: unknown) => readFailureLine(JSON.stringify(value));

test('a line with all it may hold, and what the rest is when it is left out', () => {
  const whole = { id: 'x', stage: 'vms', log: 'Error', exit_code: 7, last_green: 'fine' };
  assert.equal(read(whole), { value: whole });
  const least = { stage: '', exit_code: null, last_green: undefined };
  assert.equal(read({ id: 0, log: '' }), { value: { id: 0, log: '', ...least } });
  assert.equal(read({ id: 0, log: '', exit_code: null, last_green: null, more: 1 }), {
    value: { id: 0, log: '', ...least },
  });
});

test('what is wrong is said of everything at once, with the id where there is one', () => {
  assert.equal(read({ id: 'x', stage: 1, exit_code: 1.5, last_green: 2 }), {
    id: 'x',
    problem:
      'log: expected a text; stage: expected a text; exit_code: expected a whole number; last_green: expected a text',
  });
  assert.equal(read({ log: 'x' }), { problem: 'id: expected a text or a number' });
  assert.equal(read({ id: null, log: 'x' }), { problem: 'id: expected a text or a number' });
  for (const value of [null, 7, 'text', [], [{ id: 1 }]]) assert.equal(read(value), { problem: 'expected an object' });
});

test('what is no JSON is said to be none', () => {
  for (const text of ['', '{', 'nonsense', '{"id": 1,}']) {
    const found = readFailureLine(text);
    assert.match('problem' in found ? found.problem : '', /^not JSON: ./);
  }
});

test.run();
