// Nothing lands but what was accepted, as it was rehearsed; whatever is refused leaves every ref and every byte as it was.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { takeLock } from '../../src/io/lock.ts';
import { acceptPromotion } from '../../src/promote/promote.ts';
import { AI, commit, flushes, folder, git, numbers, read, refusal, write } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

function hook(home: string, name: string, text: string): void {
  writeFileSync(join(home, '.git/hooks', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(home, '.git/hooks', name), 0o755);
}

test('landing: in the checkout of the base: one merge commit of the owner, that names every fix', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two' });
  await h.fix('new/c.txt', 'made\n', { stage: 'b', fingerprint: 'f2' });
  write(h.home, { 'untracked.txt': 'mine\n' });
  const base = h.git('rev-parse', 'main');
  const { landed } = await h.accept();
  assert.is(h.git('rev-parse', 'main'), landed?.commit);
  assert.equal(h.git('log', '-1', '--format=%P|%an <%ae>|%cn|%s').split('|'), [
    `${base} ${h.tip()}`,
    'Olga Owner <olga@example.org>',
    'Olga Owner',
    'Promote 2 fixes of a, b',
  ]);
  const trailers = h.git('log', '-1', '--format=%(trailers:key=Promoted-fix,valueonly)').split('\n').filter(Boolean);
  assert.equal([trailers.length, trailers[0]], [2, one]);
  assert.match(h.git('log', '-1', '--format=%b'), `- a: Say two (${one.slice(0, 12)}, probe, f1)`);
  assert.equal([h.read('a.txt'), h.read('new/c.txt')], [numbers({ 2: 'two' }), 'made\n']);
  assert.is(h.git('status', '--porcelain'), '?? untracked.txt');
  assert.is((await h.show()).nothing, true);
});

test('landing: in the name that the environment gives, where it gives one', async () => {
  for (const hooks of [false, true]) {
    const h = await fixedHome({ loop: { git: { hooks } } });
    await h.fix('a.txt', numbers({ 2: 'two' }));
    h.git('config', '--add', 'user.email', 'olga@latest');
    const env = { GIT_AUTHOR_NAME: 'Anna', GIT_AUTHOR_EMAIL: 'anna@env', GIT_COMMITTER_NAME: 'Carl' };
    await acceptPromotion({ home: h.home, command: 'test', env, dryRun: false }, h.tip());
    assert.is(h.git('log', '-1', '--format=%an %ae %cn %ce', 'main'), 'Anna anna@env Carl olga@latest');
  }
});

test('landing: with the base checked out nowhere: only its ref moves', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('switch', '-q', '-c', 'work');
  write(h.home, { 'a.txt': 'being edited\n' });
  const { landed, checkout } = await h.accept();
  assert.equal([checkout, h.git('rev-parse', 'main')], [undefined, landed?.commit]);
  assert.equal([h.read('a.txt'), h.git('status', '--porcelain')], ['being edited\n', 'M a.txt']);
  assert.is(h.git('show', 'main:a.txt'), numbers({ 2: 'two' }).trim());
  assert.is(h.git('log', '-1', '--format=%an', 'main'), 'Olga Owner');
});

test('landing: with the base checked out in another worktree: there, and nowhere else', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('switch', '-q', '-c', 'work');
  const other = join(folder(), 'other');
  h.git('worktree', 'add', '-q', other, 'main');
  write(h.home, { 'a.txt': 'being edited\n' });
  const { checkout } = await h.accept();
  assert.is(checkout, other);
  assert.equal([read(other, 'a.txt'), git(other, 'status', '--porcelain')], [numbers({ 2: 'two' }), '']);
  assert.is(h.read('a.txt'), 'being edited\n');
});

test('landing: a base that moved elsewhere is merged, and keeps what is new on it', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(h.home, { 'a.txt': numbers({ 28: 'mine' }), 'b.txt': 'mine\n' });
  const flushed = await flushes(() => h.accept());
  assert.ok(
    flushed.some((line) => line.startsWith('merge-tree')),
    'what the merge is made of is on the disk',
  );
  assert.equal([h.read('a.txt'), h.read('b.txt')], [numbers({ 2: 'two', 28: 'mine' }), 'mine\n']);
});

