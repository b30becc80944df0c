// What a promotion shows before it is accepted: which fixes come, how each was verified, what is left out.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { emptyState, type StageRecord } from '../../src/journal/stages.ts';
import { byStage, readStory } from '../../src/promote/story.ts';
import { emptyLedger, entryOf } from '../../src/triage/ledger.ts';
import { inspect } from '../../src/worktree/after-attempt.ts';
import { findBase } from '../../src/worktree/base.ts';
import { AI, commit, git, numbers, open, refusal } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

test('fixes by stage and failure with their verification, and on which base that was', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
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
  const verified = ['kept', h.git('rev-parse', 'main')];
  assert.equal(
    [story.landed, story.nothing, story.moves, story.tip, story.fixes.map((f) => [f.outcome, f.verified_on])],
    [0, false, false, h.tip(), [verified, verified, verified]],
  );
  assert.match(story.stat, / a\.txt \| 4 \+\+--\n b\.txt \| 2 \+-/);
  assert.match(story.diff ?? '', /\+good/);
  commit(h.home, { 'c.txt': 'mine\n' });
  const moved = await h.show();
  assert.equal([moved.moves, moved.fixes[0]?.verified_on], [true, verified[1]]);
  assert.not.equal(moved.base_commit, verified[1]);
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
  const story = await readStory(h.home, base, { ledger: emptyLedger(), stages }, false);
  assert.equal(story.written_anew, [{ stage: 'comes', files: ['out.yaml'], patch: 'comes.diff' }]);
});

test('a fix is told with who accepted it, the stages that no run has seen with it, and those that failed since', async () => {
  const h = await fixedHome();
  const one = await h.fix('a.txt', numbers({ 2: 'two' }));
  const base = await findBase(h.home, { branch: AI });
  const { ledger } = readLedger(layoutOf(h.home));
  const record = { run: 'run-1', attempts: 1, since: '2026-01-01T00:00:00.000Z', fingerprint: 'f1' };
  const stale = { ...record, status: 'idle' as const, stale: { commits: [one] } };
  const survey = async (a: StageRecord, gone = a) => {
    const stages = { ...emptyState(), stages: { a, gone } };
    const { accepted, not_seen, failed } = (await readStory(h.home, base, { ledger, stages }, false)).fixes[0] ?? {};
    return [accepted, not_seen, failed];
  };
  const cell = { ...record, status: 'failed' as const, cells: { 'h=1': stale } };
  const broken = { ...stale, status: 'failed' as const };
  assert.equal(await survey(stale), [undefined, ['a'], undefined]);
  assert.equal(await survey(cell), [undefined, ['a'], undefined]);
  assert.equal(await survey(broken), [undefined, undefined, ['a']]);
  for (const over of [
    { ...cell, status: 'green' as const },
    { ...stale, stale: { commits: ['another'] } },
  ])
    assert.equal(await survey(over, stale), [undefined, undefined, undefined], 'what is not in the map does not count');
  const entry = entryOf(ledger, 'a', 'f1');
  assert.ok(entry?.patches[0]);
  entry.external = true;
  entry.patches[0].accepted = true;
  assert.equal(await survey(broken), [true, ['a'], undefined], 'a reason outside of the repository judges nothing');
});

test('looking leaves a damaged file of state where it is', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const { stages } = layoutOf(h.home);
  writeFileSync(stages, 'damaged');
  assert.is((await h.show()).fixes.length, 1);
  assert.is(readFileSync(stages, 'utf8'), 'damaged');
});

test('nothing to promote: no fix, or all of it squashed into the base', async () => {
  const h = await fixedHome();
  assert.is((await h.show()).nothing, true);
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
  await h.fix('a.txt', numbers({ 2: 'two', 20: 'new' }));
  const story = await h.show();
  assert.equal([story.fixes.length, story.superseded.length], [1, 1]);
  assert.not.match(story.diff ?? '', /\+two/);
  await h.accept();
  assert.is(h.read('a.txt'), numbers({ 20: 'new' }));
});

test('a fix on lines that the base changed does not come, and is named', async () => {
  const h = await fixedHome();
  const gone = await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two' });
  commit(h.home, { 'a.txt': numbers({ 2: 'mine' }) });
  const story = await h.show();
  assert.equal([story.nothing, story.superseded], [true, [{ commit: gone, stage: 'a', fix: 'Say two' }]]);
  await h.fix('b.txt', numbers({ 20: 'new' }), { stage: 'b' });
  await h.accept();
  assert.equal([h.read('a.txt'), h.read('b.txt')], [numbers({ 2: 'mine' }), numbers({ 20: 'new' })]);
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
  const tree = await open(h.home);
  commit(tree.path, { 'b.txt': numbers({ 5: 'stage' }) }, 'by a stage');
  const before = { head: tree.head, seen: tree.seen, patchFile: join(h.home, 'ai/patches/x.diff') };
  const halted = await refusal(inspect(tree, { ...before, checkFiles: async () => new Set() }));
  assert.match(halted.text, /^error E_HEAD_MOVED: /);
  assert.equal(await refusal(h.show()), halted);
  git(tree.path, 'reset', '-q', '--keep', tree.head);
  assert.equal((await h.show()).others, []);
});

test.run();
