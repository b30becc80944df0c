// What a power loss or a careless rm leaves of branch and worktree: recovered, or refused with commands that work.
import { execSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import {
  AI,
  bring,
  commit,
  flushes,
  folder,
  git,
  numbers,
  open,
  read,
  refusal,
  repository,
  write,
} from './repository.ts';

const PLAIN = { hooks: false, sign: false };

/** The commands that an error tells, as a person would type them in home. */
const commandsOf = (text: string) => text.slice(text.indexOf('next:')).split('\n').slice(1).join('\n');

/** A repository whose AI branch has a fix. */
async function withFix() {
  const home = repository();
  const tree = await open(home);
  const fix = await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two' }) }], 'one\n', PLAIN);
  return { home, tree, fix };
}

for (const [what, content] of [
  ['empty', ''],
  ['torn', '4764ac64'],
  ['full of zeros', '\0'.repeat(41)],
] as const) {
  test(`a ref file that is ${what} is refused with its log’s commit, and the commands bring the branch back`, async () => {
    const { home, tree, fix } = await withFix();
    const file = join(home, '.git/refs/heads', AI);
    writeFileSync(file, content);
    const { text, exit } = await refusal(open(home));
    assert.is(
      text,
      `error E_REF_BROKEN: the branch ${AI} was damaged, perhaps by a power loss: its file names no commit; its log says ${fix.slice(0, 12)}
  next:  put it back, then start again:
         rm ${file}
         git update-ref refs/heads/${AI} ${fix}`,
    );
    assert.is(exit, 3);
    execSync(commandsOf(text), { cwd: home });
    const again = await open(home);
    assert.equal([again.head, again.notices, git(tree.path, 'status', '--porcelain')], [fix, [], '']);
    assert.is(read(tree.path, 'a.txt'), numbers({ 2: 'two' }));
  });
}

test('what connects worktree and repository is written again when it is empty', async () => {
  const { home, tree, fix } = await withFix();
  write(tree.path, { 'made.txt': 'untracked' });
  const files = ['HEAD', 'commondir', 'gitdir'].map((name) => join(tree.gitDir, name));
  for (const file of [...files, join(tree.path, '.git')]) {
    const text = readFileSync(file, 'utf8');
    for (const content of ['', '\0'.repeat(text.length)]) {
      writeFileSync(file, content);
      const again = await open(home);
      assert.equal(again.notices, [`${file} was empty, perhaps by a power loss; it was written again`]);
      assert.equal(
        [again.head, readFileSync(file, 'utf8'), git(tree.path, 'status', '--porcelain')],
        [fix, text, '?? made.txt'],
      );
    }
  }
});

test('so is the base’s, checked out or not, and never taken for a repository without a commit', async () => {
  for (const branch of ['main', 'other']) {
    const { home } = await withFix();
    if (branch === 'other') git(home, 'switch', '-q', '-c', 'other');
    const tip = git(home, 'rev-parse', 'HEAD');
    for (const damaged of new Set(['main', branch])) {
      writeFileSync(join(home, '.git/refs/heads', damaged), '');
      const { text } = await refusal(open(home));
      assert.match(text, `E_REF_BROKEN: the branch ${damaged} was damaged`);
      execSync(commandsOf(text), { cwd: home });
      assert.is(git(home, 'rev-parse', damaged), tip);
    }
    await open(home);
    assert.is(git(home, 'status', '--porcelain'), '');
  }
});

test('an empty HEAD is a damaged one, and no reason to make a repository', async () => {
  for (const branch of ['main', 'other']) {
    const { home } = await withFix();
    if (branch === 'other') git(home, 'switch', '-q', '-c', 'other');
    writeFileSync(join(home, '.git/HEAD'), '');
    const { text } = await refusal(open(home));
    assert.match(text, 'E_HEAD_BROKEN');
    execSync(commandsOf(text), { cwd: home });
    assert.is(git(home, 'symbolic-ref', '--short', 'HEAD'), branch);
    await open(home);
  }
});

test('a branch whose newest commit is torn goes back to the newest that git has', async () => {
  const { home, fix } = await withFix();
  const object = join(home, '.git/objects', fix.slice(0, 2), fix.slice(2));
  rmSync(object);
  writeFileSync(object, '');
  const { text } = await refusal(open(home));
  const before = git(home, 'rev-parse', 'main');
  assert.match(text, `its file names ${fix}, which git does not have; its log says ${before.slice(0, 12)}`);
  execSync(commandsOf(text), { cwd: home });
  assert.is((await open(home)).head, before);
});

test('without a log the way to look for the commit is told', async () => {
  const { home, fix } = await withFix();
  writeFileSync(join(home, '.git/refs/heads', AI), '');
  rmSync(join(home, '.git/logs'), { recursive: true });
  const { text } = await refusal(open(home));
  assert.match(text, 'its file names no commit; it has no log');
  const commands = commandsOf(text).split('\n');
  execSync(commands[0] as string, { cwd: home });
  const found = execSync(commands[1] as string, { cwd: home, encoding: 'utf8' });
  assert.match(found, fix);
  execSync((commands[2] as string).replace('<commit>', fix), { cwd: home });
  assert.is((await open(home)).head, fix);
});

test('an index that is gone, empty or torn is made again; what differs from HEAD is still seen', async () => {
  for (const content of ['', '\0'.repeat(100), undefined]) {
    const home = repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const tree = await open(home);
    write(tree.path, { 'b.txt': 'by a stage\n' });
    if (content === undefined) rmSync(join(tree.gitDir, 'index'));
    else writeFileSync(join(tree.gitDir, 'index'), content);
    const { notices } = await open(home);
    assert.is(notices[0], 'the index of ai/worktree was damaged; it was made again');
    assert.match(notices[1] ?? '', /^a tracked file was found changed in ai\/worktree.*; saved as /);
    assert.equal([git(tree.path, 'status', '--porcelain'), read(tree.path, 'b.txt')], ['', 'b\n']);
    assert.not.match((await open(home)).notices.join(), 'index');
  }
});

test('tracked files that are missing are put back before anything runs, and named', async () => {
  const home = repository({ 'a.txt': 'a\n', 'conf/b b.txt': 'b\n', 'conf/c.txt': 'c\n', 'd.txt': 'd\n' });
  const tree = await open(home);
  rmSync(join(tree.path, 'conf'), { recursive: true });
  git(tree.path, 'rm', '-q', 'a.txt');
  write(tree.path, { 'd.txt': 'by a stage\n', 'new.txt': 'by a stage\n' });
  const again = await open(home);
  assert.is(
    again.notices[0],
    '3 tracked files were missing from ai/worktree; put back: a.txt, conf/b b.txt, conf/c.txt',
  );
  assert.match(again.notices[1] ?? '', /^a tracked file was found changed in ai\/worktree.*; saved as /);
  assert.equal(again.putBack, ['a.txt', 'conf/b b.txt', 'conf/c.txt', 'd.txt']);
  assert.is(git(tree.path, 'status', '--porcelain'), '?? new.txt');
  assert.equal([read(tree.path, 'a.txt'), read(tree.path, 'conf/b b.txt')], ['a\n', 'b\n']);
});

test('a file that was only taken out of the index is a change, and not missing', async () => {
  const home = repository({ 'a.txt': 'a\n' });
  const tree = await open(home);
  git(tree.path, 'rm', '-q', '--cached', 'a.txt');
  write(tree.path, { 'a.txt': 'by a stage\n' });
  const { notices } = await open(home);
  assert.match(notices[0] ?? '', /^a tracked file was found changed in ai\/worktree.*; saved as /);
});

test('half of a large tree comes back', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`${'folder/'.repeat(8)}${'name-'.repeat(10)}${i}`, `${i}\n`]),
  );
  const home = repository({ 'a.txt': 'a\n', '.gitignore': '' });
  write(home, many);
  git(home, 'add', '.');
  git(home, 'commit', '-q', '-m', 'many');
  const tree = await open(home);
  rmSync(join(tree.path, 'folder'), { recursive: true });
  const { notices } = await open(home);
  assert.match(notices[0] ?? '', /^3000 tracked files were missing from ai\/worktree; put back: .* and 2995 more$/);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
});

