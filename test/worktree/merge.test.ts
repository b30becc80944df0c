import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { savePatch } from '../../src/worktree/save-changes.ts';
import { AI, checkoutHash, commit, git, numbers, open, read, refusal, repository, write } from './repository.ts';

const CONFLICT = `error E_MERGE_CONFLICT: main and ${AI} changed the same lines; nothing was merged
  - a.txt
  next:  solve it by hand, then start again:
         git -C ai/worktree merge main
         # edit the files named above, then
         git -C ai/worktree add a.txt
         git -C ai/worktree commit --no-edit`;

test('a base that only moved ahead is fast-forwarded', async () => {
  const home = repository();
  const { head } = await open(home);
  const moved = commit(home, { 'b.txt': 'b' });
  const tree = await open(home);
  assert.is(tree.head, moved);
  assert.equal(tree.merged, { from: head, to: moved });
  assert.is(read(tree.path, 'b.txt'), 'b');
  assert.equal(tree.notices, [`main moved; merged into ${AI} (${moved.slice(0, 12)})`]);
});

test('beside fixes the base comes in by a merge commit of mendloop, and the owner stays untouched', async () => {
  const home = repository();
  const fix = commit((await open(home)).path, { 'fix.txt': 'f' });
  const moved = commit(home, { 'b.txt': 'b' });
  write(home, { 'a.txt': 'owner at work' });
  const before = checkoutHash(home);
  const tree = await open(home);
  assert.is(git(home, 'rev-parse', `${AI}^1`), fix);
  assert.is(git(home, 'rev-parse', `${AI}^2`), moved);
  assert.is(
    git(home, 'log', '-1', '--format=%an <%ae> %cn %s', AI),
    `mendloop <mendloop@localhost> mendloop Merge main into ${AI}`,
  );
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.is(checkoutHash(home), before);
  assert.is((await open(home)).merged, undefined, 'once is enough');
});

test('a real conflict is refused, and branch, index, files and unsaved work are as before', async () => {
  const home = repository();
  const tree = await open(home);
  const fix = commit(tree.path, { 'a.txt': numbers({ 5: 'ours' }) });
  commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  const index = git(tree.path, 'ls-files', '-s', '--debug');
  assert.equal(await refusal(open(home)), { text: CONFLICT, exit: 3 });
  assert.is(git(home, 'rev-parse', AI), fix);
  assert.is(read(tree.path, 'a.txt'), numbers({ 5: 'ours' }));
  assert.is(git(tree.path, 'ls-files', '-s', '--debug'), index);
  assert.not(existsSync(join(tree.gitDir, 'MERGE_HEAD')));

  assert.throws(() => git(home, '-C', 'ai/worktree', 'merge', 'main'));
  write(tree.path, { 'a.txt': numbers({ 5: 'both' }) });
  git(home, '-C', 'ai/worktree', 'add', 'a.txt');
  git(home, '-C', 'ai/worktree', 'commit', '-q', '--no-edit');
  assert.is(read((await open(home)).path, 'a.txt'), numbers({ 5: 'both' }), 'the commands solve it');
});

test('a fix that was cherry-picked and then changed on the base takes the text of the base', async () => {
  const home = repository();
  const fix = commit((await open(home)).path, { 'a.txt': numbers({ 5: 'fixed' }) });
  git(home, 'cherry-pick', '-x', fix);
  commit(home, { 'a.txt': numbers({ 5: 'fixed, and better' }) });
  const tree = await open(home);
  assert.is(read(tree.path, 'a.txt'), numbers({ 5: 'fixed, and better' }));
  assert.is(tree.notices[1], "a.txt: its fix has landed, so main's text was taken");
  assert.is(git(tree.path, 'status', '--porcelain'), '');
});

