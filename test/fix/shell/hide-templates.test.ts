// Templates in scripts: one word each, statements none; nothing else moves.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hideTemplates } from '../../../src/fix/shell/hide-templates.ts';
import { readCommands } from '../../../src/fix/shell/read-commands.ts';
import { fc, runs } from '../../sweep.ts';
import { parse } from '../gate/homelab.ts';

const shapes = (text: string) =>
  readCommands(text, parse).commands.map(({ words }) =>
    words.map((word) => word.text.replace(/\ue000+/g, '…')).join(' '),
  );

test('an expression is one word, also with spaces, quotes and bars in it', () => {
  assert.equal(shapes('run {{ a.b }} c\n'), ['run … c']);
  assert.equal(shapes('run {{ a | default("x y") }} c\n'), ['run … c']);
  assert.equal(shapes('run "{{ a[\'b\'] }}" c\n'), ['run … c']);
  assert.equal(shapes('run x-{{ a }}-y\n'), ['run x-…-y']);
  assert.equal(shapes('{{ kubectl }} apply\n'), ['… apply']);
});

test('statements and comments on lines of their own are no commands, and what stands between them is', () => {
  assert.equal(shapes('{% if a %}\nrun b\n{% endif %}\n{# rm -rf / #}\n'), ['run b']);
  assert.equal(shapes('{{- if .Values.a }}\nrun b\n{{- end }}\n'), ['run b']);
  assert.equal(shapes('run a{% if x %} b{% endif %}\n'), ['run a b']);
});

test('what is no template stays', () => {
  for (const text of ['run ${A} {a,b}\n', 'awk "{ print }" x\n', '{ run; }\n']) assert.is(hideTemplates(text), text);
});

test('any text keeps its length and its lines', () => {
  const piece = fc.constantFrom('{{', '}}', '{%', '%}', '{#', '#}', ' ', '\n', 'a', 'if', 'end', '-', '"', '|');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const hidden = hideTemplates(text);
      assert.is(hidden.length, text.length);
      assert.equal(
        [...hidden.matchAll(/\n/g)].map(({ index }) => index),
        [...text.matchAll(/\n/g)].map(({ index }) => index),
      );
    }),
    runs(400, 50_000),
  );
});

test.run();
