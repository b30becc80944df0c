// A folder of files is there as a whole or not at all.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unpackOnce } from '../../src/io/store.ts';
import { folder } from './temporary.ts';

const FILES = [
  { path: 'plugins/a.mjs', bytes: Buffer.from('a') },
  { path: 'plugins/deep/er/b.bin', bytes: Buffer.from([0, 255, 10]) },
];

test('all files are there, byte for byte, and nothing beside them', () => {
  const at = join(folder(), 'state/plugins/commit');
  unpackOnce(at, FILES);
  for (const { path, bytes } of FILES) assert.equal(readFileSync(join(at, path)), bytes);
  assert.equal(readdirSync(join(at, '..')), ['commit']);
});

test('what is there already stays as it is', () => {
  const at = join(folder(), 'commit');
  unpackOnce(at, FILES);
  unpackOnce(at, [{ path: 'plugins/a.mjs', bytes: Buffer.from('other') }]);
  assert.is(readFileSync(join(at, 'plugins/a.mjs'), 'utf8'), 'a');
});

test('what a process that died left half-made is not taken for the whole', () => {
  const at = join(folder(), 'commit');
  const draft = `${at}.${process.pid}.draft`;
  mkdirSync(draft);
  writeFileSync(join(draft, 'half'), '');
  unpackOnce(at, FILES);
  assert.equal(readdirSync(at), ['plugins']);
});

test.run();
