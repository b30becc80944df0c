// A fix is one commit of its own paths, and taking it back another; whatever is refused leaves the tree as it was.
import { chmodSync, existsSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix, isAsShown, revertFix, unwriteFix } from '../../src/worktree/commit-fix.ts';
import type { Worktree } from '../../src/worktree/tree.ts';
import { git, numbers, open, read, refusal, repository, write } from './repository.ts';

const PLAIN = { hooks: false, sign: false };
const status = ({ path }: Worktree) => git(path, 'status', '--porcelain');
const subject = ({ path }: Worktree) => git(path, 'log', '-1', '--format=%an: %s');

test('the commit holds the patched paths alone; what a stage changed or staged beside them is not in it', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n', 'b.txt': 'one\n', '*.txt': 'star\n' }));
  write(tree.path, { 'b.txt': 'changed by a stage\n', 'new.txt': 'made by a stage\n' });
  git(tree.path, 'add', 'b.txt', 'new.txt');
  const commit = await commitFix(tree, [{ path: '*.txt', text: 'two\n' }], 'Mend a\n', PLAIN);
  assert.is(git(tree.path, 'rev-parse', 'HEAD'), commit);
  assert.equal([git(tree.path, 'show', '--format=', '--name-only'), subject(tree)], ['*.txt', 'mendloop: Mend a']);
  assert.equal([read(tree.path, 'b.txt'), status(tree)], ['one\n', '?? new.txt']);
});

test('taking it back restores text, mode and what was not there, and can be done after other fixes', async () => {
  const tree = await open(repository({ 'a.txt': numbers(), 'run.sh': 'echo\n' }));
  const base = git(tree.path, 'rev-parse', 'HEAD^{tree}');
  const first = await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two' }) }], 'one\n', PLAIN);
  const mode = await commitFix(tree, [{ path: 'run.sh', text: 'echo\n', executable: true }], 'two\n', PLAIN);
  const made = await commitFix(tree, [{ path: 'new.txt', text: 'new\n' }], 'three\n', PLAIN);
  await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two', 28: 'far' }) }], 'four\n', PLAIN);
  assert.ok(lstatSync(join(tree.path, 'run.sh')).mode & 0o100);
  for (const fix of [first, made, mode]) await revertFix(tree, fix, 'back\n', PLAIN);
  assert.equal([read(tree.path, 'a.txt'), status(tree)], [numbers({ 28: 'far' }), '']);
  assert.not(existsSync(join(tree.path, 'new.txt')));
  await revertFix(tree, git(tree.path, 'log', '--format=%H', '--grep=^four'), 'back\n', PLAIN);
  assert.is(git(tree.path, 'rev-parse', 'HEAD^{tree}'), base);
});

test('one that is taken back already is so by another commit that changes nothing', async () => {
  const tree = await open(repository());
  const fix = await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two' }) }], 'one\n', PLAIN);
  await revertFix(tree, fix, 'back\n', PLAIN);
  await revertFix(tree, fix, 'back\n', PLAIN);
  assert.equal([read(tree.path, 'a.txt'), status(tree)], [numbers(), '']);
});

test('later changes in the way: nothing is changed, and the command to do it by hand is told', async () => {
  const tree = await open(repository());
  const fix = await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'two' }) }], 'one\n', PLAIN);
  const head = await commitFix(tree, [{ path: 'a.txt', text: numbers({ 2: 'other' }) }], 'two\n', PLAIN);
  const { text, exit } = await refusal(revertFix(tree, fix, 'back\n', PLAIN));
  assert.match(
    text,
    `error E_FIX_STUCK: the fix ${fix.slice(0, 12)} cannot be taken back: later changes are in the way`,
  );
  assert.match(text, `git -C ai/worktree revert ${fix.slice(0, 12)}`);
  assert.is(exit, 3);
  assert.equal(
    [git(tree.path, 'rev-parse', 'HEAD'), read(tree.path, 'a.txt'), status(tree)],
    [head, numbers({ 2: 'other' }), ''],
  );
});