test('fixes that were squashed into one and then changed on the base take the text of the base', async () => {
  const home = repository();
  const tree = await open(home);
  commit(tree.path, { 'a.txt': numbers({ 5: 'one' }) });
  commit(tree.path, { 'a.txt': numbers({ 5: 'one', 6: 'two' }), 'b.txt': 'b' });
  git(home, 'merge', '-q', '--squash', AI);
  git(home, 'commit', '-q', '-m', 'squashed');
  commit(home, { 'a.txt': numbers({ 5: 'one!', 6: 'two!' }) });
  commit(tree.path, { 'later.txt': 'a fix after the squash' });
  const again = await open(home);
  assert.is(read(again.path, 'a.txt'), numbers({ 5: 'one!', 6: 'two!' }));
  assert.is(read(again.path, 'later.txt'), 'a fix after the squash');
});

test('landed and then removed on the base means removed', async () => {
  const home = repository({ 'a.txt': numbers(), 'keep.txt': 'k' });
  const fix = commit((await open(home)).path, { 'a.txt': numbers({ 5: 'fixed' }) });
  git(home, 'cherry-pick', '-x', fix);
  git(home, 'rm', '-q', 'a.txt');
  git(home, 'commit', '-q', '-m', 'gone');
  assert.not(existsSync(join((await open(home)).path, 'a.txt')));
});

