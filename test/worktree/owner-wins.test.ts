// Where the base and the loop changed the same lines the base's text stands; a base that was rewritten is followed.
import { lstatSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix, revertFix } from '../../src/worktree/commit-fix.ts';
import { committedFixes } from '../../src/worktree/find-fix.ts';
import { fixMessage, revertMessage } from '../../src/worktree/fix-message.ts';
import { treeGit } from '../../src/worktree/tree.ts';
import {
  AI,
  bring,
  checkoutHash,
  commit,
  followAdvice,
  git,
  numbers,
  open,
  read,
  refusal,
  repository,
  script,
  write,
} from './repository.ts';

const PLAIN = { hooks: false, sign: false };
const STORY = {
  stage: 'a',
  step: 'a',
  class: 'unknown',
  tier: 'executor' as const,
  plugin: 'probe',
  attempt: 1,
  run: 'r1',
};

/** A fix named `hash` on the AI branch. */
async function fix(home: string, hash: string, files: Record<string, string>): Promise<string> {
  const tree = await open(home, { merge: false });
  const texts = Object.entries(files).map(([path, text]) => ({ path, text }));
  const note = { fix: `Mend ${hash}`, reason: 'it broke' };
  return commitFix(tree, texts, fixMessage({ ...STORY, fingerprint: 'f1', hash, note }), PLAIN);
}

async function takeBack(home: string, of: string, hash: string): Promise<void> {
  const tree = await open(home, { merge: false });
  const taken = { stage: 'a', fingerprint: 'f1', hash, note: { fix: 'x', reason: 'y' }, commit: of };
  await revertFix(tree, of, revertMessage(taken, 'no_effect', 'no effect', 'r1'), PLAIN);
}

/** Patch and outcome of what was taken back, the newest first. */
async function takenBack(home: string): Promise<string[]> {
  const tree = await open(home, { merge: false });
  const all = await committedFixes(treeGit(tree), 'main', tree.head);
  return all.flatMap(({ hash, reverts, outcome }) => (reverts === undefined ? [] : [`${hash} ${outcome}`]));
}

const merged = (home: string) => git(home, 'config', `branch.${AI}.mendloop-merged`);
const inTree = (home: string, path: string) => read(home, join('ai/worktree', path));
const isClean = (home: string) => assert.is(git(home, '-C', 'ai/worktree', 'status', '--porcelain'), '');

test('the owner wins: a fix whose line the base changed is taken back whole, by a commit that says so; the others stay', async () => {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }), 'b.txt': numbers({ 5: 'ours' }) });
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'ours', 20: 'elsewhere' }) });
  const theirs = commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  const before = checkoutHash(home);
  const tree = await open(home);
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'theirs', 20: 'elsewhere' }));
  assert.is(inTree(home, 'b.txt'), numbers());
  assert.equal(await takenBack(home), ['h1 superseded']);
  assert.equal([merged(home), checkoutHash(home)], [theirs, before]);
  assert.is(git(home, 'rev-parse', `${AI}^2`), theirs);
  assert.equal(tree.notices, [`main moved; merged into ${AI} (${tree.head.slice(0, 12)})`]);
  isClean(home);
});

test('the owner wins: every later fix that stands on it goes with it, however they follow', async () => {
  const home = repository();
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'one' }) });
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'one', 25: 'far' }) });
  await fix(home, 'h3', { 'a.txt': numbers({ 5: 'one, better', 25: 'far' }) });
  const gone = await fix(home, 'h4', { 'a.txt': numbers({ 5: 'one, wrong', 25: 'far' }) });
  await takeBack(home, gone, 'h4');
  commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  await open(home);
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'theirs', 25: 'far' }));
  assert.equal(await takenBack(home), ['h1 superseded', 'h3 superseded', 'h4 no_effect']);
});

