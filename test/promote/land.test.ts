// Landing: a base that moves under it, an owner who goes elsewhere, a git that fails or is killed leave base and checkout as they
// were, or landed; and nothing that is the owner's is written.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { withLock } from '../../src/io/lock.ts';
import { newActionId, recordAction } from '../../src/journal/journal.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { land } from '../../src/promote/promote.ts';
import { findBase } from '../../src/worktree/base.ts';
import { setEnv } from '../environment.ts';
import { AI, commit, flushes, folder, git, numbers, refusal, script, write } from '../worktree/repository.ts';
import {
  assertOwnCommit,
  assertWhole,
  type LandingLab,
  landingLab,
  locksIn,
  nextCommand,
  statusOf,
} from './landing-lab.ts';

async function landNow({ home, to }: LandingLab): Promise<string | undefined> {
  const layout = layoutOf(home);
  const base = await findBase(home, { branch: AI });
  return withLock(layout, 'test', () => {
    const scope = { layout, stages: loadStages(layout).state, clock: systemClock };
    const id = newActionId(scope);
    return land({ home, base, tip: to, to, record: (event) => recordAction({ ...scope, id }, event) });
  });
}

/** Runs `text` once, right before the first git with these words. */
function before(words: string, text: string): void {
  const bin = folder();
  const real = join(git(bin, '--exec-path'), 'git');
  const once = `[ ! -e "${bin}/done" ] && touch "${bin}/done" && PATH="${process.env.PATH}" && { ${text}; } >/dev/null 2>&1`;
  script(join(bin, 'git'), `case " $* " in *" ${words} "*) ${once} ;; esac\nexec "${real}" "$@"`);
  setEnv({ PATH: `${bin}:${process.env.PATH}` });
}

const at = ({ home }: LandingLab) => [git(home, 'rev-parse', '--abbrev-ref', 'HEAD'), statusOf(home)];
const main = ({ home }: LandingLab) => git(home, 'rev-parse', 'main');
const read = (home: string, path: string) => readFileSync(join(home, path), 'utf8');

test('where main is checked out, there and only there files and index go along, in every way that a file can change', async () => {
  for (const where of ['here', 'elsewhere', 'nowhere'] as const) {
    const lab = landingLab(where);
    write(lab.home, { 'untracked.txt': 'mine\n' });
    assert.is(await landNow(lab), lab.checkout);
    rmSync(join(lab.home, 'untracked.txt'));
    assert.is(assertWhole(lab, where), 'landed');
    assertOwnCommit(lab, where);
  }
});

test('beside a detached HEAD the ref alone moves', async () => {
  const lab = landingLab();
  git(lab.home, 'switch', '-q', '--detach');
  assert.is(await landNow(lab), undefined);
  assert.equal([main(lab), git(lab.home, 'rev-parse', 'HEAD'), ...at(lab)], [lab.to, lab.from, 'HEAD', '']);
});

test('what landed is on the disk before anybody names it', async () => {
  for (const [where, name] of [
    ['here', 'merge'],
    ['nowhere', 'update-ref'],
  ] as const) {
    const lab = landingLab(where);
    assert.ok(
      (await flushes(() => landNow(lab))).some((line) => line.startsWith(name)),
      name,
    );
  }
});

test("no setting of the owner's makes something else of it, and none of their hooks runs", async () => {
  for (const settings of [
    { 'branch.main.mergeOptions': '--squash --no-commit' },
    { 'branch.main.mergeOptions': '-s ours', 'merge.ff': 'no' },
    { 'merge.autoStash': 'true', 'merge.verifySignatures': 'true', 'core.fsmonitor': 'false' },
  ]) {
    const lab = landingLab();
    for (const [key, value] of Object.entries(settings)) git(lab.home, 'config', key, value);
    for (const name of ['post-merge', 'pre-merge-commit', 'reference-transaction', 'post-checkout'])
      script(join(lab.home, '.git/hooks', name), 'touch ran; exit 1');
    await landNow(lab);
    assert.is(assertWhole(lab, JSON.stringify(settings)), 'landed');
    assert.not(existsSync(join(lab.home, 'ran')));
  }
});

test('a base that moved since it was looked at is left alone', async () => {
  for (const where of ['here', 'nowhere'] as const) {
    const lab = landingLab(where);
    const mine = `git -c user.name=O -c user.email=o@x commit-tree -p main -m mine 'main^{tree}'`;
    before(
      where === 'here' ? 'merge' : 'update-ref',
      `git -C ${lab.home} update-ref refs/heads/main $(cd ${lab.home}; ${mine})`,
    );
    const { text, exit } = await refusal(landNow(lab));
    assert.is(
      text,
      'error E_PROMOTE_MOVED: main moved meanwhile; nothing has landed\n  next:  look at it again: mendloop promote',
    );
    assert.equal([exit, git(lab.home, 'log', '-1', '--format=%s', 'main'), statusOf(lab.home)], [1, 'mine', '']);
  }
});

test('who leaves the base just then keeps what they went to, also where git took that forward', async () => {
  for (const [words, branch] of [
    ['switch -q -c work', 'work'],
    ['switch -q --detach', 'HEAD'],
  ] as const) {
    const lab = landingLab();
    before('merge', `git -C ${lab.home} ${words}`);
    assert.match((await refusal(landNow(lab))).text, /^error E_GIT_FAILED: git could not bring main forward in/, words);
    assert.equal([main(lab), git(lab.home, 'rev-parse', 'HEAD'), ...at(lab)], [lab.from, lab.from, branch, ''], words);
    await landNow(lab);
    assert.equal([main(lab), ...at(lab)], [lab.to, branch, ''], words);
  }
});