test('a landed fix and an unlanded one on the same path are a conflict', async () => {
  const home = repository();
  const tree = await open(home);
  const landed = commit(tree.path, { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(tree.path, { 'a.txt': numbers({ 5: 'fixed twice' }) });
  git(home, 'cherry-pick', '-x', landed);
  commit(home, { 'a.txt': numbers({ 5: 'fixed otherwise' }) });
  assert.is((await refusal(open(home))).text, CONFLICT);
});

test('a fix that was reverted on the AI branch decides nothing', async () => {
  const home = repository();
  const tree = await open(home);
  const wrong = commit(tree.path, { 'a.txt': numbers({ 5: 'wrong' }) });
  commit(tree.path, { 'other.txt': 'o' });
  git(tree.path, 'revert', '--no-edit', wrong);
  const right = commit(tree.path, { 'a.txt': numbers({ 5: 'right' }) });
  git(home, 'cherry-pick', '-x', right);
  commit(home, { 'a.txt': numbers({ 5: 'right, reworded' }) });
  assert.is(read((await open(home)).path, 'a.txt'), numbers({ 5: 'right, reworded' }));
});

test('a conflict that a person solved by hand is not thrown away for a landed fix', async () => {
  const home = repository();
  const tree = await open(home);
  const fix = commit(tree.path, { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'a.txt': numbers({ 5: 'main' }) });
  assert.throws(() => git(tree.path, 'merge', 'main'));
  commit(tree.path, { 'a.txt': numbers({ 5: 'by hand' }) });
  git(home, 'revert', '--no-edit', 'HEAD');
  git(home, 'cherry-pick', '-x', fix);
  commit(home, { 'a.txt': numbers({ 5: 'main again' }) });
  assert.is((await refusal(open(home))).text, CONFLICT);
});

test('clean merges in between do not hide that a fix has landed', async () => {
  const home = repository();
  const tree = await open(home);
  const fix = commit(tree.path, { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'a.txt': numbers({ 25: 'far away' }) });
  await open(home);
  git(home, 'cherry-pick', '-x', fix);
  commit(home, { 'a.txt': numbers({ 5: 'fixed, and better', 25: 'far away' }) });
  assert.is(read((await open(home)).path, 'a.txt'), numbers({ 5: 'fixed, and better', 25: 'far away' }));
});

test('names with spaces, newlines and other scripts survive merge and landing', async () => {
  const names = ['with space.txt', 'new\nline.txt', 'größe-日本.txt', 'quote".txt'];
  const all = (changes: Record<number, string>) => Object.fromEntries(names.map((name) => [name, numbers(changes)]));
  const home = repository(all({}));
  const fix = commit((await open(home)).path, all({ 5: 'fixed' }));
  git(home, 'cherry-pick', '-x', fix);
  commit(home, all({ 5: 'better' }));
  const tree = await open(home);
  for (const name of names) assert.is(read(tree.path, name), numbers({ 5: 'better' }));
  assert.is(git(tree.path, 'status', '--porcelain'), '');
});

test('conflicting names are quoted for the shell', async () => {
  const home = repository({ "new\nline it's.txt": 'a\n' });
  commit((await open(home)).path, { "new\nline it's.txt": 'ours\n' });
  commit(home, { "new\nline it's.txt": 'theirs\n' });
  assert.match((await refusal(open(home))).text, "git -C ai/worktree add $'new\\nline it\\'s.txt'");
});

test('changes that no patch holds are saved before the base comes in', async () => {
  const home = repository({ 'a.txt': numbers(), 'gone.txt': 'g\n' });
  const tree = await open(home);
  write(tree.path, { 'a.txt': numbers({ 9: 'by a stage' }), 'made.txt': 'untracked' });
  rmSync(join(tree.path, 'gone.txt'));
  commit(home, { 'a.txt': numbers({ 1: 'base' }) });
  const again = await open(home);
  assert.is(read(again.path, 'a.txt'), numbers({ 1: 'base' }));
  assert.is(read(again.path, 'made.txt'), 'untracked', 'nothing is cleaned');
  const [patch = ''] = readdirSync(join(home, 'ai/patches')).filter((name) => name.startsWith('worktree-'));
  assert.match(patch, /^worktree-\d{8}T\d{9}Z\.stage\.diff$/);
  assert.equal(again.notices.slice(0, 2), [
    'a tracked file was missing from ai/worktree; put back: gone.txt',
    `a tracked file was found changed in ai/worktree; saved as ai/patches/${patch}`,
  ]);
  assert.is(again.seen.size, 0);
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
  assert.is(read(tree.path, 'a.txt'), 'by a stage\n', 'without a merge they stay');
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
  assert.equal(await refusal(open(home)), {
    text: `error E_WORKTREE_IN_THE_WAY: main cannot be merged: it brings files that stages left untracked in ai/worktree
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

test('a merge that was killed while it wrote files is done again', async () => {
  const home = repository();
  const tree = await open(home);
  commit(home, { 'a.txt': numbers({ 1: 'base' }), 'new.txt': 'new' });
  write(tree.path, { 'a.txt': numbers({ 1: 'base' }), 'new.txt': 'new' });
  const again = await open(home);
  assert.is(again.head, git(home, 'rev-parse', 'main'));
  assert.is(git(again.path, 'status', '--porcelain'), '');
});

test('a file that a killed merge left empty or half-written makes way, as git checks it out', async () => {
  const home = repository({ 'a.txt': 'a', '.gitattributes': '*.bat text eol=crlf\n' });
  const tree = await open(home);
  commit(home, { 'empty.txt': 'one\ntwo\n', 'conf/half.txt': 'one\ntwo\n', 'x.bat': 'one\ntwo\n' });
  write(tree.path, { 'empty.txt': '', 'conf/half.txt': 'one\ntw', 'x.bat': 'one\r\ntw' });
  await open(home);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.equal([read(tree.path, 'conf/half.txt'), read(tree.path, 'x.bat')], ['one\ntwo\n', 'one\r\ntwo\r\n']);
});

test('a file that goes on otherwise, or further, than what the base brings is a stage’s, and stays', async () => {
  for (const text of ['one\nTWO', 'one\ntwo\nthree\n']) {
    const home = repository();
    const tree = await open(home);
    commit(home, { 'new.txt': 'one\ntwo\n' });
    write(tree.path, { 'new.txt': text });
    assert.match((await refusal(open(home))).text, 'E_WORKTREE_IN_THE_WAY');
    assert.is(read(tree.path, 'new.txt'), text);
  }
});

test('an untracked file where the base brings a folder is refused by name; a tracked one makes way', async () => {
  const home = repository({ 'a.txt': 'a', tracked: 't' });
  const tree = await open(home);
  write(tree.path, { conf: 'by a stage' });
  git(home, 'rm', '-q', 'tracked');
  commit(home, { 'tracked/x.txt': 'x', 'conf/x.txt': 'x' });
  const { text } = await refusal(open(home));
  assert.match(text, 'left untracked in ai/worktree\n  - conf\n  next:');
  assert.is(read(tree.path, 'conf'), 'by a stage');
});

test.run();