test('the owner wins: also where the base removed or moved the file, and where a part of it has landed', async () => {
  for (const [change, text] of [
    [(home: string) => git(home, 'rm', '-q', 'a.txt'), undefined],
    [
      (home: string) => {
        git(home, 'mv', 'a.txt', 'c.txt');
        write(home, { 'c.txt': numbers({ 5: 'theirs' }) });
        git(home, 'add', 'c.txt');
      },
      'c.txt',
    ],
  ] as const) {
    const home = repository({ 'a.txt': numbers(), keep: 'k' });
    await open(home);
    await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }) });
    change(home);
    git(home, 'commit', '-q', '-m', 'change');
    await open(home);
    assert.equal(await takenBack(home), ['h1 superseded']);
    assert.is(git(home, 'diff', 'main', AI), '');
    if (text) assert.is(inTree(home, text), numbers({ 5: 'theirs' }));
  }
  const home = repository();
  await open(home);
  const landed = await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'fixed twice' }) });
  git(home, 'cherry-pick', landed);
  commit(home, { 'a.txt': numbers({ 5: 'fixed otherwise' }) });
  await open(home);
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed otherwise' }));
  assert.equal(await takenBack(home), ['h2 superseded']);
});

test('the owner wins: what a person did on the branch is not thrown away: the run stops, and the commands work', async () => {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  const tree = await open(home);
  const one = await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }) });
  const theirs = commit(tree.path, { 'b.txt': numbers({ 5: 'by hand' }) });
  commit(home, { 'a.txt': numbers({ 5: 'main' }), 'b.txt': numbers({ 5: 'main' }) });
  write(tree.path, { 'a.txt': numbers({ 5: 'by a stage' }) });
  const { text, exit } = await refusal(open(home));
  assert.match(text, /^error E_MERGE_CONFLICT: .*\n {2}- a\.txt\n {2}- b\.txt\n/);
  assert.equal([exit, git(home, 'rev-parse', AI)], [3, theirs]);
  await followAdvice(home, text, () =>
    write(tree.path, { 'a.txt': numbers({ 5: 'main' }), 'b.txt': numbers({ 5: 'both' }) }),
  );
  await open(home);
  assert.equal([inTree(home, 'a.txt'), inTree(home, 'b.txt')], [numbers({ 5: 'main' }), numbers({ 5: 'both' })]);
  assert.ok(git(home, 'rev-list', AI).includes(one));
});

test('the owner wins: that a person reverts a fix by git counts as taken back, and nothing else that they revert', async () => {
  const home = repository();
  const tree = await open(home);
  const one = await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }) });
  const theirs = commit(tree.path, { 'c.txt': 'c' });
  git(tree.path, 'revert', '--no-edit', theirs);
  git(tree.path, 'revert', '--no-edit', one);
  assert.equal(await takenBack(home), ['h1 declined']);
});

/** A base with a commit that was merged into the branch, between two verified fixes. */
async function branched() {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  const dropped = commit(home, { 'b.txt': numbers({ 1: 'secret' }), 'dropped.txt': 'd' });
  const tree = await open(home);
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'fixed', 20: 'too' }) });
  const before = () => git(home, 'for-each-ref', '--format=%(objectname)', 'refs/mendloop/before/').split('\n');
  const subjects = () => git(home, 'log', '--reverse', '--format=%an: %s', `main..${AI}`).split('\n').filter(Boolean);
  return { home, dropped, tree, before, subjects, all: bring(['h1', 'h2', 'h3']) };
}

test('a base that was rewritten: amended or reset: the branch is made anew with the verified fixes, and the old tip is kept', async () => {
  for (const rewrite of [
    (home: string) => {
      git(home, 'rm', '-q', 'dropped.txt');
      write(home, { 'b.txt': numbers({ 1: 'public' }) });
      git(home, 'commit', '-q', '-a', '--amend', '-m', 'amended');
    },
    (home: string) => git(home, 'reset', '-q', '--hard', 'HEAD~1'),
  ]) {
    const { home, dropped, before, subjects, all } = await branched();
    await fix(home, 'h9', { 'b.txt': numbers({ 1: 'secret', 9: 'not verified' }) });
    const tip = git(home, 'rev-parse', AI);
    rewrite(home);
    const tree = await open(home, { merge: all });
    assert.equal(subjects(), ['mendloop: Mend a: Mend h1', 'mendloop: Mend a: Mend h2']);
    assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed', 20: 'too' }));
    assert.is(git(home, 'diff', '--stat', 'main', AI, '--', 'b.txt', 'dropped.txt'), '');
    assert.throws(() => lstatSync(join(tree.path, 'dropped.txt')));
    assert.equal([before(), merged(home)], [[tip], git(home, 'rev-parse', 'main')]);
    assert.is(tree.notices.filter((text) => text.includes(`${dropped.slice(0, 12)} is no longer in it`)).length, 1);
    assert.equal(tree.merged, { from: tip, to: git(home, 'rev-parse', AI) });
    isClean(home);
    assert.equal((await open(home, { merge: all })).notices, [], 'once is enough');
  }
});

