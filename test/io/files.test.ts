import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diskFree, fileFacts, findTool, hashFile, isExecutable, isWritable, readTail } from '../../src/io/files.ts';
import { folder, write } from '../environment.ts';

const dir = folder();
write(dir, { 'a.txt': 'hello', empty: '', 'bin/tool': '#!/bin/sh\n', 'bin/plain': '' });
chmodSync(join(dir, 'bin/tool'), 0o755);
symlinkSync('a.txt', join(dir, 'link'));
symlinkSync('loop', join(dir, 'loop'));
symlinkSync('nowhere', join(dir, 'dangling'));

test('what stands at a path, links followed', () => {
  assert.equal(fileFacts(join(dir, 'a.txt')), { isFile: true, isFolder: false, size: 5 });
  assert.equal(fileFacts(join(dir, 'link')), { isFile: true, isFolder: false, size: 5 });
  assert.is(fileFacts(dir)?.isFolder, true);
});

test('what cannot be reached is not there, for whatever reason', () => {
  for (const path of ['none', 'a.txt/below', 'dangling', 'loop', 'loop/x', 'n'.repeat(300)]) {
    assert.is(fileFacts(join(dir, path)), undefined, path);
    assert.is(isExecutable(join(dir, path)), false);
    assert.is(readTail(join(dir, path), 10), undefined);
  }
});

test('a file’s hash is that of its content', async () => {
  assert.is(await hashFile(join(dir, 'a.txt')), '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  let refused = '';
  await hashFile(join(dir, 'none')).catch((error) => {
    refused = error.code;
  });
  assert.is(refused, 'ENOENT');
});

test('a tool is the first file on PATH that may be executed', () => {
  const first = folder();
  mkdirSync(join(first, 'tool'));
  write(first, { plain: '' });
  const path = `:${first}:${join(dir, 'none')}:${join(dir, 'bin')}`;
  assert.is(findTool('tool', path), join(dir, 'bin/tool'));
  assert.is(findTool('plain', path), undefined);
  assert.is(findTool('other', path), undefined);
  assert.is(findTool('tool', ''), undefined);
});

test('the tail of a file is its last bytes, all of it when it is short', () => {
  writeFileSync(join(dir, 'log'), 'line 1\nline 2\nline 3\n');
  assert.equal(readTail(join(dir, 'log'), 7), { text: 'line 3\n', cut: true });
  assert.equal(readTail(join(dir, 'log'), 1000), { text: 'line 1\nline 2\nline 3\n', cut: false });
  assert.equal(readTail(join(dir, 'empty'), 10), { text: '', cut: false });
});

test('whether a path may be written, and how much room there is', () => {
  assert.is(isWritable(dir), true);
  assert.is(isWritable(join(dir, 'none')), false);
  assert.ok(diskFree(dir) > 0);
});

test.run();
