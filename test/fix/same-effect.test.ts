import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleanDiff } from '../../src/fix/clean-diff.ts';
import { haveSameEffect } from '../../src/fix/same-effect.ts';

const same = (path: string, before: string, one: string, other: string): boolean => {
  const [a, b] = [one, other].map((after) => cleanDiff([{ path, before, after }])) as [string, string];
  return haveSameEffect(a, b);
};

test('comments, messages, white space and the order of independent lines do not make a patch different', () => {
  const script = 'set -e\nkubctl apply\n';
  const fixed = 'set -e\nkubectl apply\n';
  for (const other of [
    'set -e\n# apply it\nkubectl apply\n',
    'set -e\nkubectl apply  # now right\n',
    'set -e\nkubectl  apply\n',
    'set -e\necho "applies"\nkubectl apply\n',
  ]) {
    assert.ok(same('run.sh', script, fixed, other), other);
  }
  assert.ok(same('a.yaml', 'x: 1\n', 'x: 1\na: 1\nb: 2\n', 'x: 1\nb: 2\na: 1\n'));
  assert.ok(
    same('t.yml', '- name: Old words here\n  a: 1\n', '- name: New words\n  a: 2\n', '- name: Other words\n  a: 2\n'),
  );
});

test('another value, another level, another order of commands and a message that goes to a file do', () => {
  assert.not(same('a.yaml', 'x: 1\n', 'x: 2\n', 'x: 3\n'));
  assert.not(same('a.yaml', 'x:\n', 'x:\n  a: 1\n', 'x:\na: 1\n'));
  assert.not(same('run.sh', 'x\n', 'x\nfirst\nsecond\n', 'x\nsecond\nfirst\n'));
  assert.not(same('run.sh', 'x\n', 'x\ny\necho a > f\n', 'x\ny\necho b > f\n'));
  assert.not(
    same('run.sh', 'echo a\n', 'echo b\n', 'echo c\n'),
    'one that changes only words is the same as itself alone',
  );
});

test.run();
