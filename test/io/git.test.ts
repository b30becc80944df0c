import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../src/errors.ts';
import { fields, GitError, machineFault, openGit } from '../../src/io/git.ts';
import { afterTest } from '../environment.ts';
import { needs } from '../needs.ts';

const dir = mkdtempSync(join(tmpdir(), 'mendloop-git-'));
const git = openGit(dir);
await git.run(['init', '-q', '-b', 'main']);
writeFileSync(join(dir, 'ü.txt'), 'a\n');
await git.run(['add', '.']);
await git.run(['commit', '-q', '-m', 'first']);

test('commits are mendloop’s, whoever runs it', async () => {
  assert.is(
    await git.run(['log', '-1', '--format=%an <%ae>|%cn <%ce>']),
    'mendloop <mendloop@localhost>|mendloop <mendloop@localhost>\n',
  );
});

test('run throws a GitError with arguments, code and what git said', async () => {
  try {
    await git.run(['rev-parse', '--verify', 'nothing']);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, GitError);
    assert.equal((error as GitError).args, ['rev-parse', '--verify', 'nothing']);
    assert.is((error as GitError).status, 128);
    assert.match((error as GitError).stderr, 'fatal');
  }
});

test('attempt gives the exit code, also when git says nothing', async () => {
  const answer = await git.attempt(['rev-parse', '-q', '--verify', 'nothing']);
  assert.equal([answer.ok, answer.code, answer.stdout, answer.stderr], [false, 1, '', '']);
});

test('where there is no git the code is -2, and where there is no folder it throws', async () => {
  const path = process.env.PATH;
  process.env.PATH = dir;
  const { ok, code } = await git.attempt(['status']).finally(() => {
    process.env.PATH = path;
  });
  assert.equal([ok, code], [false, -2]);
  const error = await openGit(join(dir, 'nosuch'))
    .attempt(['status'])
    .catch((thrown) => thrown);
  assert.match(formatError(error), 'nosuch is no folder');
});

test('a git that leaves its input unread is told by its exit code', async () => {
  const { code } = await git.attempt(['rev-parse', '-q', '--verify', 'nothing'], 'unread\n'.repeat(100_000));
  assert.is(code, 1);
});

test('Ctrl-C reaches only the loop: git is in a process group of its own', async () => {
  const alias = ['-c', 'alias.group=!cut -d" " -f5 /proc/$$/stat'];
  const group = Number(await git.line([...alias, 'group']));
  assert.ok(group > 0);
  assert.is.not(
    group,
    Number(
      readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[2],
    ),
  );
});

test('input reaches git, and bytes come back as they are', async () => {
  const id = (await git.run(['hash-object', '-w', '--stdin'], Buffer.from([0xff, 0x00, 0xe4]))).trim();
  assert.equal([...(await git.bytes(['cat-file', 'blob', id]))], [0xff, 0x00, 0xe4]);
});

test('a status does not rewrite the index', async () => {
  utimesSync(join(dir, 'ü.txt'), 1, 1);
  const before = readFileSync(join(dir, '.git/index'));
  assert.is(await git.run(['status', '--porcelain']), '');
  assert.ok(readFileSync(join(dir, '.git/index')).equals(before));
});

test('names come unquoted', async () => {
  assert.is(await git.run(['ls-files']), 'ü.txt\n');
  assert.equal(fields(await git.run(['ls-files', '-z'])), ['ü.txt']);
  assert.equal(fields(''), []);
});

test('hooks run only when asked for', async () => {
  writeFileSync(join(dir, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  assert.ok((await git.attempt(['commit', '-q', '--allow-empty', '-m', 'x'])).ok);
  assert.not((await openGit(dir, { hooks: true }).attempt(['commit', '-q', '--allow-empty', '-m', 'x'])).ok);
});

test('variables that point git elsewhere are not passed on', async () => {
  process.env.GIT_DIR = '/nonexistent';
  const answer = await git.attempt(['rev-parse', 'HEAD']);
  delete process.env.GIT_DIR;
  assert.ok(answer.ok);
});

test('another index leaves the own one alone', async () => {
  const before = readFileSync(join(dir, '.git/index'));
  const other = openGit(dir, { indexFile: join(dir, '.git/other-index') });
  await other.run(['read-tree', '--empty']);
  assert.is(await other.run(['write-tree']), '4b825dc642cb6eb9a060e54bf8d69288fbee4904\n');
  assert.ok(readFileSync(join(dir, '.git/index')).equals(before));
});

test('what git refused is an error for a person, with its words and the command, and what the machine refused is called that', () => {
  const told = (stderr: string) =>
    formatError(machineFault(stderr) ?? new GitError(['update-ref', "it's"], 128, stderr));
  assert.is(
    told('error: it is locked\nfatal: not done\n'),
    `error E_GIT_FAILED: git could not finish update-ref
  - error: it is locked
  - fatal: not done
  next:  see what git says, and mend that:
         git update-ref 'it'\\''s'`,
  );
  for (const words of [
    'error: unable to write file a: No space left on device',
    'fatal: write error. Out of diskspace',
  ])
    assert.is(
      told(words),
      `error E_DISK_FULL: the disk is full: .git could not be written
  - ${words}
  next:  free some space; the next start finishes this run`,
    );
  assert.is(
    told('error: could not lock config file .git/config: Read-only file system'),
    `error E_STATE_UNWRITABLE: .git cannot be written (Read-only file system)
  - error: could not lock config file .git/config: Read-only file system
  next:  let this user write there: ls -ld .git`,
  );
  assert.is(
    told('fatal: Out of memory, malloc failed (tried to allocate 9 bytes)'),
    `error E_MEMORY: git was refused the memory that it needs
  - fatal: Out of memory, malloc failed (tried to allocate 9 bytes)
  next:  see to free memory and to the limits of this user: ulimit -a; no limit of address space: ulimit -v unlimited`,
  );
});

needs('right to mount')('a full disk is called that, also where git does not say why it failed', async () => {
  const disk = join(dir, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk]);
  afterTest(() => execFileSync('umount', ['-l', disk]));
  const full = openGit(disk);
  await full.run(['init', '-q', '-b', 'main']);
  execFileSync('sh', ['-c', `head -c 1M /dev/zero > ${disk}/filler 2>/dev/null || :`]);
  const commands = [
    [['config', '--local', 'a.b', 'c'.repeat(5000)]],
    [['hash-object', '-w', '--stdin'], Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * 7919) % 251))],
    [['commit', '-q', '--allow-empty', '-m', 'one']],
  ] as const;
  for (const [args, input] of commands) {
    const error = await full.run(args, input).catch((thrown) => thrown);
    assert.equal(
      [error.code, error.message],
      ['E_DISK_FULL', `the disk is full: ${disk}/.git could not be written`],
      args[0],
    );
  }
  rmSync(join(disk, 'filler'));
  await full.run(['commit', '-q', '--allow-empty', '-m', 'one']);
});

test.run();
