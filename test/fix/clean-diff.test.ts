import { applyPatch, parsePatch } from 'diff';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleanDiff } from '../../src/fix/clean-diff.ts';

test('the diff of a file has right numbers and three lines of context', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\n';
  assert.is(
    cleanDiff([{ path: 'conf/x', before, after: before.replace('e', 'E') }]),
    '--- a/conf/x\n+++ b/conf/x\n@@ -2,6 +2,6 @@\n b\n c\n d\n-e\n+E\n f\n g\n',
  );
});

test('a new file comes from /dev/null, a missing final newline is told, what stays is left out', () => {
  assert.is(
    cleanDiff([
      { path: 'same', before: 'a\n', after: 'a\n' },
      { path: 'new', before: null, after: 'a' },
      { path: 'x', before: 'a', after: 'a\n' },
    ]),
    '--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n' +
      '--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n',
  );
});

test('a file written anew is shown as replaced, in bounded time', () => {
  const text = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
  const diff = cleanDiff([{ path: 'x', before: text('old'), after: text('new') }]);
  assert.is(parsePatch(diff).length, 1);
  assert.is(applyPatch(text('old'), diff), text('new'));
});

test.run();
