import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MendError } from '../../src/errors.ts';
import { systemClock } from '../../src/io/clock.ts';
import { type CommandRequest, runCommand } from '../../src/io/command.ts';
import { identify } from '../../src/io/identity.ts';
import { type LogFile, openLog } from '../../src/io/log.ts';
import { endLeftovers } from '../../src/io/process-group.ts';
import { folder } from '../environment.ts';
import { needs } from '../needs.ts';
import { childrenOf, commandLine } from '../processes.ts';
import { program } from '../program.ts';

const onSmallDisk = needs('right to mount');

const MAX_BYTES = 200_000_000;

const mounts: string[] = [];

async function command(log: LogFile, text: string, more: Partial<CommandRequest> = {}) {
  const cwd = folder();
  const request = {
    ...{
      command: text,
      kind: 'command' as const,
      cwd,
      env: { PATH: process.env.PATH ?? '', MARK: cwd },
      marks: [`MARK=${cwd}`],
    },
    ...{ signal: AbortSignal.timeout(20_000), graceMs: 300, ...more },
  };
  return runCommand({ ...request, outputFd: log.output() }, systemClock);
}

/** Runs `text` in a session of its own, and goes on when it is there: before that it would be ended with the group. */
const held = (text: string) => `setsid bash -c 'touch held; ${text}' & until [ -e held ]; do sleep 0.02; done`;

/** What the log holds after these commands, with a line of the loop before each. */
async function logOf(...commands: string[]): Promise<string> {
  const log = openLog(join(folder(), 'logs/a.log'), MAX_BYTES);
  for (const text of commands) {
    log.say(`runs ${commands.indexOf(text)}`);
    await command(log, text);
  }
  await log.close();
  return readFileSync(log.path, 'utf8');
}

/** The relays that a process of ours has, those that were started last at the end. */
const relaysOf = (parent = 0): number[] =>
  childrenOf(parent).filter((pid) => commandLine(pid).includes('mendloop-relay'));

test('a log without commands starts no relay, and the pipe leaves no name behind', async () => {
  const dir = folder();
  const log = openLog(join(dir, 'a.log'), MAX_BYTES);
  log.say('only this');
  await log.close();
  assert.is(readFileSync(log.path, 'utf8'), 'mendloop: only this\n');
  writeFileSync(join(dir, 'b.log.pipe'), 'of a start that was killed');
  const other = openLog(join(dir, 'b.log'), MAX_BYTES);
  await command(other, 'ls ..');
  assert.equal(readdirSync(dir), ['a.log', 'b.log']);
  await other.close();
});

test('nothing that a command does to its standard streams cuts the log', async () => {
  assert.is(
    await logOf(
      'echo one; echo two > /dev/stderr; echo three > /dev/stdout; echo four >&2; : > /dev/fd/1; echo five | tee /dev/stderr',
      'exec >&- 2>&-; echo lost',
      'echo six',
    ),
    `mendloop: runs 0\none\ntwo\nthree\nfour\nfive\nfive\nmendloop: runs 1\nmendloop: runs 2\nsix\n`,
  );
});

test('lines of stdout, stderr and the loop stand in the order they were written in', async () => {
  const one = 'for i in $(seq 300); do echo $i; echo $i >&2; done';
  const lines = (await logOf(one, `${one} `)).split('\n');
  const numbers = Array.from({ length: 300 }, (_, i) => [`${i + 1}`, `${i + 1}`]).flat();
  assert.equal(lines, ['mendloop: runs 0', ...numbers, 'mendloop: runs 1', ...numbers, '']);
});

test('the exit code is the command’s own, and its output is all there the moment the log is closed', async () => {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  const { exitCode } = await command(log, "head -c 1000000 /dev/zero | tr '\\0' x; exit 7");
  await log.close();
  assert.is(exitCode, 7);
  assert.is(statSync(log.path).size, 1_000_000);
});

test('100 MB go through without growing the memory', async () => {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  const before = process.memoryUsage().rss;
  await command(log, 'head -c 100M /dev/zero');
  await log.close();
  assert.is(statSync(log.path).size, 100 * 1024 * 1024);
  assert.ok(process.memoryUsage().rss - before < 50 * 1024 * 1024);
  rmSync(log.path);
});

test('what holds the output in a session of its own is not waited for, and goes on writing', async () => {
  const dir = folder();
  const log = openLog(join(dir, 'a.log'), MAX_BYTES);
  const began = performance.now();
  await command(log, `${held(`until [ -e ${dir}/go ]; do sleep 0.05; done; echo late; touch ${dir}/done`)}; echo last`);
  await log.close();
  assert.ok(performance.now() - began < 3000);
  assert.match(
    readFileSync(log.path, 'utf8'),
    /^last\nmendloop: the attempt ended before its output did \[\S{12}\]\n$/,
  );
  writeFileSync(join(dir, 'go'), '');
  await until(() => existsSync(join(dir, 'done')) && readFileSync(log.path, 'utf8').endsWith(']\nlate\n'));
});

