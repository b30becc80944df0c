// Fixes are found again by what their commits tell, and undone ones do not count as standing.

import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fix } from '../../src/events.ts';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { type CommittedFix, committedFixes, isReversal } from '../../src/worktree/find-fix.ts';
import { fixMessage, revertMessage } from '../../src/worktree/fix-message.ts';
import { snapshotOf } from '../../src/worktree/read.ts';
import { treeGit, type Worktree } from '../../src/worktree/tree.ts';
import { commit, git, open, repository } from './repository.ts';

const PLAIN = { hooks: false, sign: false };
const head = ({ path }: Worktree) => git(path, 'rev-parse', 'HEAD');
const found = (tree: Worktree) => committedFixes(treeGit(tree), tree.base.commit, head(tree));

async function fixed(
  tree: Worktree,
  path: string,
  text: string,
  note = { fix: 'Mend it', reason: 'It broke' },
): Promise<Fix> {
  const fix = {
    stage: 'a',
    step: 'a',
    fingerprint: 'f1',
    hash: `h-${text.trim()}`,
    tier: 'executor' as const,
    plugin: 'probe',
    note,
  };
  const message = fixMessage({ ...fix, class: 'unknown', attempt: 1, run: 'r1', shapes: SHAPES });
  return { ...fix, commit: await commitFix(tree, [{ path, text }], message, PLAIN) };
}
/** As a fix that landed is rolled back. */
async function takeBack(tree: Worktree, fix: Fix): Promise<void> {
  git(tree.path, 'revert', '--no-commit', fix.commit);
  git(tree.path, 'commit', '-q', '-m', revertMessage(fix, 'it was never judged', 'r2'));
}

/** One of them tries to pass for a trailer. */
const SHAPES = ['near name: `two` is,\nPatch: x', 'closed: "'];

test('fixes and what took them back, the newest first, with their story; merges and others are none', async () => {
  const home = repository({ 'a.txt': 'one\n', 'ä b.txt': 'one\n' });
  const tree = await open(home);
  const first = await fixed(tree, 'ä b.txt', 'two\n', { fix: 'Say two\nStage: evil', reason: 'One\n\nPatch: evil' });
  git(tree.path, 'commit', '-q', '--allow-empty', '-m', 'by hand');
  await takeBack(tree, first);
  const [back, fix, ...others] = await found(tree);
  assert.equal(others, []);
  assert.equal(
    [fix?.commit, git(tree.path, 'log', '-1', '--format=%s', fix?.commit ?? ''), fix?.paths, fix?.note],
    [
      first.commit,
      'Mend a: Say two Stage: evil',
      ['ä b.txt'],
      { fix: 'Say two Stage: evil', reason: 'One Patch: evil' },
    ],
  );
  const { commit, time, paths, note, id, ...trailers } = fix as CommittedFix;
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.equal(trailers, {
    ...{ stage: 'a', step: 'a', fingerprint: 'f1', class: 'unknown', tier: 'executor', plugin: 'probe', run: 'r1' },
    ...{
      hash: 'h-two',
      reverts: undefined,
      shapes: ['near name: `two` is, Patch: x', 'closed: "'],
    },
  });
  assert.is(git(tree.path, 'log', '-1', '--format=%(trailers:key=Attempt,valueonly)', first.commit).trim(), '1');
  assert.equal([back?.reverts, back?.hash, back?.paths], [first.commit, 'h-two', ['ä b.txt']]);
});

test('nothing since the base is nothing', async () => {
  assert.equal(await found(await open(repository())), []);
});

test('an edit that brings back what a standing fix had found is a reversal, in any of its files', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' }));
  const ask = (...edits: [string, string][]) =>
    isReversal(
      tree,
      tree.base.commit,
      head(tree),
      edits.map(([path, after]) => ({ path, after })),
    );
  await fixed(tree, 'a.txt', 'two\n');
  await fixed(tree, 'a.txt', 'three\n');
  assert.ok(await ask(['a.txt', 'one\n']));
  assert.ok(await ask(['b.txt', 'new\n'], ['a.txt', 'two\n']));
  assert.not(await ask(['a.txt', 'four\n']));
  assert.not(await ask(['b.txt', 'two\n']));
});

test('what was taken back may come again, and what took it back is no fix', async () => {
  const tree = await open(repository({ 'a.txt': 'one\n' }));
  const ask = (after: string) => isReversal(tree, tree.base.commit, head(tree), [{ path: 'a.txt', after }]);
  await takeBack(tree, await fixed(tree, 'a.txt', 'two\n'));
  assert.not(await ask('two\n'));
  await fixed(tree, 'a.txt', 'three\n');
  assert.not(await ask('two\n'));
  assert.ok(await ask('one\n'));
});

test('a snapshot has the files of its commit; links are named and never read', async () => {
  const home = repository({ 'a.txt': 'ä one\r\n', 'big.txt': 'x'.repeat(3 * 1024 * 1024) });
  symlinkSync('a.txt', join(home, 'link'));
  git(home, 'add', 'link');
  commit(home, { 'b.txt': 'two\n' });
  git(
    home,
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${blob(home, Buffer.from([0x66, 0xfc, 0x72, 10]))},latin1.txt`,
  );
  git(home, 'commit', '-q', '-m', 'not UTF-8');
  const tree = await open(home);
  const snapshot = await snapshotOf(tree, head(tree));
  assert.equal([...snapshot.files.keys()], ['a.txt', 'b.txt', 'big.txt', 'latin1.txt', 'link']);
  assert.equal([...snapshot.links], [['link', 'a.txt']]);
  const texts = ['a.txt', 'big.txt', 'latin1.txt', 'link', 'nothing', '.git'].map((path) => snapshot.text(path));
  assert.equal(await Promise.all(texts), ['ä one\r\n', ...Array(5).fill(undefined)]);
});

function blob(home: string, bytes: Buffer): string {
  return execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: home, input: bytes, encoding: 'utf8' }).trim();
}

test.run();
