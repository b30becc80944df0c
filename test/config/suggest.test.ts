import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { didYouMean, nearest } from '../../src/config/suggest.ts';
import { fc } from '../sweep.ts';

const STAGES = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs', 'status'];

test('a slip of the fingers finds the word that was meant', () => {
  const slips = {
    talso: 'talos',
    tlaos: 'talos',
    talo: 'talos',
    vsm: 'vms',
    TALOS: 'talos',
    statsu: 'status',
    ingres: 'ingress',
  };
  for (const [slip, meant] of Object.entries(slips)) assert.is(nearest(slip, STAGES), meant, slip);
});

test('the beginning of one word alone finds it', () => {
  const words = ['explain', 'doctor', 'report', 'reset', 'retry'];
  assert.equal(
    ['expl', 'doc', 'rep', 'res', 're', 'ex'].map((word) => nearest(word, words)),
    ['explain', 'doctor', 'report', 'reset', undefined, undefined],
  );
});

test('a word that is not near any gets no suggestion', () => {
  for (const word of ['database', 'x', '', 'monitoring']) assert.is(nearest(word, STAGES), undefined, word);
  assert.is(nearest('anything', []), undefined);
});

test('property: never throws, and a known word is its own nearest', () => {
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (word, known) => {
      const found = nearest(word, known);
      assert.ok(found === undefined || known.includes(found));
      assert.is(nearest(known[0] as string, known), known[0]);
    }),
  );
});

test('only a near word is suggested', () => {
  assert.is(nearest('comand', ['command', 'needs']), 'command');
  assert.is(nearest('on-failure', ['on_failure']), 'on_failure');
  assert.is(nearest('Timeout', ['timeout']), 'timeout');
  assert.is(nearest('xyz', ['needs']), undefined);
  assert.is(nearest('a', []), undefined);
  assert.is(didYouMean('q', [], 'allowed'), '');
  const many = Array.from({ length: 30 }, (_, i) => `stage${i}`);
  assert.ok(didYouMean('zz', many, 'known').endsWith('stage19, ...'));
});

test.run();
