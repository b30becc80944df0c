// What a person rolls back leaves the branch, or is taken back there where it has landed: all or nothing, and it never comes again.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { listJournals } from '../../src/journal/runs.ts';
import { listFixes } from '../../src/promote/list-fixes.ts';
import { rollBack } from '../../src/promote/rollback.ts';
import { findBase } from '../../src/worktree/base.ts';
import { cutOff, journalIn, run } from '../run/homelab.ts';
import { mendable, ranWords, says } from '../run/probe.ts';
import { AI, bring, commit, followAdvice, git, numbers, refusal, write } from '../worktree/repository.ts';
import { fixedHome, PORTS } from './fixed-home.ts';

const outcomes = (home: string) =>
  Object.values(readLedger(layoutOf(home)).ledger.entries).flatMap(({ patches }) => patches.map((p) => p.outcome));
const fixes = async (home: string) => {
  const base = await findBase(home, { branch: AI });
  const listed = await listFixes(layoutOf(home), base, readLedger(layoutOf(home)).ledger, false);
  return listed.map(({ commit: of, outcome, on_base }) => [of, outcome, on_base ?? false]);
};

test('rolled back: one fix, by its commit, its beginning or its hash: it is dropped from the branch; later changes stay', async () => {
  for (const name of ['commit', 'beginning', 'hash']) {
    const h = await fixedHome();
    const one = await h.fix('a.txt', numbers({ 2: 'two' }));
    const two = await h.fix('a.txt', numbers({ 2: 'two', 28: 'far' }));
    const word = { commit: one, beginning: one.slice(0, 7), hash: 'hash-1-a.txt' }[name] as string;
    const done = await h.rollBack({ fix: word });
    assert.equal([done.dropped.map((f) => f.commit), done.with_them, done.undone, done.done], [[one], [], [], true]);
    assert.equal(
      [h.tree('a.txt'), git(join(h.home, 'ai/worktree'), 'status', '--porcelain')],
      [numbers({ 28: 'far' }), ''],
    );
    const now = h.tip();
    assert.equal(
      [h.git('rev-parse', `${now}^`), h.git('log', '-1', '--format=%s', now)],
      [h.git('rev-parse', 'main'), 'Mend a: Mend a.txt 2'],
    );
    assert.equal(outcomes(h.home), ['declined', 'kept']);
    assert.equal(await fixes(h.home), [
      [now, 'kept', false],
      [one, 'declined', false],
    ]);
    assert.equal(
      (await h.show()).fixes.map((f) => f.commit),
      [now],
    );
    const journal = listJournals(layoutOf(h.home)).at(-1);
    assert.is(journal?.isRun, false);
    assert.equal(
      readEvents(journal?.path ?? '').events.map(({ type }) => type),
      ['branch.intended', 'notice', 'fix.judged', 'branch.moved'],
    );
    // By the name that it had before, too.
    assert.equal(
      (await h.rollBack({ fix: two.slice(0, 12) })).dropped.map((f) => f.commit),
      [now],
    );
    assert.is(h.tip(), h.git('rev-parse', 'main'));
  }
});

test('rolled back: without yes nothing is dropped; it is said what would be, and what goes with it', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const other = await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  const better = await h.fix('a.txt', numbers({ 2: 'two, better' }), { run: 'run-2', note: 'Say it better' });
  const before = h.state();
  for (const how of [{ yes: false }, { yes: true, dryRun: true }]) {
    const would = await h.rollBack({ fix: one }, how);
    assert.equal(
      [would.done, would.dropped.map((f) => f.commit), would.with_them.map((f) => [f.commit, f.fix])],
      [false, [one], [[better, 'Say it better']]],
    );
    assert.equal(h.state(), before);
  }
  await h.rollBack({ fix: one });
  assert.equal([h.tree('a.txt'), h.tree('b.txt')], [numbers(), numbers({ 2: 'two' })]);
  assert.equal([h.outcome('hash-1-a.txt'), h.outcome('hash-3-a.txt')], ['declined', 'declined']);
  assert.equal(
    (await h.show()).fixes.map((f) => f.stage),
    ['b'],
  );
  assert.not.equal(h.tip(), other);
});

