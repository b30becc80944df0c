// A fix is one commit of its own paths, and taking it back another; whatever is refused leaves the tree as it was.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix, isAsShown, unwriteFix } from '../../src/worktree/commit-fix.ts';
import { restoreTree } from '../../src/worktree/save-changes.ts';
import type { Worktree } from '../../src/worktree/tree.ts';
import { bring, commit, git, open, read, refusal, repository, script, write } from './repository.ts';

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

test('files below an ignored folder are committed, tracked or new', async () => {
  const home = repository({ 'build/a.txt': 'one\n', 'b.txt': 'one\n' });
  write(home, { '.gitignore': 'build/\nignored.txt\n' });
  git(home, 'add', '.gitignore');
  git(home, 'commit', '-qm', 'ignore');
  const tree = await open(home);
  const files = ['build/a.txt', 'build/new.txt', 'ignored.txt', 'empty.txt'];
  const texts = files.map((path) => ({ path, text: path === 'empty.txt' ? '' : 'two\n' }));
  const _fix = await commitFix(tree, texts, 'one\n', PLAIN);
  assert.equal(git(tree.path, 'show', '--format=', '--name-only').split('\n'), [...files].sort());
  assert.equal([read(tree.path, 'build/a.txt'), read(tree.path, 'empty.txt'), status(tree)], ['two\n', '', '']);
});

/** What git is told to do with a file, and texts before and after a fix. */
const CONVERTED: [string, string, string, string, string?][] = [
  ['a clean filter', '* filter=upper\n', 'ONE\n', 'two\n'],
  ['an encoding', '* working-tree-encoding=UTF-16\n', 'one\n', 'two\n'],
  ['idents', '* ident\n', '# $Id$\none\n', '# $Id$\ntwo\n'],
  ['line ends of Windows', '* text eol=crlf\n', 'one\n', 'two\n'],
  ['line ends that git evens out', '* text\n', 'one\n', 'one\r\ntwo\r\n'],
  ['autocrlf', '', 'one\r\n', 'one\r\ntwo\r\n', 'true'],
  ['autocrlf=input', '', 'one\r\n', 'one\r\ntwo\r\n', 'input'],
];

test('the commit holds the texts byte for byte, whatever git would make of them', async () => {
  for (const [what, attributes, before, after, autocrlf] of CONVERTED) {
    const home = repository({ 'a.txt': before, 'plain.md': 'x\n' });
    git(home, 'config', 'filter.upper.clean', 'tr a-z A-Z');
    if (autocrlf) git(home, 'config', 'core.autocrlf', autocrlf);
    commit(home, { '.gitattributes': attributes.replace('*', '*.txt') });
    const tree = await open(home);
    const texts = [
      { path: 'a.txt', text: after },
      { path: 'new.txt', text: after },
    ];
    await commitFix(tree, texts, 'one\n', PLAIN);
    for (const { path, text } of texts) {
      const blob = execFileSync('git', ['cat-file', 'blob', `HEAD:${path}`], { cwd: tree.path, encoding: 'utf8' });
      assert.equal([blob, read(tree.path, path)], [text, text], `${what}: ${path}`);
    }
    if (attributes === '') assert.is(status(tree), '', what);
  }
});

test('where checkouts have other line ends than commits, the stage finds those of a checkout', async () => {
  const home = repository({ 'a.txt': 'one\n' });
  git(home, 'config', 'core.autocrlf', 'true');
  const tree = await open(home);
  const files = ['a.txt', 'new file.txt'].map((path) => ({ path, text: 'two\nlines\n' }));
  await commitFix(tree, files, 'one\n', PLAIN);
  for (const { path, text } of files) {
    assert.is(git(tree.path, 'cat-file', 'blob', `HEAD:${path}`), text.trimEnd());
    assert.is(read(tree.path, path), 'two\r\nlines\r\n');
  }
  assert.is(status(tree), '');
});

