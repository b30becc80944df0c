import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleanLine, cleanLines, clipMiddle, isBinary, MAX_LINE_CHARS } from '../../src/failure/clean.ts';
import { fc, runs } from '../sweep.ts';

const ESC = '\u001b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const SAID = 'make: nothing to do';

test('colours, cursor movements, titles and links of a terminal go', () => {
  const shown: [string, string][] = [
    [`${ESC}[31mError:${ESC}[0m no`, 'Error: no'],
    [`${ESC}[1;38;5;196mError${ESC}[m: no`, 'Error: no'],
    [`${ESC}[38;2;255;0;0mError${ESC}[39;49m: no`, 'Error: no'],
    [`${ESC}[2K${ESC}[1GError: no`, 'Error: no'],
    [`${ESC}[?25lError: no${ESC}[?25h`, 'Error: no'],
    [`Er${ESC}[4mror${ESC}[24m: no${ESC}[K`, 'Error: no'],
    [`${ESC}]0;building${'\u0007'}Error: no`, 'Error: no'],
    [`${ESC}]8;;https://a.lan/x${ESC}\\Error${ESC}]8;;${ESC}\\: no`, 'Error: no'],
    [`${ESC}(BError: no`, 'Error: no'],
  ];
  for (const [raw, clean] of shown) assert.is(cleanLine(raw), clean, JSON.stringify(raw));
});

test('escapes of two characters go and take nothing with them: apt saves and restores the cursor around its bar', () => {
  assert.is(cleanLine(`${ESC}7${ESC}[0;23r${ESC}8${ESC}[1AError: no`), 'Error: no');
  assert.is(cleanLine(`${ESC}=Error: no${ESC}>`), 'Error: no');
  assert.is(cleanLine(`${ESC}MError: no`), 'Error: no');
  assert.is(cleanLine(`${ESC}cError: no`), 'Error: no');
});

test('an escape that never ends takes at most a part of its line', () => {
  assert.equal(cleanLines({ text: `${ESC}[31\nError: no`, cut: false }).at(-1), 'Error: no');
  assert.equal(cleanLines({ text: `${ESC}]0;never closed\nError: no`, cut: false }).at(-1), 'Error: no');
  assert.ok(cleanLine(`${ESC}]${'t'.repeat(600)} Error: no`).endsWith('Error: no'));
});

test('lines end the same on every system', () => {
  assert.equal(cleanLines({ text: 'a\r\nb\r\n\r\nc', cut: false }), ['a', 'b', '', 'c']);
  assert.equal(cleanLines({ text: 'a\r\r\nb \t\r\n', cut: false }), ['a', 'b', '']);
});

test('of a line that is written over and over the last words stay', () => {
  assert.is(cleanLine('10%\r50%\r100%'), '100%');
  assert.is(cleanLine('pulling 3%\rpulling 9%\rError: no\r'), 'Error: no');
  assert.is(cleanLine('Error: no\r   \r'), 'Error: no');
  assert.is(cleanLine(`10%\r${ESC}[2K\rError: no`), 'Error: no');
  assert.is(cleanLine('\r\r\r'), '');
});

const MOMENTS = [
  '2026-05-04T10:11:12Z',
  '2026-05-04T10:11:12.123456789Z',
  '2026-05-04T10:11:12+02:00',
  '2026-05-04T10:11:12,123+0200',
  '2026-05-04 10:11:12',
  '2026-05-04 10:11:12,123',
  '2026-05-04 10:11:12.123 UTC',
  '2026/05/04 10:11:12',
  '2026-05-04_10:11:12',
  '[2026-05-04 10:11:12]',
  '[2026-05-04T10:11:12Z]',
  '(2026-05-04 10:11:12)',
  '04/May/2026:10:11:12 +0000',
  '[04/May/2026:10:11:12 +0000]',
  'Mon, 04 May 2026 10:11:12 GMT',
  '4 May 2026 10:11:12',
  'May  4 10:11:12',
  'May 14 10:11:12.123456',
  'Mon May  4 10:11:12 UTC 2026',
  'Mon May  4 10:11:12 2026',
  '10:11:12',
  '10:11:12.123',
  '[10:11:12]',
  'time="2026-05-04T10:11:12Z"',
  'time=2026-05-04T10:11:12.123Z',
  'ts=2026-05-04T10:11:12Z',
  '2026-05-04T10:11:12Z |',
  '10:11:12 -',
];

for (const moment of MOMENTS) {
  test(`a time stamp in front goes: ${moment}`, () => assert.is(cleanLine(`${moment} ${SAID}`), SAID));
}

test('the kernel stamps its lines with seconds', () => {
  assert.is(cleanLine('[    0.000000] Linux version 6.8'), 'Linux version 6.8');
  assert.is(cleanLine('[12345.678901] EXT4-fs error'), 'EXT4-fs error');
});

test('two time stamps in front go: the one of a collector and the one of the program', () => {
  assert.is(cleanLine(`2026-05-04T10:11:12.5Z 2026/05/04 10:11:12 ${SAID}`), SAID);
  assert.is(cleanLine(`[10:11:12] 2026-05-04 10:11:12,123 ${SAID}`), SAID);
});