test('the worktree of a sparse clone has every file, and the clone stays sparse', async () => {
  const source = repository({ 'top.txt': 't\n', 'conf/a.txt': 'a\n', 'deep/er/b.txt': 'b\n' });
  for (const sparse of [
    'sparse-checkout set --cone conf',
    'sparse-checkout set --no-cone /conf/',
    'config core.sparseCheckout true && echo /conf/ > .git/info/sparse-checkout && git read-tree -m -u HEAD',
  ]) {
    const home = join(folder(), 'clone');
    git(source, 'clone', '-q', source, home);
    execSync(`git ${sparse}`, { cwd: home });
    const tree = await open(home);
    assert.equal(tree.notices, ['this clone is sparse; ai/worktree has every file'], sparse);
    assert.is(read(tree.path, 'deep/er/b.txt'), 'b\n');
    assert.equal((await open(home)).notices, []);
    write(home, { 'other/c.txt': 'c\n' });
    git(home, 'add', '--sparse', 'other/c.txt');
    git(home, 'commit', '-q', '-m', 'more');
    await bring(home);
    assert.is(read(tree.path, 'other/c.txt'), 'c\n');
    assert.is(git(tree.path, 'status', '--porcelain'), '');
    assert.not(existsSync(join(home, 'deep')));
    git(home, 'reset', '-q', '--hard', 'HEAD^');
  }
});

test('objects, index and ref of a fix and of a move are on the disk before anybody names them', async () => {
  const home = repository();
  const tree = await open(home);
  const fixed = await flushes(async () => {
    await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two' }) }], 'one\n', PLAIN);
  });
  assert.equal(fixed.slice(0, 2), ['hash-object 1', 'update-index 1']);
  // Tree, commit, ref, and mostly the index.
  assert.ok(/^commit [3-9]$/.test(fixed[2] ?? ''), fixed.join());
  commit(home, { 'b.txt': 'b\n' });
  commit(tree.path, { 'c.txt': 'mine\n' });
  const moved = await flushes(() => bring(home));
  const steps = moved.map((line) => line.split(' ')[0]);
  for (const step of ['merge-tree', 'hash-object', 'reset']) assert.ok(steps.includes(step), moved.join());
  assert.ok(
    steps.filter((step) => step === 'update-ref').length >= 3,
    'the refs that keep old and new tip, and the base',
  );
});

test('a start that finds nothing to do waits for the disk not once', async () => {
  const home = repository();
  await open(home);
  assert.equal(await flushes(() => open(home)), []);
});

test('a fix of which power loss left an empty file is put back from its commit', async () => {
  const { home, tree } = await withFix();
  truncateSync(join(tree.path, 'a.txt'));
  await open(home);
  commit(home, { 'b.txt': 'b\n' });
  await open(home);
  assert.is(read(tree.path, 'a.txt'), numbers({ 2: 'two' }));
});

test.run();
