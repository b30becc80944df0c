// One way to open a file: nothing but a regular file is, nobody waits for it, and nothing else in the house opens any.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, type MendError } from '../../src/errors.ts';
import { hashFile, readTail } from '../../src/io/files.ts';
import { adminDirs, gitFile, startsWith } from '../../src/io/git-dir.ts';
import { openToAppend, readAt, readWhole, withFile, withPlainFile } from '../../src/io/regular-file.ts';
import { copyFile, ownFolder, readText } from '../../src/io/store.ts';
import { afterTest, folder, write } from '../environment.ts';

/** What stands where a file belongs, by the word that an error has for it. */
async function inTheWay(): Promise<[path: string, what: string][]> {
  const dir = folder();
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  symlinkSync(join(dir, 'pipe'), join(dir, 'link-to-a-pipe'));
  const server = createServer().listen(join(dir, 'socket'));
  afterTest(() => server.close());
  await new Promise((listening) => server.once('listening', listening));
  return [
    [join(dir, 'pipe'), 'a pipe'],
    [join(dir, 'link-to-a-pipe'), 'a pipe'],
    [join(dir, 'socket'), 'a socket'],
    ['/dev/zero', 'a device'],
    [dir, 'a folder'],
  ];
}

function refusal(work: () => unknown): string {
  try {
    work();
    return 'nothing was refused';
  } catch (error) {
    return formatError(error as MendError);
  }
}

test('what is no regular file is neither read nor waited for: the error says what it is and what to do', async () => {
  for (const [path, what] of await inTheWay()) {
    const text = `error E_STATE_PLACE: ${path} is ${what}, where a file belongs
  next:  look: ls -ld ${path}
         move it away, then start again: mv ${path} ${path}.old`;
    for (const open of [readWhole, openToAppend, readText, (one: string) => withFile(one, () => 'read')])
      assert.is(
        refusal(() => open(path)),
        text,
      );
    assert.is(
      refusal(() => copyFile(path, join(folder(), 'copy'))),
      text,
    );
    assert.is(readTail(path, 10), undefined);
    assert.is(startsWith(path, ''), false);
    assert.match(await hashFile(path).catch((error) => error.message), `is ${what}, where a file belongs`);
  }
});

test('what a stage put in the place of a git file is no git file', async () => {
  const [[pipe = ''] = []] = await inTheWay();
  const checkout = folder();
  symlinkSync(pipe, join(checkout, '.git'));
  assert.is(await gitFile(checkout), undefined);
  const common = folder();
  write(common, { 'worktrees/one/HEAD': '' });
  execFileSync('mkfifo', [join(common, 'worktrees/one/gitdir'), join(common, 'worktrees/one/locked')]);
  assert.equal(await adminDirs(common), [
    { path: join(common, 'worktrees/one'), checkout: undefined, locked: undefined },
  ]);
});

test('a pipe in the place of an ignore file of ours is replaced', () => {
  const dir = join(folder(), 'state');
  ownFolder(dir);
  const ignore = join(dir, '.gitignore');
  execFileSync('sh', ['-c', `rm ${ignore}; mkfifo ${ignore}`]);
  ownFolder(dir);
  assert.is(readFileSync(ignore, 'utf8'), '*\n');
});

test('a link is followed, unless a stage may have put it there', () => {
  const dir = folder();
  write(dir, { file: 'text' });
  symlinkSync('file', join(dir, 'link'));
  assert.is(readWhole(join(dir, 'link')).toString(), 'text');
  assert.throws(() => withPlainFile(join(dir, 'link'), () => {}), /ELOOP/);
});

test('a file larger than any that is meant is named, not read into memory', () => {
  const path = join(folder(), 'large');
  writeFileSync(path, '');
  truncateSync(path, 600 * 1024 * 1024);
  assert.match(
    refusal(() => readText(path)),
    `${path} is too large to be read (629145600 bytes)`,
  );
  assert.is(withFile(path, ({ fd }) => readAt(fd, 629145598, 10)).length, 2, 'a part of it can be');
});

/** Who opens files by themselves, and why they may. */
const OPENS: Readonly<Record<string, string>> = {
  'io/regular-file.ts': 'openSync readFileSync readSync',
  // A descriptor of regular-file.ts.
  'io/files.ts': 'createReadStream',
  // Below /proc.
  'io/identity.ts': 'readFileSync',
  'io/process-group.ts': 'readFileSync',
  'io/screen.ts': 'readFileSync',
  // Files of this package.
  'io/gate/grammar.ts': 'readFileSync',
  'io/gate/vocabularies.ts': 'readFileSync',
  'io/package.ts': 'readFileSync',
  // What a person named may be a pipe.
  'io/stdin.ts': 'createReadStream',
  // The pipe that it makes.
  'io/relay.ts': 'openSync',
  // Folders, to fsync them.
  // New files only.
  'io/store.ts': 'copyFileSync openSync',
  'io/tree-file.ts': 'openSync',
};

test('nothing else opens a file', () => {
  const root = resolve(import.meta.dirname, '../..');
  const found = ['src', 'plugins'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).flatMap((path) => {
      if (!/\.ts$/.test(path)) return [];
      const text = readFileSync(join(root, top, path), 'utf8');
      const imports = [...text.matchAll(/import (?:\w+, )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g)];
      const names = imports.flatMap(([, list = '']) => list.split(',').map((one) => one.trim().split(' ')[0] ?? ''));
      const opening = names.filter((name) =>
        /^(?:readFile|readSync|read$|open|createReadStream|copyFile|cp)/.test(name),
      );
      return opening.length > 0 ? [[path, opening.sort().join(' ')]] : [];
    }),
  );
  assert.equal(Object.fromEntries(found), OPENS);
});

test.run();
