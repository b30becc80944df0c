import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasPipe, needsStrictShell } from '../../src/config/strict-shell.ts';

test('a text needs a strict shell for several lines, for ";" and, as a command, for a pipe', () => {
  const cases: [text: string, asCommand: boolean, asCheck: boolean][] = [
    ['make apply', false, false],
    ['make apply\n', false, false],
    ['terraform init && terraform apply', false, false],
    ['a ||\n b', false, false],
    ['helm upgrade \\\n  --install x', false, false],
    ['# what it does\nmake apply', false, false],
    ['echo "a; b | c"', false, false],
    ["grep -q 'a|b' x # ; and |", false, false],
    ['a || b', false, false],
    ['echo x >| file', false, false],
    ['a; b', true, true],
    ['a\nb', true, true],
    ['a &&\nb\nc', true, true],
    ['a | b', true, false],
    ['a |& b', true, false],
    ['a | b; c', true, true],
    ['set -e\na\nb', false, false],
    ['set -e\na | b', true, false],
    ['set -euo pipefail; a | b; c', false, false],
    ['', false, false],
  ];
  for (const [text, asCommand, asCheck] of cases) {
    assert.is(needsStrictShell(text, 'command'), asCommand, text);
    assert.is(needsStrictShell(text, 'check'), asCheck, text);
  }
});

test('a pipe is one outside of quotes, and no list has any', () => {
  assert.ok(hasPipe('yes | head'));
  assert.not(hasPipe("echo '|' || true"));
  assert.not(hasPipe(['sh', '-c', 'yes | head']));
});

test.run();
