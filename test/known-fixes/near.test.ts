// When a name is another one mistyped, and when it is a name of its own.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSlip, nearest, slips } from '../../plugins/executors/known-fixes/near.ts';
import { fc } from '../sweep.ts';

test('counts letters that are missing, added, changed, and two that changed places', () => {
  assert.equal(
    ['kubectl', 'kubctl', 'kubecttl', 'kubectk', 'kubeclt', 'kubetl'].map((word) => slips(word, 'kubectl')),
    [0, 1, 1, 1, 1, 1],
  );
  assert.is(slips('kbuelct', 'kubectl'), 3);
  assert.is(slips('a', 'abcdef'), 3);
});

test('one slip is one for any name, two only for a long one', () => {
  assert.ok(isSlip('kubctl', 'kubectl'));
  assert.not(isSlip('kubtl', 'kubectl'));
  assert.ok(isSlip('kbuerntes', 'kubernetes'));
});

test('another number or a plural is another name', () => {
  for (const [word, name] of [
    ['node1', 'node2'],
    ['python', 'python3'],
    ['nodes', 'node'],
    ['app', 'apps'],
  ] as const) {
    assert.not(isSlip(word, name), word);
  }
});

test('a short name is mistyped only by letters that changed places', () => {
  assert.ok(isSlip('gti', 'git'));
  assert.not(isSlip('bat', 'cat'));
  assert.not(isSlip('sl', 'ls'));
});

test('names that differ where names do differ are two names', () => {
  const pairs =
    'getcap setcap, ifconfig ldconfig, vm_ip vm_id, groupadd groupmod, print printf, umount mount, pkcon pkmon';
  for (const pair of pairs.split(', ')) {
    const [word = '', name = ''] = pair.split(' ');
    assert.not(isSlip(word, name), pair);
    assert.not(isSlip(name, word), pair);
  }
  assert.ok(isSlip('namespqce', 'namespace'));
});

test('two that are near are two, and what is only written otherwise is nearest', () => {
  assert.equal(nearest('wait_fro', ['wait_for', 'sleep']), ['wait_for']);
  assert.equal(nearest('stap', ['step', 'stop']), ['step', 'stop']);
  assert.equal(nearest('ansible-host', ['ansible_host', 'ansible_port']), ['ansible_host']);
  assert.equal(nearest('__name__', ['name']), []);
});

test('the way there is as long as the way back, and nothing is nearer than what is equal', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc_'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      assert.is(slips(one, other), slips(other, one));
      assert.is(slips(one, other) === 0, one === other);
    }),
  );
});

test('two neighbours that change places are always one slip', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(word, fc.nat(), (text, n) => {
      const at = n % (text.length - 1);
      const swapped = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
      assert.ok(slips(text, swapped) <= 1);
    }),
  );
});

test.run();
