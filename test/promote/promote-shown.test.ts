// What a promotion shows before it is accepted: which fixes come, how each was verified, what is left out.
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { emptyState, type StageRecord } from '../../src/journal/stages.ts';
import { judgeToday } from '../../src/promote/judge-today.ts';
import { listPromotion } from '../../src/promote/promote.ts';
import { byStage, surveyPromotion } from '../../src/promote/story.ts';
import { configurationNow } from '../../src/stage/configuration.ts';
import { emptyLedger, entryOf } from '../../src/triage/ledger.ts';
import { inspect } from '../../src/worktree/after-attempt.ts';
import { findBase } from '../../src/worktree/base.ts';
import { reconfigure } from '../run/homelab.ts';
import { AI, commit, git, numbers, open, refusal } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

test("each fix is held against today's gate: what it would ask about or refuse is told with its code", async () => {
  const script = '#!/bin/sh\ntrue\n';
  const h = await fixedHome({ loop: { git: { protected: true } }, files: { 'new/run.sh': script } });
  await h.fix('b.txt', numbers({ 7: 'seven' }), { stage: 'b' });
  await h.fix('a.txt', 'only this\n');
  await h.fix('b.txt', numbers({ 7: 'of another stage' }));
  await h.fix('new/run.sh', script, { executable: true });
  await h.fix('b.txt', numbers({ 7: 'of a stage that the map has no more' }), { stage: 'gone' });
  const list = async () => (await listPromotion(h.home, await findBase(h.home, { branch: AI }), false)).story;
  const story = await list();
  assert.equal(
    story.fixes.map(({ today }) => today && [today.verdict, today.code]),
    [undefined, ['ask', 'removed'], ['refuse', 'outside'], undefined, undefined],
  );
  assert.is(story.protected, true);
  assert.equal(
    story.fixes.map(({ shapes }) => shapes.length),
    [0, 0, 0, 1, 0],
    'an exec bit is a repair',
  );
  commit(h.home, { 'ai/loop.yaml': 'nonsense: 1\n' });
  const { fixes, protected: isProtected } = await list();
  assert.equal([fixes.length, fixes.filter(({ today }) => today).length, isProtected], [5, 0, undefined], 'not sound');
});

test('a fix that a person accepted is not asked about again, and one that would be refused is told all the same', async () => {
  const h = await fixedHome();
  const fix = { fingerprint: 'f1', hash: 'agreed', tier: 'executor' as const, plugin: 'probe' };
  const note = { fix: 'x', reason: 'y' };
  const data = { ...fix, note, class: 'unknown', paths: ['a.txt'], tried: true, accepted: true, commit: '' };
  h.record({ type: 'fix.committed', stage: 'a', data });
  await h.fix('a.txt', 'only this\n', { hash: 'agreed' });
  const shown = async () => {
    const { story } = await listPromotion(h.home, await findBase(h.home, { branch: AI }), false);
    return story.fixes.map(({ accepted, today: verdict }) => [accepted, verdict?.verdict]);
  };
  assert.equal(await shown(), [[true, undefined]]);
  reconfigure(h.home, { a: { command: 'true', files: ['b.txt'] } });
  assert.equal(await shown(), [[true, 'refuse']]);
});

test("the ledger is read once, however many fixes are held against today's gate", async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.fix('b.txt', numbers({ 7: 'seven' }), { stage: 'b' });
  const [{ fixes }, { config }] = [await h.show(), await configurationNow(h.home)];
  const { openSync: open } = fs;
  let reads = 0;
  fs.openSync = ((...args: Parameters<typeof open>) => {
    if (args[0] === layoutOf(h.home).ledger) reads += 1;
    return open(...args);
  }) as typeof open;
  syncBuiltinESMExports();
  try {
    assert.is((await judgeToday(h.home, config, fixes)).length, 2);
  } finally {
    fs.openSync = open;
    syncBuiltinESMExports();
  }
  assert.is(reads, 1);
});

