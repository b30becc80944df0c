// The views of a text, and what each part of them is in the original.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  inOriginal,
  type View,
  viewsOf,
  withDump,
  withoutBlanks,
  withWalls,
  wrappedWords,
} from '../../../src/outbound/redact/searchable-view.ts';

const WALL = withWalls('x', [{ start: 0, end: 1 }]).text;

/** The view's text, and for each part of it what it is in the original. */
function assertView(text: string, view: View | undefined, expected: string, parts: Record<string, string>): void {
  assert.is(view?.text, expected);
  for (const [part, original] of Object.entries(parts)) {
    const start = expected.indexOf(part);
    const range = inOriginal(view as View, { start, end: start + part.length });
    assert.is(text.slice(range.start, range.end), original, part);
  }
}

test('a text without breaks, bytes, colours or escapes has no other view', () => {
  const none = { joined: undefined, bareHex: undefined, colourless: undefined, unescaped: [] };
  assert.equal(viewsOf('plain 61:62:63 text'), none);
  assert.equal(inOriginal({ text: 'abc' }, { start: 1, end: 2 }), { start: 1, end: 2 });
  assert.equal(withWalls('abc', []), { text: 'abc' });
});

test('joined: without line ends, indentation and colours', () => {
  for (const gap of ['\n', '\r\n  ', '\\n\t', '\\\n', '\n \u001b[31m ', '\u001b[0m', '\\\\n\\\\r']) {
    const text = `xab${gap}cdy`;
    assertView(text, viewsOf(text).joined, 'xabcdy', { bc: `b${gap}c`, ab: 'ab', y: 'y', x: 'x' });
  }
});

test('wrapped words: those that go on in lines of their own, each to its end', () => {
  const mayGoOn = (word: string) => /\d/.test(word);
  const text = 'a key=ab\n  c1\n  d2 \r\nend\nno 1\nf g3\nx\ny4';
  assertView(text, wrappedWords(text, mayGoOn), 'a key=abc1d2\nxy4', { bc1d: 'b\n  c1\n  d', xy: 'x\ny', '4': '4' });
  for (const none of ['', 'ab\ncd', 'ab\nc d1', '(ab)\nc1', 'ab\n\nc1'])
    assert.is(wrappedWords(none, mayGoOn), undefined);
});

test('colourless: without colours alone', () => {
  const text = '\u001b[31mab\u001b[0mc\nd';
  assertView(text, viewsOf(text).colourless, 'abc\nd', { bc: 'b\u001b[0mc', a: 'a', d: 'd' });
});

test('without blanks of any kind', () => {
  assertView('one  two\n\tsix', withoutBlanks('one  two\n\tsix'), 'onetwosix', { et: 'e  t', os: 'o\n\ts', x: 'x' });
});

test('bare hexadecimal: four bytes and more without what parts them, and without the addresses of a dump', () => {
  for (const gap of [':', ' ', '-', ', 0x', ',', '; ', '.', '_', ':0x', ':\n    ', ' \r\n', '\n0x']) {
    const text = `x ${['61', '62', '63', '64'].join(gap)} y`;
    assertView(text, viewsOf(text).bareHex, 'x 61626364 y', { 6263: `62${gap}63`, y: 'y' });
  }
  const dump = 'so:\n00000000  61 62 63 64  |abcd|\n00000004  65 66 67 68  |efgh|\n';
  assertView(dump, viewsOf(dump).bareHex, 'so:\n6162636465666768  |efgh|\n', { 6465: '64  |abcd|\n00000004  65' });
  assertView(dump.slice(4), viewsOf(dump.slice(4)).bareHex, '6162636465666768  |efgh|\n', { 61: '61' });
  assert.is(viewsOf('x 00000000  61 62 63 64').bareHex?.text, 'x 0000000061626364');
  assert.is(viewsOf('12:30:45').bareHex, undefined);
});

test('a byte at the end of a range takes in the rest of its line of a dump', () => {
  const text = 'at 61 62  |ab|\nnext';
  const rest = (start: number, end: number) =>
    text.slice(...(Object.values(withDump(text, { start, end })) as [number, number]));
  assert.equal([rest(3, 5), rest(3, 8), rest(4, 5), rest(0, 2)], ['61 62  |ab|', '61 62  |ab|', '1', 'at']);
});

test('unescaped: each character has the part of the original that stands for it, however often it was escaped', () => {
  const once: [text: string, plain: string, parts: Record<string, string>][] = [
    ['x%61%62c', 'xabc', { a: '%61', b: '%62', bc: '%62c', x: 'x' }],
    ['\\x61\\x62c', 'abc', { a: '\\x61', b: '\\x62', ab: '\\x61\\x62', c: 'c' }],
    ['%C3%A4x', 'äx', { ä: '%C3%A4', x: 'x' }],
    ['a\\u0062c', 'abc', { b: '\\u0062', c: 'c' }],
    ['a\\142c&#100;&#x65;&amp;', 'abcde&', { b: '\\142', d: '&#100;', e: '&#x65;', '&': '&amp;' }],
    ['Gr\\303\\274n', 'Grün', { ü: '\\303\\274', n: 'n' }],
    ['a\\"b\\tc', 'a"b\tc', { '"': '\\"', b: 'b', '\t': '\\t' }],
  ];
  for (const [text, plain, parts] of once) assertView(text, viewsOf(text).unescaped[0], plain, parts);
  const thrice = 'x%25252561y%2562';
  const views = viewsOf(thrice).unescaped;
  assert.equal(
    views.map(({ text }) => text),
    ['x%252561y%62', 'x%2561yb', 'x%61yb'],
  );
  assertView(thrice, views[2], 'x%61yb', { '%': '%252525', b: '%2562', '1y': '1y' });
});

test('lines that are far from any escape are left out of an unescaped view', () => {
  const far = 'far away\n'.repeat(200);
  const text = `%61 first\n1\n2\n3\n${far}4\n5\n6\nlast %62 end\n7\n8\n9\n${far}`;
  const wall = `${WALL}\n`;
  const plain = `a first\n1\n2\n3\n${wall}4\n5\n6\nlast b end\n7\n8\n9\n${wall}`;
  const [view] = viewsOf(text).unescaped;
  assertView(text, view, plain, {
    a: '%61',
    first: 'first',
    '4\n5': '4\n5',
    'last b': 'last %62',
    'b end': '%62 end',
    9: '9',
  });
  const near = `%61\n${'x'.repeat(1000)}\n%62`;
  assert.is(viewsOf(near).unescaped[0]?.text, `a\n${'x'.repeat(1000)}\nb`);
  assert.is(viewsOf(`${far}%61`).unescaped[0]?.text, `${wall}${'far away\n'.repeat(4)}a`);
});

test('walls stand for what is taken out, and parts beside them keep their places', () => {
  const view = withWalls('abcdef', [
    { start: 1, end: 3 },
    { start: 5, end: 6 },
  ]);
  assertView('abcdef', view, `a${WALL}de${WALL}`, { a: 'a', de: 'de' });
});

test.run();