test('landing: beside fixes that were squashed before, only what is new lands, and the hook of a merge runs after it', async () => {
  const h = await fixedHome({ loop: { git: { hooks: true } } });
  hook(h.home, 'post-merge', 'echo ran > .git/ran');
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  commit(h.home, { 'a.txt': numbers({ 2: 'two, and better' }) });
  const next = await h.fix('a.txt', numbers({ 2: 'two', 20: 'new' }));
  const last = await h.fix('b.txt', 'new\n', { stage: 'b' });
  const story = await h.show();
  assert.equal([story.landed, story.fixes.map((f) => f.commit), story.clean], [1, [next, last], true]);
  await h.accept();
  assert.equal([h.read('a.txt'), h.read('.git/ran')], [numbers({ 2: 'two, and better', 20: 'new' }), 'ran\n']);
  assert.is(h.read('b.txt'), 'new\n');
});

test('landing: no hook of the owner runs; with git.hooks they run, and one that refuses leaves no merge behind', async () => {
  const off = await fixedHome();
  await off.fix('a.txt', numbers({ 2: 'two' }));
  for (const name of ['pre-merge-commit', 'commit-msg', 'post-merge']) hook(off.home, name, 'touch .git/ran; exit 1');
  await off.accept();
  assert.not(existsSync(join(off.home, '.git/ran')));

  const on = await fixedHome({ loop: { git: { hooks: true } } });
  await on.fix('a.txt', numbers({ 2: 'two' }));
  hook(on.home, 'pre-merge-commit', 'echo "not on a Friday" >&2; exit 1');
  const { text } = await on.refused(() => on.accept());
  assert.match(text, 'E_GIT_FAILED: git could not merge into main in');
  assert.match(text, 'not on a Friday');
  hook(on.home, 'pre-merge-commit', 'echo changed >> a.txt; exit 1');
  assert.match((await on.refused(() => on.accept())).text, 'E_GIT_FAILED');
  hook(on.home, 'pre-merge-commit', 'exit 0');
  hook(on.home, 'commit-msg', 'echo "Reviewed: yes" >> "$1"');
  await on.accept();
  assert.equal(on.git('log', '-1', '--format=%an %s').split(' ').slice(0, 3), ['Olga', 'Owner', 'Promote']);
  assert.match(on.git('log', '-1', '--format=%b'), 'Reviewed: yes');
  assert.equal([on.read('a.txt'), on.git('status', '--porcelain')], [numbers({ 2: 'two' }), '']);
});

test('landing: the merge is not touched by what the owner set for merges of this branch', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('config', 'branch.main.mergeOptions', '--squash --no-commit');
  h.git('config', 'merge.ff', 'no');
  const { landed } = await h.accept();
  assert.equal([h.git('rev-parse', 'HEAD'), h.git('status', '--porcelain')], [landed?.commit, '']);
});

test('refused, with nothing changed: another tip than the accepted one, with what came since; a part of its name; a name of nothing', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const two = await h.fix('a.txt', numbers({ 2: 'two', 20: 'more' }));
  const short = two.slice(0, 12);
  assert.equal(await h.refused(() => h.accept(one)), {
    text: `error E_PROMOTE_STALE: ${AI} is at ${short} now, another commit than the one you accept; since then came
  - ${h.git('log', '-1', '--format=%h', two)} Mend a: Mend a.txt 2
  next:  look at it again: mendloop promote`,
    exit: 2,
  });
  assert.equal(await h.refused(() => h.accept(short)), {
    text: `error E_PROMOTE_PART: --accept needs the whole name of the commit that was shown, not "${short}"
  next:  mendloop promote --accept ${two}`,
    exit: 2,
  });
  for (const word of ['', 'HEAD', AI, '--all', 'f'.repeat(40), h.git('rev-parse', 'main')]) {
    const { text, exit } = await h.refused(() => h.accept(word));
    assert.is(exit, 2, word);
    if (word === 'f'.repeat(40)) assert.match(text, `${short} now, another commit than the one you accept\n`);
  }
});

test('refused, with nothing changed: while a fix is not verified: it is named, with what to do', async () => {
  for (const outcome of ['applied', 'provisional'] as const) {
    const h = await fixedHome();
    await h.fix('a.txt', numbers({ 2: 'two' }));
    const open = await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b', outcome, note: 'Say two' });
    assert.equal(await h.refused(() => h.accept()), {
      text: `error E_PROMOTE_UNVERIFIED: ${AI} holds fixes that no green stage has verified
  - ${open.slice(0, 12)} b: Say two (${outcome})
  next:  let a run judge them: mendloop
         or roll them back:
         mendloop rollback ${open.slice(0, 12)}`,
      exit: 3,
    });
  }
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const { ledger, ledgerJournal, actions } = layoutOf(h.home);
  for (const path of [ledger, ledgerJournal, actions]) rmSync(path, { recursive: true });
  assert.match((await h.refused(() => h.accept())).text, '(unknown)');
});

