// Looking many texts up at once gives what looking each of them up would.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eachPiece, eachRun, PieceTable, TextIndex } from '../../../src/outbound/redact/text-index.ts';
import { dice, letters } from './fill.ts';

function indexOf(texts: readonly string[], step = 4, bits?: number): TextIndex {
  const index = new TextIndex(step, bits);
  for (const text of texts) index.add(text, { kind: text.slice(0, 2), base64: false });
  return index;
}

test('the longest text at each place is found, with the entry that came first', () => {
  const index = indexOf(['abcd', 'abcdef', 'abcdefgh', 'abcdefghij', 'bcdefghi', 'zzzz1']);
  index.add('abcd', { kind: 'late', base64: true });
  const at = (text: string) =>
    index.find(text).map(({ start, end, kind, base64 }) => [text.slice(start, end), kind, base64]);
  assert.equal(at('..abcd..'), [['abcd', 'ab', false]]);
  assert.equal(at('abcdefg'), [['abcdef', 'ab', false]]);
  assert.equal(at('xabcdefghi'), [
    ['abcdefgh', 'ab', false],
    ['bcdefghi', 'bc', false],
  ]);
  assert.equal(
    at('abcdefghij zzzz zzzz1').map(([text]) => text),
    ['abcdefghij', 'bcdefghi', 'zzzz1'],
  );
  assert.equal([at('abc'), new TextIndex(4).find('abcd')], [[], []]);
});

test('a long text holds exactly what a plain search finds in it', () => {
  const roll = dice(3);
  const text = letters('hex', 20_000, roll);
  const texts = Array.from({ length: 300 }, (_, i) => text.slice(61 * i, 61 * i + 4 + (i % 9)));
  const expected: string[] = [];
  for (let start = 0; start < text.length; start++) {
    const longest = texts.filter((one) => text.startsWith(one, start)).sort((a, b) => b.length - a.length)[0];
    if (longest !== undefined) expected.push(`${start} ${longest}`);
  }
  assert.ok(expected.length > 300);
  for (const bits of [16, 22]) {
    const spans = indexOf(texts, 4, bits).find(text);
    assert.equal(
      spans.map(({ start, end }) => `${start} ${text.slice(start, end)}`),
      expected,
    );
  }
});

test('equal pieces have equal hashes wherever they stand, and others have others', () => {
  const pieces = new Map<number, string>();
  const text = `${letters('', 3000, dice(5))}${letters('', 3000, dice(5))}`;
  const ends: number[] = [];
  eachPiece(text, 12, (hash, end) => {
    ends.push(end);
    const piece = text.slice(end - 12, end);
    assert.is(pieces.get(hash) ?? piece, piece);
    pieces.set(hash, piece);
  });
  assert.equal(
    ends,
    Array.from({ length: text.length - 11 }, (_, i) => i + 12),
  );
  assert.is(pieces.size, new Set(pieces.values()).size);
});

test('thousands of pieces are found again, each with the tag that it had first', () => {
  const [known, other] = [letters('', 3000, dice(7)), letters('', 3000, dice(8))];
  const table = new PieceTable();
  eachPiece(known, 12, (hash, end) => table.add(hash, (end % 7) + 1));
  eachPiece(known, 12, (hash) => table.add(hash, 9));
  const tags: number[] = [];
  const text = other + known;
  table.find(text, 12, (tag, end) => tags.push(end - other.length, tag));
  assert.is(table.size, known.length - 11);
  const expected = Array.from({ length: known.length - 11 }, (_, i) => [i + 12, ((i + 12) % 7) + 1]);
  assert.equal(tags, expected.flat());
});

test('runs of characters are as long as can be, to the end of the text, and none is missed wherever it begins', () => {
  const runs = (text: string, least: number): string[] => {
    const found: string[] = [];
    eachRun(text, least, (start, end) => found.push(text.slice(start, end)));
    return found;
  };
  assert.equal(runs('.ab.!.c_2é{z', 1), ['ab', 'c_2', 'z']);
  for (let before = 0; before < 12; before++)
    for (let length = 1; length < 12; length++) {
      const text = `${'a.'.repeat(before)}.${'b'.repeat(length)}é.${'c'.repeat(length)}`;
      assert.equal(runs(text, 5), length < 5 ? [] : ['b'.repeat(length), 'c'.repeat(length)], text);
    }
});

test.run();
