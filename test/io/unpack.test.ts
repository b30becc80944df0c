// A folder of files is there as a whole or not at all.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unpack } from '../../src/io/store.ts';
import { folder } from '../environment.ts';

const FILES = [
  { path: 'plugins/a.mjs', bytes: Buffer.from('a') },
  { path: 'plugins/deep/er/b.bin', bytes: Buffer.from([0, 255, 10]) },
];

test('all files are there, byte for byte, and nothing beside them', () => {
  const at = join(folder(), 'state/plugins/commit');
  unpack(at, FILES);
  for (const { path, bytes } of FILES) assert.equal(readFileSync(join(at, path)), bytes);
  assert.equal(readdirSync(join(at, '..')), ['commit']);
});

test('what is there already, and right, is not written again', () => {
  const at = join(folder(), 'commit');
  unpack(at, FILES);
  const { ino } = statSync(at);
  unpack(at, FILES);
  assert.is(statSync(at).ino, ino);
});

test('a file that was changed, cut short, removed, added, linked or made a folder is noticed, and all is unpacked anew', () => {
  const damages: Record<string, (at: string) => void> = {
    changed: (at) => writeFileSync(join(at, 'plugins/a.mjs'), 'b'),
    'cut short': (at) => writeFileSync(join(at, 'plugins/deep/er/b.bin'), ''),
    removed: (at) => rmSync(join(at, 'plugins/a.mjs')),
    added: (at) => writeFileSync(join(at, 'plugins/a.ts'), 'other'),
    linked: (at) => {
      rmSync(join(at, 'plugins/a.mjs'));
      writeFileSync(join(at, '../elsewhere'), 'a');
      symlinkSync('../../elsewhere', join(at, 'plugins/a.mjs'));
    },
    'a linked folder': (at) => {
      renameSync(join(at, 'plugins/deep'), join(at, '../deep'));
      symlinkSync('../../deep', join(at, 'plugins/deep'));
    },
    'all of it linked': (at) => {
      renameSync(at, join(at, '../real'));
      symlinkSync('real', at);
    },
    'a folder': (at) => {
      rmSync(join(at, 'plugins/a.mjs'));
      mkdirSync(join(at, 'plugins/a.mjs'));
    },
    'a file in its place': (at) => {
      rmSync(at, { recursive: true });
      writeFileSync(at, '');
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    const at = join(folder(), 'commit');
    unpack(at, FILES);
    damage(at);
    unpack(at, FILES);
    for (const { path, bytes } of FILES) {
      assert.ok(lstatSync(join(at, path)).isFile(), what);
      assert.equal(readFileSync(join(at, path)), bytes, what);
    }
    assert.equal(readdirSync(join(at, 'plugins')).sort(), ['a.mjs', 'deep'], what);
    assert.not(
      readdirSync(join(at, '..')).some((name) => name.includes(String(process.pid))),
      what,
    );
  }
});

test('what a process that died left half-made is not taken for the whole', () => {
  const at = join(folder(), 'commit');
  const draft = `${at}.${process.pid}.draft`;
  mkdirSync(draft);
  writeFileSync(join(draft, 'half'), '');
  unpack(at, FILES);
  assert.equal(readdirSync(at), ['plugins']);
});

test.run();
