import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, systemClock } from '../../src/io/clock.ts';
import { type CommandRequest, runCommand } from '../../src/io/command.ts';
import { identify, liveness } from '../../src/io/identity.ts';
import { endLeftovers, groupMembers } from '../../src/io/process-group.ts';
import { folder } from '../environment.ts';
import { commandLine } from '../processes.ts';

async function run(command: CommandRequest['command'], more: Partial<CommandRequest> = {}, clock = systemClock) {
  const dir = folder();
  const log = join(dir, 'log');
  const logFd = openSync(log, 'a', 0o600);
  let pgid = 0;
  const mark = `MENDLOOP_TEST_MARK=${dir}`;
  try {
    const end = await runCommand(
      {
        command,
        kind: 'command',
        cwd: dir,
        env: { PATH: process.env.PATH ?? '', MENDLOOP_TEST_MARK: dir },
        outputFd: logFd,
        marks: [mark],
        signal: AbortSignal.timeout(20_000),
        graceMs: 300,
        beforeStart: (leader) => {
          pgid = leader.pid;
        },
        ...more,
      },
      clock,
    );
    return { ...end, pgid, log: readFileSync(log, 'utf8') };
  } finally {
    closeSync(logFd);
  }
}

test('a string is run by bash, a list without a shell', async () => {
  assert.is((await run('echo "$BASH_VERSION" | grep -c .')).log, '1\n');
  assert.is((await run(['echo', '$HOME', 'a b'])).log, '$HOME a b\n');
});

test('stdout and stderr share the log in order, stdin is empty', async () => {
  assert.is((await run('echo one; echo two >&2; cat; echo three')).log, 'one\ntwo\nthree\n');
});

test('the real exit code or signal is told', async () => {
  assert.is((await run('exit 7')).exitCode, 7);
  assert.is((await run('kill -SEGV $$')).signal, 'SIGSEGV');
});

test('the command does not start when what must come first throws', async () => {
  const dir = folder();
  let message = '';
  await run(`touch ${dir}/started`, {
    beforeStart: () => {
      throw new Error('disk full');
    },
  }).catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, 'disk full');
  assert.is(execFileSync('ls', [dir], { encoding: 'utf8' }), '');
});

test('a stop ends a grandchild that ignores TERM and holds the output', async () => {
  const began = performance.now();
  const end = await run('(trap "" TERM; while :; do sleep 0.1; done) & trap "" TERM; wait; sleep 60', {
    signal: AbortSignal.timeout(300),
  });
  assert.ok(end.stopped && end.gone);
  assert.equal(groupMembers(end.pgid), []);
  assert.ok(performance.now() - began < 5000, 'it did not wait for the output to close');
});

test('a stop also ends a process that left the group for a session of its own', async () => {
  const end = await run('setsid sleep 61 & sleep 62', { signal: AbortSignal.timeout(300) });
  assert.ok(end.gone);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    assert.not.match(commandLine(Number(pid)), /^sleep 6[12]$/);
});

test('a command that ended leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  await Promise.all([run('true', { signal }), run('exit 1', { signal })]);
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

test('a stop does not wait for a leader that cannot be ended, and says so', async () => {
  const stop = new AbortController();
  const fast: Clock = { ...systemClock, monotonic: () => performance.now() * 50 };
  const { kill } = process;
  let leader = 0;
  // As if the processes were another user's.
  process.kill = (pid, signal) => {
    if (signal === 0) return kill.call(process, pid, 0);
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  };
  try {
    const { exitCode, signal, stopped, gone } = await run(
      'sleep 65',
      {
        signal: stop.signal,
        beforeStart: ({ pid }) => {
          leader = pid;
          setTimeout(() => stop.abort(), 100);
        },
      },
      fast,
    );
    assert.equal({ exitCode, signal, stopped, gone }, { exitCode: null, signal: null, stopped: true, gone: false });
  } finally {
    process.kill = kill;
    process.kill(-leader, 'SIGKILL');
  }
});

test('what a finished command left in its group is ended, and counted', async () => {
  const end = await run('sleep 63 & exit 0');
  assert.is(end.exitCode, 0);
  assert.is(end.leftBehind, 1);
  assert.equal(groupMembers(end.pgid), []);
});

test('leftovers of a dead parent are found by identity and marks, and ended', async () => {
  const mark = `MENDLOOP_TEST_MARK=leftover-${process.pid}`;
  const pid = Number(
    execFileSync('bash', ['-c', 'setsid sleep 64 >/dev/null 2>&1 & echo $!'], {
      env: { PATH: process.env.PATH ?? '', MENDLOOP_TEST_MARK: `leftover-${process.pid}` },
    }),
  );
  const leader = identify(pid);
  assert.is(liveness(leader), 'alive');
  assert.is(await endLeftovers({ ...leader, host: 'elsewhere' }, [mark], 300, systemClock), 'unproven');
  assert.is(await endLeftovers({ ...leader, boot: 'another boot' }, [mark], 300, systemClock), 'none');
  assert.is(await endLeftovers(leader, [mark], 300, systemClock), 'ended');
  assert.is(await endLeftovers(leader, [mark], 300, systemClock), 'none');
});

test('a number that belongs to another process now is left alone', async () => {
  const stranger = { ...identify(process.pid), start: '1' };
  assert.is(liveness(stranger), 'dead');
  assert.is(await endLeftovers(stranger, ['MENDLOOP_TEST_MARK=nobody'], 300, systemClock), 'none');
});

test.run();
