import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runModelCommand } from '../../../src/io/egress/model-command.ts';
import { folder } from '../../environment.ts';
import { fault, until } from './faults.ts';

const run = (
  script: string,
  more: { input?: string; timeoutMs?: number; signal?: AbortSignal; env?: Record<string, string> } = {},
) =>
  runModelCommand({
    ...{ argv: ['bash', '-c', script], input: '', timeoutMs: 5000, signal: new AbortController().signal, graceMs: 200 },
    ...{ env: { PATH: process.env.PATH ?? '' } },
    ...more,
  });

test('a program reads the prompt and answers, in an empty folder that is gone afterwards', async () => {
  const input = 'x'.repeat(300_000);
  assert.is((await run('wc -c', { input })).trim(), '300000');
  const said = (await run('pwd; ls -A; env -0 | tr "\\0" "\\n" | cut -d= -f1 | grep -v ^_ | sort | xargs'))
    .trim()
    .split('\n');
  assert.is(existsSync(said[0] as string), false);
  assert.equal(said.slice(1), ['PATH PWD SHLVL']);
});

test('each way in which a program fails is one clear line', async () => {
  const missing = runModelCommand({
    argv: ['/no/such/program'],
    input: 'x',
    env: {},
    timeoutMs: 1000,
    signal: new AbortController().signal,
  });
  assert.equal(
    await Promise.all(
      [
        missing,
        run('echo trouble >&2; exit 3'),
        run('kill -9 $$'),
        run('true'),
        run('yes'),
        run('sleep 30', { timeoutMs: 100 }),
      ].map(fault),
    ),
    [
      'ModelFault: /no/such/program cannot be started: ENOENT',
      'ModelFault: bash ended with exit code 3: trouble',
      'ModelFault: bash was ended by SIGKILL',
      'ModelFault: bash said nothing',
      'ModelFault: bash said more than 1000000 bytes',
      'ModelFault: bash did not end within 0.1 s',
    ],
  );
});

test('a program that does not read its prompt may answer all the same', async () => {
  assert.is(await run('echo ready', { input: 'x'.repeat(2_000_000) }), 'ready\n');
});

test('nothing of its process group is left, whether it ends, is late or is stopped, and even when it will not listen', async () => {
  const dir = folder();
  const started = (name: string) => `trap "" TERM; sleep 60 & echo $! > ${join(dir, name)}`;
  const alive = (name: string) => {
    const stat = `/proc/${readFileSync(join(dir, name), 'utf8').trim()}/stat`;
    return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
  };
  await run(`${started('ends')}; echo done`);
  const stop = new AbortController();
  const stopped = fault(run(`${started('stopped')}; wait`, { signal: stop.signal }));
  const late = fault(run(`${started('late')}; wait`, { timeoutMs: 1200 }));
  await until(() => existsSync(join(dir, 'stopped')));
  stop.abort();
  assert.is(await stopped, 'ModelFault: it was stopped');
  assert.is(await late, 'ModelFault: bash did not end within 1.2 s');
  assert.equal(['ends', 'stopped', 'late'].map(alive), [false, false, false]);
});

test.run();
