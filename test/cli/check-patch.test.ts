import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPatchLine } from '../../src/cli/check-patch.ts';

const read = (value: unknown) => readPatchLine(JSON.stringify(value));

test('a line with all it may hold, and what the rest is when it is left out', () => {
  const least = { id: 0, files: {}, answer: '', allow: [] };
  const names = ['path', 'known', 'failed', 'log', 'unattended', 'max_files', 'max_lines'];
  const absent = Object.fromEntries(names.map((name) => [name, undefined]));
  assert.equal(read(least), {
    value: { id: 0, ...absent, files: new Map(), links: new Map(), answer: '', allow: [], protect: [], judging: [] },
  });
  const whole = {
    ...least,
    path: 'a',
    files: { a: 'b' },
    links: { c: 'd' },
    protect: ['e'],
    judging: ['f'],
    known: ['jq'],
    failed: 'make all',
    log: 'make: Error 2',
    unattended: 'none',
    max_files: 2,
    max_lines: 3,
  };
  assert.equal(read(whole), { value: { ...whole, files: new Map([['a', 'b']]), links: new Map([['c', 'd']]) } });
  assert.equal(
    read({
      ...{ ...least, path: null, links: null, protect: null, judging: null },
      ...{ known: null, failed: null, log: null, unattended: null, max_files: null, max_lines: null },
    }),
    read(least),
  );
});

test('a path may have any name', () => {
  const found = readPatchLine('{"id": 1, "files": {"__proto__": "x"}, "answer": "", "allow": ["__proto__"]}');
  assert.equal('value' in found && [...found.value.files], [['__proto__', 'x']]);
});

test('every problem of a line, with its id when it has one', () => {
  assert.match(JSON.stringify(readPatchLine('{')), 'not JSON');
  assert.equal(read([]), { problem: 'expected an object' });
  assert.equal(read(null), { problem: 'expected an object' });
  assert.equal(read({ answer: '' }), { problem: 'id: expected a text or a number' });
  const wrong = {
    id: 'x',
    path: 1,
    files: { a: 1 },
    links: [],
    allow: 'a',
    protect: [1],
    judging: 'f',
    known: 'jq',
    failed: ['make'],
    max_files: -1,
    max_lines: 1.5,
  };
  assert.equal(read(wrong), {
    id: 'x',
    problem: [
      'path: expected a text',
      'files: expected an object of texts by path',
      'links: expected an object of targets by path',
      'answer: expected a text',
      'allow: expected a list of patterns',
      'protect: expected a list of patterns',
      'judging: expected a list of paths',
      'known: expected a list of names',
      'failed: expected a text',
      'max_files: expected a whole number',
      'max_lines: expected a whole number',
    ].join('; '),
  });
});

test.run();
