// The model bench as a person starts it: what it counts is what happened, and what it cannot do it says.
import { resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readOptions } from '../../scripts/bench/model/options.ts';
import { recordedAnswer } from '../../scripts/bench/model/recorded-answers.ts';
import { EXAMS } from '../../scripts/bench/model/stages.ts';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import { type Ended, run } from '../known-fixes/direct.ts';

const BENCH = resolve(import.meta.dirname, '../../scripts/bench/model.mjs');

const bench = (...args: string[]): Promise<Ended> =>
  run([process.execPath, BENCH, ...args], resolve(import.meta.dirname, '../..'));

test('recorded answers through the whole loop: fixed, refused and wrong are counted, and the label says what they are', async () => {
  const only = ['a loop that skips', 'a test that is the wrong', 'a command with two letters'];
  const { exit, output } = await bench('--recorded', '--at-once', '2', ...only.flatMap((words) => ['--only', words]));
  assert.is(exit, 0, output);
  const lines = output.trimEnd().split('\n');
  for (const line of [lines[0], lines.at(-1)])
    assert.match(line ?? '', /^RECORDED ANSWERS: .* nothing about any model\.$/);
  assert.match(output, /a loop that skips the last node: fixed in/);
  assert.match(output, /a test that is the wrong way round: refused in .* s: /);
  assert.match(output, /a command with two letters swapped: refused in /);
  assert.match(output, /^auto +3 +1 +2 +0 +0 /m);
});

test('a host that fails in the middle is not measured, and the bench says so with exit code 1', async () => {
  const server = await startOllamaServer({ script: () => ({ status: 500, error: 'out of memory' }) });
  const { exit, output } = await bench('--host', server.url, '--only', 'a loop that skips', '--json');
  await server.close();
  assert.is(exit, 1, output);
  const { recorded, model, formats, trials } = JSON.parse(output);
  assert.equal([recorded, model, formats[0].not_measured], [false, 'qwen2.5-coder:7b', 1]);
  assert.match(trials[0].why, 'out of memory');
});

test('a host that nobody listens at ends it before anything starts, with exit code 2 and what to do', async () => {
  const { exit, output } = await bench('--host', 'http://127.0.0.1:9');
  assert.is(exit, 2, output);
  assert.match(output, 'no Ollama answers at http://127.0.0.1:9');
  assert.match(output, 'ollama serve');
  assert.match(output, 'ollama pull');
  assert.is(output.trim().split('\n').length, 1);
});

test('there is an answer to every stage in every form, and only one of them is empty', () => {
  for (const format of ['diff', 'whole-file', 'search-replace', 'json'] as const) {
    for (const told of [false, true]) {
      const answers = EXAMS.map(({ stage }) => recordedAnswer(stage, format, told));
      assert.is(answers.filter((answer) => answer === '').length, 1);
    }
  }
});

test('options are read whole, and what is wrong with them is said', () => {
  const read = (...argv: string[]) => readOptions(argv, {}) as { wrong: string; formats: string[]; host: string };
  assert.equal(read().formats, ['auto']);
  assert.is(read().host, 'http://127.0.0.1:11434');
  assert.equal(read('--format', 'all').formats, ['auto', 'diff', 'whole-file', 'search-replace', 'json']);
  assert.match(read('--format', 'xml').wrong, 'no form xml; there are auto, diff');
  assert.match(read('--at-once', '0').wrong, '--at-once 0: expected a number');
  assert.match(read('--timeout', 'soon').wrong, '--timeout soon: expected a time');
  assert.match(read('--modle', 'x').wrong, "'--modle'");
});

test.run();
