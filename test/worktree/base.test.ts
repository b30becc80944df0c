import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBase, notOnBase } from '../../src/worktree/base.ts';
import { setEnv } from '../environment.ts';
import { needs } from '../needs.ts';
import { AI, commit, folder, git, open, refusal, repository, write } from './repository.ts';

const KEY = `branch.${AI}.mendloop-base`;

test('the base of a first run is the branch that is checked out, at its commit', async () => {
  const home = repository();
  const base = await findBase(home, { branch: AI });
  assert.equal(base, {
    branch: AI,
    name: 'main',
    commit: git(home, 'rev-parse', 'main'),
    firstRun: true,
  });
  assert.throws(() => git(home, 'config', KEY), 'finding out keeps nothing');
});

test('ai/loop.yaml may name the base of a first run', async () => {
  const home = repository();
  git(home, 'branch', 'lab');
  assert.is((await findBase(home, { branch: AI, base: 'lab' })).name, 'lab');
});

test('afterwards the kept base counts, whatever the owner has checked out', async () => {
  const home = repository();
  await open(home);
  assert.is(git(home, 'config', KEY), 'main');
  git(home, 'switch', '-q', '-c', 'other');
  assert.equal(await findBase(home, { branch: AI }), {
    branch: AI,
    name: 'main',
    commit: git(home, 'rev-parse', 'main'),
    firstRun: false,
  });
  git(home, 'switch', '-q', '--detach');
  assert.is((await findBase(home, { branch: AI, base: 'main' })).name, 'main');
});

test('commits of the checkout count as not included unless the base or the AI branch has them', async () => {
  const home = repository();
  const missed = async () => notOnBase(home, await findBase(home, { branch: AI, base: 'main' }));
  git(home, 'switch', '-q', '-c', 'feature');
  commit(home, { 'mine.txt': 'mine\n' });
  assert.is(await missed(), 'not on main, so not included: 1 commit of feature', 'there is no AI branch yet');
  git(home, 'switch', '-q', 'main');
  const { path } = await open(home);
  commit(path, { 'b.txt': 'fixed\n' });
  git(home, 'switch', '-q', '--detach', AI);
  assert.is(await missed(), undefined);
  git(home, 'switch', '-q', '-c', 'from-ai');
  assert.is(await missed(), undefined);
  commit(home, { 'mine.txt': 'mine\n' });
  assert.is(await missed(), 'not on main, so not included: 1 commit of from-ai');
});

test('a folder that is no git repository is refused', async () => {
  const home = folder();
  const { text, exit } = await refusal(findBase(home, { branch: AI }));
  assert.is(exit, 2);
  // In a folder in memory git stops at its mount point, and says so in a line of its own.
  const plain = text.replace(
    /\(or any parent up to mount point .*\)\n.*$/m,
    '(or any of the parent directories): .git',
  );
  assert.is(
    plain,
    `error E_NOT_GIT: ${home} is not a git repository that this user may use
  - fatal: not a git repository (or any of the parent directories): .git
  next:  go to your repository, or make one here:
         git init
         git add <files>
         git commit -m "first commit"
         or see first what mendloop does: mendloop demo`,
  );
});

needs('user root')(
  'a repository of another user is refused before anything of it is read, with what git tells to do about it',
  async () => {
    const home = repository();
    execFileSync('chown', ['-R', '12345', home]);
    let read = false;
    const asked = async () => {
      read = true;
      return { branch: AI };
    };
    const { text } = await refusal(findBase(home, asked));
    assert.is(
      text,
      `error E_NOT_GIT: ${home} is not a git repository that this user may use
  - fatal: detected dubious ownership in repository at '${home}'
  next:  start as the user who owns it, or, where you trust what it runs:
         git config --global --add safe.directory ${home}`,
    );
    assert.is(read, false);
  },
);

test('a folder inside a repository is refused, and the top level named', async () => {
  const home = repository();
  write(home, { 'sub/x': '' });
  const { text } = await refusal(findBase(join(home, 'sub'), { branch: AI }));
  assert.is(
    text,
    `error E_NOT_TOP_LEVEL: ${home}/sub is a folder inside the repository ${home}, not its top level
  next:  use --root ${home}`,
  );
});

