import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBase } from '../../src/worktree/base.ts';
import { keepBefore } from '../../src/worktree/move-tree.ts';
import { savePatch } from '../../src/worktree/save-changes.ts';
import { treeGit } from '../../src/worktree/tree.ts';
import { AI, bring, checkoutHash, commit, git, numbers, open, read, refusal, repository, write } from './repository.ts';

test('a base that only moved ahead is followed', async () => {
  const home = repository();
  const { head } = await open(home);
  const moved = commit(home, { 'b.txt': 'b' });
  const tree = await bring(home);
  assert.equal([tree.head, tree.moved], [moved, { from: head, to: moved, putBack: [] }]);
  assert.is(read(tree.path, 'b.txt'), 'b');
  assert.equal(tree.notices, [`main moved; ${AI} was put onto it (${moved.slice(0, 12)})`]);
  assert.equal([(await bring(home)).moved, (await bring(home)).notices], [undefined, []], 'once is enough');
});

test('a commit of a person comes along, the owner stays untouched, and the old tip and the base are kept', async () => {
  const home = repository();
  const mine = commit((await open(home)).path, { 'fix.txt': 'f' });
  const moved = commit(home, { 'b.txt': 'b' });
  write(home, { 'a.txt': 'owner at work' });
  const before = checkoutHash(home);
  const tree = await bring(home);
  assert.is(git(home, 'rev-parse', `${AI}^`), moved);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.is(checkoutHash(home), before);
  assert.is(git(home, 'rev-parse', `refs/mendloop/base/${AI}`), moved);
  assert.is(git(home, 'for-each-ref', '--format=%(objectname)', 'refs/mendloop/before/'), mine);
  assert.is((await bring(home)).moved, undefined, 'once is enough');
});

test('the newest twenty tips are kept', async () => {
  const home = repository();
  const tree = await open(home);
  const base = await findBase(home, { branch: AI });
  for (let n = 0; n < 22; n++) await keepBefore(treeGit(tree), base.commit);
  const { stdout } = await treeGit(tree).attempt(['for-each-ref', '--format=%(refname)', 'refs/mendloop/before/']);
  assert.is(stdout.trim().split('\n').length, 20);
});

test('names with spaces, newlines and other scripts survive', async () => {
  const names = ['with space.txt', 'new\nline.txt', 'größe-日本.txt', 'quote".txt'];
  const all = (changes: Record<number, string>) => Object.fromEntries(names.map((name) => [name, numbers(changes)]));
  const home = repository(all({}));
  commit((await open(home)).path, all({ 5: 'mine' }));
  commit(home, all({ 25: 'moved' }));
  const tree = await bring(home);
  for (const name of names) assert.is(read(tree.path, name), numbers({ 5: 'mine', 25: 'moved' }));
  assert.is(git(tree.path, 'status', '--porcelain'), '');
});

test('conflicting names are quoted for the shell', async () => {
  const home = repository({ "new\nline it's.txt": 'a\n' });
  commit((await open(home)).path, { "new\nline it's.txt": 'ours\n' });
  commit(home, { "new\nline it's.txt": 'theirs\n' });
  assert.match((await refusal(bring(home))).text, "git -C ai/worktree add $'new\\nline it\\'s.txt'");
});

test('changes that no patch holds are saved and put back before the branch moves', async () => {
  const home = repository({ 'a.txt': numbers(), 'gone.txt': 'g\n' });
  const tree = await open(home);
  write(tree.path, { 'a.txt': numbers({ 9: 'by a stage' }), 'made.txt': 'untracked' });
  rmSync(join(tree.path, 'gone.txt'));
  commit(home, { 'a.txt': numbers({ 1: 'base' }) });
  const again = await bring(home);
  assert.is(read(again.path, 'a.txt'), numbers({ 1: 'base' }));
  assert.is(read(again.path, 'made.txt'), 'untracked', 'nothing is cleaned');
  const [patch = ''] = readdirSync(join(home, 'ai/patches')).filter((name) => name.startsWith('worktree-'));
  assert.match(patch, /^worktree-\d{8}T\d{9}Z\.stage\.diff$/);
  assert.equal(again.notices.slice(0, 2), [
    'a tracked file was missing from ai/worktree; put back: gone.txt',
    `a tracked file was found changed in ai/worktree; saved as ai/patches/${patch}, and put back, for no stage was seen to change them: a.txt`,
  ]);
  git(again.path, 'apply', join(home, 'ai/patches', patch));
  assert.is(read(again.path, 'a.txt'), numbers({ 1: 'base', 9: 'by a stage' }));
  assert.is(read(again.path, 'gone.txt'), 'g\n');
  assert.is(statSync(join(home, 'ai/patches')).mode & 0o777, 0o700);
  assert.is(git(home, 'status', '--porcelain'), '');
});

test('changes that a patch of a stage holds already are not saved twice, nor taken for new', async () => {
  const home = repository();
  const tree = await open(home);
  write(tree.path, { 'a.txt': 'by a stage\n' });
  const patch = join(home, 'ai/patches/r-a-1.stage.diff');
  const { changes } = await savePatch(tree, patch, new Map());
  for (const again of [await open(home), await open(home)]) {
    assert.equal([again.notices, again.seen, again.putBack], [[], changes, []]);
  }
  assert.is(read(tree.path, 'a.txt'), 'by a stage\n', 'without a move they stay');
  assert.equal(
    readdirSync(join(home, 'ai/patches')).filter((name) => name.endsWith('.diff')),
    ['r-a-1.stage.diff'],
  );
});

