// Nothing lands but what was accepted, as it was rehearsed; whatever is refused leaves every ref and every byte as it was.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { takeLock } from '../../src/io/lock.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { listRuns } from '../../src/journal/runs.ts';
import { listFixes } from '../../src/promote/list-fixes.ts';
import { findBase } from '../../src/worktree/base.ts';
import { cutOff, run } from '../run/homelab.ts';
import { AI, commit, folder, followAdvice, git, numbers, read, refusal, write } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

test("landing: the owner's branch goes forward to exactly what was accepted, each fix a commit of its own", async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two' });
  const two = await h.fix('new/c.txt', 'made\n', { stage: 'b', fingerprint: 'f2' });
  write(h.home, { 'untracked.txt': 'mine\n' });
  const { landed, checkout } = await h.accept();
  assert.equal([landed, checkout, h.git('rev-parse', 'main'), h.tip()], [two, h.home, two, two]);
  assert.equal([h.read('a.txt'), h.read('new/c.txt')], [numbers({ 2: 'two' }), 'made\n']);
  assert.is(h.git('status', '--porcelain'), '?? untracked.txt');
  assert.is((await h.show()).nothing, true);
  const { ledger } = readLedger(layoutOf(h.home));
  const listed = await listFixes(layoutOf(h.home), await findBase(h.home, { branch: AI }), ledger, false);
  assert.equal(
    listed.map(({ outcome, stage }) => `${stage} ${outcome}`),
    ['b landed', 'a landed'],
  );
});

test('landing: with the base checked out nowhere: only its ref moves', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('switch', '-q', '-c', 'work');
  write(h.home, { 'a.txt': 'being edited\n' });
  const { landed, checkout } = await h.accept();
  assert.equal([checkout, h.git('rev-parse', 'main')], [undefined, landed]);
  assert.equal([h.read('a.txt'), h.git('status', '--porcelain')], ['being edited\n', 'M a.txt']);
  assert.is(h.git('show', 'main:a.txt'), numbers({ 2: 'two' }).trim());
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

test('landing: on a base that moved, the branch is put onto it first, and lands as it was shown then', async () => {
  const h = await fixedHome();
  const fix = await h.fix('a.txt', numbers({ 2: 'two' }));
  const mine = commit(h.home, { 'a.txt': numbers({ 28: 'mine' }), 'b.txt': 'mine\n' });
  const shown = await h.show();
  assert.equal([shown.moves, h.tip()], [true, fix], 'a look moves nothing');
  const { landed } = await h.accept(shown.tip as string);
  assert.equal([landed, h.tip(), h.git('rev-parse', 'main^')], [shown.tip, shown.tip, mine]);
  assert.equal([h.read('a.txt'), h.read('b.txt')], [numbers({ 2: 'two', 28: 'mine' }), 'mine\n']);
});

test('landing: beside fixes that were squashed before, only what is new lands', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  commit(h.home, { 'a.txt': numbers({ 2: 'two, and better' }) });
  await h.fix('a.txt', numbers({ 2: 'two', 20: 'new' }));
  await h.fix('b.txt', 'new\n', { stage: 'b' });
  const story = await h.show();
  assert.equal([story.superseded.length, story.fixes.map((f) => f.stage), story.nothing], [1, ['a', 'b'], false]);
  await h.accept();
  assert.equal([h.read('a.txt'), h.read('b.txt')], [numbers({ 2: 'two, and better', 20: 'new' }), 'new\n']);
});

test('landing: a run that was cut off is closed first, and what it left open on the branch', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await run(h.home);
  const [last = ''] = listRuns(layoutOf(h.home)).slice(-1);
  cutOff(h.home, last, ({ type }) => type === 'tree.opened');
  const { notices } = await h.accept();
  assert.equal(
    notices.filter((text) => text.includes('was cut off')),
    [`run ${last} was cut off and is closed: its fixes were promoted`],
  );
});