test('refused, with nothing changed: while a stage that a fix made stale is not green with it', async () => {
  const h = await fixedHome();
  const fix = await h.fix('a.txt', numbers({ 2: 'two' }));
  h.record({ type: 'stage.green', stage: 'b', data: {} });
  assert.is((await h.dryAccept()).landed, undefined);
  h.record({ type: 'stage.stale', stage: 'b', data: { why: 'a.txt was changed', commit: fix } });
  assert.equal(await h.refused(() => h.accept()), {
    text: `error E_PROMOTE_STAGES_STALE: stages that were green before these fixes are not green with them
  - b
  next:  make them again, then look again with mendloop promote:
         mendloop b`,
    exit: 3,
  });
});

test('refused, with nothing changed: on a conflict: the files, and the commands that solve it', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(h.home, { 'a.txt': numbers({ 2: 'zwei' }) });
  const story = await h.show();
  assert.equal([story.clean, story.conflicts, story.nothing], [false, ['a.txt'], false]);
  assert.equal(await h.refused(() => h.accept()), {
    text: `error E_PROMOTE_CONFLICT: main and ${AI} changed the same lines; nothing was merged
  - a.txt
  next:  solve it by hand, then look again with mendloop promote:
         git -C ai/worktree merge main
         # edit the files named above, then
         git -C ai/worktree add a.txt
         git -C ai/worktree commit --no-edit`,
    exit: 3,
  });
  // The commands do solve it.
  const tree = join(h.home, 'ai/worktree');
  assert.throws(() => git(tree, 'merge', 'main'));
  write(tree, { 'a.txt': numbers({ 2: 'two and zwei' }) });
  git(tree, 'add', 'a.txt');
  git(tree, 'commit', '-q', '--no-edit');
  await h.accept();
  assert.is(h.read('a.txt'), numbers({ 2: 'two and zwei' }));
});

test('refused, with nothing changed: a checkout of the base with uncommitted changes, staged or not, in whichever worktree it is', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  write(h.home, { 'b.txt': 'being edited\n' });
  const told = {
    text: `error E_PROMOTE_DIRTY: main is checked out in ${h.home} with changes that are not committed; nothing was merged
  - b.txt
  next:  commit them: git -C ${h.home} commit -a
         or put them aside: git -C ${h.home} stash`,
    exit: 2,
  };
  assert.equal(await h.refused(() => h.accept()), told);
  assert.equal(await h.refused(() => h.dryAccept()), told);
  h.git('add', 'b.txt');
  assert.equal(await h.refused(() => h.accept()), told);
  h.git('reset', '-q', '--hard');
  h.git('switch', '-q', '-c', 'work');
  const other = join(folder(), 'other');
  h.git('worktree', 'add', '-q', other, 'main');
  write(other, { 'a.txt': 'being edited\n' });
  assert.match((await h.refused(() => h.accept())).text, `main is checked out in ${other} with changes`);
});

test('refused, with nothing changed: untracked and ignored files that would be overwritten are named', async () => {
  const h = await fixedHome({ files: { '.gitignore': '*.log\n' } });
  await h.fix('new/c.txt', 'made\n');
  write(h.home, { 'new/c.txt': 'mine\n' });
  assert.equal(await h.refused(() => h.accept()), {
    text: `error E_PROMOTE_IN_THE_WAY: the fixes bring files that lie untracked in the checkout of main; nothing was merged
  - new/c.txt
  next:  move them away:
         mv ${h.home}/new/c.txt ${h.home}/new/c.txt.old`,
    exit: 2,
  });
  rmSync(join(h.home, 'new/c.txt'));
  mkdirSync(join(h.home, 'new/c.txt'));
  assert.is((await h.dryAccept()).checkout, h.home, 'an empty folder makes way');
  write(h.home, { 'new/c.txt/mine': '' });
  assert.match((await h.refused(() => h.dryAccept())).text, '- new/c.txt');
  rmSync(join(h.home, 'new/c.txt'), { recursive: true });
  const tree = join(h.home, 'ai/worktree');
  write(tree, { 'new/d.log': 'theirs\n' });
  git(tree, 'add', '-f', 'new/d.log');
  git(tree, 'commit', '-q', '-m', 'a log');
  write(h.home, { 'new/d.log': 'mine\n' });
  assert.match((await h.refused(() => h.accept())).text, '- new/d.log');
  // A file where a folder has to be, which git refuses by itself.
  rmSync(join(h.home, 'new/d.log'));
  write(tree, { 'deep/e.txt': 'theirs\n' });
  git(tree, 'add', 'deep/e.txt');
  git(tree, 'commit', '-q', '-m', 'a folder');
  write(h.home, { deep: 'mine\n' });
  assert.match((await h.refused(() => h.accept())).text, `E_GIT_FAILED: git could not merge into main in ${h.home}`);
  rmSync(join(h.home, 'deep'));
  await h.accept();
});