test('a tracked change that no stage was seen to make is saved and put back, and nothing else is', async () => {
  const home = repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'ü.txt': 'c\n' });
  const tree = await open(home);
  write(tree.path, { 'a.txt': 'by a stage\n' });
  await savePatch(tree, join(home, 'ai/patches/r-a-1.stage.diff'), new Map());
  write(tree.path, { 'b.txt': 'a fix that was never committed\n', 'ü.txt': 'too\n' });
  const again = await open(home);
  assert.equal(
    ['a.txt', 'b.txt', 'ü.txt'].map((name) => read(tree.path, name)),
    ['by a stage\n', 'b\n', 'c\n'],
  );
  const [found = ''] = readdirSync(join(home, 'ai/patches')).filter((name) => name.startsWith('worktree-'));
  assert.equal(again.notices, [
    `3 tracked files were found changed in ai/worktree; saved as ai/patches/${found}, and put back, for no stage was seen to change them: b.txt, ü.txt`,
  ]);
  assert.equal(again.putBack, ['b.txt', 'ü.txt']);
  // Killed before they were put back: that it is saved does not make it a stage's.
  git(tree.path, 'checkout', '-q', '--', '.');
  git(tree.path, 'apply', join(home, 'ai/patches', found));
  assert.equal((await open(home)).putBack, ['b.txt', 'ü.txt']);
  assert.is(readdirSync(join(home, 'ai/patches')).filter((name) => name.startsWith('worktree-')).length, 1);
});

test('an untracked or ignored file in the way of the base is refused by name and kept', async () => {
  const home = repository({ 'a.txt': 'a', '.gitignore': '*.state\n' });
  const tree = await open(home);
  write(tree.path, { 'new file.txt': 'made by a stage', 'x.state': 'precious' });
  write(home, { 'x.state': 'theirs', 'new file.txt': 'theirs' });
  git(home, 'add', '-f', 'x.state', 'new file.txt');
  git(home, 'commit', '-q', '-m', 'both');
  assert.equal(await refusal(bring(home)), {
    text: `error E_WORKTREE_IN_THE_WAY: main brings files that stages left untracked in ai/worktree; nothing was changed
  - 'new file.txt'
  - x.state
  next:  move them away:
         mv 'ai/worktree/new file.txt' 'ai/worktree/new file.txt.old'
         mv ai/worktree/x.state ai/worktree/x.state.old`,
    exit: 3,
  });
  assert.is(read(tree.path, 'x.state'), 'precious');
  assert.is(git(home, 'rev-parse', AI), tree.head);
});

test('a move that was killed while it wrote files is done again', async () => {
  const home = repository();
  const tree = await open(home);
  commit(home, { 'a.txt': numbers({ 1: 'base' }), 'new.txt': 'new' });
  write(tree.path, { 'a.txt': numbers({ 1: 'base' }), 'new.txt': 'new' });
  const again = await bring(home);
  assert.is(again.head, git(home, 'rev-parse', 'main'));
  assert.is(git(again.path, 'status', '--porcelain'), '');
});

test('a file that a killed move left empty or half-written makes way, as git checks it out', async () => {
  const home = repository({ 'a.txt': 'a', '.gitattributes': '*.bat text eol=crlf\n' });
  const tree = await open(home);
  commit(home, { 'empty.txt': 'one\ntwo\n', 'conf/half.txt': 'one\ntwo\n', 'x.bat': 'one\ntwo\n' });
  write(tree.path, { 'empty.txt': '', 'conf/half.txt': 'one\ntw', 'x.bat': 'one\r\ntw' });
  await bring(home);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.equal([read(tree.path, 'conf/half.txt'), read(tree.path, 'x.bat')], ['one\ntwo\n', 'one\r\ntwo\r\n']);
});

test('a file that goes on otherwise, or further, than what the base brings is a stage’s, and stays', async () => {
  for (const text of ['one\nTWO', 'one\ntwo\nthree\n']) {
    const home = repository();
    const tree = await open(home);
    commit(home, { 'new.txt': 'one\ntwo\n' });
    write(tree.path, { 'new.txt': text });
    assert.match((await refusal(bring(home))).text, 'E_WORKTREE_IN_THE_WAY');
    assert.is(read(tree.path, 'new.txt'), text);
  }
});

test('an untracked file where the base brings a folder is refused by name; a tracked one makes way', async () => {
  const home = repository({ 'a.txt': 'a', tracked: 't' });
  const tree = await open(home);
  write(tree.path, { conf: 'by a stage' });
  git(home, 'rm', '-q', 'tracked');
  commit(home, { 'tracked/x.txt': 'x', 'conf/x.txt': 'x' });
  const { text } = await refusal(bring(home));
  assert.match(text, 'left untracked in ai/worktree; nothing was changed\n  - conf\n  next:');
  assert.is(read(tree.path, 'conf'), 'by a stage');
});

test.run();
