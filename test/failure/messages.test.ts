// What belongs together becomes one message, and what errors only quote is left out.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pickErrorLines } from '../../src/failure/error-lines.ts';
import { messages } from '../../src/failure/messages.ts';

const lines = (text: string) => messages(text.split('\n')).map((message) => message.lines.join('\n'));

test('lines that say something each stay apart', () => {
  assert.equal(lines('one\ntwo\n\nthree'), ['one', 'two', '', 'three']);
});

test('a box is one message without its frame, also when it is never closed', () => {
  assert.equal(lines('a\n╷\n│ Error: no such provider\n│ \n│   on main.tf line 3:\n╵\nb'), [
    'a',
    'Error: no such provider\n  on main.tf line 3:',
    'b',
  ]);
  assert.equal(lines('╷\n│ Error: cut off'), ['Error: cut off']);
});

test('a headline takes what it announces, up to a blank line or the next that stands for itself', () => {
  assert.equal(lines('error: 2 problems:\n\t* no endpoint\n\t* no disk\n\nbye'), [
    'error: 2 problems:\n\t* no endpoint\n\t* no disk',
    '',
    'bye',
  ]);
  assert.equal(lines('error: unknown keys:\nmachine:\n    hostnam: cp1\ndone'), [
    'error: unknown keys:\nmachine:\n    hostnam: cp1',
    'done',
  ]);
});

test('a headline takes six lines at most', () => {
  const [first = ''] = lines(`error: many:\n${'  x\n'.repeat(20)}`);
  assert.is(first.split('\n').length, 7);
});

test('frames and source of a traceback are left out, the exception stays', () => {
  const traceback = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    boom()\nKeyError: 1';
  assert.equal(lines(traceback), ['KeyError: 1']);
});

test('a quoted line of source goes with its carets', () => {
  assert.equal(lines('x.js:3\nthrow er;\n^\nError: no'), ['x.js:3', 'Error: no']);
});

test('a Go panic carries the first file of the program itself', () => {
  const dump = [
    'panic: index out of range',
    '',
    'goroutine 1 [running]:',
    'runtime.panic()',
    '\t/usr/local/go/src/runtime/panic.go:88 +0x5a',
    'main.render()',
    '\t/srv/app/render.go:12 +0x1d',
  ];
  assert.is(lines(dump.join('\n'))[0], 'panic: index out of range\n/srv/app/render.go');
});

test('a finding of a linter carries the file named above it, and only that', () => {
  assert.equal(lines('apps.yaml\n  1:1  warning  no start\n  3:4  error  bad indent\n'), [
    'apps.yaml',
    '  1:1  warning  no start\nin apps.yaml',
    '  3:4  error  bad indent\nin apps.yaml',
    '',
  ]);
  assert.equal(lines('  3:4  error  bad indent'), ['  3:4  error  bad indent']);
});

test('where an error is joins the error above it, and nothing else', () => {
  assert.equal(lines('ScannerError: bad token\n  in "a.yaml", line 3'), [
    'ScannerError: bad token\n  in "a.yaml", line 3',
  ]);
  assert.equal(lines('fine\n  in "a.yaml", line 3'), ['fine', '  in "a.yaml", line 3']);
});

test('a line of source below an error is shown with it, and is no part of what is said', () => {
  const log = (source: string) =>
    `yaml.scanner.ScannerError: mapping values are not allowed here\n  in "x.yaml", line 8, column 9:\n    ${source}\n        ^\n`;
  const of = (source: string) => pickErrorLines({ text: log(source), cut: false }).errors[0];
  assert.equal(of('a: b: c')?.lines.slice(2), ['    a: b: c', '        ^']);
  assert.is(of('a: b: c')?.template, of('other: x: y')?.template);
});

test.run();