test('rolled back: all fixes of a run; those of others stay', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.fix('b.txt', numbers({ 2: 'two' }), { run: 'run-2', stage: 'b' });
  const same = await h.fix('a.txt', numbers({ 2: 'two, better' }));
  const done = await h.rollBack({ run: 'run-1' });
  assert.equal(
    done.dropped.map((f) => f.commit),
    [same, one],
  );
  assert.equal([h.tree('a.txt'), h.tree('b.txt')], [numbers(), numbers({ 2: 'two' })]);
  assert.equal(
    (await h.show()).fixes.map((f) => f.stage),
    ['b'],
  );
});

test('rolled back: the branch is put onto the base first', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(h.home, { 'a.txt': numbers({ 28: 'mine' }) });
  await h.rollBack({ fix: one });
  assert.is(h.tree('a.txt'), numbers({ 28: 'mine' }));
  assert.is((await h.show()).nothing, true);
});

test('rolled back: a fix that landed, squashed or not, is undone by promoting its revert', async () => {
  for (const how of ['forward', 'squashed', 'by hand'] as const) {
    const h = await fixedHome();
    const one = await h.fix('a.txt', numbers({ 2: 'two' }));
    if (how !== 'by hand') await h.accept(undefined, how === 'squashed');
    else {
      h.git('merge', '-q', '--squash', AI);
      h.git('commit', '-q', '-m', 'squashed');
    }
    commit(h.home, { 'a.txt': numbers({ 2: 'two', 20: 'mine' }) });
    const done = await h.rollBack({ fix: one }, { yes: false });
    assert.equal(
      [done.done, done.dropped, done.undone.map((f) => [f.commit, f.by])],
      [true, [], [[one, h.tip()]]],
      how,
    );
    assert.equal(
      h.git('log', '-1', '--format=%(trailers:key=Reverts,key=Outcome,valueonly)', AI).split('\n').filter(Boolean),
      [one, 'declined'],
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

test('rolled back: its stage is run again by itself, and the same change is not taken again', async () => {
  const m = mendable();
  m.probe.answers(says('good'));
  assert.is((await run(m.home)).exit, 0);
  git(m.home, 'config', 'user.name', 'Owner');
  const fix = git(m.home, 'rev-parse', AI);
  await rollBack({ home: m.home, command: 'test', what: { fix }, dryRun: false, yes: true }, PORTS);
  const { status, reason } = loadStages(layoutOf(m.home)).state.stages.a ?? {};
  assert.equal([status, reason], ['idle', 'no longer stands: its files changed']);
  const before = ranWords(m.home).length;
  const again = await run(m.home);
  assert.ok(ranWords(m.home).length > before, 'it ran again');
  assert.is.not(again.exit, 0);
  assert.equal(m.subjects().filter((line) => line.startsWith('Mend')).length, 0);
  assert.is(m.tree(), 'bad\nsecond\n');
  assert.ok(journalIn(m.home, again.run).length > 0);
});

test('rolled back: killed right after the branch moved, the next command closes it, and the ledger knows', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  await h.rollBack({ fix: one });
  const { path = '' } = listJournals(layoutOf(h.home)).at(-1) ?? {};
  for (const file of [path, layoutOf(h.home).ledgerJournal]) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const intended = lines.findIndex((line) => line.includes('"branch.intended"'));
    writeFileSync(file, `${lines.slice(0, intended + 1).join('\n')}\n`);
  }
  for (const file of [layoutOf(h.home).ledger, layoutOf(h.home).stages]) rmSync(file);
  assert.equal(outcomes(h.home), ['kept', 'kept']);
  await h.accept();
  assert.equal(outcomes(h.home), ['declined', 'kept']);
});

test('rolled back: after the base was rewritten, by the name it had before', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const two = await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  h.git('commit', '-q', '--amend', '-m', 'anew');
  const { dropped } = await h.rollBack({ fix: one });
  assert.is(dropped.length, 1);
  assert.equal([h.tree('a.txt'), h.tree('b.txt')], [numbers(), numbers({ 2: 'two' })]);
  assert.equal([h.outcome('hash-1-a.txt'), h.outcome('hash-2-b.txt')], ['declined', 'kept']);
  assert.equal(
    (await h.show()).fixes.map(({ commit: of, stage }) => [of === two, stage]),
    [[false, 'b']],
  );
});

test('a fix that landed and that the base dropped since is listed as superseded', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.accept();
  await bring(h.home);
  h.git('reset', '-q', '--hard', 'HEAD~1');
  await bring(h.home);
  assert.equal(await fixes(h.home), [[one, 'superseded', false]]);
});