test('a time stamp goes with the one space after it, and alone it leaves a blank line', () => {
  for (const moment of MOMENTS) {
    assert.is(cleanLine(`${moment} \t/src/main.go:12`), '\t/src/main.go:12', moment);
    assert.is(cleanLine(`${moment}     at main`), '    at main', moment);
    assert.is(cleanLine(`${moment} `), '', moment);
  }
});

test('a word in capitals after a time stamp is no time zone', () => {
  for (const word of ['TASK ERROR: no', 'FAIL: no', 'INFO yes', 'WARN no', 'EOF', 'VM 101 is locked']) {
    for (const moment of MOMENTS) assert.is(cleanLine(`${moment} ${word}`), word, moment);
  }
});

test('what only looks like a time stamp stays, and one inside a line does', () => {
  for (const text of [
    '127.0.0.1 refused',
    '10:11 of 12 pods',
    '1.2.3 is not a version',
    'Maybe 10 hosts',
    '[12] of [14]',
    `at 2026-05-04T10:11:12Z ${SAID}`,
    '2026-05-04T10:11:12Zulu time',
  ]) {
    assert.is(cleanLine(text), text);
  }
});

test('control characters, a byte order mark and spaces of no width go; tabs and other scripts stay', () => {
  assert.is(cleanLine('\ufeffa\u0000b\u0007c\u007fd\u0085e\u200bf'), 'abcdef');
  assert.is(cleanLine('\tfrom\tü 日本 ✗ 🚀'), '\tfrom\tü 日本 ✗ 🚀');
});

test('of a long line head and tail count, and of a huge one its end is still seen behind a carriage return', () => {
  assert.is(cleanLine('x'.repeat(MAX_LINE_CHARS + 1)).length, MAX_LINE_CHARS);
  assert.is(cleanLine(`Error: no${' y'.repeat(1e6)}`).slice(0, 12), 'Error: no y ');
  assert.is(cleanLine(`${'10%\r'.repeat(1e6)}Error: no`), 'Error: no');
  const long = cleanLine(`fatal: [pve1]: FAILED! => {"stdout": "${'line '.repeat(5000)}", "msg": "No route to host"}`);
  assert.match(long, /^fatal: \[pve1\]: FAILED! => .* … .*"msg": "No route to host"\}$/);
  assert.ok(long.length <= MAX_LINE_CHARS);
});

test('the tail of a cut text begins behind a plain word: no part of a value is left without its key', () => {
  const cut = (text: string) => clipMiddle(`${'a'.repeat(100)} ${text}`, 100);
  assert.match(cut(`${'b'.repeat(50)} wrong end: no such host`), /^a{60} … end: no such host$/);
  const blob = 'c'.repeat(80);
  for (const text of [blob, `x ${blob}`, `password: ${blob}`, `token hunter2hunter2`, `--key ${blob}`]) {
    assert.is(cut(text), 'a'.repeat(100), text);
  }
  assert.match(cut(`password: ${'d'.repeat(36)}, which was refused`), /^a{60} … was refused$/);
  assert.is(clipMiddle('short', 5), 'short');
  assert.is(clipMiddle('a'.repeat(10), 5, '…'), 'aaaa…');
});

test('a first line that is cut is left out, and kept by its end when it is all there is', () => {
  assert.equal(cleanLines({ text: 'rest of a line\nError: no\n', cut: true }), ['Error: no', '']);
  assert.equal(cleanLines({ text: 'rest of a line\nError: no\n', cut: false }), ['rest of a line', 'Error: no', '']);
  assert.equal(cleanLines({ text: 'rest of a line', cut: true }), ['rest of a line']);
  const [only] = cleanLines({ text: `${'x'.repeat(50_000)} Error: no`, cut: true });
  assert.is(only?.length, MAX_LINE_CHARS);
  assert.ok(only?.endsWith('Error: no'));
});

test('bytes are told from text: colours, progress, other scripts and a stray byte are text', () => {
  const binary = (text: string) => isBinary({ text, cut: false });
  assert.ok(binary('\u0000\u0001\u0002ELF\u0003\ufffd\ufffd'));
  assert.ok(binary('\ufffd'));
  for (const text of [
    '',
    'Error: no',
    `${ESC}[31mE${ESC}[0m\r\n\t`,
    '10%\r20%\r',
    'ü 日本 ✗ 🚀',
    `${SAID} \ufffd ${SAID}`,
  ]) {
    assert.not.ok(binary(text), JSON.stringify(text));
  }
});

test('a text without lines is one empty line', () => {
  assert.equal(cleanLines({ text: '', cut: false }), ['']);
  assert.equal(cleanLines({ text: '', cut: true }), ['']);
});

test('property: as many lines come out as went in, none longer than allowed, none with control characters', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(ESC, `${ESC}[31m`, `${ESC}]0;`, '\r', '\r\n', '\n', '2026-05-04T10:11:12Z ', '\ufffd', '10%\r'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const lines = cleanLines({ text, cut: false });
      assert.is(lines.length, text.split('\n').length);
      for (const line of lines) assert.ok(line.length <= MAX_LINE_CHARS && !CONTROL.test(line));
    }),
    runs(333, 20000),
  );
});

test.run();