test('who comes to the base just then comes along', async () => {
  const lab = landingLab('nowhere');
  before('update-ref', `git -C ${lab.home} switch -q main`);
  await landNow(lab);
  assert.equal([main(lab), ...at(lab)], [lab.to, 'main', '']);
});

test('what its owner wrote just then stays, and nothing lands', async () => {
  for (const path of ['a.txt', 'new/e.txt']) {
    const lab = landingLab();
    before('merge', `mkdir -p ${lab.home}/new; echo mine >${lab.home}/${path}`);
    assert.match((await refusal(landNow(lab))).text, /^error E_GIT_FAILED/, path);
    assert.equal([main(lab), read(lab.home, path)], [lab.from, 'mine\n']);
    assert.is(statusOf(lab.home), path === 'a.txt' ? 'M a.txt' : '?? new/e.txt');
    assert.is(loadStages(layoutOf(lab.home)).state.landing, undefined);
  }
});

test('a time that alone is another one is no change', async () => {
  const lab = landingLab();
  before('merge', `touch -d 2001-01-01 ${lab.home}/a.txt ${lab.home}/other.txt`);
  await landNow(lab);
  assert.is(assertWhole(lab, 'touched'), 'landed');
});

test('a git that fails or is killed in the middle of the files leaves all as it was, and no lock', async () => {
  for (const smudge of ['exit 1', 'kill -9 $PPID', 'head -c 3; exit 1']) {
    const lab = landingLab('here', { smudge: `case %f in run.sh|new/*) ${smudge} ;; esac; cat` });
    assert.match(
      (await refusal(landNow(lab))).text,
      /^error E_GIT_FAILED: git could not bring main forward in/,
      smudge,
    );
    assert.is(assertWhole(lab, smudge), 'as before', smudge);
    git(lab.home, 'config', 'filter.f.smudge', 'cat');
    await landNow(lab);
    assert.is(assertWhole(lab, smudge), 'landed', smudge);
  }
});

test('a git that can write all but the ref leaves all as it was', async () => {
  for (const where of ['here', 'nowhere'] as const) {
    const lab = landingLab(where);
    const lock = join(lab.home, '.git/refs/heads/main.lock');
    writeFileSync(lock, '');
    assert.match((await refusal(landNow(lab))).text, /^error E_(?:GIT_FAILED|LANDING_HELD)/, where);
    rmSync(lock, { force: true });
    await nextCommand(lab);
    assert.equal([statusOf(lab.home), locksIn(lab)], ['', []], where);
  }
});

test('a git of the owner at work in the index is waited for by its owner: nothing is written, its lock stays', async () => {
  const lab = landingLab();
  const lock = join(lab.home, '.git/index.lock');
  writeFileSync(lock, '');
  const { text } = await refusal(landNow(lab));
  assert.is(
    text,
    `error E_PROMOTE_CHECKOUT: main is checked out in ${lab.home}, where git is at work; nothing has landed
  next:  let it end; if no git runs there: rm ${lock}`,
  );
  assert.equal([main(lab), existsSync(lock), read(lab.home, 'a.txt')], [lab.from, true, numbers()]);
  assert.is(loadStages(layoutOf(lab.home)).state.landing, undefined);
});

test('files that its owner told git not to look at are looked at', async () => {
  const lab = landingLab();
  git(lab.home, 'update-index', '--assume-unchanged', 'a.txt');
  write(lab.home, { 'a.txt': 'mine\n' });
  assert.match((await refusal(landNow(lab))).text, /^error E_PROMOTE_DIRTY: .*\n {2}- a.txt\n/);
  assert.is(read(lab.home, 'a.txt'), 'mine\n');
  git(lab.home, 'update-index', '--no-assume-unchanged', 'a.txt');
  git(lab.home, 'update-index', '--skip-worktree', 'a.txt');
  assert.match((await refusal(landNow(lab))).text, /^error E_PROMOTE_DIRTY: .*\n {2}- a.txt\n/);
  rmSync(join(lab.home, 'a.txt'));
  await landNow(lab);
  assert.equal([main(lab), statusOf(lab.home)], [lab.to, ''], "one that is kept out is nobody's change");
});

test('files where folders have to be, and folders where files were', async () => {
  const lab = landingLab();
  const tree = join(folder(), 'tree');
  git(lab.home, 'worktree', 'add', '-q', tree, AI);
  rmSync(join(tree, 'c d.txt'));
  commit(tree, { 'c d.txt/inside': 'a folder now\n', 'deep/er/file': 'new\n' });
  git(tree, 'add', '-A');
  git(tree, 'commit', '-q', '--amend', '--no-edit');
  const next = { ...lab, to: git(tree, 'rev-parse', 'HEAD') };
  git(lab.home, 'worktree', 'remove', tree);
  write(lab.home, { deep: 'mine\n' });
  const { text } = await refusal(landNow(next));
  assert.match(text, /^error E_PROMOTE_IN_THE_WAY: .*\n {2}- deep\n {2}next: .*\n {9}mv .*\/deep /);
  rmSync(join(lab.home, 'deep'));
  await landNow(next);
  assert.is(assertWhole(next, 'folders'), 'landed');
});

test.run();
