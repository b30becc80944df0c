import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBase } from '../../src/worktree/base.ts';
import { openWorktree } from '../../src/worktree/open.ts';
import {
  AI,
  checkoutHash,
  commit,
  folder,
  git,
  objectsOf,
  open,
  read,
  refusal,
  repository,
  script,
  write,
} from './repository.ts';

const tip = (home: string, name = AI) => git(home, 'rev-parse', name);

test('the first run makes the worktree on the AI branch from the base and keeps the base', async () => {
  const home = repository();
  const tree = await open(home);
  assert.is(tree.path, join(home, 'ai/worktree'));
  assert.is(tree.branch, AI);
  assert.is(tree.head, tip(home, 'main'));
  assert.equal(tree.notices, []);
  assert.is(git(tree.path, 'symbolic-ref', 'HEAD'), `refs/heads/${AI}`);
  assert.is(git(home, 'config', `branch.${AI}.mendloop-base`), 'main');
  assert.throws(() => git(home, 'config', `branch.${AI}.remote`), 'it tracks nothing');
  assert.not.match(git(home, 'worktree', 'list', '--porcelain'), 'locked');
});

test('the owner sees nothing of it: not a byte of checkout or index, nothing untracked', async () => {
  const home = repository({ 'a.txt': 'a\n', 'sub dir/b.txt': 'b\n', '.gitignore': '.env\n' });
  write(home, { 'a.txt': 'edited\n', 'new.txt': 'n', '.env': 'TOKEN=1' });
  git(home, 'add', 'new.txt');
  // An index whose times are stale is what a plain git status would rewrite.
  write(home, { 'sub dir/b.txt': 'b\n' });
  const before = checkoutHash(home);
  const status = git(home, '--no-optional-locks', 'status', '--porcelain', '--untracked-files=all');
  await open(home, { carry: ['.env'] });
  git(home, 'branch', 'keep');
  await open(home, { carry: ['.env'] });
  assert.is(checkoutHash(home), before);
  assert.is(git(home, '--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'), status);
});

test('opening again changes nothing and says nothing', async () => {
  const home = repository();
  await open(home, { carry: [] });
  const exclude = read(home, '.git/info/exclude');
  const again = await open(home);
  assert.equal(again.notices, []);
  assert.is(read(home, '.git/info/exclude'), exclude, 'the exclude lines are written once');
  assert.is(exclude.split('\n').filter((line) => line === '/ai/worktree/').length, 1);
});

test('no hook of the owner runs', async () => {
  const home = repository();
  const trace = join(home, '.git/hook-ran');
  for (const hook of [
    'post-checkout',
    'post-merge',
    'post-index-change',
    'reference-transaction',
    'pre-merge-commit',
  ]) {
    script(join(home, '.git/hooks', hook), `echo ${hook} >> '${trace}'`);
  }
  const tree = await open(home);
  commit(tree.path, { 'fix.txt': 'f' });
  rmSync(trace, { force: true });
  git(home, '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', '-m', 'base moved');
  await open(home);
  assert.not(existsSync(trace));
});

test('an existing AI branch is taken as it is, never reset', async () => {
  const home = repository();
  git(home, 'switch', '-q', '-c', AI);
  const fix = commit(home, { 'fix.txt': 'f' });
  git(home, 'switch', '-q', 'main');
  const tree = await open(home);
  assert.is(tree.head, fix);
  assert.is(read(tree.path, 'fix.txt'), 'f');
});

test('a remote branch of the same name is not tracked when the AI branch is here', async () => {
  const origin = repository();
  git(origin, 'switch', '-q', '-c', AI);
  commit(origin, { 'theirs.txt': 't' });
  git(origin, 'switch', '-q', 'main');
  const home = folder();
  git(home, 'clone', '-q', '-b', 'main', origin, '.');
  git(home, 'branch', '--no-track', AI, 'main');
  const tree = await open(home);
  assert.is(tree.head, tip(home, 'main'));
});

test('a deleted folder is attached again, with every fix', async () => {
  const home = repository();
  const tree = await open(home);
  const fix = commit(tree.path, { 'fix.txt': 'f' });
  rmSync(tree.path, { recursive: true });
  const again = await open(home);
  assert.is(again.head, fix);
  assert.is(read(again.path, 'fix.txt'), 'f');
  assert.equal(again.notices, [`ai/worktree was gone; it was made again from ${AI}`]);
});

test('a repository that was moved gets its worktree connected again, links included', async () => {
  const old = repository({ 'a.txt': 'a', '.gitignore': '.env\n' });
  write(old, { '.env': 'x' });
  const { head } = await open(old, { carry: ['.env'] });
  const home = `${old} moved`;
  renameSync(old, home);
  const tree = await open(home, { carry: ['.env'] });
  assert.is(tree.head, head);
  assert.equal(tree.notices, ['ai/worktree had lost its repository; it was connected again']);
  assert.is(read(tree.path, '.env'), 'x');
});

test('a .git file that a stage removed is put back, and home is not taken for the worktree', async () => {
  const home = repository();
  const tree = await open(home);
  rmSync(join(tree.path, '.git'));
  write(tree.path, { 'a.txt': 'by a stage' });
  const again = await open(home);
  assert.is(again.gitDir, tree.gitDir);
  assert.is(read(home, 'a.txt').startsWith('line 1\n'), true);
});

test('an empty folder in the place is used', async () => {
  const home = repository();
  mkdirSync(join(home, 'ai/worktree'), { recursive: true });
  assert.is((await open(home)).head, tip(home, 'main'));
});