test('fixes by stage and failure with their verification; pairs that left nothing are only counted', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const gone = await h.fix('b.txt', numbers({ 9: 'bad' }), { stage: 'b', fingerprint: 'f2' });
  await h.takeBack(gone);
  const two = await h.fix('b.txt', numbers({ 20: 'good' }), { stage: 'b', fingerprint: 'f2' });
  const three = await h.fix('a.txt', numbers({ 2: 'two', 28: 'far' }), { fingerprint: 'f3' });
  const story = await h.show();
  assert.equal(
    byStage(story.fixes).map(({ stage, failures }) => [
      stage,
      failures.map((f) => [f.fingerprint, f.fixes.map((x) => x.commit)]),
    ]),
    [
      [
        'a',
        [
          ['f1', [one]],
          ['f3', [three]],
        ],
      ],
      ['b', [['f2', [two]]]],
    ],
  );
  assert.equal(
    [story.taken_back, story.landed, story.clean, story.nothing, story.tip, story.fixes.map((f) => f.outcome)],
    [1, 0, true, false, h.tip(), ['verified', 'verified', 'verified']],
  );
  assert.match(story.stat, / a\.txt \| 4 \+\+--\n b\.txt \| 2 \+-/);
  assert.match(story.diff ?? '', /\+good/);
  assert.not.match(story.diff ?? '', /bad/);
});

test('of what stages wrote, only what a green one made from a commit that comes is written anew', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const base = await findBase(h.home, { branch: AI });
  const record = { run: 'run-1', attempts: 1, since: '2026-01-01T00:00:00.000Z', wrote: ['out.yaml'] };
  const wrote = (name: string, status: 'green' | 'failed', green_head: string) => ({
    [name]: { ...record, status, green_head, wrote_patch: `${name}.diff` },
  });
  const stages = {
    ...emptyState(),
    stages: {
      ...wrote('comes', 'green', h.tip()),
      ...wrote('failed', 'failed', h.tip()),
      ...wrote('earlier', 'green', base.commit),
      nothing: { ...record, status: 'green' as const, green_head: h.tip(), wrote: [], wrote_patch: 'x.diff' },
      lost: { ...record, status: 'green' as const, green_head: h.tip(), wrote: ['lost.yaml'] },
    },
  };
  const { story } = await surveyPromotion(h.home, base, { ledger: emptyLedger(), stages }, false);
  assert.equal(story.written_anew, [{ stage: 'comes', files: ['out.yaml'], patch: 'comes.diff' }]);
});

test('a fix is told with who accepted it and the stages that are not green with it, and why not', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const base = await findBase(h.home, { branch: AI });
  const { ledger } = readLedger(layoutOf(h.home));
  const record = { run: 'run-1', attempts: 1, since: '2026-01-01T00:00:00.000Z', fingerprint: 'f1' };
  const stale = { ...record, status: 'idle' as const, stale: { commits: [one] } };
  const survey = async (a: StageRecord, gone = a) => {
    const stages = { ...emptyState(), stages: { a, gone } };
    return (await surveyPromotion(h.home, base, { ledger, stages }, false)).story.fixes[0];
  };
  const open = [{ stage: 'a', external: false }];
  const cell = { ...record, status: 'failed' as const, cells: { 'h=1': stale } };
  assert.equal([(await survey(stale))?.not_standing, (await survey(cell))?.not_standing], [open, open]);
  for (const over of [
    { ...cell, status: 'green' as const },
    { ...stale, stale: { commits: ['another'] } },
  ])
    assert.is((await survey(over, stale))?.not_standing, undefined, 'what is not in the map does not count');
  assert.is((await survey(stale))?.accepted, undefined);
  const entry = entryOf(ledger, 'a', 'f1');
  assert.ok(entry?.patches[0]);
  entry.external = true;
  entry.patches[0].accepted = true;
  const outside = await survey(stale);
  assert.equal([outside?.accepted, outside?.not_standing], [true, [{ stage: 'a', external: true }]]);
});

