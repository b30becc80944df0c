// Two gigabytes of output: the log stays within its bound, and neither the loop nor what copies it grows.
import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identifyFrom } from '../../src/failure/fingerprint.ts';
import { systemClock } from '../../src/io/clock.ts';
import { runCommand } from '../../src/io/command.ts';
import { readTail } from '../../src/io/files.ts';
import { openLog } from '../../src/io/log.ts';
import { folder } from '../environment.ts';
import { childrenOf } from '../processes.ts';

const CAUSE = "cp: cannot stat 'talos.yaml': No such file or directory";

test('2 GB of output make a log of 200 MB with the cause at its end, and nobody grows', async () => {
  const log = openLog(join(folder(), 'a.log'), 200_000_000);
  const before = process.memoryUsage().rss;
  let most = 0;
  let largest = 0;
  const timer = setInterval(() => {
    const pids = childrenOf(process.pid).join(',');
    const sizes = execFileSync('ps', ['-o', 'rss=', '-p', pids || '1'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    most = Math.max(most, ...sizes.map(Number));
    largest = Math.max(largest, statSync(log.path).size);
  }, 200);
  const command = `{ yes 'a line as long as many others are, or a little longer' || :; } | head -c 2G; echo; echo "${CAUSE}" >&2; exit 1`;
  const request = { command, kind: 'command' as const, cwd: folder(), env: { PATH: process.env.PATH ?? '' } };
  const signal = AbortSignal.timeout(300_000);
  const outputFd = log.output();
  await runCommand({ ...request, outputFd, marks: ['A=b'], signal, graceMs: 300 }, systemClock);
  await log.close();
  clearInterval(timer);
  const grown = process.memoryUsage().rss - before;
  assert.ok(largest <= 200_000_000, `${largest} bytes`);
  assert.ok(statSync(log.path).size > 101_000_000, `${statSync(log.path).size} bytes`);
  assert.ok(grown < 50_000_000, `${grown} bytes more`);
  assert.ok(most < 20_000, `${most} kB in a process of the relay`);
  const ended = { exit_code: 1, signal: null, timed_out: false };
  const found = identifyFrom((bytes) => readTail(log.path, bytes), { stage: 'vms', ended });
  assert.equal(found.errors[0]?.lines, [CAUSE]);
  rmSync(log.path);
});

test.run();