test('a file is made only where nothing stands; what stands there is kept, whoever ignores it', async () => {
  const home = repository({ 'a.txt': 'one\n', '.gitignore': 'ignored.txt\n' });
  const tree = await open(home);
  write(tree.path, { 'ignored.txt': 'precious\n', 'untracked.txt': 'precious\n' });
  symlinkSync('nowhere', join(tree.path, 'dangling.txt'));
  const head = git(tree.path, 'rev-parse', 'HEAD');
  for (const path of ['ignored.txt', 'untracked.txt', 'dangling.txt']) {
    const files = ['made.txt', 'a.txt', path].map((name) => ({ path: name, text: 'two\n' }));
    assert.equal(await refusal(commitFix(tree, files, 'one\n', PLAIN)), {
      text: `error E_FIX_IN_THE_WAY: a fix makes the file ${path}, but something that git does not hold stands there in ai/worktree
  next:  move it away, or let your stage write elsewhere:
         mv ai/worktree/${path} ai/worktree/${path}.old`,
      exit: 3,
    });
    assert.equal([existsSync(join(tree.path, 'made.txt')), read(tree.path, 'a.txt')], [false, 'one\n'], path);
  }
  assert.equal([read(tree.path, 'ignored.txt'), read(tree.path, 'untracked.txt')], ['precious\n', 'precious\n']);
  assert.is(readlinkSync(join(tree.path, 'dangling.txt')), 'nowhere');
  assert.is(git(tree.path, 'rev-parse', 'HEAD'), head);
});

test('a hook that commits something else than was judged is refused, and its commit taken off', async () => {
  const home = repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const tree = await open(home);
  const head = git(tree.path, 'rev-parse', 'HEAD');
  for (const change of ['echo formatted > a.txt; git add a.txt', 'echo more > b.txt; git add b.txt']) {
    script(join(home, '.git/hooks/pre-commit'), change);
    const fix = commitFix(tree, [{ path: 'a.txt', text: 'two\n' }], 'one\n', { hooks: true, sign: false });
    const { text } = await refusal(fix);
    assert.match(text, /git could not commit a fix: a hook changed what was to be committed: [ab]\.txt/);
    assert.is(git(tree.path, 'rev-parse', 'HEAD'), head);
    git(tree.path, 'reset', '-q', '--hard');
  }
  script(join(home, '.git/hooks/pre-commit'), 'exit 0');
  await commitFix(tree, [{ path: 'a.txt', text: 'two\n' }], 'one\n', { hooks: true, sign: false });
  assert.equal([subject(tree), status(tree)], ['mendloop: one', '']);
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
  await commitFix(tree, files, 'one\n', PLAIN);
  assert.is(subject(tree), 'mendloop: one');
});

test('when git can put nothing back either, the edit is gone all the same, and the next start puts the file back', async () => {
  const home = repository({ 'a.txt': 'one\n', 'run.sh': 'echo\n' });
  const tree = await open(home);
  // As on a full disk: git can neither commit nor reset.
  const lock = join(tree.gitDir, 'index.lock');
  writeFileSync(lock, '');
  const files = ['a.txt', 'run.sh', 'new.txt'].map((path) => ({ path, text: 'two\n' }));
  assert.match((await refusal(commitFix(tree, files, 'one\n', PLAIN))).text, 'E_GIT_FAILED');
  for (const { path } of files) assert.not(existsSync(join(tree.path, path)), path);
  const { notices } = await open(home);
  assert.equal(notices, [
    `a killed git left ${lock}; it was removed`,
    '2 tracked files were missing from ai/worktree; put back: a.txt, run.sh',
  ]);
  assert.equal([read(tree.path, 'a.txt'), status(tree)], ['one\n', '']);
});

