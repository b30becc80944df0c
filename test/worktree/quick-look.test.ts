import { chmodSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quickLook } from '../../src/worktree/after-attempt.ts';
import type { Worktree } from '../../src/worktree/tree.ts';
import { git, open, repository, write } from './repository.ts';

const TICK_MS = 25;

/** A worktree that git was asked about after it had come to rest, and a way to ask: was git asked this time? */
async function settled(files = { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }, carry: string[] = []) {
  const home = repository(files);
  if (carry.length > 0) write(home, Object.fromEntries(carry.map((path) => [path, 'mine\n'])));
  const tree = await open(home, { carry });
  const look = quickLook(tree, await tree.objects.files(tree.head), Date.now);
  const asked = () => look.orAsk(false, async () => true);
  await sleep(TICK_MS);
  assert.ok(await asked(), 'the first time git is always asked');
  return { tree, asked };
}

test('git is not asked again while nothing is touched', async () => {
  const { tree, asked } = await settled();
  assert.not(await asked());
  write(tree.path, { 'new.txt': 'untracked files are not looked at\n' });
  assert.not(await asked());
});

const TOUCHES: Record<string, (tree: Worktree) => void> = {
  'a file is written, same length and same time': (tree) => {
    writeFileSync(join(tree.path, 'a.txt'), 'x\n');
    utimesSync(join(tree.path, 'a.txt'), 1, 1);
  },
  'a file is made executable': (tree) => chmodSync(join(tree.path, 'a.txt'), 0o755),
  'a file is removed': (tree) => rmSync(join(tree.path, 'deep/b.txt')),
  'a file is replaced by rename': (tree) => {
    writeFileSync(join(tree.path, 'temp'), 'a\n');
    renameSync(join(tree.path, 'temp'), join(tree.path, 'a.txt'));
  },
  'a folder is replaced by a link to another': (tree) => {
    write(tree.path, { 'other/b.txt': 'b\n' });
    rmSync(join(tree.path, 'deep'), { recursive: true });
    symlinkSync('other', join(tree.path, 'deep'));
  },
  'a file is staged': (tree) => {
    write(tree.path, { 'new.txt': 'n\n' });
    git(tree.path, 'add', 'new.txt');
  },
  'a commit is made': (tree) => git(tree.path, 'commit', '-q', '--allow-empty', '-m', 'by a stage'),
  'another branch is checked out': (tree) => git(tree.path, 'checkout', '-q', '-b', 'elsewhere'),
  'the branch is moved from outside': (tree) => {
    const commit = git(tree.home, 'commit-tree', '-m', 'x', 'HEAD^{tree}').trim();
    git(tree.home, 'update-ref', `refs/heads/${tree.branch}`, commit);
  },
  'the branch is packed': (tree) => git(tree.home, 'pack-refs', '--all'),
  'the .git file is removed': (tree) => rmSync(join(tree.path, '.git')),
};

for (const [what, touch] of Object.entries(TOUCHES)) {
  test(`git is asked when ${what}`, async () => {
    const { tree, asked } = await settled();
    touch(tree);
    assert.ok(await asked());
  });
}

/** A worktree that was clean a while ago, touched since, then looked at for the first time: was git asked? */
async function askedAfter(touch: (tree: Worktree) => void, before: (tree: Worktree) => void = () => {}) {
  const tree = await open(repository({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }));
  before(tree);
  await sleep(2 * TICK_MS);
  const since = Date.now();
  touch(tree);
  return quickLook(tree, await tree.objects.files(tree.head), Date.now, since).orAsk(false, async () => true);
}

test('git is not asked at all where it found nothing changed, and nothing was touched since', async () => {
  assert.not(await askedAfter(() => {}));
});

for (const [what, touch] of Object.entries(TOUCHES)) {
  test(`git is asked when ${what} after it found nothing changed`, async () => {
    assert.ok(await askedAfter(touch));
  });
}

test('git is asked when a folder was exchanged for one that is as old as the rest', async () => {
  const exchange = ({ path }: Worktree) => {
    renameSync(join(path, 'deep'), join(path, 'gone'));
    renameSync(join(path, 'other'), join(path, 'deep'));
  };
  assert.ok(await askedAfter(exchange, (tree) => write(tree.path, { 'other/b.txt': 'x\n' })));
});

test('git is asked when a carried link was replaced', async () => {
  const { tree, asked } = await settled({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }, ['.env']);
  assert.not(await asked());
  writeFileSync(join(tree.path, 'temp'), 'theirs\n');
  renameSync(join(tree.path, 'temp'), join(tree.path, '.env'));
  assert.ok(await asked());
});

test('what was touched a moment ago is not trusted: git is asked once more', async () => {
  const { tree, asked } = await settled();
  writeFileSync(join(tree.path, 'a.txt'), 'x\n');
  assert.ok(await asked());
  assert.ok(await asked(), 'a second change in the same tick would look the same');
  await sleep(TICK_MS);
  await asked();
  assert.not(await asked());
});

test('what changes while git looks is seen the next time', async () => {
  const { tree, asked } = await settled();
  writeFileSync(join(tree.path, 'a.txt'), 'x\n');
  await sleep(TICK_MS);
  const look = quickLook(tree, await tree.objects.files(tree.head), Date.now);
  await look.orAsk(undefined, async () => writeFileSync(join(tree.path, 'deep/b.txt'), 'y\n'));
  assert.ok(await look.orAsk(false, async () => true));
  assert.ok(await asked());
});

test('a failing question is asked again', async () => {
  const { tree } = await settled();
  const look = quickLook(tree, await tree.objects.files(tree.head), Date.now);
  const fails = () => look.orAsk('no', () => Promise.reject(new Error('git said no')));
  for (let i = 0; i < 2; i++) assert.is(await fails().catch((error: Error) => error.message), 'git said no');
});

test.run();
