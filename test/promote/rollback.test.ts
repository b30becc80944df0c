// What a person rolls back is taken back by commits of its own, all or nothing, and never comes again by itself.
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { listJournals } from '../../src/journal/runs.ts';
import { listFixes } from '../../src/promote/list-fixes.ts';
import { rollBack } from '../../src/promote/rollback.ts';
import { findBase } from '../../src/worktree/base.ts';
import { cutOff, journalIn, run } from '../run/homelab.ts';
import { fixTrail, mendable, ranWords, says } from '../run/probe.ts';
import { AI, bring, commit, flushes, followAdvice, git, numbers, refusal, write } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

const outcomes = (home: string) =>
  Object.values(readLedger(layoutOf(home)).ledger.entries).flatMap(({ patches }) => patches.map((p) => p.outcome));
const fixes = async (home: string) => {
  const base = await findBase(home, { branch: AI });
  const listed = await listFixes(layoutOf(home), base, readLedger(layoutOf(home)).ledger, false);
  return listed.map(({ commit: of, outcome, on_base }) => [of, outcome, on_base ?? false]);
};

test('rolled back: one fix, by its commit, its beginning or its hash; later changes elsewhere stay', async () => {
  for (const name of ['commit', 'beginning', 'hash']) {
    const h = await fixedHome();
    const one = await h.fix('a.txt', numbers({ 2: 'two' }));
    const two = await h.fix('a.txt', numbers({ 2: 'two', 28: 'far' }));
    const word = { commit: one, beginning: one.slice(0, 7), hash: 'hash-1-a.txt' }[name] as string;
    const done = await h.rollBack({ fix: word });
    assert.equal(
      done.fixes.map((f) => [f.commit, f.promoted, f.empty, f.by]),
      [[one, false, false, h.tip()]],
    );
    assert.equal(
      [h.tree('a.txt'), git(join(h.home, 'ai/worktree'), 'status', '--porcelain')],
      [numbers({ 28: 'far' }), ''],
    );
    assert.equal(h.git('log', '-1', '--format=%P %an%n%(trailers:key=Reverts,key=Outcome,valueonly)', AI).split('\n'), [
      `${two} mendloop`,
      one,
      'declined',
    ]);
    assert.equal(outcomes(h.home), ['declined', 'verified']);
    assert.equal(await fixes(h.home), [
      [two, 'verified', false],
      [one, 'declined', false],
    ]);
    const story = await h.show();
    assert.equal([story.fixes.map((f) => f.commit), story.taken_back, story.undone], [[two], 1, []]);
    const journal = listJournals(layoutOf(h.home)).at(-1);
    assert.is(journal?.isRun, false);
    assert.equal(
      readEvents(journal?.path ?? '').events.map(({ type }) => type),
      ['fix.reverted'],
    );
  }
});

test('rolled back: all fixes of a run, the newest first; those of others stay, and so does what was taken back before', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const other = await h.fix('b.txt', numbers({ 2: 'two' }), { run: 'run-2', stage: 'b' });
  await h.takeBack(await h.fix('b.txt', numbers({ 2: 'two', 9: 'bad' }), { stage: 'b' }));
  const same = await h.fix('a.txt', numbers({ 2: 'two, better' }));
  const before = h.tip();
  const done = await h.rollBack({ run: 'run-1' });
  assert.equal(
    done.fixes.map((f) => f.commit),
    [same, one],
  );
  assert.equal([h.tree('a.txt'), h.tree('b.txt')], [numbers(), numbers({ 2: 'two' })]);
  assert.is(h.git('rev-list', '--count', `${before}..${AI}`), '2');
  assert.match((await h.refused(() => h.rollBack({ run: 'run-1' }))).text, 'all fixes of this run were taken back');
  assert.equal(
    (await h.show()).fixes.map((f) => f.commit),
    [other],
  );
});

test('rolled back: the base is merged in first', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(h.home, { 'a.txt': numbers({ 28: 'mine' }) });
  await h.rollBack({ fix: one });
  assert.is(h.tree('a.txt'), numbers({ 28: 'mine' }));
  assert.is((await h.show()).nothing, true);
});