const taken = (what: string) => `error E_WORKTREE_TAKEN: ai/worktree is ${what}, not the worktree of this repository
  next:  move it away:
         mv ai/worktree ai/worktree.old`;

test('anything else in the place is refused and left alone', async () => {
  const plain = repository();
  write(plain, { 'ai/worktree/notes.txt': 'mine' });
  assert.equal(await refusal(open(plain)), { text: taken('a folder with files in it'), exit: 2 });
  assert.is(read(plain, 'ai/worktree/notes.txt'), 'mine');

  const file = repository();
  write(file, { 'ai/worktree': 'mine' });
  assert.is((await refusal(open(file))).text, taken('a file'));

  const link = repository();
  mkdirSync(join(link, 'ai'));
  symlinkSync(folder(), join(link, 'ai/worktree'));
  assert.is((await refusal(open(link))).text, taken('a link'));

  const clone = repository();
  git(clone, 'clone', '-q', repository(), 'ai/worktree');
  assert.is((await refusal(open(clone))).text, taken('another repository'));

  const foreign = repository();
  git(repository(), 'worktree', 'add', '-q', '-b', AI, join(foreign, 'ai/worktree'));
  assert.is((await refusal(open(foreign))).text, taken('a worktree of another repository'));
});

test('a trial whose process died is left: the worktree is on its branch, and what stages had written is put back', async () => {
  const home = repository({ 'a.txt': 'a\n', 'made.txt': 'none\n' });
  const { path } = await open(home);
  git(path, 'checkout', '-q', '--detach');
  write(path, { 'a.txt': 'fixed\n' });
  git(path, 'commit', '-qam', 'a fix');
  git(path, 'update-ref', 'refs/mendloop/trial', 'HEAD');
  write(path, { 'made.txt': 'token\n' });
  const tree = await open(home);
  assert.equal([tree.putBack, tree.changed], [['made.txt'], []]);
  assert.equal([read(path, 'a.txt'), read(path, 'made.txt')], ['a\n', 'none\n']);
  assert.is(git(path, 'symbolic-ref', 'HEAD'), `refs/heads/${AI}`);
});

test('a worktree on another branch, or on none, is refused with the way back', async () => {
  const home = repository();
  const tree = await open(home);
  git(tree.path, 'switch', '-q', '-c', 'mine');
  assert.equal(await refusal(open(home)), {
    text: `error E_WORKTREE_BRANCH: ai/worktree is on mine, not on ${AI}
  next:  look: git -C ai/worktree status
         go back: git -C ai/worktree switch ${AI}`,
    exit: 2,
  });
  git(tree.path, 'switch', '-q', '--detach');
  assert.match((await refusal(open(home))).text, `ai/worktree is on no branch, not on ${AI}`);
  git(home, '-C', 'ai/worktree', 'switch', '-q', AI);
  assert.is((await open(home)).head, tip(home));
});

test('a merge or rebase that a person began there is refused with the ways to end it', async () => {
  const home = repository();
  const tree = await open(home);
  commit(tree.path, { 'a.txt': 'ours\n' });
  commit(home, { 'a.txt': 'theirs\n' });
  assert.throws(() => git(tree.path, 'merge', 'main'));
  assert.equal(await refusal(open(home)), {
    text: `error E_WORKTREE_BUSY: a merge was begun in ai/worktree and not ended
  next:  look: git -C ai/worktree status
         end it: git -C ai/worktree commit --no-edit
         or drop it: git -C ai/worktree merge --abort`,
    exit: 2,
  });
  git(tree.path, 'merge', '--abort');
  assert.throws(() => git(tree.path, 'rebase', 'main'));
  assert.match((await refusal(open(home))).text, 'end it: git -C ai/worktree rebase --continue');
});

test('an AI branch that another worktree has is refused', async () => {
  const home = repository();
  const other = join(folder(), 'their tree');
  git(home, 'worktree', 'add', '-q', '-b', AI, other);
  assert.equal(await refusal(open(home)), {
    text: `error E_AI_BRANCH_ELSEWHERE: ${AI} is checked out in another worktree: ${other}
  next:  free it, no file changes: git -C '${other}' switch --detach
         if that folder is gone: git worktree prune`,
    exit: 2,
  });
  git(home, '-C', other, 'switch', '-q', '--detach');
  assert.is((await open(home)).head, tip(home));
});

test('a branch that cannot be made is refused in the words of git', async () => {
  const home = repository();
  git(home, 'branch', 'ai');
  const { text, exit } = await refusal(open(home));
  assert.is(exit, 2);
  assert.match(text, /^error E_GIT_FAILED: git could not make ai\/worktree\n {2}- fatal: .*'refs\/heads\/ai' exists/);
});

test('a home reached through a link is the same home', async () => {
  const home = repository();
  const link = join(folder(), 'link');
  symlinkSync(home, link);
  assert.is((await open(link)).path, join(home, 'ai/worktree'));
  assert.is((await open(home)).path, join(home, 'ai/worktree'));
});

test('an exclude file without a last newline keeps its lines', async () => {
  const home = repository();
  writeFileSync(join(home, '.git/info/exclude'), '*.bak');
  await open(home);
  assert.is(readFileSync(join(home, '.git/info/exclude'), 'utf8'), '*.bak\n/ai/worktree/\n');
});

test('opening alone moves nothing: a base that moved stays out', async () => {
  const home = repository();
  const { head } = await open(home);
  commit(home, { 'b.txt': 'b' });
  const tree = await openWorktree(home, await findBase(home, { branch: AI }), {
    objects: objectsOf(home),
    carry: [],
  });
  assert.is(tree.head, head);
  assert.throws(() => lstatSync(join(tree.path, 'b.txt')));
});

test.run();