test('a base that was rewritten: also its first commit, and to another history altogether', async () => {
  const home = repository();
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'b.txt': 'b' });
  git(home, 'reset', '-q', '--soft', 'HEAD~1');
  git(home, 'commit', '-q', '--amend', '-m', 'first, anew');
  await open(home, { merge: bring(['h1']) });
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed' }));
  assert.is(git(home, 'rev-list', '--count', `main..${AI}`), '1');
  assert.is(git(home, 'rev-list', '--max-parents=0', AI), git(home, 'rev-parse', 'main'));
});

test('a base that was rewritten: a fix that does not apply to it is superseded, and the branch tells so', async () => {
  const { home, all } = await branched();
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  await open(home, { merge: all });
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'theirs', 20: 'too' }));
  assert.equal(await takenBack(home), ['h1 superseded']);
  isClean(home);
});

test("a base that was rewritten: a person's commits come along with author, date and message; what was taken back does not", async () => {
  const { home, tree, subjects, all } = await branched();
  const wrong = await fix(home, 'h3', { 'a.txt': numbers({ 5: 'fixed', 20: 'too', 28: 'wrong' }) });
  await takeBack(home, wrong, 'h3');
  write(tree.path, { 'mine.txt': 'm' });
  git(tree.path, 'add', 'mine.txt');
  git(tree.path, 'commit', '-q', '--date=2001-02-03T04:05:06Z', '-m', 'Größe\n\nby hand');
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  await open(home, { merge: { ...all, isVerified: ({ hash }) => hash !== 'h3' } });
  assert.equal(subjects(), ['mendloop: Mend a: Mend h1', 'mendloop: Mend a: Mend h2', 'Owner: Größe']);
  assert.is(git(home, 'log', '-1', '--format=%aI %B', AI), '2001-02-03T04:05:06+00:00 Größe\n\nby hand');
  assert.is(inTree(home, 'mine.txt'), 'm');
});

test("a base that was rewritten: a person's commit that does not apply stops it, nothing is changed, and the commands work", async () => {
  const { home, tree, before, subjects, all } = await branched();
  const one = commit(tree.path, { 'b.txt': numbers({ 1: 'secret, mine' }) });
  await fix(home, 'h3', { 'a.txt': numbers({ 5: 'fixed', 20: 'too', 28: 'more' }) });
  write(tree.path, { 'a.txt': 'by a stage\n' });
  const tip = git(home, 'rev-parse', AI);
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  for (const _ of [1, 2]) {
    const { text, exit } = await refusal(open(home, { merge: all }));
    assert.match(text, `  - ${one.slice(0, 12)} is yours and does not apply: b.txt\n`);
    assert.equal([exit, git(home, 'rev-parse', AI), before()], [3, tip, [tip]]);
    assert.is(inTree(home, 'a.txt'), 'by a stage\n');
    if (_ === 1) continue;
    await followAdvice(home, text.slice(text.indexOf('git -C')), () =>
      write(tree.path, { 'b.txt': numbers({ 1: 'mine' }) }),
    );
  }
  await open(home, { merge: all });
  assert.is(inTree(home, 'b.txt'), numbers({ 1: 'mine' }));
  assert.equal(subjects().length, 4);
  assert.not(git(home, 'log', '-p', '--format=', AI).includes('secret'));
});

