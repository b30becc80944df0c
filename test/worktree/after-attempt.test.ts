import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/worktree/after-attempt.ts';
import { restoreTree } from '../../src/worktree/save-changes.ts';
import type { Worktree } from '../../src/worktree/tree.ts';
import { AI, checkoutHash, commit, followAdvice, git, open, read, refusal, repository, write } from './repository.ts';

const patchOf = (tree: Worktree, attempt: number) => join(tree.home, `ai/patches/run1-vms-${attempt}.stage.diff`);
const look = async (tree: Worktree, attempt = 1, seen = tree.seen) => {
  const checkFiles = async () => new Set<string>();
  const found = await inspect(tree, { head: tree.head, patchFile: patchOf(tree, attempt), seen, checkFiles });
  const { checkFiles: putBack, unstorable, ...rest } = found;
  assert.equal([putBack, unstorable], [[], []]);
  return rest;
};

test('an attempt that changed no tracked file leaves no patch', async () => {
  const tree = await open(repository());
  write(tree.path, { 'made.txt': 'untracked' });
  assert.equal(await look(tree), { changed: [], seen: new Map() });
  assert.not(existsSync(join(tree.home, 'ai/patches')));
});

test('every kind of tracked change is saved in a patch that makes it again', async () => {
  const files = {
    'a.txt': 'a\n',
    'run.sh': '#!/bin/sh\n',
    'gone.txt': 'g\n',
    'with space\n日本.txt': 'x\n',
    'blob.bin': '\0\x01\x02',
    'latin.txt': 'x\n',
  };
  const tree = await open(repository(files));
  write(tree.path, { 'a.txt': 'changed\n', 'with space\n日本.txt': 'y\n', 'blob.bin': '\0\x03', 'staged.txt': 's\n' });
  writeFileSync(join(tree.path, 'latin.txt'), Buffer.from([0xe4, 0x0a]));
  chmodSync(join(tree.path, 'run.sh'), 0o755);
  rmSync(join(tree.path, 'gone.txt'));
  git(tree.path, 'add', 'staged.txt');
  const all = ['a.txt', 'blob.bin', 'gone.txt', 'latin.txt', 'run.sh', 'staged.txt', 'with space\n日本.txt'];
  const owner = checkoutHash(tree.home);
  const found = await look(tree);
  assert.equal([...found.changed].sort(), all);
  assert.is(found.patch, patchOf(tree, 1));
  assert.is(statSync(patchOf(tree, 1)).mode & 0o777, 0o600);
  assert.is(statSync(join(tree.home, 'ai/patches')).mode & 0o777, 0o700);
  assert.is(read(tree.home, 'ai/patches/.gitignore'), '*\n');
  assert.is(git(tree.home, 'status', '--porcelain'), '');

  await restoreTree(tree);
  assert.is(git(tree.path, 'status', '--porcelain'), '?? staged.txt', 'what the stage made stays');
  assert.is(read(tree.path, 'a.txt'), 'a\n');
  assert.is(statSync(join(tree.path, 'run.sh')).mode & 0o111, 0);
  rmSync(join(tree.path, 'staged.txt'));
  git(tree.path, 'apply', patchOf(tree, 1));
  assert.is(read(tree.path, 'with space\n日本.txt'), 'y\n');
  assert.is(statSync(join(tree.path, 'latin.txt')).size, 2);
  assert.is(read(tree.path, 'staged.txt'), 's\n');
  assert.not(existsSync(join(tree.path, 'gone.txt')));
  assert.is(checkoutHash(tree.home), owner);
});

test('what an earlier attempt changed and saved is not reported again; more is', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' }));
  write(tree.path, { 'a.txt': 'changed\n' });
  const first = await look(tree, 1);
  const second = await look(tree, 2, first.seen);
  assert.equal(second, { changed: [], seen: first.seen });
  write(tree.path, { 'b.txt': 'changed\n' });
  const third = await look(tree, 3, second.seen);
  assert.equal(third.changed, ['b.txt']);
  assert.equal(readdirSync(join(tree.home, 'ai/patches')).sort(), [
    '.gitignore',
    'run1-vms-1.stage.diff',
    'run1-vms-3.stage.diff',
  ]);
});

