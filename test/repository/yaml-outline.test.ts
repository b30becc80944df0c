import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Entry, outline } from '../../src/repository/yaml-outline.ts';

const shown = ({ way, value, line }: Entry) => `${line} ${way.replaceAll(' ', '.')}=${value}`;
const of = (text: string) => (outline(text) ?? []).map(shown);

test('keys have the way to them, lists do not count, and items have no key', () => {
  assert.equal(of('a:\n  b: 1\n  c:\n    - d: 2\n      e: 3\n    - d: 4\n    - plain\nf:\n- g\n- - h\n'), [
    '1 a=',
    '2 a.b=1',
    '3 a.c=',
    '4 a.c.d=2',
    '5 a.c.e=3',
    '6 a.c.d=4',
    '7 a.c.=plain',
    '8 f=',
    '9 f.=g',
    '10 f.=h',
  ]);
});

test('each item is a mapping of its own, and what stands below a key are its children', () => {
  const [list, first, , second] = outline('x:\n- a: 1\n  b: 2\n- a: 3\n') ?? [];
  assert.equal(
    first?.siblings.map(({ key }) => key),
    ['a', 'b'],
  );
  assert.equal(
    second?.siblings.map(({ key }) => key),
    ['a'],
  );
  assert.equal(
    list?.children.map(({ value }) => value),
    ['1', '2', '3'],
  );
  assert.is(first?.owner, list);
});

test('a document ends what was open, and its anchors', () => {
  assert.equal(of('a:\n  b: &n x\n  c: *n\n---\nd: *n\n...\n--- # e: 1\nf: 2\n'), [
    '1 a=',
    '2 a.b=x',
    '3 a.c=x',
    '5 d=*n',
    '8 f=2',
  ]);
});

test('the text of a block is no key, also with lines of a template and with empty ones in it', () => {
  const text = 'a: |\n  b: 1\n\n{{- if x }}\n  - c: 2\n{{- end }}\nd: >-\n  e: 3\nf:\n  - |\n    g: 4\n  - h\n';
  assert.equal(of(text), ['1 a=b: 1\n\n\n- c: 2\n', '7 d=e: 3', '9 f=', '10 f.=g: 4\n', '12 f.=h']);
});

test('quotes, comments, tags and colons inside of words are read as YAML reads them', () => {
  const text =
    `"a b": 'it''s' # c\nurl: http://x:80/#y\n'k: k': "q\\"#"\n# no: key\nt: !!str &x 5 # n\n? z\nimage: a/b:1\n` +
    'long: "one\n  two: three"\nnext: 1\n';
  assert.equal(of(text), [
    "1 a.b=it's",
    '2 url=http://x:80/#y',
    '3 k:.k=q"#',
    '5 t=5',
    '6 z=',
    '7 image=a/b:1',
    '8 long=one two: three',
    '10 next=1',
  ]);
});

test('flow values are read, also over lines and nested', () => {
  assert.equal(
    of('a: {b: 1, "c": [x, "y, z"], d: {e: 2}}\nf: [g, h]\ni: [\n  j,\n  k\n]\nl: []\n---\n- {m: 3, n: {o: 4}}\n'),
    [
      '1 a=',
      '1 a.b=1',
      '1 a.c=',
      '1 a.c.=x',
      '1 a.c.=y, z',
      '1 a.d=',
      '1 a.d.e=2',
      '2 f=',
      '2 f.=g',
      '2 f.=h',
      '3 i=',
      '4 i.=j',
      '5 i.=k',
      '7 l=',
      '9 m=3',
      '9 n=',
      '9 n.o=4',
    ],
  );
});

test('what is broken is not read at all', () => {
  for (const text of ['a: "open\nb: 1\n', 'a: [x, y\nb: 1\n', '\ta: 1\nb: 2\n', 'b: 2\n c: 3\n'])
    assert.is(outline(text), undefined, text);
});

test('a template is read without its statements, and its expressions are computed', () => {
  assert.equal(of('{% if x %}\na: {{ b }}\n{% endif %}\n{{ c }}: d\n{{- /* e\n */ -}}\nf: "{{ g }}:1"\n'), [
    '2 a=$()',
    '4 $()=d',
    '7 f=$():1',
  ]);
  assert.equal(of('a: 1\r\nb:\r\n  - c\r\n'), ['1 a=1', '2 b=', '3 b.=c']);
  assert.equal(of(''), []);
});

test('what is nested too deeply is not read at all', () => {
  const deep = (count: number) => Array.from({ length: count }, (_, i) => `${' '.repeat(i)}k:`).join('\n');
  assert.is(outline(deep(300)), undefined);
  assert.is(outline(deep(40))?.length, 40);
  assert.is(outline(`a: ${'['.repeat(5000)}`), undefined);
});

test.run();
