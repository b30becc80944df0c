// The model bench as a person starts it: what it counts is what happened, and what it cannot do it says.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findModel } from '../../scripts/bench/model/find-model.ts';
import { readOptions } from '../../scripts/bench/model/options.ts';
import { isSameTrial, remember } from '../../scripts/bench/model/remembered.ts';
import type { Trial } from '../../scripts/bench/model/table.ts';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import { type Ended, run } from '../known-fixes/direct.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const made = mkdtempSync(join(tmpdir(), 'mendloop-bench-test-'));

let serial = 0;
const stateFile = (): string => join(made, `state-${++serial}.jsonl`);

const bench = (...args: string[]): Promise<Ended> =>
  run([process.execPath, join(ROOT, 'scripts/bench/model.mjs'), '--state', stateFile(), ...args], ROOT);

test('recorded answers through the whole loop: fixed, refused and wrong are counted, and the label says what they are', async () => {
  const only = ['a loop that skips', 'a command with two letters', 'protected: helm-sch'];
  const { exit, output } = await bench('--recorded', '--at-once', '2', ...only.flatMap((words) => ['--only', words]));
  assert.is(exit, 0, output);
  const lines = output.trimEnd().split('\n');
  for (const line of [lines[0], lines.at(-1)])
    assert.match(line ?? '', /^RECORDED ANSWERS: .* nothing about any model\.$/);
  const told = (exam: string) => lines.find((line) => line.includes(`, auto, ${exam}: `))?.replace(/^.*?, auto, /, '');
  assert.match(told('a loop that skips the last node') ?? '', /^[^:]+: fixed in \d+\.\d s$/);
  assert.match(
    told('a command with two letters swapped') ?? '',
    / swapped: wrong in \d+\.\d s: green, but out\/ is no longer made$/,
  );
  assert.match(output, /^exam \d of 3, auto, protected: helm-schema: wrong in \d+\.\d s: 1 applied, no_effect$/m);
  const row = (name: string) =>
    lines
      .find((line) => line.startsWith(`| ${name} `))
      ?.split(/ *\| */)
      .slice(2, 9);
  const [none, all] = ['0 % (0)', '100 % (1)'];
  assert.equal(row('left after known fixes'), ['1', none, none, all, '0', '0', '0']);
  assert.equal(row('must be declined'), ['1', ...['0 % (0)', '0 % (0)', '0 % (0)'], '0', '1', '0']);
  assert.equal(row('known fixes mend them'), ['1', ...['0 % (0)', '0 % (0)', '0 % (0)'], '0', '1', '0']);
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
  const found = await findModel('http://127.0.0.1:9', 'auto');
  const wrong = 'wrong' in found ? found.wrong : '';
  for (const words of ['no Ollama answers at http://127.0.0.1:9', 'ollama serve', 'ollama pull'])
    assert.match(wrong, words);
  assert.is(wrong.split('\n').length, 1);
  // Options are read first: the same end, without the time that loading the rest takes.
  const { exit, output } = await bench('--modle', 'x');
  assert.equal([exit, output.trim().split('\n').length], [2, 1], output);
});

test('a host without models, or without the one that is asked for, is told with what to do', async () => {
  const wrong = async (models: { name: string }[], wanted: string) => {
    const server = await startOllamaServer({ models });
    const found = await findModel(server.url, wanted);
    await server.close();
    return 'wrong' in found ? found.wrong.replaceAll(server.url, 'HOST') : '';
  };
  assert.match(await wrong([], 'auto'), /HOST.*ollama pull /);
  const other = await wrong([{ name: 'llama3.2:3b' }], 'qwen2.5-coder:14b');
  assert.match(other, 'qwen2.5-coder:14b');
  assert.match(other, 'llama3.2:3b');
});

const TRIAL: Trial = {
  ...{
    format: 'auto',
    group: 'reading',
    exam: 'a loop that skips the last node',
    left: true,
    repeat: 1,
    outcome: 'fixed',
  },
  ...{ why: '', soon: 'first', refusals: [], shown: true, ms: 1000, tokens: 1200 },
};
const CONDITIONS = { host: '', model: 'recorded answers', timeout: null };

test('a bench that was interrupted goes on: what was measured is not measured again, and at the end forgotten', async () => {
  const state = stateFile();
  remember(state, CONDITIONS, { root: ROOT, fresh: false }).add(TRIAL);
  const { exit, output } = await bench('--recorded', '--only', 'a loop that skips', '--state', state);
  assert.is(exit, 0, output);
  assert.match(output, '1 of 1 were measured before this was interrupted; --fresh begins anew');
  assert.match(output, /^\| left after known fixes .* 1200 \| +1\.0 \|$/m);
  assert.not.match(output, 'exam 1 of 1');
  assert.equal(remember(state, CONDITIONS, { root: ROOT, fresh: false }).trials, []);
});

test('what is remembered is of one model, one host and one commit; half a line is left out', () => {
  const state = stateFile();
  const open = (more: object = {}, fresh = false) => remember(state, { ...CONDITIONS, ...more }, { root: ROOT, fresh });
  open().add(TRIAL);
  assert.equal(open().trials, [TRIAL]);
  assert.ok(isSameTrial(TRIAL, { ...TRIAL, outcome: 'wrong' } as Trial));
  assert.not.ok(isSameTrial(TRIAL, { ...TRIAL, repeat: 2 }));
  open().add({ ...TRIAL, why: 'x' });
  assert.is(open().trials.length, 2);
  assert.equal(open({}, true).trials, []);
  open().add(TRIAL);
  assert.equal(open({ model: 'another' }).trials, []);
});

test('options are read whole, and what is wrong with them is said', () => {
  const read = (...argv: string[]) =>
    readOptions(argv, {}) as { wrong: string; formats: string[]; host: string; repeat: number; quick: boolean };
  assert.equal(read().formats, ['auto']);
  assert.is(read().host, 'http://127.0.0.1:11434');
  assert.equal(read('--format', 'all').formats, ['auto', 'diff', 'whole-file', 'search-replace', 'json']);
  assert.equal([read('--repeat', '3').repeat, read('--quick').quick], [3, true]);
  assert.match(read('--format', 'xml').wrong, 'no form xml; there are auto, diff');
  assert.match(read('--at-once', '0').wrong, '--at-once 0: expected a number');
  assert.match(read('--repeat', 'x').wrong, '--repeat x: expected a number');
  assert.match(read('--quick', '--only', 'x').wrong, 'leave out --only');
  assert.match(read('--timeout', 'soon').wrong, '--timeout soon: expected a time');
  assert.match(read('--modle', 'x').wrong, "'--modle'");
});

test.run();
