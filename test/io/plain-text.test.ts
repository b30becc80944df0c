import { Chalk } from 'chalk';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ourColours, plainJson, plainLog, plainText } from '../../src/io/plain-text.ts';
import { cpuTime } from '../failure/cpu-time.ts';
import { fc, runs } from '../sweep.ts';

const colour = ourColours(new Chalk({ level: 1 }));
const UNSEEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

test('control, bidi and format characters are spelled out; text, tabs and newlines stay', () => {
  const shown = {
    'plain\ttext\n': 'plain\ttext\n',
    'ünï 日本 🚀': 'ünï 日本 🚀',
    '\u001b[31mred': '\\u{1b}[31mred',
    '\u009b31m\u0085\u007f': '\\u{9b}31m\\u{85}\\u{7f}',
    '\u202e\u2066\u200b\u2028\ufeff\u{e0041}': '\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{feff}\\u{e0041}',
    'a\rb\u0000\u0008': 'a\\u{d}b\\u{0}\\u{8}',
  };
  for (const [text, wanted] of Object.entries(shown)) assert.is(plainText(text), wanted);
});

test('colours of ours stay, colours inside of them do not', () => {
  assert.is(plainText(colour.red('a \u001b[32mb\u001b[39m')), '\u001b[31ma \\u{1b}[32mb\\u{1b}[39m\u001b[39m');
  assert.is(plainText(colour.yellow(colour.bold('x'))), '\u001b[33m\u001b[1mx\u001b[22m\u001b[39m');
  assert.is(ourColours(new Chalk({ level: 0 })).red('x'), 'x');
});

test('property: nothing is left that a terminal acts on, and JSON means what it meant', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.not.match(plainText(text), UNSEEN);
      const json = plainJson(JSON.stringify({ text }));
      assert.not.match(json, UNSEEN);
      assert.equal(JSON.parse(json), { text });
    }),
    runs(500, 5000),
  );
});

test('property: a log comes out the same however it is cut', () => {
  const parts = fc.array(fc.constantFrom('a', 'é', '🚀', '\r', '\n', '\r\n', '\u001b', '\u001b[3', '1;2m', '\u202e'));
  const whole = (chunks: Buffer[]): string => {
    const log = plainLog();
    return chunks.map((chunk) => log.push(chunk)).join('') + log.end();
  };
  fc.assert(
    fc.property(parts, fc.nat(8), (texts, size) => {
      const bytes = Buffer.from(texts.join(''));
      const step = size + 1;
      const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
        bytes.subarray(i * step, (i + 1) * step),
      );
      assert.is(whole(chunks), whole([bytes]));
      assert.not.match(whole(chunks), UNSEEN);
    }),
    runs(500, 5000),
  );
});

test('ten thousand lines of a log take a few milliseconds, hostile ones not many more', () => {
  const usual = Buffer.from('2026-11-16T10:00:00Z kubelet: volume web-data is attached to node cp1\n'.repeat(10_000));
  const hostile = Buffer.from('\u001b[32mok\u001b[0m: [cp1] => ünï \u202e item\r\n'.repeat(10_000));
  const took = (bytes: Buffer) => {
    const log = plainLog();
    return cpuTime(() => {
      for (let at = 0; at < bytes.length; at += 65536) log.push(bytes.subarray(at, at + 65536));
    });
  };
  assert.ok(took(usual) < 30, `${took(usual)} ms`);
  assert.ok(took(hostile) < 150, `${took(hostile)} ms`);
});

test.run();