test('a link that a stage put in the place of a tracked folder leads nothing of ours elsewhere', async () => {
  const home = repository({ 'a.txt': 'one\n', 'conf/b.txt': 'one\n', 'conf/c.txt': 'one\n' });
  const tree = await open(home);
  write(home, { 'conf/b.txt': 'the owner’s\n' });
  const linked = () => {
    rmSync(join(tree.path, 'conf'), { recursive: true });
    symlinkSync(join(home, 'conf'), join(tree.path, 'conf'));
  };
  linked();
  await restoreTree(tree);
  linked();
  await restoreTree(tree, ['conf/b.txt', 'conf/c.txt']);
  linked();
  const _fix = await commitFix(tree, [{ path: 'conf/b.txt', text: 'two\n' }], 'one\n', PLAIN);
  linked();
  await open(home);
  linked();
  git(home, 'rm', '-q', '--cached', 'conf/c.txt');
  git(home, 'commit', '-q', '-m', 'less');
  await bring(home);
  assert.equal([status(tree), read(tree.path, 'conf/b.txt')], ['', 'two\n']);
  assert.not(existsSync(join(tree.path, 'conf/c.txt')));
  git(home, 'reset', '-q', 'HEAD^');
  assert.is(read(home, 'conf/b.txt'), 'the owner’s\n');
  assert.is(read(home, 'conf/c.txt'), 'one\n');
});

test('a link that a stage put in the way is not followed', async () => {
  const home = repository({ 'a.txt': 'one\n', 'conf/b.txt': 'one\n' });
  const tree = await open(home);
  symlinkSync(join(home, 'a.txt'), join(tree.path, 'new.txt'));
  const fix = commitFix(tree, [{ path: 'new.txt', text: 'mine\n' }], 'one\n', PLAIN);
  assert.match((await refusal(fix)).text, 'E_FIX_IN_THE_WAY');
  assert.is(readlinkSync(join(tree.path, 'new.txt')), join(home, 'a.txt'));
  assert.is(read(home, 'a.txt'), 'one\n');
});

test('commits are not signed unless asked for, whatever the owner does', async () => {
  const home = repository();
  git(home, 'config', 'commit.gpgSign', 'true');
  git(home, 'config', 'gpg.program', '/bin/false');
  const tree = await open(home);
  await commitFix(tree, [{ path: 'a.txt', text: 'x\n' }], 'one\n', PLAIN);
  const { text } = await refusal(
    commitFix(tree, [{ path: 'a.txt', text: 'y\n' }], 'two\n', { hooks: false, sign: true }),
  );
  assert.match(text, 'git -C ai/worktree commit-tree -S -m try HEAD^{tree}');
  assert.equal([read(tree.path, 'a.txt'), status(tree)], ['x\n', '']);
});

test('files that were written and not committed are as they were; one that somebody else made is theirs', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' }));
  write(tree.path, { 'a.txt': 'half', 'new.txt': 'half', 'b.txt': 'changed by a stage\n', 'theirs.txt': 'precious\n' });
  git(tree.path, 'add', 'a.txt', 'new.txt');
  const created = ['new.txt', 'theirs.txt', 'gone/x.txt'].map((path) => ({ path, text: 'half a text\n' }));
  await unwriteFix(tree, ['a.txt', ...created.map(({ path }) => path)], created);
  assert.equal([read(tree.path, 'a.txt'), status(tree)], ['one\n', 'M b.txt\n?? theirs.txt']);
  assert.is(read(tree.path, 'theirs.txt'), 'precious\n');
});

test('whether files are as somebody was shown them', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n' }));
  const shown = (path: string, before: string | null) => isAsShown(tree, [{ path, before }]);
  assert.equal(
    await Promise.all([shown('a.txt', 'one\n'), shown('a.txt', 'two\n'), shown('a.txt', null), shown('b.txt', null)]),
    [true, false, false, true],
  );
  assert.not(await shown('b.txt', 'was here\n'));
  symlinkSync('nowhere', join(tree.path, 'b.txt'));
  assert.not(await shown('b.txt', null), 'something stands where it would be made');
});

test.run();