test('a file is reported again when it is changed otherwise; one that became a link, and odd names, are told apart', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n', 'b "b\n.txt': 'b\n', 'c.txt': 'c\n' }));
  write(tree.path, { 'b "b\n.txt': 'changed\n', 'c.txt': 'changed\n' });
  rmSync(join(tree.path, 'a.txt'));
  symlinkSync('c.txt', join(tree.path, 'a.txt'));
  const first = await look(tree, 1);
  assert.equal(first.changed, ['a.txt', 'b "b\n.txt', 'c.txt']);
  write(tree.path, { 'b "b\n.txt': 'otherwise\n' });
  assert.equal((await look(tree, 2, first.seen)).changed, ['b "b\n.txt']);
});

test('a change that is staged and put back in the folder is still seen and saved', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n' }));
  write(tree.path, { 'a.txt': 'staged\n' });
  git(tree.path, 'add', 'a.txt');
  write(tree.path, { 'a.txt': 'a\n' });
  assert.equal((await look(tree)).changed, ['a.txt']);
  assert.match(read(tree.home, 'ai/patches/run1-vms-1.stage.diff'), '+staged');
  await restoreTree(tree);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
});

test('restoring some paths leaves the others', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n', 'b*.txt': 'b\n', 'bc.txt': 'c\n' }));
  write(tree.path, { 'a.txt': 'x', 'b*.txt': 'x', 'bc.txt': 'x', 'new.txt': 'n' });
  await restoreTree(tree, ['a.txt', 'b*.txt', 'new.txt']);
  assert.is(git(tree.path, 'status', '--porcelain'), 'M bc.txt\n?? new.txt');
  await restoreTree(tree, []);
  assert.is(read(tree.path, 'bc.txt'), 'x');
});

test('a stage that commits halts the run and every start after it, until its work is off the branch', async () => {
  const home = repository();
  const tree = await open(home);
  commit(tree.path, { 'b.txt': 'b' });
  const theirs = commit(tree.path, { 'c.txt': 'c' });
  const [was, now] = [tree.head.slice(0, 12), theirs.slice(0, 12)];
  const refused = {
    text: `error E_HEAD_MOVED: a stage moved HEAD in ai/worktree from ${AI} at ${was} to ${AI} at ${now}
  next:  take the commit or branch switch out of the stage; look, then go back:
         git -C ai/worktree log ${was}..${now}
         git -C ai/worktree reset --keep ${was}`,
    exit: 3,
  };
  assert.equal(await refusal(look(tree)), refused);
  assert.equal(await refusal(open(home)), refused);
  // Also from a base that moved or was rewritten: it is no person's commit that would come along.
  git(home, 'commit', '-q', '--amend', '-m', 'rewritten');
  assert.is((await refusal(open(home))).text, refused.text);
  git(tree.home, '-C', 'ai/worktree', 'reset', '--keep', was);
  assert.equal(await look(tree), { changed: [], seen: new Map() });
  await open(home);
});

const marksOf = (home: string) =>
  git(home, 'for-each-ref', '--format=%(refname)', 'refs/mendloop/by-stage').split('\n');

test('a stage that merges is taken back to where HEAD was: fixes below stay, whatever the merge brought', async () => {
  const home = repository();
  const tree = await open(home);
  const fix = commit(tree.path, { 'fix.txt': 'fix' });
  git(home, 'switch', '-q', '-c', 'colleague');
  for (const text of ['1', '2', '3']) commit(home, { 'theirs.txt': text });
  git(home, 'switch', '-q', 'main');
  git(tree.path, 'merge', '-q', '--no-edit', 'colleague');
  const refused = await refusal(look({ ...tree, head: fix }));
  assert.match(refused.text, new RegExp(`reset --keep ${fix.slice(0, 12)}$`));
  assert.equal(await refusal(open(home)), refused);
  assert.equal(marksOf(home), [`refs/mendloop/by-stage/${fix}`], 'one mark, however much it brought');
  git(tree.path, 'reset', '-q', '--keep', fix);
  assert.is((await open(home)).head, fix);
  assert.equal(marksOf(home), [''], 'and none once it is off the branch');
});

test('half of what a stage committed, or a branch that it began anew, is refused too', async () => {
  const home = repository();
  const tree = await open(home);
  const first = commit(tree.path, { 'b.txt': 'b' });
  commit(tree.path, { 'c.txt': 'c' });
  await refusal(look(tree));
  git(tree.path, 'reset', '-q', '--keep', first);
  assert.match((await refusal(open(home))).text, new RegExp(`reset --keep ${tree.head.slice(0, 12)}$`));
  git(tree.path, 'reset', '-q', '--keep', tree.head);
  await open(home);
  const root = git(tree.path, 'commit-tree', '-m', 'root', 'HEAD^{tree}');
  git(tree.path, 'reset', '-q', '--hard', root);
  const refused = await refusal(look(tree));
  assert.match(refused.text, new RegExp(`reset --keep ${tree.head.slice(0, 12)}$`));
  assert.equal(await refusal(open(home)), refused);
});