test('rolled back: a promoted fix, merged or squashed, is undone by promoting its rollback', async () => {
  for (const how of ['merged', 'squashed']) {
    const h = await fixedHome();
    const one = await h.fix('a.txt', numbers({ 2: 'two' }));
    if (how === 'merged') await h.accept();
    else {
      h.git('merge', '-q', '--squash', AI);
      h.git('commit', '-q', '-m', 'squashed');
    }
    commit(h.home, { 'a.txt': numbers({ 2: 'two', 20: 'mine' }) });
    const done = await h.rollBack({ fix: one });
    assert.equal(
      done.fixes.map((f) => [f.commit, f.promoted]),
      [[one, true]],
      how,
    );
    assert.is(h.read('a.txt'), numbers({ 2: 'two', 20: 'mine' }), 'the base has it still');
    assert.equal(await fixes(h.home), [[one, 'declined', true]], how);
    const { text } = await h.refused(() => h.rollBack({ fix: one }));
    assert.match(text, 'main still has it; to undo it there: mendloop promote');
    const story = await h.show();
    assert.equal([story.fixes, story.undone.map((f) => f.reverts)], [[], [one]], how);
    await h.accept();
    assert.is(h.read('a.txt'), numbers({ 20: 'mine' }), how);
    assert.is((await h.show()).nothing, true);
    assert.match((await h.refused(() => h.rollBack({ fix: one }))).text, 'next:  see what stands: mendloop fixes', how);
  }
});

test('rolled back: what a stage changed in the worktree is saved and put back first', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  write(join(h.home, 'ai/worktree'), { 'a.txt': 'by a stage\n', 'left.txt': 'untracked\n' });
  const { notices } = await h.rollBack({ fix: one });
  assert.match(notices.join('\n'), 'a tracked file was found changed in ai/worktree; saved as ai/patches/');
  assert.equal([h.tree('a.txt'), h.tree('left.txt')], [numbers(), 'untracked\n']);
});

test('rolled back: a fix whose change is gone already is closed by a commit that changes nothing', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(join(h.home, 'ai/worktree'), { 'a.txt': numbers() }, 'by hand');
  const done = await h.rollBack({ fix: one });
  assert.equal(
    done.fixes.map((f) => f.empty),
    [true],
  );
  assert.equal(outcomes(h.home), ['declined']);
});

test('rolled back: its stage is run again by itself, and the same change is not taken again', async () => {
  const m = mendable();
  m.probe.answers(says('good'));
  assert.is((await run(m.home)).exit, 0);
  git(m.home, 'config', 'user.name', 'Owner');
  const fix = git(m.home, 'rev-parse', AI);
  const request = { home: m.home, command: 'test', what: { fix }, dryRun: false };
  const flushed = await flushes(() => rollBack(request, { clock: systemClock, graceMs: 300 }));
  assert.ok(
    flushed.some((line) => line.startsWith('commit-tree')),
    'the commit is on the disk',
  );
  const { status, reason } = loadStages(layoutOf(m.home)).state.stages.a ?? {};
  assert.equal([status, reason], ['idle', 'no longer stands: its files changed']);
  const before = ranWords(m.home).length;
  const again = await run(m.home);
  assert.ok(ranWords(m.home).length > before, 'it ran again');
  assert.is.not(again.exit, 0);
  assert.equal(m.subjects().filter((line) => line.startsWith('Mend')).length, 1);
  assert.is(m.tree(), 'bad\nsecond\n');
  assert.ok(journalIn(m.home, again.run).length > 0);
});

test('rolled back: whoever was killed before the ledger knew of it says so the next time', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const { ledger, ledgerJournal } = layoutOf(h.home);
  for (const file of [ledger, ledgerJournal]) copyFileSync(file, `${file}.kept`);
  await h.rollBack({ fix: one });
  for (const file of [ledger, ledgerJournal]) copyFileSync(`${file}.kept`, file);
  rmSync(listJournals(layoutOf(h.home)).at(-1)?.path ?? '');
  assert.equal(outcomes(h.home), ['verified']);
  await h.rollBack({ fix: one }).then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, 'E_FIX_TAKEN_BACK'),
  );
  assert.equal(outcomes(h.home), ['declined']);
});

test('rolled back: a fix that the base conflicts with, and what stands on it: the text of the base is left', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.fix('a.txt', numbers({ 2: 'two, better' }), { run: 'run-2' });
  commit(h.home, { 'a.txt': numbers({ 2: 'zwei' }) });
  const { fixes: done, notices } = await h.rollBack({ fix: one });
  assert.equal(
    done.map((f) => [f.commit, f.empty]),
    [[one, true]],
  );
  assert.match(notices.join('\n'), '2 fixes were; they are taken back');
  assert.is(h.tree('a.txt'), numbers({ 2: 'zwei' }));
  assert.equal([h.outcome('hash-1-a.txt'), h.outcome('hash-2-a.txt')], ['declined', 'superseded']);
  assert.is((await h.show()).nothing, true);
});

test('rolled back: after the base was rewritten, by the name it had before', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const two = await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  h.git('commit', '-q', '--amend', '-m', 'anew');
  const { fixes: done } = await h.rollBack({ fix: one });
  assert.is(done.length, 1);
  assert.equal([h.tree('a.txt'), h.tree('b.txt')], [numbers(), numbers({ 2: 'two' })]);
  assert.equal([h.outcome('hash-1-a.txt'), h.outcome('hash-2-b.txt')], ['declined', 'verified']);
  assert.equal(
    (await h.show()).fixes.map(({ commit: of, stage }) => [of === two, stage]),
    [[false, 'b']],
  );
});

