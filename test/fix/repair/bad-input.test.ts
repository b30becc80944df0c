// What cannot be read, or could mean anything, is asked about or refused with a plain sentence: never applied because nobody knew.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExamRow, judgeRow, saidBy, wordOf } from '../../exams/gate/exam.ts';
import { fc, runs } from '../../sweep.ts';

const LOG = 'error: "databse" is not defined, did you mean "database"?';
const COMPOSE = 'services:\n  web:\n    image: nginx\n    depends_on: [databse]\n  database:\n    image: postgres\n';
const MENDED: readonly [string, string] = ['databse', 'database'];

/** The verdict on a swap in one file among others, in a word and its sentence. */
function judged(path: string, before: string, [old, now] = MENDED, files: Record<string, string> = {}, log = LOG) {
  assert.ok(before.includes(old), `${path}: ${old}`);
  const after = before.replace(old, () => now);
  const names = { id: path, what: '', family: '', language: '' };
  const row: ExamRow = { ...names, files: { ...files, [path]: before }, edits: [{ path, before, after }], log };
  const verdict = judgeRow(row);
  return { word: wordOf(verdict), sentence: saidBy(verdict) };
}

test('the repair that all of these are not applies', () => {
  assert.is(judged('compose.yaml', COMPOSE).word, 'apply');
});

test('what is too long, is no text, or is read by nobody is asked about', () => {
  const long = `${COMPOSE}x-list:\n${'  - a\n'.repeat(12_000)}`;
  const cases: [what: string, path: string, before: string][] = [
    ['12,000 lines', 'compose.yaml', long],
    [
      'another encoding',
      'compose.yaml',
      Buffer.from(COMPOSE, 'utf16le').toString('latin1').replace('d\0a\0t\0a\0b\0s\0e\0', 'databse'),
    ],
    ['a template that is no YAML', 'compose.yaml', `{{- range .x }}\n${COMPOSE}{{- end }}\n`],
    ['a language that nobody knows', 'a.xyz', 'use databse;\n'],
    ['no file of a project', 'values.txt', COMPOSE],
  ];
  for (const [what, path, before] of cases) {
    const { word, sentence } = judged(path, before, MENDED, {}, '');
    assert.is.not(word, 'apply', what);
    assert.ok(sentence.startsWith(`${path}:`), `${what}: ${sentence}`);
  }
});

test('names that several places define, that a cycle reads, or that lie where nobody looks', () => {
  const twice = 'services:\n  web:\n    depends_on: [databse]\n  database: {}\n  databese: {}\n';
  assert.is(judged('compose.yaml', twice, MENDED, {}, '').word, 'ask', 'two that are as near');
  const cyclic = { 'a.mk': 'include b.mk\n', 'b.mk': 'include a.mk\nbuild:\n\ttrue\n' };
  assert.is(judged('Makefile', 'include a.mk\nall: biuld\n', ['biuld', 'build'], cyclic).word, 'apply', 'a cycle');
  const unseen = judged('Makefile', 'include sub/x.mk\nall: biuld\nbuild:\n\ttrue\n', ['biuld', 'build'], {});
  assert.is(unseen.word, 'ask', 'what is included is in a submodule, and may define it');
});

test('anchors, documents, block texts and comments in JSON', () => {
  const asked: [path: string, before: string, swap: [string, string]][] = [
    ['a.yaml', 'a: &x 1\nb: *x\n', ['&x 1\nb: *x', '&y 1\nb: *y']],
    ['a.yaml', 'a: 1\n---\nb: 2\n', ['---\nb: 2\n', '']],
    ['a.yaml', 'a: |\n  one\n  two\n', ['one\n  two', 'two\n  one']],
    ['a.yaml', 'a: >-\n  one\n', ['>-', '|']],
    ['a.json', '// "databse"\n{"a": "databse"}\n', ['{"a": "databse"}', '{"a": "database"}']],
  ];
  for (const [path, before, swap] of asked) assert.is(judged(path, before, swap, {}, '').word, 'ask', before);
});

test('a log of 50 MB, one in another language and one that says nothing prove nothing more', () => {
  const before = 'apiVersion: v1\nkind: Pod\nspec:\n  x: databse\n';
  const noise = 'starting service number 12345 of the homelab\n'.repeat(1_100_000);
  for (const log of [noise, 'エラー: databse は定義されていません\n', '', '\u0000\u0007']) {
    const began = performance.now();
    assert.is(judged('pod.yaml', before, MENDED, {}, log).word, 'ask');
    assert.ok(performance.now() - began < 5_000);
  }
});

test('of more places than are proven the last one is looked at, too, also where all runs unattended', () => {
  const keys = Array.from({ length: 45 }, (_, i) => `k${i}: a\n`).join('');
  const [path, before] = ['a.yaml', `${keys}prune: false\n`];
  const after = before.replaceAll(': a', ': b').replace('false', 'true');
  const names = { id: path, what: '', family: '', language: '' };
  const verdict = judgeRow({ ...names, files: { [path]: before }, edits: [{ path, before, after }], log: '' }, 'all');
  assert.is(verdict.ok ? verdict.ask?.code : saidBy(verdict), 'condition');
});

const PIECES = [
  '\n',
  ' ',
  '  ',
  ':',
  '-',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '#',
  '|',
  '&a',
  '*a',
  '$',
  'web',
  'databse',
  '1',
  'true',
  '\t',
  'é',
  '\ud800',
];
const FILES: Record<string, string> = {
  'compose.yaml': COMPOSE,
  'run.sh': '#!/bin/bash\nset -eu\nif [ -n "$A" ]; then\n  kubectl apply -f a.yaml\nfi\n',
  'main.tf': 'resource "a" "b" {\n  c = var.d\n}\n',
  Makefile: 'all: build\nbuild:\n\ttrue\n',
  'a.py': 'def f(x):\n    return x\n',
  'a.toml': '[a]\nb = 1\n',
  'a.json': '{"a": [1, 2]}\n',
};

test('whatever is put in the place of anything, with whatever log: there is a verdict, and what applies says by which shape', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(FILES)),
      fc.nat(),
      fc.nat({ max: 12 }),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }),
      fc.array(fc.constantFrom(...PIECES, 'not found', 'did you mean', 'unknown', 'line 2', 'a.yaml'), {
        maxLength: 12,
      }),
      (path, at, gone, pieces, log) => {
        const before = FILES[path] as string;
        const from = at % before.length;
        const after = before.slice(0, from) + pieces.join('') + before.slice(from + gone);
        const names = { id: '', what: '', family: '', language: '' };
        const row = { ...names, files: FILES, edits: [{ path, before, after }], log: log.join(' ') };
        const verdict = judgeRow(row);
        assert.ok(!verdict.ok || verdict.ask || verdict.shapes.length > 0, JSON.stringify(after));
      },
    ),
    runs(300, 20_000),
  );
});

test.run();