test('the log is whole when it is closed, also while something else floods the pipe', async () => {
  const dir = folder();
  const log = openLog(join(dir, 'a.log'), MAX_BYTES);
  await command(log, `${held(`until [ -e ${dir}/stop ]; do head -c 64K /dev/zero; done`)}; echo; echo last words`);
  await log.close();
  const text = readFileSync(log.path, 'utf8');
  writeFileSync(join(dir, 'stop'), '');
  assert.match(text, 'last words\n');
});

test('TERM, INT and HUP do not end the relay', async () => {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  log.output();
  const relay = relaysOf(process.pid).at(-1);
  const { exitCode } = await command(
    log,
    `for s in TERM INT HUP; do kill -$s ${relay} $(cat /proc/${relay}/task/*/children); done; echo after`,
  );
  await log.close();
  assert.is(exitCode, 0);
  assert.is(readFileSync(log.path, 'utf8'), 'after\n');
});

test('a stop ends the group; what it said before is in the log', async () => {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  const end = await command(log, 'trap "echo caught; exit 3" TERM; echo begun; while :; do sleep 0.05; done', {
    signal: AbortSignal.timeout(400),
  });
  await log.close();
  assert.ok(end.stopped && end.gone);
  // bash may tell of its sleep, which was ended too.
  assert.match(readFileSync(log.path, 'utf8'), /^begun\n(?:Terminated\n)?caught\n$/);
});

test('a loop that is killed takes neither the stage nor its log along; the relay is no leftover and ends with the stage', async () => {
  const dir = folder();
  const loop = spawn(process.execPath, [...program('endless-command'), dir], { stdio: 'ignore' });
  const leader = join(dir, 'leader');
  await until(() => existsSync(leader) && readFileSync(join(dir, 'a.log'), 'utf8').includes('line 3\n'));
  const [relay = 0] = relaysOf(loop.pid);
  assert.ok(isAlive(relay));
  loop.kill('SIGKILL');
  await once(loop, 'exit');
  const seen = readFileSync(join(dir, 'a.log'), 'utf8').length;
  await until(() => readFileSync(join(dir, 'a.log'), 'utf8').length > seen + 50);
  assert.ok(isAlive(relay));
  assert.is(
    await endLeftovers(identify(Number(readFileSync(leader, 'utf8'))), [`MARK=${dir}`], 300, systemClock),
    'ended',
  );
  await until(() => !isAlive(relay));
  const lines = readFileSync(join(dir, 'a.log'), 'utf8').trim().split('\n');
  assert.equal(
    lines,
    lines.map((_, i) => `line ${i}`),
  );
});

test('a relay that is killed is told: the log is not whole', async () => {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  log.output();
  const relay = relaysOf(process.pid).at(-1);
  const begun = `until pids=$(cat /proc/${relay}/task/*/children) && [ -n "$pids" ]; do sleep 0.02; done`;
  const kill = `${begun}; kill -KILL ${relay} $pids; for i in {1..100}; do echo x; sleep 0.05; done`;
  const { exitCode } = await command(log, kill);
  log.say('nobody reads this');
  assert.match((await refusal(log))?.message ?? '', `${log.path} could not be written to its end (`);
  assert.is.not(exitCode, 0);
});

test('each attempt has a relay of its own, whatever the name of its log', async () => {
  const dir = join(folder(), "it's\nhere");
  const first = openLog(join(dir, 'a.log'), MAX_BYTES);
  const second = openLog(join(dir, '$(id).log'), MAX_BYTES);
  await command(first, 'echo of the first');
  await command(second, 'echo of the second');
  assert.is(relaysOf(process.pid).length, 2);
  for (const log of [first, second]) await log.close();
  assert.equal(
    [first, second].map(({ path }) => readFileSync(path, 'utf8')),
    ['of the first\n', 'of the second\n'],
  );
});

onSmallDisk(
  'a full disk stops no stage: the rest of the output is dropped, and the log says so when it is closed',
  async () => {
    const disk = join(folder(), 'disk');
    mount(disk);
    const log = openLog(join(disk, 'a.log'), MAX_BYTES);
    const end = await command(log, 'head -c 3M /dev/zero && echo end && touch went-on && [ -e went-on ]');
    assert.is(end.exitCode, 0);
    const error = await refusal(log);
    assert.is(error?.code, 'E_DISK_FULL');
    assert.is(error?.message, `the disk is full: ${log.path} could not be written`);
  },
);

onSmallDisk('a full disk is told at once where something holds the output', async () => {
  const disk = join(folder(), 'disk');
  mount(disk);
  const log = openLog(join(disk, 'a.log'), MAX_BYTES);
  await command(log, `${held('sleep 2')}; head -c 3M /dev/zero`);
  const began = performance.now();
  assert.is((await refusal(log))?.code, 'E_DISK_FULL');
  assert.ok(performance.now() - began < 1500);
});

function mount(disk: string): void {
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  mounts.push(disk);
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`);

async function refusal(log: LogFile): Promise<MendError | undefined> {
  return log.close().then(
    () => undefined,
    (error: MendError) => error,
  );
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !holds(); await systemClock.sleep(20)) {
    assert.ok(performance.now() < end, 'waited 10 s');
  }
}

// Lazily: what still holds a log there ends by itself.
test.after(() => {
  for (const disk of mounts) execFileSync('umount', ['-l', disk]);
});

test.run();