test('refused, with nothing changed: a checkout in which a merge or a rebase was begun, or that is gone, or a second one', async () => {
  const h = await fixedHome();
  await h.fix('b.txt', numbers({ 2: 'two' }));
  h.git('switch', '-q', '-c', 'side');
  commit(h.home, { 'a.txt': numbers({ 5: 'side' }) });
  h.git('switch', '-q', 'main');
  commit(h.home, { 'a.txt': numbers({ 5: 'main' }) });
  assert.throws(() => h.git('rebase', 'side'));
  assert.match(
    (await h.refused(() => h.accept())).text,
    'E_PROMOTE_CHECKOUT: main is being rebased; nothing was merged',
  );
  h.git('rebase', '--abort');
  h.git('merge', '-q', '--no-commit', '--no-ff', '-s', 'ours', 'side');
  assert.match((await h.refused(() => h.accept())).text, 'main has a merge begun in');
  h.git('merge', '--abort');
  const other = join(folder(), 'other');
  h.git('worktree', 'add', '-q', '-f', other, 'main');
  assert.match((await h.refused(() => h.accept())).text, 'main is checked out twice');
  h.git('switch', '-q', '-c', 'work');
  rmSync(other, { recursive: true });
  assert.match((await h.refused(() => h.accept())).text, 'which is gone');
  mkdirSync(other);
  assert.match((await h.refused(() => h.accept())).text, 'which has lost its repository');
  h.git('worktree', 'prune');
  // Here git would find the repository of the folder around it.
  h.git('worktree', 'add', '-q', 'inner', 'main');
  const pointer = h.read('inner/.git');
  rmSync(join(h.home, 'inner/.git'));
  assert.match((await refusal(h.accept())).text, /inner, which has lost its repository/);
  write(h.home, { 'inner/.git': pointer });
  assert.throws(() => git(join(h.home, 'inner'), 'rebase', 'side'));
  assert.match((await refusal(h.accept())).text, `main is being rebased in ${h.home}/inner; nothing`);
});

test('refused, with nothing changed: while a run holds the lock', async () => {
  const h = await fixedHome();
  const fix = await h.fix('a.txt', numbers({ 2: 'two' }));
  const lock = takeLock(layoutOf(h.home).lock, 'a run');
  assert.ok(lock.taken);
  for (const work of [() => h.accept(), () => h.rollBack({ fix })]) {
    const { text, exit } = await h.refused(work);
    assert.equal([exit, /E_LOCKED/.test(text)], [75, true]);
  }
  if (lock.taken) lock.release();
  await h.accept();
});

test('refused, with nothing changed: when git does not know the owner', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const withEmail = () =>
    acceptPromotion({ home: h.home, command: 'test', env: { EMAIL: 'olga@env' }, dryRun: false }, h.tip());
  h.git('config', '--unset', 'user.email');
  const { text, exit } = await h.refused(() => h.accept());
  assert.equal([exit, /E_NO_IDENTITY/.test(text)], [2, true]);
  h.git('config', '--unset', 'user.name');
  assert.match((await h.refused(withEmail)).text, 'E_NO_IDENTITY', 'an address is no name');
  h.git('config', 'user.name', 'Olga Owner');
  await withEmail();
  assert.is(h.git('log', '-1', '--format=%an %ae', 'main'), 'Olga Owner olga@env');
});

test('refused, with nothing changed: a dry run lands nothing and takes no lock', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const before = h.state();
  const { landed, checkout } = await h.dryAccept();
  assert.equal([landed, checkout, h.state()], [undefined, h.home, before]);
  assert.not(existsSync(layoutOf(h.home).lock));
});

test.run();
