// What is found in decoded text is brought back to the characters that hold it, and to no others.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodedParts } from '../../../src/outbound/redact/decoded.ts';
import { viewsOf } from '../../../src/outbound/redact/searchable-view.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');

/** What is masked of a text when every `pin` and number is a secret. */
function maskedOf(text: string): string[] {
  const find = (inside: string) =>
    [...inside.matchAll(/pin\d+/g)].map(({ 0: word, index }) => ({
      start: index,
      end: index + word.length,
      kind: 'pin',
    }));
  return decodedParts(text, viewsOf(text))
    .flatMap(({ inside, inText }) => inText(find(inside)))
    .map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);
}

test('base64, wherever in a run it begins', () => {
  const text = 'my pin123 is so';
  for (const lead of ['', 'x', 'xy', 'xyz']) {
    const run = lead + base64(text);
    const [from, to] = [lead.length + 4, lead.length + 12];
    assert.equal(maskedOf(`got ${run} here`), [`pin ${run.slice(from, to)}`], lead);
  }
  assert.equal(maskedOf(`${base64('a pin12 b')} and ${base64('the pin345 now')}`), ['pin BwaW4xMi', 'pin HBpbjM0NS']);
});

test('hexadecimal, of eight bytes and more that stand alone', () => {
  assert.equal(maskedOf(`x ${hex('my pin123 is')} y`), [`pin ${hex('pin123')}`]);
  assert.equal(maskedOf(`${hex('a pin12')}|${hex('a pin123')}`), [`pin ${hex('pin123')}`]);
  assert.equal(maskedOf(`id-${hex('a pin123')}z`), []);
  const table = '41 42\n43 44\n45 46\n47 48\n51 52\n';
  assert.equal(
    [decodedParts(table, viewsOf(table)), decodedParts(`${table}6f 6e`, viewsOf(`${table}6f 6e`)).length],
    [[], 1],
  );
});

test('where it is wrapped, or its bytes stand apart', () => {
  const run = base64('this is my pin123456 and more');
  const wrapped = `${run.slice(0, 20)}\n  ${run.slice(20)}`;
  assert.equal(maskedOf(wrapped), ['pin BwaW4x', 'pin BwaW4x\n  MjM0NTY']);
  const bytes = hex('my pin123 is').replace(/..(?=.)/g, '$&:');
  assert.equal(maskedOf(bytes), [`pin ${hex('pin123').replace(/..(?=.)/g, '$&:')}`]);
});

test('what is no text, or too short to be told from a word, is not decoded', () => {
  for (const char of '\t\n\r ~') assert.is(maskedOf(base64(`abc pin123${char.repeat(6)}`)).length, 1, char);
  for (const char of '\b\v\f\u001f\u007f') assert.equal(maskedOf(base64(`abc pin123${char.repeat(6)}`)), [], char);
  assert.equal(maskedOf(base64('pin12345').slice(0, 10)), []);
  assert.is(maskedOf(base64('pin12345').slice(0, 11)).length, 1);
  assert.equal(maskedOf(Buffer.from(`\u0001\u0002\u0003 pin123 \u0001`, 'latin1').toString('base64')), []);
  assert.equal(maskedOf(Buffer.from(`abcdefgh${'\u0001'.repeat(9)}pin1`, 'latin1').toString('base64')), []);
});

test.run();
