import { mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fields, GitError, openGit } from '../../src/io/git.ts';

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
    assert.is((error as GitError).code, 128);
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
  assert.match(error.message, 'nosuch is no folder');
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

test.run();
