// YAML and JSON: mended where one small change is the only one that parses, left alone everywhere else.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { json, mendedJson } from '../../plugins/executors/known-fixes/json.ts';
import { mendedYaml, yaml } from '../../plugins/executors/known-fixes/yaml.ts';
import { quotedItem, quotedSentence } from '../../plugins/executors/known-fixes/yaml-edits.ts';
import { factsOf, mended } from './facts.ts';

const WEB = 'web.yaml';
const BROKEN = 'name: web\nnote: careful: this is hot\n';
const SOUND = 'name: web\nnote: "careful: this is hot"\n';

test('YAML text: each kind of fault', () => {
  for (const [broken, sound] of [
    ['a:\n  b: 1\n\tc: 2\n', 'a:\n  b: 1\n  c: 2\n'],
    ['a:\n\tb: 1\n', 'a:\n  b: 1\n'],
    ['a:\n    b:\n\t\tc: 1\n    d: 2\n', 'a:\n    b:\n        c: 1\n    d: 2\n'],
    ['a:\n  b: 1\n   c: 2\n', 'a:\n  b: 1\n  c: 2\n'],
    ['a:\n  b: 1\n c: 2\n  d: 3\n', 'a:\n  b: 1\n  c: 2\n  d: 3\n'],
    ['- a: 1\n b: 2\n', '- a: 1\n  b: 2\n'],
    ['a: 1\nb: one two: three\n', 'a: 1\nb: "one two: three"\n'],
    [`a: say "hi: there" now: ok\n`, `a: 'say "hi: there" now: ok'\n`],
    ['a: [b, c #1, d]\n', 'a: [b, "c #1", d]\n'],
    ['a: "b\nc: d\n', 'a: "b"\nc: d\n'],
    ["- 'a\n- b\n", "- 'a'\n- b\n"],
    ['a: 1\nb: 2\na: 1\n', 'a: 1\nb: 2\n'],
    ['a:\n  x: 1\nb: 2\na:\n  x: 1\n', 'a:\n  x: 1\nb: 2\n'],
  ] as const) {
    assert.is(mendedYaml(broken, [])?.text, sound, broken);
    assert.is(mendedYaml(sound, []), undefined, 'it is sound now');
  }
});

const PLAY = `- name: Web
  hosts: web
	roles:
    - role: caddy
      vars:
        domain: "{{ dns_domain }}"
  tasks:
    - ansible.builtin.copy:
        content: |
          hello {{ inventory_hostname }}
        dest: /etc/motd
    - shell: |
        true
      when: first | bool
`;

test('YAML text: a tab of indentation, whatever templates and blocks of text stand elsewhere', () => {
  assert.is(mendedYaml(PLAY, [3])?.text, PLAY.replace('\t', '  '));
  const later = PLAY.replace('\troles', '  roles').replace('      when:', '\twhen:');
  for (const [broken, why] of [
    [PLAY.replace('          hello', '\thello'), 'in a text'],
    [later, 'where a text ends'],
    [PLAY.replace('    - shell: |', '\t- shell: |'), 'before a text'],
    [PLAY.replace('"{{ dns_domain }}"', '{{ dns_domain }}'), 'a template makes the text'],
    [`{% if web %}\n${PLAY}{% endif %}\n`, 'a template makes the text'],
  ] as const) {
    assert.is(mendedYaml(broken, []), undefined, `${why}: ${broken}`);
  }
});

test('YAML text: why YAML that does not parse is left alone', async () => {
  const told = { files: { [WEB]: 'image: nginx: 1.25\n' }, said: `error parsing ${WEB}: yaml: line 1: bad` };
  assert.equal(await yaml(factsOf({ ...told, class: 'yaml_parse_error' })), {
    unsure: `${WEB} does not parse, and no small change is certain to be what is meant`,
  });
});

test('YAML text: left alone: a choice, another meaning, or no small change', () => {
  for (const broken of [
    'a: b: c\n',
    'image: nginx: 1.25\n',
    'a: 1\na: 2\n',
    'a:\n  x: 1\na:\n  x: 2\n',
    'a: [1, 2\n',
    'a: {{ b }}\nc: one two: three\n',
    'a: "b\nc: "d\n',
    'a: "b # why\n',
    'run: |\n\techo hi\n',
    'a:\n  b: 1\n    c: 2\n',
    'a:\n  b:\n    c: 1\n\td: 2\n',
    '%%%\n',
    'a: one two: three\nb: four five: six\n',
  ]) {
    assert.is(mendedYaml(broken, []), undefined, broken);
  }
});

test('YAML text: left alone: the error is about other lines', () => {
  assert.ok(mendedYaml(BROKEN, [2]));
  assert.ok(mendedYaml(`${SOUND}---\n${BROKEN}`, [2]), 'lines of a document');
  assert.is(mendedYaml(BROKEN, [40]), undefined);
});

