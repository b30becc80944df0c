// Files of the worktree are written at their own place, and nowhere else.
import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTreeFile, holdsPartOf, removeTreeFile, replaceTreeFile } from '../../src/io/tree-file.ts';
import { folder, write } from '../environment.ts';

const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

test('a file is replaced and keeps its mode, or is made executable; a new one is plain', () => {
  const root = folder();
  write(root, { 'a/run.sh': 'old\n', 'a/plain.txt': 'old\n' });
  execFileSync('chmod', ['755', join(root, 'a/run.sh')]);
  replaceTreeFile(root, 'a/run.sh', 'new\n');
  replaceTreeFile(root, 'a/plain.txt', 'new\n', true);
  assert.ok(createTreeFile(root, 'top.txt', 'made\n'));
  assert.equal([readFileSync(join(root, 'a/run.sh'), 'utf8'), mode(join(root, 'a/run.sh'))], ['new\n', '755']);
  assert.is(mode(join(root, 'a/plain.txt')), '755');
  assert.equal([readFileSync(join(root, 'top.txt'), 'utf8'), mode(join(root, 'top.txt'))], ['made\n', '644']);
});

test('a link, and whatever is reached through one, is left alone', () => {
  const root = folder();
  const outside = folder();
  write(outside, { 'secret.txt': 'secret\n' });
  mkdirSync(join(root, 'conf'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'conf/link.txt'));
  symlinkSync(join(outside, 'nothing.txt'), join(root, 'conf/dangling.txt'));
  symlinkSync(outside, join(root, 'conf/folder'));
  symlinkSync('conf', join(root, 'inside'));
  for (const path of [
    'conf/link.txt',
    'conf/dangling.txt',
    'conf/folder/secret.txt',
    'conf/folder/new.txt',
    'inside/x',
  ]) {
    assert.throws(() => replaceTreeFile(root, path, 'mine\n'), /regular file|where it seems/, path);
  }
  assert.is(readFileSync(join(outside, 'secret.txt'), 'utf8'), 'secret\n');
  assert.throws(() => lstatSync(join(outside, 'nothing.txt')));
  assert.throws(() => removeTreeFile(root, 'conf/folder/secret.txt'), /where it seems/);
  assert.is(readlinkSync(join(root, 'conf/link.txt')), join(outside, 'secret.txt'));
});

test('another name of the same file keeps its text', () => {
  const root = folder();
  const outside = folder();
  write(outside, { 'twin.txt': 'theirs\n' });
  linkSync(join(outside, 'twin.txt'), join(root, 'a.txt'));
  replaceTreeFile(root, 'a.txt', 'mine\n');
  assert.equal(
    [readFileSync(join(outside, 'twin.txt'), 'utf8'), readFileSync(join(root, 'a.txt'), 'utf8')],
    ['theirs\n', 'mine\n'],
  );
});

test('no way leads out of the root, and nothing but a file is replaced', () => {
  const root = join(folder(), 'root');
  mkdirSync(join(root, 'conf'), { recursive: true });
  writeFileSync(join(root, '../beside.txt'), 'theirs\n');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  for (const path of ['../beside.txt', 'conf/../../beside.txt', join(root, '../beside.txt'), '..', './x', 'conf//x']) {
    assert.throws(() => replaceTreeFile(root, path, 'mine\n'), /no plain path/, path);
    assert.throws(() => removeTreeFile(root, path), /no plain path/, path);
  }
  for (const path of ['conf', 'pipe']) assert.throws(() => replaceTreeFile(root, path, 'mine\n'), /regular file/, path);
  assert.throws(() => replaceTreeFile(root, 'nowhere/x', 'mine\n'), /ENOENT/);
  assert.is(readFileSync(join(root, '../beside.txt'), 'utf8'), 'theirs\n');
});

test('a file is made only where nothing stands: no file, folder or link, also one that leads nowhere', () => {
  const root = folder();
  write(root, { 'a.txt': 'theirs\n', 'conf/x': 'x' });
  symlinkSync('nowhere', join(root, 'dangling'));
  for (const path of ['a.txt', 'conf', 'dangling']) assert.is(createTreeFile(root, path, 'mine\n'), false, path);
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'theirs\n');
  assert.is(readlinkSync(join(root, 'dangling')), 'nowhere');
  assert.throws(() => createTreeFile(root, '../x', 'mine\n'), /no plain path/);
});

test('the folders of a new file are made, never through a link or out of the root', () => {
  const root = folder();
  write(root, { 'a.txt': 'theirs\n' });
  symlinkSync(folder(), join(root, 'link'));
  assert.is(createTreeFile(root, 'new/er/x', 'mine\n'), true);
  assert.is(readFileSync(join(root, 'new/er/x'), 'utf8'), 'mine\n');
  for (const path of ['link/new/x', 'a.txt/x', '../new/x', 'new/../../x'])
    assert.throws(() => createTreeFile(root, path, 'mine\n'), path);
});

test('what cannot be written whole leaves nothing behind', () => {
  const root = folder();
  write(root, { 'a.txt': 'theirs\n' });
  const texts = { toString: () => assert.unreachable() } as unknown as string;
  assert.throws(() => createTreeFile(root, 'new.txt', texts));
  assert.throws(() => replaceTreeFile(root, 'a.txt', texts));
  for (const path of ['new.txt', 'a.txt']) assert.is(lstatSync(join(root, path), { throwIfNoEntry: false }), undefined);
});

test('whether a file holds the beginning of a text', () => {
  const root = folder();
  write(root, { whole: 'one\ntwo\n', part: 'one\nt', empty: '', longer: 'one\ntwo\nthree\n', other: 'one\nT' });
  symlinkSync('whole', join(root, 'link'));
  const holds = (path: string) => holdsPartOf(root, path, 'one\ntwo\n');
  assert.equal(['whole', 'part', 'empty'].map(holds), [true, true, true]);
  assert.equal(['longer', 'other', 'link', 'nothing', 'no/folder'].map(holds), [false, false, false, false, false]);
});

test('what is removed is gone, and not there is fine', () => {
  const root = folder();
  write(root, { 'a.txt': 'x' });
  removeTreeFile(root, 'a.txt');
  removeTreeFile(root, 'a.txt');
  assert.throws(() => lstatSync(join(root, 'a.txt')));
});

test.run();
