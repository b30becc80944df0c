import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readStreamEnd, type StdinLine, stdinLines } from '../../src/io/stdin.ts';
import { folder } from '../environment.ts';
import { fc } from '../sweep.ts';

const real = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
test.after.each(() => void Object.defineProperty(process, 'stdin', real));

/** Has stdin come in these pieces. */
function comes(...pieces: (string | Buffer)[]): void {
  const value = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  Object.defineProperty(process, 'stdin', { value, configurable: true });
}

async function linesOf(most: number, ...pieces: (string | Buffer)[]): Promise<(string | undefined)[]> {
  comes(...pieces);
  const found: StdinLine[] = [];
  for await (const line of stdinLines(most)) found.push(line);
  return found.map((line) => ('text' in line ? line.text : undefined));
}

async function endOf(bytes: number, ...pieces: string[]) {
  comes(...pieces);
  const { end, cut } = await readStreamEnd(bytes);
  return [end.toString(), cut];
}

test('the end of stdin, and whether there was more', async () => {
  assert.equal(await endOf(5), ['', false]);
  assert.equal(await endOf(5, 'abcde'), ['abcde', false]);
  assert.equal(await endOf(5, 'abc', 'de'), ['abcde', false]);
  assert.equal(await endOf(5, 'abcdef'), ['bcdef', true]);
  assert.equal(await endOf(5, ...'abcdefghijklmnopqrstuvwxyz'), ['vwxyz', true]);
  assert.equal(await endOf(5, 'abcde', '0123456789', 'z'), ['6789z', true]);
});

test('property: however stdin comes, its end is that of all of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })),
      fc.integer({ min: 1, max: 40 }),
      async (pieces, bytes) => {
        const whole = pieces.join('');
        assert.equal(await endOf(bytes, ...pieces), [whole.slice(-bytes), whole.length > bytes]);
      },
    ),
  );
});

test('the end of a pipe that is named, larger than any piece of it', async () => {
  const path = join(folder(), 'log');
  const text = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join('');
  writeFileSync(path, text);
  for (const [bytes, cut] of [
    [1000, true],
    [text.length - 1, true],
    [text.length, false],
    [3 * text.length, false],
  ] as const) {
    const found = await readStreamEnd(bytes, path);
    assert.is(found.end.toString(), text.slice(-bytes));
    assert.is(found.cut, cut, String(bytes));
  }
});

test('lines of stdin: empty ones count, the last needs no end, nothing has none', async () => {
  assert.equal(await linesOf(99), []);
  assert.equal(await linesOf(99, 'a\n\nb\n'), ['a', '', 'b']);
  assert.equal(await linesOf(99, 'a\nb'), ['a', 'b']);
  assert.equal(await linesOf(99, '\n'), ['']);
});

test('a line that is too long is passed over and keeps its place', async () => {
  assert.equal(await linesOf(3, 'abc\nabcd\nab', 'c\nab', 'cd', 'efgh\nz'), ['abc', undefined, 'abc', undefined, 'z']);
  assert.equal(await linesOf(3, 'abcd'), [undefined]);
});

test('property: however stdin comes, also in the middle of a letter, its lines are the same', async () => {
  const text = fc.array(fc.constantFrom('a', 'ü', '🚀', '\n', '{"id":1}')).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.infiniteStream(fc.integer({ min: 1, max: 6 })), async (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
        pieces.push(bytes.subarray(at, at + (sizes.next().value as number)));
      }
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      assert.equal(await linesOf(999, ...pieces), expected);
    }),
  );
});

test.run();