test('a base that was rewritten: a merge that a person solved by hand stops it too, with commands that work', async () => {
  const { home, tree, all } = await branched();
  commit(tree.path, { 'b.txt': numbers({ 1: 'secret', 9: 'mine' }) });
  commit(home, { 'b.txt': numbers({ 1: 'secret', 9: 'main' }) });
  const first = await refusal(open(home, { merge: all }));
  await followAdvice(home, first.text, () => write(tree.path, { 'b.txt': numbers({ 1: 'secret', 9: 'both' }) }));
  await open(home, { merge: all });
  git(home, 'reset', '-q', '--hard', 'HEAD~2');
  const { text } = await refusal(open(home, { merge: all }));
  assert.match(text, `  - ${git(home, 'rev-parse', AI).slice(0, 12)} is a merge that you solved by hand\n`);
  await followAdvice(home, text, () => {});
  await open(home, { merge: all });
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed', 20: 'too' }));
  assert.is(inTree(home, 'b.txt'), numbers({ 9: 'mine' }));
});

test('a base that was rewritten: without the stored commit the newest base of a run that is in the branch counts', async () => {
  const { home, dropped, all } = await branched();
  git(home, 'config', '--unset', `branch.${AI}.mendloop-merged`);
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  await open(home, { merge: { ...all, earlierBases: () => ['0'.repeat(40), dropped] } });
  assert.throws(() => lstatSync(join(home, 'ai/worktree/dropped.txt')));
  assert.is(merged(home), git(home, 'rev-parse', 'main'));
});

test('a base that was rewritten: what was stored for a merge that never came about is no reason to reset', async () => {
  const { home, subjects, all } = await branched();
  git(home, 'config', `branch.${AI}.mendloop-merged`, commit(home, { 'b.txt': 'never merged' }));
  git(home, 'commit', '-q', '--amend', '-m', 'amended');
  const before = subjects();
  await open(home, { merge: all });
  assert.equal(subjects(), [...before, `mendloop: Merge main into ${AI}`]);
});

test("a base that was rewritten: what the loop makes is signed where that is wished, and a person's commit never in their name", async () => {
  const { home, tree, all } = await branched();
  script(
    join(home, '.git/gpg'),
    'cat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho "-----BEGIN PGP SIGNATURE-----"',
  );
  git(home, 'config', 'gpg.program', join(home, '.git/gpg'));
  commit(tree.path, { 'mine.txt': 'm' }, 'mine');
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  const signed = () => {
    const commits = git(home, 'rev-list', '--reverse', `main..${AI}`).split('\n').filter(Boolean);
    return commits.map((one) => {
      const [head = '', subject = ''] = git(home, 'cat-file', 'commit', one).split('\n\n');
      return `${subject.split('\n')[0]}: ${head.includes('\ngpgsig ')}`;
    });
  };
  await open(home, { merge: { ...all, sign: true } });
  assert.equal(signed(), ['Take back: Mend h1: true', 'Mend a: Mend h2: true', 'mine: false']);
  commit(home, { 'a.txt': numbers({ 5: 'theirs', 20: 'theirs' }) });
  await open(home, { merge: { ...all, sign: true } });
  assert.equal(signed().slice(3), ['Take back: Mend h2: true', `Merge main into ${AI}: true`]);
});

test('a base that was rewritten: carried links stay as they are, and untracked files in the way are refused by name', async () => {
  const { home, tree, all } = await branched();
  write(home, { 'tfstate/x': 'precious' });
  symlinkSync(join(home, 'tfstate'), join(tree.path, 'tfstate'));
  write(tree.path, { 'new.txt': 'made by a stage' });
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  const theirs = commit(home, { 'new.txt': 'theirs' });
  const refused = await refusal(open(home, { merge: all, carry: ['tfstate'] }));
  assert.match(refused.text, 'mv ai/worktree/new.txt ai/worktree/new.txt.old');
  await followAdvice(home, refused.text.replaceAll('mv ', 'git -C . status; mv '), () => {});
  await open(home, { merge: all, carry: ['tfstate'] });
  assert.ok(lstatSync(join(tree.path, 'tfstate')).isSymbolicLink());
  assert.equal([read(home, 'tfstate/x'), inTree(home, 'new.txt'), merged(home)], ['precious', 'theirs', theirs]);
});

test.run();
