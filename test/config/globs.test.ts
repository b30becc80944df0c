import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pathMatcher } from '../../src/config/paths.ts';

test('a trailing slash means the tree below, dot files included', () => {
  const match = pathMatcher(['stages/talos/', './config/*.yaml']);
  for (const path of ['stages/talos/run.sh', 'stages/talos/a/.b', 'config/a.yaml']) assert.ok(match(path), path);
  for (const path of ['stages/vms/run.sh', 'stages/talosx/a', 'config/a/b.yaml']) assert.not(match(path), path);
});

test('no pattern matches nothing, and a leading ! is not a negation', () => {
  assert.not(pathMatcher([])('a'));
  assert.not(pathMatcher(['!a'])('b'));
  assert.not(pathMatcher(['', './', 'a'.repeat(100_000)])('b'));
});

test('case counts unless told otherwise', () => {
  assert.not(pathMatcher(['a/'])('A/b'));
  assert.ok(pathMatcher(['a/'], { ignoreCase: true })('A/b'));
});

test.run();
