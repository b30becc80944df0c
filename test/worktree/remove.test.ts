import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leftovers, removeWorktree } from '../../src/worktree/remove.ts';
import { AI, checkoutHash, commit, git, open, read, repository, write } from './repository.ts';

test('what would be lost is listed: modified, untracked and ignored, carried links apart', async () => {
  const home = repository({ 'a.txt': 'a', '.gitignore': '*.tfstate\ncache/\n' });
  write(home, { '.env': 'x', 'secrets/key': 'k' });
  const tree = await open(home, { carry: ['.env', 'secrets'] });
  write(tree.path, { 'a.txt': 'changed', 'neu ü\n.txt': 'n', 'x.tfstate': '{}', 'cache/y': 'y' });
  assert.equal(await leftovers(home), {
    modified: ['a.txt'],
    untracked: ['neu ü\n.txt'],
    ignored: ['cache/', 'x.tfstate'],
  });
});

test('the worktree goes, the AI branch and what the links point to stay', async () => {
  const home = repository({ 'a.txt': 'a' });
  write(home, { '.env': 'x', 'secrets/key': 'k' });
  const before = checkoutHash(home);
  const tree = await open(home, { carry: ['.env', 'secrets'] });
  const fix = commit(tree.path, { 'fix.txt': 'f' });
  write(tree.path, { 'a.txt': 'changed', 'made/deep/x': 'x' });
  assert.is(await removeWorktree(home), true);
  assert.not(existsSync(tree.path));
  assert.is(git(home, 'rev-parse', AI), fix);
  assert.is(read(home, 'secrets/key'), 'k');
  assert.is(checkoutHash(home), before);
  assert.not.match(git(home, 'worktree', 'list'), 'ai/worktree');
  assert.is((await open(home)).head, fix, 'the next run makes it again');
});

test('a folder that is gone already is forgotten, and none at all is no error', async () => {
  const home = repository();
  const tree = await open(home);
  rmSync(tree.path, { recursive: true });
  assert.is(await leftovers(home), undefined);
  assert.is(await removeWorktree(home), true);
  assert.is(await removeWorktree(home), false);
  assert.is(await leftovers(home), undefined);
});

test('a folder that is not the worktree is never removed', async () => {
  const home = repository();
  write(home, { 'ai/worktree/notes': 'mine' });
  assert.is(await removeWorktree(home), false);
  assert.ok(existsSync(join(home, 'ai/worktree/notes')));
});

test.run();
