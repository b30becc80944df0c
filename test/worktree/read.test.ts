import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ignoredBeside, notCarried, readAt, terraformState, uncommitted } from '../../src/worktree/read.ts';
import { checkoutHash, commit, git, objectsOf, open, repository, write } from './repository.ts';

const NAMES = ['with space.txt', 'new\nline.txt', 'größe-日本.txt', '-dash.txt', ':(top)x', 'a*b'];

test('a file is read as committed, whatever its name and whatever lies in the checkout', async () => {
  const home = repository(Object.fromEntries(NAMES.map((name) => [name, `text of ${name}\n`])));
  const first = git(home, 'rev-parse', 'HEAD');
  commit(home, { 'with space.txt': 'newer' });
  write(home, { 'new\nline.txt': 'uncommitted' });
  for (const name of NAMES) assert.is(await readAt(objectsOf(home), first, name, 1000), `text of ${name}\n`);
  assert.is(await readAt(objectsOf(home), 'main', 'with space.txt', 1000), 'newer');
});

test('what is no regular file reads as nothing, what is too big as its size', async () => {
  const home = repository({ 'dir/a.txt': 'x'.repeat(100), 'empty.txt': '' });
  symlinkSync('/etc/passwd', join(home, 'link'));
  git(home, 'add', 'link');
  git(home, 'commit', '-q', '-m', 'link');
  for (const path of ['none', 'dir', 'link', 'dir/none'])
    assert.is(await readAt(objectsOf(home), 'HEAD', path, 10), undefined);
  assert.equal(await readAt(objectsOf(home), 'HEAD', 'dir/a.txt', 99), { tooBig: 100 });
  assert.is((await readAt(objectsOf(home), 'HEAD', 'dir/a.txt', 100))?.toString().length, 100);
  assert.is(await readAt(objectsOf(home), 'HEAD', 'empty.txt', 0), '');
});

test('a commit is listed whole: executables, links and submodules by their mode', async () => {
  const home = repository({ 'sub/run.sh': '', 'new\nline': 'x' });
  git(home, 'update-index', '--chmod=+x', 'sub/run.sh');
  symlinkSync('nowhere', join(home, 'link'));
  git(home, 'add', 'link');
  git(home, 'update-index', '--add', '--cacheinfo', `160000,${git(home, 'rev-parse', 'HEAD')},module`);
  git(home, 'commit', '-q', '-m', 'all');
  const tree = await objectsOf(home).files('HEAD');
  assert.equal(
    [...tree].map(([path, { mode }]) => [path, mode]),
    [
      ['link', '120000'],
      ['module', '160000'],
      ['new\nline', '100644'],
      ['sub/run.sh', '100755'],
    ],
  );
  assert.is(tree.get('module')?.id, git(home, 'rev-parse', 'HEAD~1'));
});

test('uncommitted work is listed, tracked and untracked, and the index stays as it is', async () => {
  const home = repository({ 'a.txt': 'a', 'b.txt': 'b', '.gitignore': 'ignored\n' });
  await open(home);
  write(home, { 'a.txt': 'changed', 'neu ü.txt': 'n', 'dir/x': 'x', ignored: 'i', 'b.txt': 'b' });
  git(home, 'add', 'neu ü.txt');
  const before = checkoutHash(home);
  assert.equal(await uncommitted(home), ['a.txt', 'neu ü.txt', 'dir/']);
  assert.is(checkoutHash(home), before);
});

test('ignored files beside stage files are listed', async () => {
  const home = repository({ 'stages/vms/run.sh': '', '.gitignore': '.env\nbuild/\n' });
  write(home, { 'stages/vms/.env': 'x', 'stages/vms/build/a': '', 'other/.env': 'x', 'stages/vms/new': '' });
  assert.equal(await ignoredBeside(home, ['stages/vms']), ['stages/vms/.env', 'stages/vms/build/']);
  assert.equal(await ignoredBeside(home, ['[x]']), []);
  assert.equal(await ignoredBeside(home, []), []);
});

test('state that neither git nor carry holds is found wherever it lies', async () => {
  const home = repository({ 'a.txt': '', '.gitignore': 'ignored.tfstate\n', 'tracked.tfstate': '{}' });
  await open(home);
  write(home, {
    'ignored.tfstate': '',
    'infra/proxmox/terraform.tfstate': '',
    'infra/dns/terraform.tfstate.d/prod/terraform.tfstate': '',
    'infra/dns/.terraform/terraform.tfstate': '',
    'web/node_modules/x/y.tfstate': '',
    'ai/state/lab/z.tfstate': '',
    'ai/worktree/w.tfstate': '',
    'infra/proxmox/terraform.tfstate.backup': '',
  });
  assert.equal(notCarried(await terraformState(home), []), [
    'ignored.tfstate',
    'infra/dns/terraform.tfstate.d/prod/terraform.tfstate',
    'infra/proxmox/terraform.tfstate',
  ]);
  assert.equal(
    notCarried(await terraformState(home), ['infra/dns/', 'ignored.tfstate', 'infra/proxmox/terraform.tfstate']),
    [],
  );
});

test.run();
