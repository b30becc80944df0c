// Lines of keys: between BEGIN and END, where one of them was cut off, and where neither is left.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBlocks, MAX_BLOCK } from '../../../src/outbound/redact/blocks.ts';
import { merge, replaceEach } from '../../../src/outbound/redact/spans.ts';

const [BEGIN, END] = ['-----BEGIN X KEY-----', '-----END X KEY-----'];
const LINE = 'Ab3/Cd5+Ef7Gh9Ij'.repeat(4);

/** Each text is lines, with those that are to be masked marked by what is left of them. */
function assertMasked(rows: readonly (readonly [text: readonly string[], masked: readonly string[]])[]): void {
  for (const [lines, masked] of rows) {
    const text = lines.join('\n');
    assert.is(
      replaceEach(text, merge(findBlocks(text)), () => '#'),
      masked.join('\n'),
      text.slice(0, 200),
    );
  }
}

test('without its END a block goes on as long as lines look like its body, the last of which may be short', () => {
  assertMasked([
    [
      [BEGIN, LINE, LINE, 'Qz12==', 'the log goes on here'],
      [BEGIN, '#', '#', '#', 'the log goes on here'],
    ],
    [
      [BEGIN, LINE, 'abc', 'abc'],
      [BEGIN, '#', '#', 'abc'],
    ],
    [
      [BEGIN, LINE, 'it ends=', 'abc'],
      [BEGIN, '#', 'it #', 'abc'],
    ],
    [
      [BEGIN, 'Ab3/Cd5+Ef7Gh9Ij', 'and so on', 'Ab3/Cd5+Ef7Gh9Ij'],
      [BEGIN, '#', 'and so on', 'Ab3/Cd5+Ef7Gh9Ij'],
    ],
    [
      [BEGIN, 'Ab3/Cd5+Ef7Gh9I', LINE],
      [BEGIN, 'Ab3/Cd5+Ef7Gh9I', LINE],
    ],
    [
      [BEGIN, 'Version: 1 x', '', '   ', '12:00 a', LINE],
      [BEGIN, 'Version: 1 x', '', '   ', '12:00 a', LINE],
    ],
    [
      [BEGIN, 'Version: 1 x', '', '   ', `12:00 ${LINE}`],
      [BEGIN, 'Version: 1 x', '', '   ', '12:00 #'],
    ],
  ]);
});

test('without its BEGIN a block goes up as long as lines look like its body, the last of which may be short', () => {
  assertMasked([
    [
      ['the log goes on', LINE, 'Qz12==', END],
      ['the log goes on', '#', '#', END],
    ],
    [
      ['abc', 'Qz12==', END],
      ['abc', '#', END],
    ],
    [
      [LINE, 'it stopped', END],
      [LINE, 'it stopped', END],
    ],
    [
      ['abc', LINE, '', 'ab12', '', END],
      ['abc', '#', '', '#', '', END],
    ],
    [
      [END, LINE, END],
      [END, '#', END],
    ],
  ]);
});

test('between BEGIN and END the last word of each line is masked, however it looks, as far as a key goes', () => {
  const words = 'some words\n'.repeat(MAX_BLOCK / 11).padEnd(MAX_BLOCK - 1, 'x');
  assertMasked([
    [
      [BEGIN, 'some words', 'x', "'more',", END],
      [BEGIN, 'some #', 'x', "'#',", END],
    ],
    [[`${BEGIN}\\n${LINE}\\\\n${LINE}\\r${END}`], [`${BEGIN}\\n#\\\\n#\\r${END}`]],
    [
      [BEGIN, LINE, BEGIN, LINE, END, 'abc'],
      [BEGIN, '#', BEGIN, '#', END, 'abc'],
    ],
  ]);
  assert.ok(findBlocks(`${BEGIN}\n${words}${END}`).length > 4000);
  assert.equal(findBlocks(`${BEGIN}\n${words}x${END}`), []);
});

test('two lines and more of nothing but base64 are masked, and the shorter one that ends them', () => {
  const width = (length: number) => LINE.repeat(7).slice(0, length);
  assertMasked([
    [
      ['so:', width(60), width(60), 'Qz1234==', 'end'],
      ['so:', '#', '#', '#', 'end'],
    ],
    [
      [`${width(58)}==`, `${width(58)}==`],
      ['#', '#'],
    ],
    [
      [width(400), width(400), 'Abcd'],
      ['#', '#', '#'],
    ],
    [
      [width(60), width(60), 'abcd'],
      ['#', '#', 'abcd'],
    ],
    [
      [width(60), width(60), 'Abcde'],
      ['#', '#', 'Abcde'],
    ],
    [
      [width(60), 'end', width(60)],
      [width(60), 'end', width(60)],
    ],
    [
      [width(59), width(59)],
      [width(59), width(59)],
    ],
    [
      [` ${width(59)}`, ` ${width(59)}`],
      [` ${width(59)}`, ` ${width(59)}`],
    ],
    [
      [width(401), width(401)],
      [width(401), width(401)],
    ],
    [
      ['a1'.repeat(30), 'a1'.repeat(30)],
      ['a1'.repeat(30), 'a1'.repeat(30)],
    ],
  ]);
});

test.run();