test('rolled back: a fix that landed and that the base dropped since is listed as superseded', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.accept();
  await bring(h.home);
  h.git('reset', '-q', '--hard', 'HEAD~1');
  await bring(h.home);
  assert.equal(await fixes(h.home), [[one, 'superseded', false]]);
});

test('rolled back: a run that was cut off is closed first, also for a fix that a person has taken back by git', async () => {
  for (const byHand of [false, true]) {
    const m = mendable();
    m.probe.answers(says('good'));
    const { run: name } = await run(m.home);
    cutOff(m.home, name, ({ type }) => type === 'fix.judged');
    const fix = git(m.home, 'rev-parse', AI);
    if (byHand) git(join(m.home, 'ai/worktree'), 'revert', '--no-edit', 'HEAD');
    const request = { home: m.home, command: 'test', what: { fix }, dryRun: false };
    const done = rollBack(request, { clock: systemClock, graceMs: 300 });
    await (byHand ? refusal(done) : done);
    assert.is(journalIn(m.home, name).at(-1)?.type, 'run.ended', String(byHand));
    assert.equal(outcomes(m.home), ['declined'], String(byHand));
  }
});

test('rolled back: that a person reverted a fix by git is recorded by the next run, and it does not come again', async () => {
  const { home, probe } = mendable();
  probe.answers(says('good'));
  await run(home);
  const tree = join(home, 'ai/worktree');
  git(tree, 'revert', '--no-edit', 'HEAD');
  probe.answers(says('good', 'otherwise'));
  const next = await run(home);
  assert.equal(fixTrail(next.events), [
    'fix.reverted declined',
    'fix.intended',
    'fix.committed',
    'fix.judged verified',
  ]);
  assert.is(next.exit, 0);
});

test('rolled back: a fix that was withdrawn came again when the same change for the same failure is made later, not another one', async () => {
  const h = await fixedHome();
  const cameAgain = async () => {
    const base = await findBase(h.home, { branch: AI });
    const listed = await listFixes(layoutOf(h.home), base, readLedger(layoutOf(h.home)).ledger, false);
    return new Map(listed.map(({ commit: of, came_again }) => [of, came_again ?? false]));
  };
  const one = await h.fix('a.txt', numbers({ 2: 'two' }), { hash: 'same' });
  await h.takeBack(one, 'withdrawn');
  await h.fix('b.txt', numbers({ 9: 'nine' }), { stage: 'b', hash: 'other' });
  await h.fix('a.txt', numbers({ 2: 'two' }), { hash: 'same', fingerprint: 'f2' });
  assert.is((await cameAgain()).get(one), false);
  await h.fix('a.txt', numbers({ 2: 'two', 3: 'three' }), { hash: 'same' });
  assert.is((await cameAgain()).get(one), true);
});

test('refused, with nothing changed: a word that is too short, unknown, or names what took a fix back', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const by = await h.takeBack(one);
  await h.fix('a.txt', numbers({ 3: 'x' }));
  const cases: [string, string][] = [
    [one.slice(0, 6), 'error E_UNKNOWN_FIX: '],
    ['0000000', 'no fix of this branch begins with "0000000"'],
    [h.git('rev-parse', 'main'), 'no fix of this branch begins with'],
    [by, `${by} is no fix; it took ${one} back`],
    [one, `error E_FIX_TAKEN_BACK: ${one.slice(0, 12)} was taken back already`],
  ];
  for (const [word, text] of cases) {
    const told = await h.refused(() => h.rollBack({ fix: word }));
    assert.equal([told.exit, told.text.includes(text)], [2, true], told.text);
  }
  assert.match((await h.refused(() => h.rollBack({ run: 'run-9' }))).text, 'no fix of this branch is of run "run-9"');
});

test('refused, with nothing changed: the beginning of more than one fix that stands; one that was taken back does not count', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'x' }), { hash: 'abcdef1234' });
  const two = await h.fix('b.txt', numbers({ 2: 'x' }), { hash: 'abcdef1256', stage: 'b' });
  assert.equal(await h.refused(() => h.rollBack({ fix: 'abcdef12' })), {
    text: `error E_AMBIGUOUS_FIX: "abcdef12" is the beginning of more than one fix
  - ${two} b: Mend b.txt 2
  - ${one} a: Mend a.txt 1
  next:  name one of them by its commit`,
    exit: 2,
  });
  await h.takeBack(two);
  assert.equal(
    (await h.rollBack({ fix: 'abcdef12' })).fixes.map((f) => f.commit),
    [one],
  );
  assert.match(
    (await h.refused(() => h.rollBack({ fix: 'abcdef12' }))).text,
    'E_FIX_TAKEN_BACK',
    'none of them stands',
  );
});

