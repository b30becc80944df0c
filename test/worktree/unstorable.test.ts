// A pipe, a socket or a device at a tracked path: git can tell nothing of such a tree, so it is moved aside and named.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/worktree/after-attempt.ts';
import { git, open, read, repository, write } from './repository.ts';

const FILES = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'c.txt': 'c\n' };

function pipeAt(dir: string, path: string): void {
  rmSync(join(dir, path), { recursive: true });
  execFileSync('mkfifo', [join(dir, path)]);
}

test('after an attempt it is moved aside, named, and the rest of what the stage changed is saved as ever', async () => {
  const tree = await open(repository(FILES));
  pipeAt(tree.path, 'a.txt');
  pipeAt(tree.path, 'dir');
  write(tree.path, { 'c.txt': 'changed\n', 'a.txt.aside': 'of the stage' });
  const patchFile = join(tree.home, 'ai/patches/run1-vms-1.stage.diff');
  const checkFiles = async () => new Set<string>();
  const before = { head: tree.head, patchFile, seen: tree.seen, checkFiles };
  const found = await inspect(tree, before);
  assert.equal(found.unstorable, [
    'a.txt was a pipe, which git cannot store; it is a.txt.aside.aside in ai/worktree now',
    'dir was a pipe, which git cannot store; it is dir.aside in ai/worktree now',
  ]);
  assert.equal([...found.changed].sort(), ['a.txt', 'c.txt', 'dir/b.txt']);
  assert.match(readFileSync(patchFile, 'utf8'), '+changed\n');
  assert.ok(lstatSync(join(tree.path, 'dir.aside')).isFIFO());
  assert.is(read(tree.path, 'a.txt.aside'), 'of the stage');
  pipeAt(tree.path, 'c.txt');
  execFileSync('mkfifo', [join(tree.path, 'dir')]);
  const again = await inspect(tree, { ...before, seen: found.seen });
  assert.is(again.unstorable.length, 2, 'what was moved aside before makes place');
});

test('one that was left by a run that was cut off does not keep the worktree from opening', async () => {
  const home = repository(FILES);
  const tree = await open(home);
  pipeAt(tree.path, 'a.txt');
  const { notices } = await open(home);
  assert.is(notices[0], 'a.txt was a pipe, which git cannot store; it is a.txt.aside in ai/worktree now');
  assert.is(read(tree.path, 'a.txt'), 'a\n');
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.ok(existsSync(join(tree.path, 'a.txt.aside')));
});

test.run();
