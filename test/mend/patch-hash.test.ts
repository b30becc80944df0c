// The same lines on the same files are the same patch.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleanDiff, patchHash } from '../../src/fix/clean-diff.ts';

const lines = (count: number, more: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, i) => `${more[i] ?? `line ${i}`}\n`).join('');
const hash = (before: string, after: string, path = 'a.txt') => patchHash(cleanDiff([{ path, before, after }]));

test('where the lines stand, and what stands around them, does not count', () => {
  const here = hash(lines(20, { 5: 'old' }), lines(20, { 5: 'new' }));
  assert.is(hash(lines(40, { 30: 'old' }), lines(40, { 30: 'new' })), here);
  assert.is(hash(`other\nold\nother\n`, `other\nnew\nother\n`), here);
  assert.is(hash('old\n', 'new   \n'), here, 'nor spaces at the end of a line');
  assert.match(here, /^[0-9a-f]{16}$/);
});

test('other lines, another file, the other way round and another mode are another patch', () => {
  const all = [
    hash('old\n', 'new\n'),
    hash('new\n', 'old\n'),
    hash('old\n', 'newer\n'),
    hash('old\n', '  new\n'),
    hash('old\n', 'new\n', 'b.txt'),
    hash('', 'new\n'),
    patchHash(''),
    patchHash('', ['a.txt']),
    patchHash('', ['b.txt']),
    patchHash(cleanDiff([{ path: 'a.txt', before: 'old\n', after: 'new\n' }]), ['a.txt']),
  ];
  assert.is(new Set(all).size, all.length);
});

test.run();