test("a person's commits above those of a stage are named, and the advice keeps them", async () => {
  const home = repository({ 'a.txt': 'a\n' });
  const tree = await open(home);
  const theirs = commit(tree.path, { 'b.txt': 'b' }, 'by a stage');
  write(tree.path, { 'a.txt': 'changed by the stage\n' });
  await refusal(look(tree));
  const mine = commit(tree.path, { 'mine.txt': 'm' }, 'my own work');
  const { text } = await refusal(open(home));
  assert.match(text, new RegExp(`^ +- not by a stage, and stays: ${mine.slice(0, 7)}\\w* my own work$`, 'm'));
  assert.match(text, new RegExp(`rebase --autostash --onto ${tree.head.slice(0, 12)} ${theirs.slice(0, 12)}$`));
  await followAdvice(home, text, () => {});
  assert.is(read(tree.path, 'a.txt'), 'changed by the stage\n');
  await open(home);
  assert.equal([existsSync(join(tree.path, 'b.txt')), read(tree.path, 'mine.txt')], [false, 'm']);
});

test('a stage that leaves a branch without a commit halts the run, and the advice loses nothing', async () => {
  const home = repository({ 'a.txt': 'a\n' });
  const tree = await open(home);
  git(tree.path, 'checkout', '-q', '--orphan', 'x');
  write(tree.path, { 'a.txt': 'changed\n' });
  git(tree.path, 'add', 'a.txt');
  const { text, exit } = await refusal(look(tree));
  assert.is(exit, 3);
  assert.match(text, `from ${AI} at ${tree.head.slice(0, 12)} to x without a commit`);
  const later = await refusal(open(home));
  assert.match(later.text, `E_WORKTREE_BRANCH: ai/worktree is on x, not on ${AI}`);
  await followAdvice(home, text, () => {});
  assert.is(read(tree.path, 'a.txt'), 'changed\n');
  const { notices } = await open(home);
  assert.match(notices.join(), /saved as ai\/patches/);
});

test('a stage that switches branches halts the run, and what it changed is saved first', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n' }));
  git(tree.path, 'switch', '-q', '--detach');
  write(tree.path, { 'a.txt': 'changed\n' });
  const was = tree.head.slice(0, 12);
  assert.is(
    (await refusal(look(tree))).text,
    `error E_HEAD_MOVED: a stage moved HEAD in ai/worktree from ${AI} at ${was} to no branch at ${was}
  next:  take the commit or branch switch out of the stage; look, then go back:
         git -C ai/worktree log ${was}..${was}
         git -C ai/worktree switch ${AI}
         git -C ai/worktree reset --keep ${was}`,
  );
  assert.ok(existsSync(patchOf(tree, 1)));
});

test('a stage that removed the worktree or its .git file halts the run, and home is left alone', async () => {
  const text = `error E_WORKTREE_GONE: ai/worktree went away while a stage was running
  next:  find out which command removed it; the next start makes it again from its branch`;
  const home = repository({ 'a.txt': 'a\n' });
  const tree = await open(home);
  write(home, { 'a.txt': 'owner at work\n' });
  rmSync(join(tree.path, '.git'));
  assert.equal(await refusal(look(tree)), { text, exit: 3 });
  await restoreTree(tree);
  assert.is(read(home, 'a.txt'), 'owner at work\n');
  rmSync(tree.path, { recursive: true });
  assert.is((await refusal(look(tree))).text, text);
});

test('a replaced carry link halts the run', async () => {
  const home = repository();
  write(home, { '.env': 'x' });
  const tree = await open(home, { carry: ['.env'] });
  assert.equal(await look(tree), { changed: [], seen: new Map() });
  write(tree.path, { tmp: 'y' });
  renameSync(join(tree.path, 'tmp'), join(tree.path, '.env'));
  const { text, exit } = await refusal(look(tree));
  assert.is(exit, 3);
  assert.match(text, 'E_CARRY_REPLACED');
});

