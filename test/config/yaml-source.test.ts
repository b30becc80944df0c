import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readYaml } from '../../src/config/yaml-source.ts';
import { mapProblems } from './problem-texts.ts';

const AT = 'ai/context_map.yaml';

test('an empty file says what it should hold', () => {
  for (const text of ['', '\n\n', '# nothing yet\n', '---\n', '~']) {
    assert.equal(mapProblems(text), [`${AT}:1:1: the file is empty; expected a mapping with "stages"`], text);
  }
});

const REFUSED: readonly [rule: string, text: string, ...problems: string[]][] = [
  ['no stages', 'carry: []', '1:1: stages: missing; expected a mapping of stage names to stages'],
  ['stages of nothing', 'stages:', '1:8: stages: expected a mapping of stage names to stages, got nothing'],
  ['empty stages', 'stages: {}', '1:9: stages: expected at least one stage'],
  ['a list', '- a', '1:1: expected a mapping of keys to values, got a list'],
  ['a text', 'hello', '1:1: expected a mapping of keys to values, got "hello"'],
  ['tabs as indentation', 'stages:\n  vms:\n\tcommand: x\n', '3:1: tab used for indentation; use spaces'],
  [
    'a syntax error, once for each line',
    'stages:\n  vms:\n    command: [a\n',
    '4:1: a list or mapping that was opened before is not closed; ] is missing',
  ],
  ['another one', 'a: 1\n  b: 2\n', '1:4: not valid YAML: nested mappings are not allowed in compact mappings'],
  ['binary content', 'a: 1\n\0\x01', '2:1: binary content (a NUL byte); expected YAML text'],
  ['a huge file', `# ${'x'.repeat(1_048_576)}`, '1:1: the file has 1048578 bytes; the limit is 1048576 (1 MiB)'],
  [
    'a second document',
    'stages: { a: { command: x } }\n---\nb: 1\n',
    '2:1: a second document starts here; expected only one',
  ],
  [
    'a duplicate key, which hides no other problem',
    'stages:\n  a: { command: x }\n  a: { comand: x, command: y }\n',
    '3:3: stages.a: duplicate key; first in line 2',
    '3:8: stages.a.comand: unknown key; did you mean "command"?',
  ],
  [
    'an alias of nothing',
    'stages:\n  a: *y\n',
    '2:6: stages.a: no anchor "&y" before this alias; a text that begins with * is quoted',
  ],
  [
    'an alias of what is around it',
    'stages: &x\n  a: *x\n',
    '2:6: stages.a: no anchor "&x" before this alias; a text that begins with * is quoted',
  ],
  [
    'keys that are not plain text',
    '? [a]\n: 1\n__proto__: 1\n',
    '1:3: a key that is not plain text',
    '3:1: __proto__: this key is not allowed',
  ],
  [
    'unknown tags',
    'stages:\n  a: !foo { command: x }\n',
    '2:6: begins with !, which YAML reads as its own: quote it, or write a: | and the text in the next line, indented',
  ],
];

for (const [rule, text, ...problems] of REFUSED) {
  test(`refused, with the place: ${rule}`, () => {
    assert.equal(
      mapProblems(text),
      problems.map((problem) => `${AT}:${problem}`),
    );
  });
}

test('anchors work, and problems behind an alias point to what it stands for', () => {
  assert.equal(mapProblems('stages:\n  a: &x { command: x }\n  b: *x\n'), []);
  assert.equal(mapProblems('stages:\n  a: &x { command: 3 }\n  b: *x\n').length, 2);
});

test('aliases that multiply are refused', () => {
  const level = (name: string, of: string) => `${name}: &${name} [${Array(20).fill(`*${of}`).join(', ')}]\n`;
  const bomb = `a: &a [x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}`;
  assert.equal(mapProblems(bomb), [`${AT}:1:1: aliases (*) expand too far; at most 100 uses of an anchor`]);
});

test('nesting is bounded, and bottomless nesting never reaches the recursive parser', () => {
  assert.equal(mapProblems('['.repeat(70) + ']'.repeat(70)), [`${AT}:1:66: nested more than 64 levels deep`]);
  const rows = Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  const shapes = ['[', '{a: ', '- ', '? ', 'a: ', '["]", ', '[a: ', 'a: - '].map((part) => part.repeat(100_000));
  for (const text of [...shapes, rows]) {
    assert.match(mapProblems(text).join('\n'), /^ai\/context_map\.yaml:\d+:\d+: nested too deeply$/);
  }
});

test('many values side by side are not deep', () => {
  const pairs = Array.from({ length: 500 }, (_, i) => `s${i}: {command: [a, "[", "{"]}`).join(', ');
  assert.equal(mapProblems(`stages: {${pairs}}`), []);
  const script = `stages:\n  a:\n    command: |\n${'      - [ { x: y\n'.repeat(500)}`;
  assert.equal(mapProblems(script), []);
});

for (const [line, says] of [
  ['command: grep foo: bar', 'has ": " in it: quote it, or write command: | and the text in the next line, indented'],
  ['- kubectl get x: y: z', 'has ": " in it: quote it'],
  [
    'command: `date`',
    'begins with `, which YAML reads as its own: quote it, or write command: | and the text in the next line, indented',
  ],
  [
    'command: [ -f x ] && y',
    'begins with [, which YAML reads as its own: quote it, or write command: | and the text in the next line, indented',
  ],
  ['- -x\n      -y', undefined],
  ['command: "echo', 'a quote that was opened is not closed'],
  ['command: x\n   files: []', 'is indented otherwise than the lines it belongs to'],
] as const) {
  test(`told in plain words: ${line}`, () => {
    const { problems } = readYaml(`stages:\n  a:\n    ${line}\n`, 'ai/context_map.yaml');
    assert.equal(
      problems.map(({ message }) => message),
      says === undefined ? [] : [says],
    );
  });
}

test.run();
