import { execSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCarry } from '../../src/worktree/carry.ts';
import { bring, checkoutHash, commit, folder, git, open, read, refusal, repository, write } from './repository.ts';

const IGNORING = { 'a.txt': 'a', '.gitignore': '.env\n/secrets/\n*.tfstate\n' };

test('untracked and ignored files and folders are linked at the same path', async () => {
  const home = repository(IGNORING);
  write(home, { '.env': 'TOKEN=1', 'secrets/key': 'k', 'infra/new dir/größe.tfstate': '{}', untracked: 'u' });
  const carry = ['.env', './secrets/', 'infra/new dir/größe.tfstate', 'untracked', '.env'];
  const before = checkoutHash(home);
  const tree = await open(home, { carry });
  for (const path of ['.env', 'secrets', 'infra/new dir/größe.tfstate', 'untracked']) {
    assert.is(readlinkSync(join(tree.path, path)), join(home, path));
  }
  assert.is(read(tree.path, 'secrets/key'), 'k');
  assert.is(git(tree.path, 'status', '--porcelain', '--untracked-files=all'), '', 'git does not see the links');
  assert.is(checkoutHash(home), before);
  assert.is(tree.links.length, 4);
});

test('one that does not exist is named and skipped, and its old link goes', async () => {
  const home = repository(IGNORING);
  write(home, { '.env': 'x' });
  await open(home, { carry: ['.env'] });
  rmSync(join(home, '.env'));
  const tree = await open(home, { carry: ['.env', 'nowhere/kubeconfig'] });
  assert.equal(tree.unlinked, [
    'carry: .env does not exist, so it was not linked',
    'carry: nowhere/kubeconfig does not exist, so it was not linked',
  ]);
  assert.throws(() => lstatSync(join(tree.path, '.env')));
  assert.not(existsSync(join(tree.path, 'nowhere')));
});

test('one that only the worktree has, because a stage made it there, is named with what keeps it', async () => {
  const home = repository({ ...IGNORING, 'tf/main.tf': '' });
  const tree = await open(home, { carry: ['tf/terraform.tfstate'] });
  write(tree.path, { 'tf/terraform.tfstate': '{}' });
  const command = 'mv ai/worktree/tf/terraform.tfstate tf/terraform.tfstate';
  assert.equal((await open(home, { carry: ['tf/terraform.tfstate'] })).unlinked, [
    `carry: tf/terraform.tfstate is only in ai/worktree, where a stage made it; make it yours: ${command}`,
  ]);
  execSync(command, { cwd: home });
  assert.equal((await open(home, { carry: ['tf/terraform.tfstate'] })).unlinked, []);
  assert.is(read(tree.path, 'tf/terraform.tfstate'), '{}');
});

test('a tracked one is refused before anything is made', async () => {
  const home = repository({ 'a.txt': 'a', 'conf/x y.yaml': 'x', '.env': 'secret' });
  assert.equal(await refusal(open(home, { carry: ['.env', 'conf'] })), {
    text: `error E_CARRY_TRACKED: carry is for files that git does not track; these are tracked
  - .env
  - conf
  next:  take them out of carry in ai/context_map.yaml, or out of git (your files stay):
         git rm -r --cached .env
         git rm -r --cached conf`,
    exit: 2,
  });
  assert.not(existsSync(join(home, 'ai/worktree')));
});

test('one that the base stopped tracking is linked once the branch is on the base', async () => {
  const home = repository({ 'a.txt': 'a', '.env': 'old' });
  await open(home);
  git(home, 'rm', '-q', '--cached', '.env');
  git(home, 'commit', '-q', '-m', 'secrets out');
  const tree = await bring(home, { carry: ['.env'] });
  assert.is(readlinkSync(join(tree.path, '.env')), join(home, '.env'));
});

