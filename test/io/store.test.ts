import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  onDisk,
  ownFolder,
  privateFolder,
  readBytes,
  readChecked,
  readText,
  requireWritable,
  writeAtomic,
} from '../../src/io/store.ts';
import { shortRefusal as refusal } from '../refusal.ts';
import { folder, write } from './temporary.ts';

const isCount = (value: unknown): value is { n: number } =>
  typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number';

test('what is left of an ignore file after a full disk or a power loss is written again; what its owner wrote stays', () => {
  const own = join(folder(), 'own');
  const ignore = join(own, '.gitignore');
  for (const left of ['', '\0\0', '*\0']) {
    ownFolder(own);
    writeFileSync(ignore, left);
    ownFolder(own);
    assert.is(readFileSync(ignore, 'utf8'), '*\n');
  }
  rmSync(ignore);
  symlinkSync('/nowhere', ignore);
  ownFolder(own);
  assert.is(readFileSync(ignore, 'utf8'), '*\n');
  writeFileSync(ignore, '*\n!kept.md\n');
  ownFolder(own);
  assert.is(readFileSync(ignore, 'utf8'), '*\n!kept.md\n');
});

test('a file is replaced whole, for its owner alone, and nothing is left beside it', () => {
  const dir = folder();
  const path = join(dir, 'state.json');
  writeAtomic(path, 'one');
  writeAtomic(path, 'twö');
  assert.is(readFileSync(path, 'utf8'), 'twö');
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(readdirSync(dir), ['state.json']);
});

test('a replaced file was never empty or half: a link to the old one keeps its text', () => {
  const dir = folder();
  writeAtomic(join(dir, 'a'), 'old');
  const before = statSync(join(dir, 'a')).ino;
  writeAtomic(join(dir, 'a'), 'new');
  assert.is.not(statSync(join(dir, 'a')).ino, before);
});

test('what cannot be put in its place leaves the old file and no other', () => {
  const dir = folder();
  mkdirSync(join(dir, 'taken/inside'), { recursive: true });
  assert.throws(() => writeAtomic(join(dir, 'taken'), 'x'));
  assert.equal(readdirSync(dir), ['taken']);
});

test('reading checks the shape; no file is no error', () => {
  const dir = folder();
  assert.equal(readChecked(join(dir, 'none.json'), isCount), { found: false });
  write(dir, { 'good.json': '{"n":1}' });
  assert.equal(readChecked(join(dir, 'good.json'), isCount), { found: true, value: { n: 1 } });
});

test('what has not the right shape is moved aside as it was, and where to is told', () => {
  for (const text of ['', '{', 'null', '[]', '{"n":"1"}', '\u0000']) {
    const dir = folder();
    write(dir, { 'bad.json': text });
    const read = readChecked(join(dir, 'bad.json'), isCount);
    const aside = read.found ? undefined : read.quarantined;
    assert.ok(aside?.startsWith(join(dir, 'bad.json.corrupt-')));
    assert.is(readFileSync(aside ?? '', 'utf8'), text);
    assert.not(existsSync(join(dir, 'bad.json')));
    assert.equal(readChecked(join(dir, 'bad.json'), isCount), { found: false });
  }
});

test('text and bytes of a file, or undefined when there is none', () => {
  const dir = folder();
  writeFileSync(join(dir, 'f'), Buffer.from([0xc3, 0xbc, 0xff]));
  assert.is(readText(join(dir, 'f')), 'ü\ufffd');
  assert.equal([...(readBytes(join(dir, 'f')) ?? [])], [0xc3, 0xbc, 0xff]);
  assert.is(readText(join(dir, 'none')), undefined);
});

test('what the disk refuses becomes an error a person can act on; anything else stays what it is', () => {
  const refuse = (code: string) => () =>
    onDisk('ai/state/x', () => {
      throw Object.assign(new Error('raw'), { code });
    });
  for (const code of ['ENOSPC', 'EDQUOT']) {
    assert.is(refusal(refuse(code)), 'E_DISK_FULL the disk is full: ai/state/x could not be written');
  }
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']) {
    assert.is(refusal(refuse(code)), `E_STATE_UNWRITABLE ai/state/x cannot be written (${code})`);
  }
  assert.throws(refuse('EIO'), /^raw$/);
});

test('a private folder is its owner’s alone, and one of our own hides from git', () => {
  const dir = folder();
  privateFolder(join(dir, 'a/b'));
  assert.is(statSync(join(dir, 'a/b')).mode & 0o777, 0o700);
  ownFolder(join(dir, 'own'));
  assert.is(readFileSync(join(dir, 'own/.gitignore'), 'utf8'), '*\n');
  writeFileSync(join(dir, 'own/.gitignore'), 'mine\n');
  ownFolder(join(dir, 'own'));
  assert.is(readFileSync(join(dir, 'own/.gitignore'), 'utf8'), 'mine\n');
});

test('a root whose state cannot be written is refused before anything else', () => {
  const dir = folder();
  requireWritable(join(dir, 'ai/state'));
  assert.equal(readdirSync(join(dir, 'ai/state')), ['.gitignore']);
  write(dir, { 'file/x': '' });
  rmSync(join(dir, 'file'), { recursive: true });
  writeFileSync(join(dir, 'file'), 'not a folder');
  assert.match(
    refusal(() => requireWritable(join(dir, 'file/state'))),
    /^E_STATE_UNWRITABLE .*(ENOTDIR|EEXIST)/,
  );
  assert.match(
    refusal(() => requireWritable(join(dir, 'file'))),
    /^E_STATE_UNWRITABLE .*EEXIST/,
  );
  symlinkSync('nowhere', join(dir, 'dangling'));
  assert.throws(() => requireWritable(join(dir, 'dangling')));
});

test('only the folder itself is private; what it stands in stays as open as the owner’s others', () => {
  const home = folder();
  ownFolder(join(home, 'ai/state'));
  const mode = (path: string) => statSync(join(home, path)).mode & 0o777;
  assert.equal([mode('ai'), mode('ai/state')], [0o777 & ~process.umask(), 0o700]);
});

test.run();
