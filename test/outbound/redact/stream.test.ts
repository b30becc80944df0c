import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { RedactionError } from '../../../src/outbound/redact/secret.ts';
import { redactStream } from '../../../src/outbound/redact/stream.ts';
import { fc } from '../../sweep.ts';
import { dice, letters } from './fill.ts';
import { ordinaryLines } from './ordinary.ts';

/** The text in pieces of these lengths through a stream. */
function streamed(
  text: string,
  lengths: readonly number[],
  redact: (text: string) => string,
  piece?: number,
  window?: number,
) {
  const stream = redactStream(redact, piece, window);
  let out = '';
  let at = 0;
  for (let i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] as number;
    out += stream.push(text.slice(at, at + length));
    at += length;
  }
  return out + stream.end();
}

test('nothing is lost, doubled or moved, wherever the text is cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'é'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (lines, lengths) => {
      const text = lines.join('\n');
      assert.is(
        streamed(text, lengths, (t) => t, 30, 20),
        text,
      );
    }),
  );
});

test('a key and a wrapped secret are masked wherever the pieces end', () => {
  const body = Array.from({ length: 30 }, (_, i) => letters('b64', 64, dice(i + 1)));
  const value = letters('', 60, dice(99));
  const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'];
  const lines = ordinaryLines(300, dice(5)).flatMap((line, i) =>
    i % 60 === 7 ? [line, ...key, `split ${value.slice(0, 30)}`, value.slice(30)] : [line],
  );
  const text = lines.join('\n');
  const { redact } = createRedactor({ secrets: [{ value, kind: 'token', from: '' }], nonce: 'bcdf2345' });
  const whole = redact(text);
  for (const lengths of [[1000], [7777], [333, 4000]]) {
    const out = streamed(text, lengths, redact, 4000, 6000);
    assert.is(out, whole);
    for (const secret of [...body, value.slice(0, 30), value.slice(30)]) assert.not(out.includes(secret));
  }
});

test('what comes is let out in pieces, each when a window of text stands behind it', () => {
  const stream = redactStream((text) => text);
  const [piece, window] = [512 * 1024, 64 * 1024];
  const line = `${'x'.repeat(1023)}\n`;
  assert.is(stream.push(line.repeat((piece + window) / 1024).slice(1)), '');
  assert.is(stream.push('y').length, piece - 1);
  assert.is(stream.end().length, window + 1);
  assert.is(stream.end(), '');
});

test('a line that never ends is an error, not a full memory', () => {
  const stream = redactStream((text) => text);
  const part = 'a'.repeat(1024 * 1024);
  assert.throws(
    () => {
      for (let i = 0; i < 20; i++) assert.is(stream.push(part), '');
    },
    (error: unknown) =>
      error instanceof RedactionError &&
      error.message === 'a line is longer than 16777216 characters' &&
      error.next === 'shorten it before it is filtered',
  );
});

test.run();