test('paths that leave home, or are the loop’s own, are refused all at once', async () => {
  const home = repository();
  const carry = ['../x', '/etc/passwd', '.git/config', 'ai/state/lab', 'ok', 'a\nb'];
  const { text, exit } = await refusal(open(home, { carry }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_CARRY_PATH: carry names paths that cannot be linked into the worktree
  - ../x
  - /etc/passwd
  - .git/config
  - ai/state/lab
  - $'a\\nb'
  next:  write paths below the repository, as they are, in ai/context_map.yaml and commit it`,
  );
});

test('a link is never placed through a folder that is a link', async () => {
  const home = repository();
  const outside = folder();
  symlinkSync(outside, join(home, 'data'));
  git(home, 'add', 'data');
  git(home, 'commit', '-q', '-m', 'data elsewhere');
  write(outside, { key: 'k' });
  const { text } = await refusal(open(home, { carry: ['data/key'] }));
  const why = 'a folder above it is a link or a file in the worktree; if a stage made it: rm ai/worktree/data';
  assert.match(text, `- data/key (${why})`);
});

test('a link that a stage put in the place of a folder above a carried file goes by the command that is shown', async () => {
  const home = repository(IGNORING);
  write(home, { 'my state/key': 'k' });
  const tree = await open(home, { carry: ['my state/key'] });
  const outside = folder();
  rmSync(join(tree.path, 'my state'), { recursive: true });
  symlinkSync(outside, join(tree.path, 'my state'));
  const { text } = await refusal(open(home, { carry: ['my state/key'] }));
  const command = text.match(/(?<=if a stage made it: )rm .*(?=\))/)?.[0] ?? '';
  execSync(command, { cwd: home });
  await open(home, { carry: ['my state/key'] });
  assert.is(readlinkSync(join(tree.path, 'my state/key')), join(home, 'my state/key'));
});

test('a link that a tool replaced by a file is refused, both paths named, both kept', async () => {
  const home = repository(IGNORING);
  write(home, { 'my state/x.tfstate': 'old' });
  const tree = await open(home, { carry: ['my state/x.tfstate'] });
  await checkCarry(tree);
  write(tree.path, { 'my state/tmp': 'new' });
  renameSync(join(tree.path, 'my state/tmp'), join(tree.path, 'my state/x.tfstate'));
  const text = `error E_CARRY_REPLACED: a carried path in ai/worktree is no longer the link to yours (a tool removed it, or wrote a new file in its place)
  - ai/worktree/my state/x.tfstate (was a link to ${home}/my state/x.tfstate)
  next:  compare the two, then keep one:
         diff -r 'ai/worktree/my state/x.tfstate' 'my state/x.tfstate'
         rm -r 'ai/worktree/my state/x.tfstate'   # keeps yours
         mv 'ai/worktree/my state/x.tfstate' 'my state/x.tfstate'   # keeps the tool's`;
  assert.equal(await refusal(checkCarry(tree)), { text, exit: 3 });
  assert.is((await refusal(open(home, { carry: ['my state/x.tfstate'] }))).text, text);
  assert.is(read(home, 'my state/x.tfstate'), 'old');
  assert.is(read(tree.path, 'my state/x.tfstate'), 'new');
});

test('a folder that took the place of a link can be kept by the command that is shown', async () => {
  const home = repository(IGNORING);
  write(home, { 'secrets/key': 'old' });
  const tree = await open(home, { carry: ['secrets'] });
  rmSync(join(tree.path, 'secrets'));
  write(tree.path, { 'secrets/key': 'new' });
  const { text } = await refusal(checkCarry(tree));
  const take = 'cp -a ai/worktree/secrets/. secrets && rm -r ai/worktree/secrets';
  assert.match(text, `${take}   # keeps the tool's`);
  execSync(take, { cwd: home });
  await open(home, { carry: ['secrets'] });
  assert.is(read(home, 'secrets/key'), 'new');
  assert.is(readlinkSync(join(tree.path, 'secrets')), join(home, 'secrets'));
});

test('a link that a stage removed halts the run and names both paths; the next start places it again', async () => {
  const home = repository(IGNORING);
  write(home, { '.env': 'x', 'secrets/key': 'k' });
  const tree = await open(home, { carry: ['.env', 'secrets'] });
  rmSync(join(tree.path, '.env'));
  assert.equal(await refusal(checkCarry(tree)), {
    text: `error E_CARRY_REPLACED: a carried path in ai/worktree is no longer the link to yours (a tool removed it, or wrote a new file in its place)
  - ai/worktree/.env (was a link to ${home}/.env)
  next:  compare the two, then keep one:
         # ai/worktree/.env was removed; yours is as it was, and the next start links it again
         # if yours should be gone as well: rm -r .env`,
    exit: 3,
  });
  assert.is(read(home, '.env'), 'x');
  await open(home, { carry: ['.env', 'secrets'] });
  assert.is(readlinkSync(join(tree.path, '.env')), join(home, '.env'));
});

test('files of a carried folder that the base begins to track stay the owner’s when the carry line is dropped', async () => {
  for (const keepExclude of [true, false]) {
    const home = repository(IGNORING);
    write(home, { 'secrets/hosts.yml': 'all: {}\n', 'secrets/key': 'k' });
    const tree = await open(home, { carry: ['secrets'] });
    git(home, 'add', '-f', 'secrets/hosts.yml');
    git(home, 'commit', '-q', '-m', 'track the hosts');
    if (!keepExclude) write(home, { '.git/info/exclude': '/ai/worktree/\n' });
    const before = checkoutHash(home);
    const again = await bring(home).catch(async (error) => {
      assert.not(keepExclude, String(error));
      assert.match(String(error), 'brings files that stages left untracked');
      execSync('mv ai/worktree/secrets ai/worktree/secrets.old', { cwd: home });
      return bring(home);
    });
    assert.is(checkoutHash(home), before, 'nothing is gone from the owner’s checkout');
    assert.is(again.head, git(home, 'rev-parse', 'HEAD'));
    assert.not(lstatSync(join(tree.path, 'secrets')).isSymbolicLink());
    assert.equal(
      [read(tree.path, 'secrets/hosts.yml'), existsSync(join(tree.path, 'secrets/key'))],
      ['all: {}\n', false],
    );
  }
});

test('a link whose path is no longer carried goes; one that points elsewhere, and the file of a tool, stay', async () => {
  const home = repository(IGNORING);
  write(home, { '.env': 'x', 'secrets/key': 'k', 'a b*.txt': 'u', other: 'o' });
  const tree = await open(home, { carry: ['.env', 'secrets', 'a b*.txt', 'other'] });
  rmSync(join(tree.path, 'secrets'));
  symlinkSync('/tmp', join(tree.path, 'secrets'));
  rmSync(join(tree.path, 'other'));
  write(tree.path, { other: 'a tool wrote it' });
  await open(home, { carry: ['.env'] });
  const left = (path: string) => lstatSync(join(tree.path, path), { throwIfNoEntry: false });
  assert.ok(left('.env')?.isSymbolicLink());
  assert.is(left('a b*.txt'), undefined);
  assert.is(readlinkSync(join(tree.path, 'secrets')), '/tmp');
  assert.is(read(tree.path, 'other'), 'a tool wrote it');
  assert.equal([read(home, 'a b*.txt'), read(home, 'secrets/key'), read(home, 'other')], ['u', 'k', 'o']);
});

test('who drops a carry line is told once what still keeps the path out of git, unless it is tracked by then', async () => {
  const home = repository({ 'a.txt': 'a\n' });
  write(home, { 'my hosts/all.yml': 'all: {}\n', '.env': 'x' });
  await open(home, { carry: ['my hosts', '.env'] });
  git(home, 'add', '--all');
  assert.is(git(home, 'status', '--porcelain'), '', 'git passes them over');
  git(home, 'add', '-f', '.env');
  git(home, 'commit', '-q', '-m', 'track one');
  const told = async () => (await open(home)).notices.filter((text) => text.includes('carried'));
  const [text = ''] = await told();
  const command = "git add -f 'my hosts'";
  assert.is(
    text,
    `my hosts is no longer carried; its line in .git/info/exclude still hides it; to track it: ${command}`,
  );
  assert.equal(await told(), []);
  execSync(command, { cwd: home });
  assert.is(git(home, 'status', '--porcelain'), 'A  "my hosts/all.yml"');
});

test('a folder instead of its file can be carried, and the file instead of its folder', async () => {
  const home = repository(IGNORING);
  write(home, { 'secrets/prod/key': 'k', 'secrets/prod/other': 'o' });
  const tree = await open(home, { carry: ['secrets/prod/key'] });
  await open(home, { carry: ['secrets'] });
  assert.is(readlinkSync(join(tree.path, 'secrets')), join(home, 'secrets'));
  await open(home, { carry: ['secrets/prod/key'] });
  assert.is(readlinkSync(join(tree.path, 'secrets/prod/key')), join(home, 'secrets/prod/key'));
  assert.not(existsSync(join(tree.path, 'secrets/prod/other')));
  assert.equal([read(home, 'secrets/prod/key'), read(home, 'secrets/prod/other')], ['k', 'o']);
});

test('a base that brings files below a link that a stage made is refused by the link’s name, and nothing goes through it', async () => {
  const home = repository();
  const tree = await open(home);
  const outside = folder();
  write(outside, { 'x.txt': 'x\n' });
  symlinkSync(outside, join(tree.path, 'conf'));
  commit(home, { 'conf/x.txt': 'x\n', 'conf/y.txt': 'y\n' });
  const { text } = await refusal(bring(home));
  assert.match(text, 'E_WORKTREE_IN_THE_WAY');
  assert.match(text, '\n  - conf\n  next:');
  assert.equal([read(outside, 'x.txt'), existsSync(join(outside, 'y.txt'))], ['x\n', false]);
  execSync('mv ai/worktree/conf ai/worktree/conf.old', { cwd: home });
  await bring(home);
  assert.is(read(tree.path, 'conf/y.txt'), 'y\n');
});

test('a name that is a pattern excludes itself and nothing else', async () => {
  const home = repository();
  write(home, { 'k[ey]*.txt': 'k', 'kexx.txt': 'seen' });
  await open(home, { carry: ['k[ey]*.txt'] });
  assert.is(git(home, 'status', '--porcelain'), '?? kexx.txt');
});

test('a base that begins to track a carried path is refused and the link stays', async () => {
  const home = repository({ 'a.txt': 'a' });
  write(home, { '.env': 'x' });
  const tree = await open(home, { carry: ['.env'] });
  write(home, { '.env': 'x' });
  git(home, 'add', '-f', '.env');
  git(home, 'commit', '-q', '-m', 'oops');
  assert.match((await refusal(open(home, { carry: ['.env'] }))).text, 'E_CARRY_TRACKED');
  assert.is(readlinkSync(join(tree.path, '.env')), join(home, '.env'));
  commit(home, { 'b.txt': 'b' });
});

test.run();
