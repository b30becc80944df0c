import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAKING } from '../../src/worktree/attach.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';
import { AI, bring, checkoutHash, commit, git, open, read, refusal, repository, script, write } from './repository.ts';

const lock = (path: string) => writeFileSync(path, '');
const ended = (child: ChildProcess) => new Promise((done) => child.once('exit', done));

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await sleep(10);
  assert.ok(condition(), 'it came to the state the test waits for');
}

test('locks that a dead git left where the loop writes are removed and named', async () => {
  const home = repository();
  const tree = await open(home);
  const locks = [
    join(tree.gitDir, 'HEAD.lock'),
    join(tree.gitDir, 'index.lock'),
    ...['config', 'packed-refs', `refs/heads/${AI}`, 'refs/mendloop/next', `refs/mendloop/base/${AI}`].map((name) =>
      join(home, `.git/${name}.lock`),
    ),
  ];
  locks.forEach(lock);
  commit(home, { 'b.txt': 'b' });
  const again = await bring(home);
  assert.equal(
    again.notices.slice(0, locks.length),
    locks.map((file) => `a killed git left ${file}; it was removed`),
  );
  assert.is(again.head, git(home, 'rev-parse', 'main'), 'and it went on');
});

test('a lock on the AI branch is removed also before there is a worktree', async () => {
  const home = repository();
  git(home, 'branch', AI);
  lock(join(home, `.git/refs/heads/${AI}.lock`));
  assert.is((await open(home)).notices.length, 1);
});

test('the owner’s own locks are never touched', async () => {
  const home = repository();
  await open(home);
  const own = ['.git/index.lock', '.git/HEAD.lock', '.git/refs/heads/main.lock'].map((path) => join(home, path));
  own.forEach(lock);
  commit(join(home, 'ai/worktree'), { 'fix.txt': 'f' });
  assert.equal((await open(home)).notices, []);
  for (const file of own) assert.ok(existsSync(file));
});

test('a lock that a process has open is refused, named, and kept', async () => {
  const home = repository();
  const tree = await open(home);
  const file = join(tree.gitDir, 'index.lock');
  lock(file);
  const fd = openSync(file, 'r');
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', fd] });
  closeSync(fd);
  try {
    assert.equal(await refusal(open(home)), {
      text: `error E_GIT_LOCKED: git left a lock and its owner is not proven dead: ${file} (sleep (pid ${child.pid}) has it open)
  next:  when no git is running here:
         rm ${file}`,
      exit: 3,
    });
    assert.ok(existsSync(file));
  } finally {
    child.kill('SIGKILL');
    await ended(child);
  }
});

