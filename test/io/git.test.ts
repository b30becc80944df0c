import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fields, GitError, openGit } from '../../src/io/git.ts';

const dir = mkdtempSync(join(tmpdir(), 'mendloop-git-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
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

test('attempt gives the exit code, also when git says nothing, and does not wait for more', async () => {
  const began = performance.now();
  const answer = await git.attempt(['rev-parse', '-q', '--verify', 'nothing']);
  assert.equal([answer.ok, answer.code, answer.stdout, answer.stderr], [false, 1, '', '']);
  for (let i = 0; i < 10; i++) await git.attempt(['merge-base', '--is-ancestor', 'HEAD', 'HEAD']);
  assert.ok(performance.now() - began < 11 * 50, 'a silent command costs no 50 ms');
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