test('settings of the owner do not change what is seen or saved', async () => {
  const home = repository({ 'a.txt': 'a\n', 'b c.txt': 'b\n' });
  for (const [key, value] of Object.entries({
    'status.showUntrackedFiles': 'all',
    'status.relativePaths': 'true',
    'status.branch': 'false',
    'diff.noprefix': 'true',
    'diff.external': 'false',
    'diff.renames': 'copies',
    'color.ui': 'always',
    'core.quotePath': 'true',
  })) {
    git(home, 'config', key, value);
  }
  const tree = await open(home);
  renameSync(join(tree.path, 'b c.txt'), join(tree.path, 'ü.txt'));
  git(tree.path, 'add', '-A');
  assert.equal([...(await look(tree)).changed].sort(), ['b c.txt', 'ü.txt']);
  assert.match(read(home, 'ai/patches/run1-vms-1.stage.diff'), /^diff --git a\/b c\.txt b\/b c\.txt$/m);
});

test('what a stage hides from git is seen, by the next look and by the next start', async () => {
  const home = repository({ 'a.txt': 'a\n', 'b c.txt': 'b\n', 'ü.txt': 'u\n' });
  const watcher = join(home, 'ai/sees-nothing.sh');
  write(home, { 'ai/sees-nothing.sh': "#!/bin/sh\nprintf 'token\\0'\n" });
  chmodSync(watcher, 0o755);
  const hide = (path: string, text: string) => {
    git(path, 'update-index', '--skip-worktree', 'a.txt');
    git(path, 'update-index', '--assume-unchanged', 'b c.txt');
    write(path, { 'a.txt': text, 'b c.txt': text, 'ü.txt': text });
  };
  const tree = await open(home);
  git(home, 'config', 'core.fsmonitor', watcher);
  git(home, 'config', 'core.fsmonitorHookVersion', '2');
  git(tree.path, 'status');
  hide(tree.path, 'changed\n');
  assert.equal([...(await look(tree)).changed].sort(), ['a.txt', 'b c.txt', 'ü.txt']);
  await restoreTree(tree);
  assert.is(read(tree.path, 'a.txt'), 'a\n');
  hide(tree.path, 'other\n');
  assert.match((await open(home)).notices.join('\n'), /put back, for no stage was seen to change them/);
  assert.equal(
    ['a.txt', 'b c.txt', 'ü.txt'].map((name) => read(tree.path, name)),
    ['a\n', 'b\n', 'u\n'],
  );
});

test('a check that a stage hides is put back all the same', async () => {
  const tree = await open(repository({ 'check.sh': 'exit 1\n' }));
  git(tree.path, 'update-index', '--assume-unchanged', 'check.sh');
  write(tree.path, { 'check.sh': 'exit 0\n' });
  const checkFiles = async () => new Set(['check.sh']);
  const found = await inspect(tree, { head: tree.head, patchFile: patchOf(tree, 1), seen: tree.seen, checkFiles });
  assert.equal([found.checkFiles, read(tree.path, 'check.sh')], [['check.sh'], 'exit 1\n']);
});

test('what checks run is put back after it was saved; other changes stay and are not told again', async () => {
  const tree = await open(repository({ 'a.txt': 'a\n', 'check.sh': 'exit 1\n', 'gone.sh': 'exit 1\n' }));
  write(tree.path, { 'a.txt': 'changed\n', 'check.sh': 'exit 0\n' });
  rmSync(join(tree.path, 'gone.sh'));
  git(tree.path, 'add', 'check.sh');
  const checkFiles = async () => new Set(['check.sh', 'gone.sh']);
  const at = (attempt: number, seen: Worktree['seen']) =>
    inspect(tree, { head: tree.head, patchFile: patchOf(tree, attempt), seen, checkFiles });
  const found = await at(1, tree.seen);
  assert.equal(
    [found.changed, found.checkFiles],
    [
      ['a.txt', 'check.sh', 'gone.sh'],
      ['check.sh', 'gone.sh'],
    ],
  );
  assert.equal([read(tree.path, 'check.sh'), read(tree.path, 'gone.sh')], ['exit 1\n', 'exit 1\n']);
  assert.is(git(tree.path, 'status', '--porcelain'), 'M a.txt');
  assert.match(read(tree.home, 'ai/patches/run1-vms-1.stage.diff'), '+exit 0');
  const { changed, checkFiles: again } = await at(2, found.seen);
  assert.equal([changed, again], [[], []]);
});

test.run();