test('a lock is kept while a git runs in home, and removed once that has ended', async () => {
  const home = repository();
  const tree = await open(home);
  const file = join(tree.gitDir, 'index.lock');
  lock(file);
  const child = spawn('git', ['cat-file', '--batch'], { cwd: tree.path, stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8').startsWith('git'));
    assert.match((await refusal(open(home))).text, `(git (pid ${child.pid}) is running)`);
  } finally {
    child.kill('SIGKILL');
    await ended(child);
  }
  assert.equal((await open(home)).notices, [`a killed git left ${file}; it was removed`]);
});

/** Starts `git worktree add` as a run does, and kills it while its checkout waits in a filter. */
async function killedAdd(home: string, options: readonly string[]): Promise<void> {
  const waiting = join(home, '.git/waiting');
  script(join(home, '.git/slow'), `touch '${waiting}'; exec sleep 60`);
  git(home, 'config', 'filter.slow.smudge', join(home, '.git/slow'));
  const child = spawn('git', ['worktree', 'add', '-q', ...options, '-b', AI, 'ai/worktree', 'main'], {
    cwd: home,
    stdio: 'ignore',
    detached: true,
  });
  await until(() => existsSync(waiting));
  process.kill(-(child.pid as number), 'SIGKILL');
  await ended(child);
  git(home, 'config', '--unset', 'filter.slow.smudge');
}

test('a git worktree add that was killed while it wrote files is finished', async () => {
  for (const options of [[], ['--lock', '--reason', MAKING]]) {
    const home = repository({ '.gitattributes': '*.slow filter=slow\n', 'a.txt': 'a', 'm.slow': 's', 'z.txt': 'z' });
    const before = checkoutHash(home);
    await killedAdd(home, options);
    assert.ok(existsSync(join(home, '.git/worktrees/worktree/locked')), 'git left it half-made');
    assert.not(existsSync(join(home, 'ai/worktree/z.txt')));
    const tree = await open(home);
    assert.equal(tree.notices.slice(-1), ['ai/worktree was left half-made; it was finished']);
    assert.is(read(tree.path, 'z.txt'), 'z');
    assert.is(git(tree.path, 'status', '--porcelain'), '');
    assert.not(existsSync(join(home, '.git/worktrees/worktree/locked')));
    assert.is(checkoutHash(home), before);
  }
});

/** Opens the worktree of `home` in a process group of its own and kills all of it after so long; false: it was done before. */
async function killedOpen(home: string, afterMs: number): Promise<boolean> {
  const args = [...program('open-worktree'), home, AI];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = ended(child);
  const began = await Promise.race([once(child.stdout, 'data'), end.then(() => undefined)]);
  assert.ok(began, 'it began to open');
  await Promise.race([sleep(afterMs), end]);
  const killed = child.exitCode === null;
  if (killed) process.kill(-(child.pid as number), 'SIGKILL');
  await end;
  return killed;
}

test('whenever opening is killed, the next opening succeeds and the owner is untouched', async () => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`files/${i}.txt`, `${i}\n`]));
  let killed = 0;
  for (const moment of cases([20, 80], [5, 10, 20, 30, 40, 50, 60, 70, 80, 95, 110, 130])) {
    const home = repository(many);
    const before = checkoutHash(home);
    if (await killedOpen(home, moment)) killed++;
    const first = await open(home);
    assert.is(git(first.path, 'status', '--porcelain'), '', `killed after ${moment} ms`);
    assert.is(checkoutHash(home), before);
    commit(first.path, { 'fix.txt': 'f' });
    commit(home, Object.fromEntries(Object.keys(many).map((path) => [path, 'moved\n'])));
    if (await killedOpen(home, moment)) killed++;
    const second = await bring(home);
    assert.is(git(second.path, 'status', '--porcelain'), '');
    assert.is(read(second.path, 'files/399.txt'), 'moved\n');
    assert.is(read(second.path, 'fix.txt'), 'f');
  }
  assert.ok(killed > 0, 'something was killed in the middle');
});

test('one that was killed before it wrote any file is made again', async () => {
  for (const [lost, text] of [
    ['HEAD', '0'.repeat(40)],
    ['gitdir', undefined],
    ['commondir', undefined],
  ] as const) {
    const home = repository();
    const { gitDir, path } = await open(home);
    git(path, 'rm', '-q', '-r', '--cached', '.');
    rmSync(path, { recursive: true });
    rmSync(join(gitDir, 'index'));
    writeFileSync(join(gitDir, 'locked'), 'initializing');
    rmSync(join(gitDir, lost));
    if (text) writeFileSync(join(gitDir, lost), text);
    const tree = await open(home);
    assert.is(tree.notices[0], 'ai/worktree was left half-made; it is made again');
    assert.is(git(tree.path, 'status', '--porcelain', '--branch'), `## ${AI}`);
  }
});

test('a half-made worktree whose git is still running is left to it', async () => {
  const home = repository();
  const { gitDir } = await open(home);
  writeFileSync(join(gitDir, 'locked'), 'initializing');
  const child = spawn('git', ['cat-file', '--batch'], { cwd: home, stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8').startsWith('git'));
    assert.match((await refusal(open(home))).text, `${gitDir}/locked (git (pid ${child.pid}) is running)`);
  } finally {
    child.kill('SIGKILL');
    await ended(child);
  }
});

test('a worktree that its owner locked is used, and stays locked', async () => {
  const home = repository();
  const tree = await open(home);
  git(home, 'worktree', 'lock', '--reason', 'on a stick', 'ai/worktree');
  assert.equal((await open(home)).notices, []);
  assert.is(read(tree.gitDir, 'locked').trim(), 'on a stick');
});

test('files beside a half-made worktree are not deleted', async () => {
  const home = repository();
  const { gitDir, path } = await open(home);
  writeFileSync(join(gitDir, 'locked'), 'initializing');
  writeFileSync(join(gitDir, 'HEAD'), '0'.repeat(40));
  write(path, { 'notes.txt': 'mine' });
  assert.match((await refusal(open(home))).text, 'ai/worktree is a folder with files in it');
  assert.is(read(path, 'notes.txt'), 'mine');
});

test.run();
