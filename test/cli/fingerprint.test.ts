import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identifyLine, readFailureLine } from '../../src/cli/fingerprint.ts';

const read = (value: unknown) => readFailureLine(JSON.stringify(value));

test('a line with all it may hold, and what the rest is when it is left out', () => {
  const whole = { id: 'x', stage: 'vms', log: 'Error', exit_code: 7, last_green: 'fine', root: '/srv/lab' };
  assert.equal(read(whole), { value: { ...whole, cell: '' } });
  const least = { stage: '', cell: '', exit_code: null, last_green: undefined, root: undefined };
  assert.equal(read({ id: 0, log: '' }), { value: { id: 0, log: '', ...least } });
  assert.equal(read({ id: 0, log: '', exit_code: null, last_green: null, more: 1 }), {
    value: { id: 0, log: '', ...least },
  });
});

test('cells, hosts and places of the checkout are in no fingerprint; another stage, host in a message or file is', () => {
  const log = (host: string, root: string, file = 'site.yml') =>
    `ok: [nas] => {}\nfatal: [${host}]: FAILED! => {"msg": "Unable to read ${root}/playbooks/${file} for ${host}"}\n`;
  const fingerprint = (stage: string, text: string, root?: string, here?: string): string => {
    const line = read({ id: 1, stage, log: text, exit_code: 2, ...(root && { root }) });
    return 'value' in line ? identifyLine(line.value, [], here).fingerprint : line.problem;
  };
  const first = fingerprint('hosts[host=alpha]', log('alpha', '/srv/lab'), '/srv/lab');
  assert.is(fingerprint('hosts[host=omega]', log('omega', '/home/me/my lab'), '/home/me/my lab/'), first);
  assert.is(fingerprint('hosts[host=omega]', log('omega', '/opt/x'), undefined, '/opt/x'), first);
  assert.is.not(fingerprint('hosts[host=omega]', log('alpha', '/opt/x'), '/opt/x'), first);
  assert.is.not(fingerprint('hosts[host=alpha]', log('alpha', '/srv/lab', 'web.yml'), '/srv/lab'), first);
  assert.is.not(fingerprint('vms[host=alpha]', log('alpha', '/srv/lab'), '/srv/lab'), first);
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