test('rolled back: a run that was cut off is closed first', async () => {
  const m = mendable();
  m.probe.answers(says('good'));
  const { run: name } = await run(m.home);
  cutOff(m.home, name, ({ type }) => type === 'trial.ended');
  const fix = git(m.home, 'rev-parse', AI);
  await rollBack({ home: m.home, command: 'test', what: { fix }, dryRun: false, yes: true }, PORTS);
  assert.is(journalIn(m.home, name).at(-1)?.type, 'run.ended');
  assert.equal(outcomes(m.home), ['declined']);
});

test('refused, with nothing changed: a word that is too short, unknown, or names what took a fix back', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.accept();
  await h.rollBack({ fix: one });
  const by = h.tip();
  await h.fix('a.txt', numbers({ 3: 'x' }));
  const dropped = await h.fix('b.txt', numbers({ 3: 'x' }), { stage: 'b' });
  await h.rollBack({ fix: dropped });
  const cases: [string, string][] = [
    [one.slice(0, 6), 'error E_UNKNOWN_FIX: '],
    ['0000000', 'no fix of this branch begins with "0000000"'],
    [h.git('rev-parse', 'main^'), 'no fix of this branch begins with'],
    [by, `${by} is no fix; it took ${one} back`],
    [one, `error E_FIX_TAKEN_BACK: ${one.slice(0, 12)} was taken back already`],
    [dropped, `error E_FIX_TAKEN_BACK: ${dropped.slice(0, 12)} was taken back already`],
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
  await h.rollBack({ fix: two });
  assert.equal(
    (await h.rollBack({ fix: 'abcdef12' })).dropped.map((f) => f.commit),
    [one],
  );
  assert.match((await h.refused(() => h.rollBack({ fix: 'abcdef12' }))).text, 'E_FIX_TAKEN_BACK', 'none stands');
});

test("refused, with nothing changed: a person's later change on the same lines is in the way; what is advised works", async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const mine = commit(join(h.home, 'ai/worktree'), { 'a.txt': numbers({ 2: 'by hand' }) }, 'by hand');
  const short = one.slice(0, 12);
  const { text, exit } = await h.refused(() => h.rollBack({ fix: one }));
  assert.is(exit, 3);
  assert.is(
    text,
    `error E_ROLLBACK_CONFLICT: ${short} cannot be rolled back: later changes are on the same lines; nothing was rolled back
  - ${mine.slice(0, 12)} is yours: a.txt
  next:  by hand:
         git -C ai/worktree rebase --onto ${short}^ ${short}
         # edit the files named above, then
         git -C ai/worktree add a.txt
         GIT_EDITOR=true git -C ai/worktree rebase --continue`,
  );
  await followAdvice(h.home, text.slice(text.indexOf('by hand:')), () =>
    write(h.home, { 'ai/worktree/a.txt': numbers({ 2: 'better' }) }),
  );
  assert.equal([h.tree('a.txt'), (await h.show()).fixes], [numbers({ 2: 'better' }), []]);
});

test('refused, with nothing changed: a landed fix on whose lines the base went on', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.accept();
  commit(h.home, { 'a.txt': numbers({ 2: 'two, better' }) });
  assert.match((await refusal(h.rollBack({ fix: one }))).text, /next: {2}by hand:\n +git -C ai\/worktree revert /);
  await h.refused(() => h.rollBack({ fix: one }));
});

test('refused, with nothing changed: a base on which what a person did on the branch does not apply', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  commit(join(h.home, 'ai/worktree'), { 'b.txt': numbers({ 2: 'by hand' }) });
  commit(h.home, { 'b.txt': numbers({ 2: 'zwei' }) });
  assert.match((await refusal(h.rollBack({ fix: one }))).text, 'E_BASE_CONFLICT');
});

test('refused, with nothing changed: before there is an AI branch', async () => {
  const h = await fixedHome();
  h.git('worktree', 'remove', '--force', 'ai/worktree');
  h.git('branch', '-q', '-D', AI);
  assert.match((await h.refused(() => h.rollBack({ fix: '1234567' }))).text, `there is no ${AI} yet`);
  const { base, base_commit, branch, ...story } = await h.show();
  assert.equal([base, base_commit, branch], ['main', h.git('rev-parse', 'main'), AI]);
  assert.equal([story.tip, story.nothing, story.fixes], [null, true, []]);
  assert.equal(await fixes(h.home), []);
});

test.run();
