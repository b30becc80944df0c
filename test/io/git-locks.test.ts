import { spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clearDeadLock, mayBeHeld } from '../../src/io/git-locks.ts';

const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-locks-'));
const file = join(dir, 'index.lock');

/** A process that is not called git and has the file open. */
async function opener(seconds: string) {
  const fd = openSync(file, 'r');
  const child = spawn('sleep', [seconds], { cwd: '/', stdio: ['ignore', fd, 'ignore'] });
  await new Promise((done) => child.once('spawn', done));
  closeSync(fd);
  return child;
}

/** A process that calls itself git, here or elsewhere, until it is ended. */
async function asGit<T>(cwd: string, work: (pid: number) => Promise<T>): Promise<T> {
  const name = join(dir, 'git-sleeping');
  if (!existsSync(name)) symlinkSync('/bin/sleep', name);
  const child = spawn(name, ['60'], { cwd, stdio: 'ignore' });
  await new Promise((done) => child.once('spawn', done));
  return work(child.pid as number).finally(async () => {
    child.kill('SIGKILL');
    await new Promise((done) => child.once('exit', done));
  });
}

test('a lock that nobody can own is removed', async () => {
  writeFileSync(file, '');
  assert.is(await clearDeadLock(file, [dir], 0), undefined);
  assert.not(existsSync(file));
});

test('a lock that is gone meanwhile is no matter', async () => {
  assert.is(await clearDeadLock(file, [dir], 0), undefined);
});

test('a git in the place may own it, one elsewhere does not', async () => {
  writeFileSync(file, '');
  await asGit(dir, async (pid) => assert.is(await mayBeHeld(file, [dir], 0), `git (pid ${pid}) is running`));
  await asGit('/', async () => assert.is(await mayBeHeld(file, [dir], 0), undefined));
});

test('whoever has it open owns it', async () => {
  writeFileSync(file, '');
  const child = await opener('60');
  assert.is(await clearDeadLock(file, [dir], 0), `sleep (pid ${child.pid}) has it open`);
  child.kill('SIGKILL');
  await new Promise((done) => child.once('exit', done));
  assert.ok(existsSync(file));
});

test('what another user made is never proven dead', async () => {
  writeFileSync(file, '');
  const root = process.getuid?.() === 0;
  if (root) chownSync(file, 65534, 65534);
  assert.is(await mayBeHeld(root ? file : '/etc/passwd', [dir], 0), 'it belongs to another user');
  rmSync(file);
});

test('an owner that ends within the patience is waited for', async () => {
  writeFileSync(file, '');
  await opener('0.3');
  assert.is(await clearDeadLock(file, [dir]), undefined);
  assert.not(existsSync(file));
});

test.run();