test('YAML text: a value in quotes means what it says', () => {
  assert.is(quotedSentence('- note: it is: so'), '- note: "it is: so"');
  for (const line of [
    'a: b',
    'a: b: c',
    'a: "b c: d"',
    'a: [b c: d]',
    'a: b c: d # e',
    '# a: b c: d',
    'a: &x b c: d',
  ]) {
    assert.is(quotedSentence(line), undefined, line);
  }
  for (const line of ['a: b #c', 'a: [b, c] #d', 'a: ["b #c]', 'a: [b #c #d]'])
    assert.is(quotedItem(line), undefined, line);
});

test('YAML failures: the words of every parser', async () => {
  const files = { 'config/web.yaml': BROKEN, 'config/other.yaml': 'a: 1\n' };
  for (const said of [
    ['yaml.scanner.ScannerError: mapping values are not allowed here', '  in "config/web.yaml", line 2, column 14'],
    'error: error parsing config/web.yaml: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context',
    'YAMLParseError: Nested mappings are not allowed in compact mappings at line 2, column 7:',
    'mendloop: verify: yaml config/web.yaml: Nested mappings are not allowed in compact mappings at line 2, column 7:',
    'Psych::SyntaxError: (/srv/lab/config/web.yaml): mapping values are not allowed in this context at line 2 column 14',
  ]) {
    assert.is(await mended(yaml, { files, said, class: 'yaml_parse_error' }), SOUND, String(said));
  }
});

test('YAML failures: left alone: another file, two broken ones and no name, no line and no name, a generated one', async () => {
  const none = 'yaml: line 2: mapping values are not allowed in this context';
  const parse = { class: 'yaml_parse_error' as const };
  const two = { [WEB]: BROKEN, 'b.yaml': BROKEN };
  assert.is(await mended(yaml, { files: two, said: none, ...parse }), undefined);
  assert.is(
    await mended(yaml, { files: { [WEB]: BROKEN }, said: `error parsing charts/x.yaml: ${none}`, ...parse }),
    undefined,
  );
  assert.is(await mended(yaml, { files: { [WEB]: BROKEN }, said: 'did not find expected key', ...parse }), undefined);
  const generated = { [WEB]: `# Code generated by kustomize. DO NOT EDIT.\n${BROKEN}` };
  assert.is(await mended(yaml, { files: generated, said: `${WEB}: ${none}`, ...parse }), undefined);
  assert.is(await mended(yaml, { files: { [WEB]: BROKEN }, said: `scp: ${WEB}: Connection closed` }), undefined);
});

test('JSON: each kind of fault', () => {
  for (const [broken, sound] of [
    ['{"a": [1, 2,],}\n', '{"a": [1, 2]}\n'],
    ['{\n  "a": 1,\n}\n', '{\n  "a": 1\n}\n'],
    ['{\n  // why\n  "a": "//x" // so\n}\n', '{\n  "a": "//x"\n}\n'],
    ['{\n  /* why\n     and how */\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'],
    ['{\n  "a": 1, // one\n}\n', '{\n  "a": 1\n}\n'],
    ['{\n  "a": {}\n  "b": 1\n}\n', '{\n  "a": {},\n  "b": 1\n}\n'],
  ] as const) {
    assert.is(mendedJson(broken)?.text, sound, broken);
    assert.is(mendedJson(sound), undefined);
  }
});

test('JSON: left alone: anything else', () => {
  for (const broken of [
    '',
    '{',
    '[,]',
    '{"a": 1,, "b": 2}',
    '{"a" 1}',
    "{'a': 1}",
    '{"a": 1 "b": 2}',
    '{\n"a": 1\n"b": 2\n"c": 3\n}',
    '{a: 1,}',
    '{"a": ,}',
  ]) {
    assert.is(mendedJson(broken), undefined, broken);
  }
});

test('JSON: the words of every parser, with and without a name', async () => {
  const files = { 'config/web.json': '{\n  "a": 1,\n}\n', 'config/ok.json': '{}\n' };
  for (const said of [
    'jq: parse error: Expected another key-value pair at line 3, column 1',
    'parse error: Expected another key-value pair at line 3, column 1',
    'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 3 column 1 (char 13)',
    'SyntaxError: Expected double-quoted property name in JSON at position 12',
    "error: config/web.json: invalid character '}' looking for beginning of object key string",
  ]) {
    assert.is(await mended(json, { files, said }), '{\n  "a": 1\n}\n', said);
  }
});

test('JSON: left alone: an answer from the network, a lenient reader, two broken files', async () => {
  const broken = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n}\n';
  const said = 'parse error: Invalid numeric literal at line 1, column 10';
  assert.is(await mended(json, { files: { 'a.json': broken }, said }), undefined);
  const named = (path: string) => `error: ${path}: invalid character '}' looking for beginning of object key string`;
  assert.ok(await mended(json, { files: { 'a.json': broken }, said: named('a.json') }));
  assert.is(await mended(json, { files: { 'tsconfig.json': broken }, said: named('tsconfig.json') }), undefined);
  const at = 'parse error: Expected another key-value pair at line 5, column 1';
  assert.is(await mended(json, { files: { 'a.json': broken, 'b.json': broken }, said: at }), undefined);
});

test.run();
