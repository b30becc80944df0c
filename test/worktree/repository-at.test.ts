import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openObjects } from '../../src/io/git-objects.ts';
import { repositoryOf } from '../../src/repository/repository.ts';
import { type Snapshot, snapshotOf } from '../../src/worktree/read.ts';
import { openRepositoryReader } from '../../src/worktree/repository-at.ts';
import { commit, git, repository } from './repository.ts';

const OUTSIDE = { carried: ['secrets'], written: [] };

test('a commit is read once by blob, and only what some reader wants', async () => {
  const home = repository({ 'a.sh': 'A=1\n', 'b.sh': 'B=1\n', 'notes.md': 'x', '.gitignore': 'out/\n' });
  const objects = openObjects(home);
  const read: string[] = [];
  const snapshot = async (): Promise<Snapshot> => {
    const whole = await snapshotOf({ objects }, git(home, 'rev-parse', 'HEAD').trim());
    return { ...whole, text: (path) => whole.text(path).finally(() => read.push(path)) };
  };
  const reader = openRepositoryReader();
  const first = repositoryOf(await reader.at(await snapshot(), OUTSIDE));
  assert.equal(read.sort(), ['.gitignore', 'a.sh', 'b.sh']);
  assert.equal(first.visible('shell-variable', 'a.sh'), new Set(['A']));
  assert.equal(['out/x', 'secrets/x', 'a.sh'].map(first.mayAppear), [true, true, false]);
  assert.ok(first.tree.exists('notes.md'));

  commit(home, { 'b.sh': 'C=1\n' });
  read.length = 0;
  const second = repositoryOf(await reader.at(await snapshot(), OUTSIDE));
  assert.equal(read.sort(), ['.gitignore', 'b.sh']);
  assert.equal(second.visible('shell-variable', 'b.sh'), new Set(['C']));
  objects.close();
});

test('what is no text is marked as unread, and links and executables are listed', async () => {
  const home = repository({ 'tool.sh': '\xff', 'x/run.sh': 'X=1\n' });
  git(home, 'update-index', '--chmod=+x', 'x/run.sh');
  git(home, 'commit', '-q', '-m', 'run');
  const objects = openObjects(home);
  const facts = await openRepositoryReader().at(
    await snapshotOf({ objects }, git(home, 'rev-parse', 'HEAD').trim()),
    OUTSIDE,
  );
  objects.close();
  assert.equal(facts.listing.executables, ['x/run.sh']);
  assert.is(repositoryOf(facts).possible('shell-variable', 'x/run.sh')?.size, 1);
});

test.run();
