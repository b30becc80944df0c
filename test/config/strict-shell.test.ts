import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasPipe, stricterCommands, whyStricter } from '../../src/config/strict-shell.ts';
import { mapOf } from '../plan/builders.ts';

test('a text is stricter with several lines, with ";" and, as a command, with a pipe', () => {
  const cases: [text: string | string[], asCommand: string | undefined, asCheck: string | undefined][] = [
    ['make apply', undefined, undefined],
    ['make apply\n', undefined, undefined],
    ['terraform init && terraform apply', undefined, undefined],
    ['a ||\n b', undefined, undefined],
    ['helm upgrade \\\n  --install x', undefined, undefined],
    ['# what it does\nmake apply', undefined, undefined],
    ['echo "a; b | c"', undefined, undefined],
    ["grep -q 'a|b' x # ; and |", undefined, undefined],
    ['a || b', undefined, undefined],
    ['echo x >| file', undefined, undefined],
    [['bash', '-c', 'a; b | c'], undefined, undefined],
    ['a; b', 'several commands', 'several commands'],
    ['a\nb', 'several lines', 'several lines'],
    ['a &&\nb\nc', 'several lines', 'several lines'],
    ['a | b', 'a pipe', undefined],
    ['a |& b', 'a pipe', undefined],
    ['a | b; c', 'several commands and a pipe', 'several commands'],
    ['set -e\na\nb', undefined, undefined],
    ['set -e\na | b', 'a pipe', undefined],
    ['set -euo pipefail; a | b; c', undefined, undefined],
    ['', undefined, undefined],
  ];
  for (const [text, asCommand, asCheck] of cases) {
    assert.is(whyStricter(text, 'command'), asCommand, String(text));
    assert.is(whyStricter(text, 'check'), asCheck, String(text));
  }
});

test('a pipe is one outside of quotes, and no list has any', () => {
  assert.ok(hasPipe('yes | head'));
  assert.not(hasPipe("echo '|' || true"));
  assert.not(hasPipe(['sh', '-c', 'yes | head']));
});

test('every command, check and diagnostic of a map is named with its place', () => {
  const map = mapOf({
    a: { command: 'x | y', verify: ['p | q', { file: 'z' }, 'p; q'], diagnostics: ['one\ntwo'] },
    b: { command: 'plain' },
  });
  assert.equal(
    stricterCommands(map).map(({ where, why }) => `${where}: ${why}`),
    ['stages.a.command: a pipe', 'stages.a.verify[2]: several commands', 'stages.a.diagnostics[0]: several lines'],
  );
});

test.run();
