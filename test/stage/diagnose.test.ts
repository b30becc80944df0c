// Real commands: a model's pass the table first, the owner's run as written.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { isBlocked } from '../../src/outbound/context.ts';
import { type AskedDiagnostics, type DiagnosticScope, runDiagnostics } from '../../src/stage/diagnose.ts';
import { folder } from '../environment.ts';

const scope = (more: Partial<DiagnosticScope> = {}): DiagnosticScope => ({
  ...{ root: folder(), env: { PATH: process.env.PATH ?? '' }, signal: new AbortController().signal },
  ...{ clock: systemClock, graceMs: 300, ...more },
});

const told = async (asked: AskedDiagnostics, more: Partial<DiagnosticScope> = {}) =>
  (await runDiagnostics(asked, scope(more))).map((one) =>
    isBlocked(one) ? `${one.command}: blocked` : `${one.command}: ${one.ended}`,
  );

test("the owner's run as written, in order, also after one that failed", async () => {
  const results = await runDiagnostics({ owner: ['echo a | tr a b', 'exit 3', 'pwd'] }, scope());
  assert.equal(
    results.map((one) => !isBlocked(one) && one.ended),
    ['exit code 0', 'exit code 3', 'exit code 0'],
  );
  assert.is(!isBlocked(results[0] as never) && (results[0] as { output: string }).output, 'b\n');
});

test("of a model's, a blocked one is recorded with its reason and the rest go on", async () => {
  const root = folder();
  const model = [
    ['uname', '-s'],
    ['bash', '-c', `touch ${root}/made`],
    ['rm', '-fr', root],
    ['date', '-u'],
  ];
  const results = await runDiagnostics({ model }, scope({ root }));
  assert.equal(results.map(isBlocked), [false, true, true, false]);
  assert.match((results[1] as { blocked: string }).blocked, /"bash" is not one of the tools/);
  assert.is((results[0] as { output: string }).output, 'Linux\n');
  assert.not.ok(existsSync(join(root, 'made')));
});

test('words of a shell in an argv stay words', async () => {
  const root = folder();
  const [only] = await runDiagnostics({ model: [['ls', `a;touch x`]] }, scope({ root }));
  assert.ok(only && isBlocked(only));
  assert.not.ok(existsSync(join(root, 'x')));
});

test('a program of that name in the tree is not what runs', async () => {
  const root = folder();
  writeFileSync(join(root, 'uptime'), `#!/bin/sh\ntouch ${root}/ran\n`);
  chmodSync(join(root, 'uptime'), 0o755);
  for (const path of ['.', '', root, `${root}/.`]) {
    await runDiagnostics({ model: [['uptime']] }, scope({ root, env: { PATH: `${path}:${process.env.PATH}` } }));
    assert.not.ok(existsSync(join(root, 'ran')), path);
  }
});

test('at most 8 are run for one request, and thousands are told in a few lines', async () => {
  const results = await told({ model: Array.from({ length: 3000 }, () => ['date']) });
  assert.is(results.filter((line) => line === 'date: exit code 0').length, 8);
  assert.is(results.length, 17);
  assert.is(results.at(-1), '2984 more: blocked');
});

test('all of them together have their time, and what is left over is said not to have run', async () => {
  const began = performance.now();
  const results = await told({ owner: ['sleep 30', 'sleep 30', 'sleep 30', 'echo x'] }, { eachMs: 400, allMs: 1000 });
  assert.is(results[0], 'sleep 30: stopped after 0.4 s');
  assert.match(results[1] ?? '', /^sleep 30: stopped after \d\.\d s$/);
  assert.is(results.at(-1), 'echo x: blocked');
  assert.ok(performance.now() - began < 5000);
});

test('a stop of the run ends the one that runs and starts no other', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  assert.equal(await told({ owner: ['sleep 30', 'echo x'] }, { signal: stop.signal }), [
    'sleep 30: stopped: the run is stopping',
    'echo x: blocked',
  ]);
});

test.run();