test('refused, with nothing changed: another tip than the accepted one, with what came since; a part of its name; a name of nothing', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const two = await h.fix('a.txt', numbers({ 2: 'two', 20: 'more' }));
  const short = two.slice(0, 12);
  assert.equal(await h.refused(() => h.accept(one)), {
    text: `error E_PROMOTE_STALE: ${AI} is at ${short} now, another commit than the one you accept
  - ${h.git('log', '-1', '--format=%h', two)} Mend a: Mend a.txt 2
  -  a.txt | 2 +-
  -  1 file changed, 1 insertion(+), 1 deletion(-)
  next:  look at it: mendloop promote
         and land exactly that: mendloop promote --accept ${two}`,
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
  for (const outcome of ['applied', 'undone'] as const) {
    const h = await fixedHome();
    await h.fix('a.txt', numbers({ 2: 'two' }));
    const open = await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b', outcome, note: 'Say two' });
    assert.equal(await h.refused(() => h.accept()), {
      text: `error E_PROMOTE_UNVERIFIED: ${AI} has fixes that may not land
  - ${open.slice(0, 12)} b: Say two (no green stage has verified it)
  next:  let a run judge them: mendloop
         or roll them back:
         mendloop rollback ${open.slice(0, 12)}`,
      exit: 3,
    });
  }
});

test('refused, with nothing changed: a fix with which a stage has failed since; one that no run has seen with it may land', async () => {
  const h = await fixedHome();
  const fix = await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two' });
  h.record({ type: 'stage.green', stage: 'b', data: {} });
  h.record({ type: 'stage.stale', stage: 'b', data: { why: 'a.txt was changed', commit: fix } });
  assert.equal((await h.show()).fixes[0]?.not_seen, ['b']);
  assert.is((await h.dryAccept()).checkout, h.home);
  h.record({ type: 'stage.failed', stage: 'b', data: {} });
  assert.equal(await h.refused(() => h.accept()), {
    text: `error E_PROMOTE_UNVERIFIED: ${AI} has fixes that may not land
  - ${fix.slice(0, 12)} a: Say two (failed with it since: b)
  next:  let a run judge them: mendloop b
         or roll them back:
         mendloop rollback ${fix.slice(0, 12)}`,
    exit: 3,
  });
});

test("refused, with nothing changed: a person's commit that does not apply to the base, with commands that put it there", async () => {
  const h = await fixedHome();
  await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  const tree = join(h.home, 'ai/worktree');
  const mine = commit(tree, { 'a.txt': numbers({ 2: 'two' }) }, 'by hand');
  commit(h.home, { 'a.txt': numbers({ 2: 'zwei' }) });
  assert.equal((await h.show()).stuck, [{ commit: mine, paths: ['a.txt'] }]);
  const { text, exit } = await refusal(h.accept());
  assert.match(text, /^error E_BASE_CONFLICT/);
  assert.is(exit, 3);
  await followAdvice(h.home, text, () => write(tree, { 'a.txt': numbers({ 2: 'two and zwei' }) }));
  await h.accept();
  assert.is(h.read('a.txt'), numbers({ 2: 'two and zwei' }));
});

test('refused, with nothing changed: a checkout of the base with uncommitted changes, staged or not, in whichever worktree it is', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  write(h.home, { 'b.txt': 'being edited\n' });
  const told = {
    text: `error E_PROMOTE_DIRTY: main is checked out in ${h.home} with changes that are not committed; nothing has landed
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
    text: `error E_PROMOTE_IN_THE_WAY: the fixes bring files that lie untracked in the checkout of main; nothing has landed
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
  // A file where a folder has to be.
  rmSync(join(h.home, 'new/d.log'));
  write(tree, { 'deep/e.txt': 'theirs\n' });
  git(tree, 'add', 'deep/e.txt');
  git(tree, 'commit', '-q', '-m', 'a folder');
  write(h.home, { deep: 'mine\n' });
  assert.match((await h.refused(() => h.accept())).text, /E_PROMOTE_IN_THE_WAY: .*\n {2}- deep\n/);
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
    'E_PROMOTE_CHECKOUT: main is being rebased; nothing has landed',
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

test('refused, with nothing changed: a dry run lands nothing and takes no lock', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const before = h.state();
  const { landed, checkout } = await h.dryAccept();
  assert.equal([landed, checkout, h.state()], [undefined, h.home, before]);
  assert.not(existsSync(layoutOf(h.home).lock));
});

test.run();
