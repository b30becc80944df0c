import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapProblems } from './problem-texts.ts';

const AT = 'ai/context_map.yaml';

test('an empty file says what it should hold', () => {
  for (const text of ['', '\n\n', '# nothing yet\n', '---\n', '~']) {
    assert.equal(mapProblems(text), [`${AT}:1:1: the file is empty; expected a mapping with "stages"`], text);
  }
});

test('a file without stages says so', () => {
  assert.equal(mapProblems('carry: []'), [`${AT}:1:1: stages: missing; expected a mapping of stage names to stages`]);
  assert.equal(mapProblems('stages:'), [`${AT}:1:8: stages: expected a mapping of stage names to stages, got nothing`]);
  assert.equal(mapProblems('stages: {}'), [`${AT}:1:9: stages: expected at least one stage`]);
});

test('a file that is not a mapping says what it is', () => {
  assert.equal(mapProblems('- a'), [`${AT}:1:1: expected a mapping of keys to values, got a list`]);
  assert.equal(mapProblems('hello'), [`${AT}:1:1: expected a mapping of keys to values, got "hello"`]);
});

test('tabs as indentation are named as such', () => {
  assert.equal(mapProblems('stages:\n  vms:\n\tcommand: x\n'), [`${AT}:3:1: tab used for indentation; use spaces`]);
});

test('a syntax error is reported once for each line', () => {
  assert.equal(mapProblems('stages:\n  vms:\n    command: [a\n'), [
    `${AT}:4:1: not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]`,
  ]);
  assert.equal(mapProblems('a: 1\n  b: 2\n'), [
    `${AT}:1:4: not valid YAML: nested mappings are not allowed in compact mappings`,
  ]);
});

test('binary content is not taken for YAML', () => {
  assert.equal(mapProblems('a: 1\n\0\x01'), [`${AT}:2:1: binary content (a NUL byte); expected YAML text`]);
});

test('a huge file is refused with its size and the limit', () => {
  assert.equal(mapProblems(`# ${'x'.repeat(1_048_576)}`), [
    `${AT}:1:1: the file has 1048578 bytes; the limit is 1048576 (1 MiB)`,
  ]);
});

test('a second document is refused', () => {
  assert.equal(mapProblems('stages: { a: { command: x } }\n---\nb: 1\n'), [
    `${AT}:2:1: a second document starts here; expected only one`,
  ]);
});

test('a duplicate key names the first, and hides no other problem', () => {
  assert.equal(mapProblems('stages:\n  a: { command: x }\n  a: { comand: x, command: y }\n'), [
    `${AT}:3:3: stages.a: duplicate key; first in line 2`,
    `${AT}:3:8: stages.a.comand: unknown key; did you mean "command"?`,
  ]);
});

test('anchors work, and problems behind an alias point to what it stands for', () => {
  assert.equal(mapProblems('stages:\n  a: &x { command: x }\n  b: *x\n'), []);
  assert.equal(mapProblems('stages:\n  a: &x { command: 3 }\n  b: *x\n').length, 2);
  assert.equal(mapProblems('stages:\n  a: *y\n'), [`${AT}:2:6: stages.a: no anchor "&y" before this alias`]);
  assert.equal(mapProblems('stages: &x\n  a: *x\n'), [`${AT}:2:6: stages.a: no anchor "&x" before this alias`]);
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

test('keys that are not plain text and unknown tags are refused', () => {
  assert.equal(mapProblems('? [a]\n: 1\n__proto__: 1\n'), [
    `${AT}:1:3: a key that is not plain text`,
    `${AT}:3:1: __proto__: this key is not allowed`,
  ]);
  assert.equal(mapProblems('stages:\n  a: !foo { command: x }\n'), [`${AT}:2:6: not valid YAML: unresolved tag: !foo`]);
});

test.run();
