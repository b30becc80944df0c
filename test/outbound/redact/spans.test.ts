// Parts of texts: merged, with holes, line by line, in crowds.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutAtLines, merge, mergeCrowds, replaceEach, type Span, without } from '../../../src/outbound/redact/spans.ts';

const span = (start: number, end: number, kind = 'a'): Span => ({ start, end, kind });
const shown = (spans: readonly Span[]) => spans.map(({ start, end, kind }) => `${start}-${end} ${kind}`);

test('spans that overlap become one, of the kind that was given first; those that touch stay apart', () => {
  assert.equal(shown(merge([span(5, 9, 'b'), span(0, 3, 'c'), span(2, 6, 'd'), span(9, 10, 'e')])), [
    '0-9 b',
    '9-10 e',
  ]);
  assert.equal(shown(merge([span(0, 9, 'a'), span(2, 4, 'b'), span(0, 1, 'c')])), ['0-9 a']);
  assert.equal(shown(merge([span(0, 5, 'b'), span(3, 8, 'a')])), ['0-8 b']);
});

test('holes cut spans, at their ends, in their middle, or whole', () => {
  const holes = [span(0, 1), span(2, 4), span(6, 7), span(10, 12), span(20, 30)];
  assert.equal(shown(without([span(1, 3), span(5, 8), span(8, 11), span(12, 14), span(21, 22)], holes)), [
    '1-2 a',
    '5-6 a',
    '7-8 a',
    '8-10 a',
    '12-14 a',
  ]);
  assert.equal(shown(without([span(0, 3), span(3, 5)], [span(1, 4)])), ['0-1 a', '4-5 a']);
});

test('each line of a span is one, without the blanks around it', () => {
  assert.equal(shown(cutAtLines('xx ab c \r\n\n  d\nyy', [span(2, 15, 'k')])), ['3-7 k', '13-14 k']);
});

test('two hundred spans on a line become one, with what must stay left out; fewer stay', () => {
  const line = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => span(from + 2 * i, from + 2 * i + 1));
  const text = 'a '.repeat(200);
  assert.equal(shown(mergeCrowds(text, line(200), [])), ['0-399 a']);
  assert.equal(shown(mergeCrowds(text, line(200), [span(3, 4)])), ['0-3 a', '4-399 a']);
  assert.is(mergeCrowds(text, line(199), []).length, 199);
  const two = `${'a '.repeat(100)}\n${'a '.repeat(200)}\n`;
  assert.equal(shown(mergeCrowds(two, [...line(100), ...line(200, 201)], [])).slice(99), ['198-199 a', '201-600 a']);
});

test('places are replaced, and all between them stays', () => {
  assert.is(
    replaceEach('abcdef', [span(0, 1), span(3, 5)], ({ start }) => `<${start}>`),
    '<0>bc<3>f',
  );
});

test.run();
