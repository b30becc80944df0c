import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutText, displayWidth, fitText } from '../../src/io/fit-text.ts';

test('wide signs take two columns, marks and colours none', () => {
  const widths = ['abc', '東京', 'é', 'e\u0301', '✓', '👩‍👧', '❤️', '\u001b[32mok\u001b[39m'].map(displayWidth);
  assert.equal(widths, [3, 4, 1, 1, 1, 2, 2, 2]);
  assert.equal([cutText('abcdef', 4), cutText('東京都', 4), cutText('abc', 3)], ['abc…', '東…', 'abc']);
});

test('a long line breaks at spaces and goes on under its last column, or under its mark', () => {
  const row = 'talos    ollama       asks qwen2.5-coder:7b at http://127.0.0.1:11434 (7.6B, 4.7 GB)';
  assert.is(
    fitText(row, 60),
    `talos    ollama       asks qwen2.5-coder:7b at
                      http://127.0.0.1:11434 (7.6B, 4.7 GB)`,
  );
  assert.is(fitText('    | one two three four five six', 24), '    | one two three four\n      five six');
  assert.is(fitText('note: one two three four five six', 24), 'note: one two three four\n      five six');
  assert.is(fitText('東京 東京 東京 東京 東京 東京', 23), '東京 東京 東京 東京\n東京 東京');
});

test('what fits, words that are longer than a line, diffs and commands stay as they are', () => {
  assert.is(fitText(`a b\n\n  c${' '.repeat(3)}d`, 24), 'a b\n\n  c   d');
  assert.is(fitText(`log: ${'x'.repeat(40)}`, 24), `log: ${'x'.repeat(40)}`);
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one two three four five six\n+one two three four five';
  assert.is(fitText(diff, 24), diff);
  const commands = 'to land it:\nmendloop promote --accept 0123456789ab\n    git push origin main:refs/heads/promoted';
  assert.is(fitText(commands, 24), commands);
});

test.run();
