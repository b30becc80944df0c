import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parses } from '../../../src/fix/gate/parses.ts';

const ok = (path: string, before: string | null, after: string, failed = false) =>
  parses(path, before, after, failed).length === 0;

test('what parsed must parse', () => {
  const broken: [string, string, string][] = [
    ['a.yaml', 'a: 1\n', 'a: 1\n b: 2\n'],
    ['a.yml', 'a: 1\n', 'a: [1\n'],
    ['a.yaml', 'a: 1\n---\nb: 1\n', 'a: 1\n---\nb: {1\n'],
    ['a.yaml', 'a: 1\n', 'a: 1\na: 2\n'],
    ['a.yaml', 'a: {b: 1}\n', 'a:\n  b: 1\n  c: 1\n  b: 2\n'],
    ['a.yaml', 'a: 1\n', `a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['a.json', '{"a": 1}', '{"a": 1,}'],
    ['a.jsonc', '{"a": 1}', '{"a": }'],
    ['a.toml', 'a = 1\n', 'a = \n'],
    ['a.toml', 'a = 1\n', 'a = 1\na = 2\n'],
  ];
  for (const [path, before, after] of broken) {
    assert.not(ok(path, before, after), after.slice(0, 40));
    assert.ok(parses(path, before, after).every(({ code }) => code === 'does_not_parse'));
    assert.ok(ok(path, before, before), before);
  }
});

test('what did not parse before may stay so, unless that was the failure', () => {
  for (const [path, text] of [
    ['a.yaml', '{{- if .Values.x }}\na: {{ .Values.a }}\n{{- end }}\n'],
    ['a.json', '{"a": 1,}'],
    ['a.toml', 'a = \n'],
  ] as const) {
    assert.ok(ok(path, text, `${text} `), path);
    assert.not(ok(path, text, `${text} `, true), path);
  }
  assert.ok(ok('a.yaml', 'a: [1\n', 'a: [1]\n', true));
});

test('a new template is left alone, a new file that is none is not', () => {
  assert.ok(ok('a.yaml', null, '{{ if x }}\na: b\n{{ end }}\n'));
  assert.not(ok('a.yaml', null, '{{ if x }}\na: b\n{{ end }}\n', true));
  assert.not(ok('a.yaml', '', '{{ if x }}\na: b\n{{ end }}\n'));
  assert.not(ok('a.yaml', null, 'a: [1\n'));
});

test('comments and trailing commas are fine where they are the custom', () => {
  const text = '// why\n{"url": "https://a/*b*/", /* c */ "b": [1, 2,],}\n';
  assert.ok(ok('a.jsonc', '{}', text));
  assert.ok(ok('.vscode/settings.json', '// x\n{}', text));
  assert.ok(ok('a.json5', '{}', "{a: 'b'}"), 'not judged');
  assert.not(ok('a.json', '{}', '{"a": 1,}'), 'where nothing is commented');
  assert.not(ok('a.json', '// x\n{}', '// x\n{"a": }'));
});

test('tags, anchors, several documents and other kinds of files are fine', () => {
  assert.ok(ok('a.yaml', 'a: 1\n', 'a: !vault x\nb: &x {c: 1}\nd: *x\n---\n---\ne: 1\n'));
  assert.ok(ok('a.sh', 'x', 'if'));
});

test('what is filled in first need only parse without what fills it in', () => {
  const [before, after] = ['a: {{ .b }}\n', 'a: {{` "{{ .b }}" `}}\n'];
  assert.ok(ok('charts/a/templates/secret.yaml', before, after));
  assert.not(ok('a/secret.yaml', before, after), 'where nobody does');
  assert.not(ok('charts/a/templates/secret.yaml', before, 'a: [{{ .b }}\n'));
});

test('the reason says where', () => {
  const reasonOf = (path: string, after: string) => parses(path, null, after).map(({ reason }) => reason);
  assert.equal(reasonOf('a.yaml', 'a: 1\nb: *c\n'), ['a.yaml: line 2: nothing is called &c']);
  assert.equal(reasonOf('a.yaml', `a: 1\nb: ${'['.repeat(300)}`), ['a.yaml: line 2: nested too deeply']);
  assert.match(reasonOf('a.toml', 'a = 1\nb = \n')[0] ?? '', /^a\.toml: line 2: \S[^\n]*$/);
  assert.match(reasonOf('a.json', '{"a": }')[0] ?? '', /^a\.json: Unexpected token/);
  assert.equal(parses('a.yaml', 'a: 1\n', 'a: 1\nb: 2\na: 3\n'), [
    { code: 'does_not_parse', reason: 'a.yaml: line 3: the key a stands here twice' },
  ]);
});

test.run();
