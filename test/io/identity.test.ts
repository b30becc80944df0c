import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identify, liveness, type ProcessIdentity } from '../../src/io/identity.ts';
import { folder, write } from '../environment.ts';
import { needs } from '../needs.ts';
import { program } from '../program.ts';

/** What another process says of itself and of `of`; `around` is how it is started. */
function told(around: readonly string[], of?: ProcessIdentity, env: NodeJS.ProcessEnv = process.env) {
  const [first = '', ...args] = [...around, process.execPath, ...program('tell-liveness')];
  const text = execFileSync(first, [...args, ...(of ? [JSON.stringify(of)] : [])], { encoding: 'utf8', env });
  return JSON.parse(text) as { me: ProcessIdentity; liveness?: string; group?: number[] };
}

const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc'];

const inContainer = needs('right to make a pid namespace');

test('a process is itself, and stays so', () => {
  const me = identify(process.pid);
  assert.equal(me, identify(process.pid));
  assert.is(liveness(me), 'alive');
});

test('a process that ended is dead, and so is one of an earlier boot, or an earlier one with the same number', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const identity = identify(child.pid as number);
  assert.is(liveness(identity), 'alive');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  assert.is(liveness(identity), 'dead');
  const me = identify(process.pid);
  assert.is(liveness({ ...me, boot: 'an earlier boot' }), 'dead');
  assert.is(liveness({ ...me, start: '1' }), 'dead');
});

test('what cannot be told is unknown: another host, or a start nobody wrote down', () => {
  const me = identify(process.pid);
  assert.is(liveness({ ...me, host: 'elsewhere' }), 'unknown');
  assert.is(liveness({ ...me, start: null }), 'unknown');
});

inContainer(
  'a process of another pid namespace is never dead, in either direction: its number means nothing here',
  () => {
    const me = identify(process.pid);
    assert.is(told(CONTAINER, me).liveness, 'unknown');
    const { me: gone } = told(CONTAINER);
    assert.is(liveness(gone), 'unknown', 'it is over, but who could tell');
    assert.is(liveness({ ...gone, boot: 'an earlier boot' }), 'dead', 'but for a boot before this one');
    assert.is(told([], me).liveness, 'alive');
  },
);

/** Without a /proc, and with a `ps` of our own; `first` may put something there, below $0. */
function withoutProc(ps: string | undefined, first = '') {
  const bin = folder();
  write(bin, ps === undefined ? {} : { ps: `#!/bin/sh\n${ps}\n` });
  if (ps !== undefined) chmodSync(join(bin, 'ps'), 0o755);
  const empty = join(bin, 'empty');
  mkdirSync(empty);
  const bare = ['unshare', '--mount', 'sh', '-c', `${first}mount --bind "$0" /proc && PATH=${bin} exec "$@"`, empty];
  return (of?: ProcessIdentity) => told(bare, of);
}

inContainer('without /proc the start of a process comes from ps, in the same words for whoever asks', () => {
  const ask = withoutProc('echo "started $LC_ALL $TZ $4"');
  const { me } = ask();
  assert.equal([me.start, me.boot, me.ns], [`started C UTC ${me.pid}`, null, null]);
  const other = { ...me, pid: process.pid };
  assert.is(ask({ ...other, start: `started C UTC ${process.pid}` }).liveness, 'alive');
  assert.is(ask({ ...other, start: 'another' }).liveness, 'dead');
  assert.is(ask({ ...other, ns: 'pid:[1]' }).liveness, 'unknown', 'nobody can tell whether it is the same namespace');
});

inContainer('without /proc and without a ps that answers, a number that is taken is unknown, never dead', () => {
  for (const ps of [undefined, 'exit 1']) {
    const ask = withoutProc(ps);
    const { me } = ask();
    assert.is(me.start, null);
    assert.is(ask({ ...me, pid: process.pid, start: '1' }).liveness, 'unknown');
    assert.is(ask({ ...me, pid: 2 ** 22 - 1, start: '1' }).liveness, 'dead');
  }
});

inContainer('where /proc hides what others run, a process or group of theirs is not taken for gone', () => {
  const ask = withoutProc('exit 1', 'mkdir "$0/$$" && ');
  const group = spawn('sleep', ['20'], { detached: true, stdio: 'ignore' });
  const { me } = ask();
  const told = ask({ ...me, pid: group.pid as number, start: '1' });
  assert.equal([told.liveness, told.group], ['unknown', [group.pid]]);
  group.kill('SIGKILL');
});

test('a process that ended and whose parent took no note is dead', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await Promise.all([new Promise((resolve) => parent.stdout.once('data', resolve))]);
  const child = identify(Number(String(line)));
  assert.is(liveness(child), 'alive');
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.is(liveness(child), 'dead');
  parent.kill('SIGKILL');
});

test.run();