test("refused, with nothing changed: a person's later change on the same lines: there is no fix to roll back first", async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(join(h.home, 'ai/worktree'), { 'a.txt': numbers({ 2: 'by hand' }) });
  assert.match((await h.refused(() => h.rollBack({ fix: one }))).text, /next: {2}by hand:\n/);
});

test('refused, with nothing changed: later fixes on the same lines: they are named, to be rolled back first', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.takeBack(await h.fix('a.txt', numbers({ 2: 'two', 9: 'gone' })));
  await h.fix('new/c.txt', 'elsewhere\n');
  const two = await h.fix('a.txt', numbers({ 2: 'two, better' }), { run: 'run-2', note: 'Say it better' });
  commit(h.home, { 'b.txt': 'mine\n' });
  const short = one.slice(0, 12);
  const told = {
    text: `error E_ROLLBACK_CONFLICT: ${short} cannot be rolled back: later changes are on the same lines; nothing was rolled back
  - a.txt
  - later: ${two.slice(0, 12)} Say it better
  next:  roll these back first:
         mendloop rollback ${two.slice(0, 12)}
         or by hand:
         git -C ai/worktree revert ${short}
         # edit the files named above, then
         git -C ai/worktree add a.txt
         git -C ai/worktree commit --no-edit`,
    exit: 3,
  };
  assert.equal(await h.refused(() => h.rollBack({ fix: one }, true)), told);
  assert.equal(await refusal(h.rollBack({ fix: one })), told);
  assert.is(h.tree('b.txt'), 'mine\n', 'the base is merged first, and stays');
  assert.equal(await h.refused(() => h.rollBack({ fix: one })), told);
  await h.rollBack({ fix: two });
  await h.rollBack({ fix: one });
  assert.is(h.tree('a.txt'), numbers());
});

test('refused, with nothing changed: what it advises to do by hand works, and then the fix is rolled back', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const two = await h.fix('a.txt', numbers({ 2: 'two, better' }), { run: 'run-2' });
  const { text } = await refusal(h.rollBack({ fix: one }));
  await followAdvice(h.home, text.slice(text.indexOf('by hand:')), () =>
    write(h.home, { 'ai/worktree/a.txt': numbers({ 2: 'better' }) }),
  );
  assert.is(h.tree('a.txt'), numbers({ 2: 'better' }));
  assert.match((await refusal(h.rollBack({ fix: one }))).text, `${one.slice(0, 12)} was taken back already`);
  assert.equal(
    (await h.show()).fixes.map(({ commit: of }) => of),
    [two],
  );
  assert.is(h.outcome('hash-1-a.txt'), 'declined');
});

test('refused, with nothing changed: one of a run that cannot be: none of it', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  await h.fix('a.txt', numbers({ 2: 'two, better' }), { run: 'run-2' });
  commit(h.home, { 'c.txt': 'mine\n' });
  assert.match((await refusal(h.rollBack({ run: 'run-1' }))).text, 'E_ROLLBACK_CONFLICT');
  assert.match((await h.refused(() => h.rollBack({ run: 'run-1' }))).text, 'E_ROLLBACK_CONFLICT');
});

test('refused, with nothing changed: a dry run, and a base that conflicts with what a person did on the branch', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const before = h.state();
  const { fixes: would } = await h.rollBack({ fix: one }, true);
  assert.equal([would.map((f) => [f.commit, f.by]), h.state()], [[[one, null]], before]);
  commit(join(h.home, 'ai/worktree'), { 'b.txt': numbers({ 2: 'by hand' }) });
  commit(h.home, { 'b.txt': numbers({ 2: 'zwei' }) });
  assert.match((await h.refused(() => h.rollBack({ fix: one }))).text, 'E_BASE_CONFLICT');
});

test('refused, with nothing changed: before there is an AI branch', async () => {
  const h = await fixedHome();
  h.git('worktree', 'remove', '--force', 'ai/worktree');
  h.git('branch', '-q', '-D', AI);
  assert.match((await h.refused(() => h.rollBack({ fix: '1234567' }))).text, `there is no ${AI} yet`);
  const { base, base_commit, branch, ...story } = await h.show();
  assert.equal([base, base_commit, branch], ['main', h.git('rev-parse', 'main'), AI]);
  assert.equal(story, {
    tip: null,
    nothing: true,
    fixes: [],
    undone: [],
    others: [],
    taken_back: 0,
    landed: 0,
    clean: true,
    conflicts: [],
    stat: '',
  });
  assert.equal(await fixes(h.home), []);
});

test.run();