test('a repository without a commit is refused', async () => {
  const home = folder();
  git(home, 'init', '-q', '-b', 'main');
  const { text, exit } = await refusal(findBase(home, { branch: AI }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_NO_COMMIT: the repository has no commit yet, so there is nothing to run from
  next:  git add <files>
         git commit -m "first commit"`,
  );
});

test('the owner on the AI branch is sent back to the base', async () => {
  const home = repository();
  await open(home);
  git(home, 'worktree', 'remove', 'ai/worktree');
  git(home, 'switch', '-q', AI);
  const { text, exit } = await refusal(findBase(home, { branch: AI }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_ON_AI_BRANCH: your checkout is on ${AI}, the branch that stages run on
  next:  go back to your own branch:
         git switch main`,
  );
});

test('a base that differs from the kept one is refused with both ways out', async () => {
  const home = repository();
  await open(home);
  git(home, 'branch', 'lab');
  const { text, exit } = await refusal(findBase(home, { branch: AI, base: 'lab' }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_BASE_DIFFERS: ai/loop.yaml says base: lab, but ${AI} was made from main
  next:  to stay: write base: main in ai/loop.yaml and commit it
         to change: git config ${KEY} lab`,
  );
  git(home, 'config', KEY, 'lab');
  assert.is((await findBase(home, { branch: AI, base: 'lab' })).name, 'lab', 'the command does what it says');
});

test('a first run on a detached HEAD is refused', async () => {
  const home = repository();
  git(home, 'switch', '-q', '--detach');
  const { text, exit } = await refusal(findBase(home, { branch: AI }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_DETACHED: this is the first run on ${AI} and your checkout is on no branch, so the base is unknown
  next:  git switch <your branch>
         or name the base in ai/loop.yaml and commit it: base: <your branch>`,
  );
});

test('the AI branch as base is refused', async () => {
  const home = repository();
  const { text, exit } = await refusal(findBase(home, { branch: AI, base: AI }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_BASE_IS_AI: base and branch are both ${AI}; fixes may not land on the base by themselves
  next:  name your own branch as base: in ai/loop.yaml, or another branch:, and commit it`,
  );
});

test('a base that is no branch is refused', async () => {
  const home = repository();
  const { text, exit } = await refusal(findBase(home, { branch: AI, base: 'my lab' }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_BASE_MISSING: the base 'my lab' is not a branch of this repository
  next:  if it was renamed, or to take another: git config ${KEY} main
         or make it: git branch 'my lab' <commit>`,
  );
});

test('an AI branch that exists only on a remote is refused; the same end of a longer name is not', async () => {
  const origin = repository();
  git(origin, 'branch', AI);
  const home = folder();
  git(home, 'clone', '-q', origin, '.');
  const { text, exit } = await refusal(findBase(home, { branch: AI }));
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_AI_ONLY_REMOTE: ${AI} is not here but on a remote as origin/${AI}; starting a second one would part the two
  next:  to go on from it: git branch --no-track ${AI} origin/${AI}
         to start anew: write another branch: in ai/loop.yaml and commit it`,
  );
  assert.is((await findBase(home, { branch: 'orchestrator-stage1' })).name, 'main');
  git(home, 'branch', '--no-track', AI, `origin/${AI}`);
  assert.is((await findBase(home, { branch: AI })).name, 'main');
});

test('a branch name that git does not take is refused', async () => {
  const { text } = await refusal(findBase(repository(), { branch: 'ai..x y' }));
  assert.is(
    text,
    `error E_BRANCH_NAME: git does not take "ai..x y" as the name of a branch
  next:  write another branch: in ai/loop.yaml and commit it`,
  );
});

test('a home without git on PATH gets told so', async () => {
  const home = repository();
  setEnv({ PATH: '/nonexistent' });
  const { text } = await refusal(findBase(home, { branch: AI }));
  assert.is(
    text,
    'error E_GIT_MISSING: git could not be started\n  next:  install git 2.38 or newer and put it on PATH',
  );
});

test('the base moves with its branch', async () => {
  const home = repository();
  await open(home);
  const next = commit(home, { 'b.txt': 'b' });
  assert.is((await findBase(home, { branch: AI })).commit, next);
});

test.run();