test('a tracked file below an ignored folder is committed; a new one there is refused', async () => {
  const home = repository({ 'build/a.txt': 'one\n', 'b.txt': 'one\n' });
  write(home, { '.gitignore': 'build/\n' });
  git(home, 'add', '.gitignore');
  git(home, 'commit', '-qm', 'ignore');
  const tree = await open(home);
  const files = [
    { path: 'build/a.txt', text: 'two\n' },
    { path: 'new.txt', text: 'new\n' },
  ];
  await commitFix(tree, files, 'one\n', PLAIN);
  assert.equal(git(tree.path, 'show', '--format=', '--name-only').split('\n'), ['build/a.txt', 'new.txt']);
  await refusal(commitFix(tree, [{ path: 'build/new.txt', text: 'new\n' }], 'two\n', PLAIN));
  assert.equal([existsSync(join(tree.path, 'build/new.txt')), status(tree)], [false, '']);
});

test('what git or a hook refuses leaves every file as it was, a new one too', async () => {
  const home = repository({ 'a.txt': 'one\n', '.gitignore': 'ignored.txt\n' });
  const tree = await open(home);
  const hook = join(home, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\necho not like this >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  const files = [
    { path: 'a.txt', text: 'two\n' },
    { path: 'new.txt', text: 'new\n' },
  ];
  const hooked = await refusal(commitFix(tree, files, 'one\n', { hooks: true, sign: false }));
  assert.is(
    hooked.text,
    `error E_GIT_FAILED: git could not commit a fix: not like this
  next:  see what git says, and mend that:
         git -C ai/worktree hook run pre-commit`,
  );
  assert.equal([read(tree.path, 'a.txt'), status(tree)], ['one\n', '']);
  const ignored = await refusal(commitFix(tree, [{ path: 'ignored.txt', text: 'x\n' }], 'one\n', PLAIN));
  assert.match(ignored.text, 'error E_GIT_FAILED: git could not commit a fix: ');
  assert.not(existsSync(join(tree.path, 'ignored.txt')));
  await commitFix(tree, files, 'one\n', PLAIN);
  assert.is(subject(tree), 'mendloop: one');
});

test('a link that a stage put in the way is not followed', async () => {
  const home = repository({ 'a.txt': 'one\n', 'conf/b.txt': 'one\n' });
  const tree = await open(home);
  symlinkSync(join(home, 'a.txt'), join(tree.path, 'new.txt'));
  await commitFix(tree, [{ path: 'new.txt', text: 'mine\n' }], 'one\n', PLAIN).then(
    () => assert.unreachable(),
    (error) => assert.match(String(error), 'no regular file'),
  );
  assert.is(read(home, 'a.txt'), 'one\n');
});

test('commits are not signed unless asked for, whatever the owner does', async () => {
  const home = repository();
  git(home, 'config', 'commit.gpgSign', 'true');
  git(home, 'config', 'gpg.program', '/bin/false');
  const tree = await open(home);
  const fix = await commitFix(tree, [{ path: 'a.txt', text: 'x\n' }], 'one\n', PLAIN);
  await revertFix(tree, fix, 'back\n', PLAIN);
  const { text } = await refusal(
    commitFix(tree, [{ path: 'a.txt', text: 'x\n' }], 'one\n', { hooks: false, sign: true }),
  );
  assert.match(text, 'git -C ai/worktree commit-tree -S -m try HEAD^{tree}');
  assert.equal([read(tree.path, 'a.txt'), status(tree)], [numbers(), '']);
});

test('files that were written and not committed are as they were', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' }));
  write(tree.path, { 'a.txt': 'half', 'new.txt': 'half', 'b.txt': 'changed by a stage\n' });
  git(tree.path, 'add', 'a.txt', 'new.txt');
  await unwriteFix(tree, ['a.txt', 'new.txt'], ['new.txt']);
  assert.equal([read(tree.path, 'a.txt'), status(tree)], ['one\n', 'M b.txt']);
});

test('whether files are as somebody was shown them', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n' }));
  const shown = (path: string, before: string | null) => isAsShown(tree, [{ path, before }]);
  assert.equal(
    await Promise.all([shown('a.txt', 'one\n'), shown('a.txt', 'two\n'), shown('a.txt', null), shown('b.txt', null)]),
    [true, false, false, true],
  );
  assert.not(await shown('b.txt', 'was here\n'));
});

test.run();
