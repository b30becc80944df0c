import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setEnv } from '../environment.ts';
import { folder, git, open, read, repository, script, write } from './repository.ts';

function withSubmodule(): { home: string; module: string } {
  const module = repository({ 'chart.yaml': 'name: x\n' });
  const home = repository();
  git(home, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', module, 'charts/my app');
  git(home, 'commit', '-q', '-m', 'submodule');
  return { home, module };
}

test('submodules are fetched into the worktree', async () => {
  const { home } = withSubmodule();
  const tree = await open(home);
  assert.is(read(tree.path, 'charts/my app/chart.yaml'), 'name: x\n');
  assert.equal(tree.notices, []);
  assert.is(git(home, 'status', '--porcelain'), '');
});

test('a submodule that cannot be fetched is named with the command, at every start', async () => {
  const { home, module } = withSubmodule();
  renameSync(module, `${module}-away`);
  const notice =
    "submodule charts/my app is missing; fetch it with: git -C ai/worktree submodule update --init --recursive -- 'charts/my app'";
  assert.equal((await open(home)).notices, [notice]);
  assert.equal((await open(home)).notices, [notice]);
  renameSync(`${module}-away`, module);
  assert.equal((await open(home)).notices, []);
});

const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 5\n';
const LFS = { '.gitattributes': '*.iso filter=lfs diff=lfs merge=lfs -text\n', 'img/talos 1.iso': POINTER };

async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  const undo = setEnv({ PATH: path });
  return work().finally(undo);
}

test('LFS pointers are fetched by git-lfs where it is installed', async () => {
  const home = repository(LFS);
  const bin = folder();
  script(
    join(bin, 'git-lfs'),
    `case "$1" in version) echo git-lfs/3 ;; pull) printf image > "img/talos 1.iso" ;; *) exit 1 ;; esac`,
  );
  const tree = await withPath(`${bin}:${process.env.PATH}`, () => open(home));
  assert.is(read(tree.path, 'img/talos 1.iso'), 'image');
  assert.equal(tree.notices, []);
});

test('LFS pointers that stay pointers are named with the command', async () => {
  const bin = folder();
  const failing = join(bin, 'git-lfs');
  script(failing, 'case "$1" in version) echo git-lfs/3 ;; *) exit 2 ;; esac');
  const { notices } = await withPath(`${bin}:${process.env.PATH}`, () => open(repository(LFS)));
  assert.equal(notices, [
    'LFS file img/talos 1.iso is missing (only its pointer is there); fetch it with: git -C ai/worktree lfs pull',
  ]);
  script(failing, 'exit 127');
  const without = await withPath(`${bin}:${process.env.PATH}`, () => open(repository(LFS)));
  assert.equal(without.notices, [
    'LFS file img/talos 1.iso is missing (only its pointer is there); install git-lfs, then: git -C ai/worktree lfs pull',
  ]);
});

test('a file that only looks like LFS by its name is left alone', async () => {
  const home = repository({ '.gitattributes': LFS['.gitattributes'] });
  write(home, { 'real.iso': 'not a pointer' });
  git(home, '-c', 'filter.lfs.clean=cat', 'add', 'real.iso');
  git(home, 'commit', '-q', '-m', 'iso');
  assert.equal((await open(home)).notices, []);
});

test.run();
