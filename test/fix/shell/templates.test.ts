// Templates in scripts: one word each, statements none; nothing else moves.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { expressionsIn, hideTemplates, isNever, statementsAround } from '../../../src/fix/shell/templates.ts';
import { readCommands } from '../../../src/fix/shell/unwrap.ts';
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

test('each line knows the statements that it stands in, the outermost first', () => {
  const around = (text: string) => text.split('\n').map((_, i) => statementsAround(text)(i + 1).join(' > '));
  assert.equal(around('a\n{% if x %}\nb\n{%- for y in z -%}\nc\n{% endfor %}\n{% endif %}\nd'), [
    '',
    'if x',
    'if x',
    'if x > for y in z',
    'if x > for y in z',
    'if x > for y in z',
    'if x',
    '',
  ]);
  assert.equal(around('{{ if .X }}\na\n{{ else }}\nb\n{{ end }}'), [
    'if .X',
    'if .X',
    'else of if .X',
    'else of if .X',
    'else of if .X',
  ]);
  assert.equal(around('{% if x %}a{% endif %} b'), ['if x'], 'also on one line');
  assert.equal(around('{% set x = 1 %}\n{{ a }}\n{% include "b" %}\n{% endif %}\nc'), ['', '', '', '', '']);
});

test('statements of constants never hold, all others may', () => {
  for (const never of [
    'if false',
    'if 0',
    'elif none',
    'elif none of if a',
    'if not true',
    'for a in []',
    'range list',
    'else of if true',
  ])
    assert.ok(isNever(never), never);
  for (const may of ['if a', 'if true', 'if not a', 'for a in b', 'range .Values.a', 'else of if a', 'with .a'])
    assert.not(isNever(may), may);
});

test('the expressions of a text, without brackets and without statements', () => {
  assert.equal(expressionsIn('{{ a }}{% if b %}{{- .c  | d -}}{{ end }}{# e #}'), ['a', '.c | d']);
  assert.equal(expressionsIn('{{ if a == "b" { "c" } else { "d" } }}'), ['if a == "b" { "c" } else { "d" }'], "just's");
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