test('a tick that comes for an item whose change was taken back keeps all of it from landing', async () => {
  const index = (...ticks: string[]) => ticks.map((tick, i) => `- [${tick}] [Item](0${i + 1}-item.md)\n`).join('');
  const INDEX = 'ai/backlog/00-index.md';
  const h = await fixedHome({ files: { [INDEX]: index('x', ' ', ' ') } });
  commit(join(h.home, 'ai/worktree'), { [INDEX]: index('x', 'x', 'x') }, 'Tick');
  assert.is((await h.show()).items_undone, undefined);
  for (const stage of ['item-01', 'item-02', 'item-03']) h.record({ type: 'stage.green', stage, data: {} });
  for (const stage of ['item-01', 'item-02']) h.remember(stage, 'f1', stage, 'declined');
  h.remember('item-03', 'f1', 'item-03', 'verified');
  assert.equal((await h.show()).items_undone, ['02'], 'the base has the first, and the last one stands');
  assert.equal(await h.refused(() => h.accept()), {
    text: `error E_PROMOTE_ITEMS_UNDONE: ${AI} has items of the work queue ticked though a change of theirs was taken back: 02
  next:  the next run opens them again: mendloop`,
    exit: 3,
  });
});

test('looking leaves a damaged file of state where it is', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const { stages } = layoutOf(h.home);
  writeFileSync(stages, 'damaged');
  assert.is((await h.show()).fixes.length, 1);
  assert.is(readFileSync(stages, 'utf8'), 'damaged');
});

test('nothing to promote: no fix, only pairs, or all of it squashed into the base', async () => {
  const h = await fixedHome();
  assert.is((await h.show()).nothing, true);
  await h.takeBack(await h.fix('a.txt', numbers({ 2: 'two' })));
  assert.equal([(await h.show()).nothing, (await h.show()).taken_back], [true, 1]);
  await h.fix('a.txt', numbers({ 3: 'three' }));
  await h.fix('b.txt', numbers({ 3: 'three' }), { stage: 'b' });
  assert.is((await h.show()).nothing, false);
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  const story = await h.show();
  assert.equal([story.nothing, story.fixes.length], [true, 0]);
  const { text, exit } = await h.refused(() => h.accept());
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_PROMOTE_NOTHING: there is nothing to promote: main has all that ${AI} could bring\n  next:  see what is on the branch: mendloop fixes`,
  );
});

test('a fix that landed and that the owner took out again does not come back, alone or beside a new one', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  h.git('revert', '--no-edit', 'HEAD');
  assert.is((await h.show()).nothing, true);
  const next = await h.fix('a.txt', numbers({ 2: 'two', 20: 'new' }));
  const story = await h.show();
  assert.equal(
    story.fixes.map((f) => f.commit),
    [next],
  );
  assert.not.match(story.diff ?? '', /\+two/);
  await h.accept();
  assert.is(h.read('a.txt'), numbers({ 20: 'new' }));
});

test('beside a fix that landed, a new one on lines that the base changed conflicts, and is solved on the base', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  commit(h.home, { 'a.txt': numbers({ 2: 'two', 20: 'mine' }) });
  await h.fix('a.txt', numbers({ 2: 'two', 20: 'new' }));
  const { clean, conflicts, nothing } = await h.show();
  assert.equal([clean, conflicts, nothing], [false, ['a.txt'], false]);
  assert.match((await h.refused(() => h.accept())).text, 'git switch main\n         git merge --no-ff --no-commit');
});

test('commits of somebody else are listed, and land with the rest', async () => {
  const h = await fixedHome();
  const by = commit(join(h.home, 'ai/worktree'), { 'b.txt': numbers({ 5: 'hand' }) }, 'by hand');
  const story = await h.show();
  assert.equal([story.others, story.fixes], [[{ commit: by, subject: 'by hand' }], []]);
  await h.accept();
  assert.is(h.read('b.txt'), numbers({ 5: 'hand' }));
});

test('commits that a stage made are never offered', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const tree = await open(h.home, { merge: false });
  commit(tree.path, { 'b.txt': numbers({ 5: 'stage' }) }, 'by a stage');
  const before = { head: tree.head, seen: tree.seen, patchFile: join(h.home, 'ai/patches/x.diff') };
  const halted = await refusal(inspect(tree, { ...before, checkFiles: async () => new Set() }));
  assert.match(halted.text, /^error E_HEAD_MOVED: /);
  assert.equal(await refusal(h.show()), halted);
  git(tree.path, 'reset', '-q', '--keep', tree.head);
  assert.equal((await h.show()).others, []);
});

test.run();
