// The AI branch is put onto a base that moved or was rewritten: the owner's text stands, and what a person did is never thrown away.
import { lstatSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { committedFixes } from '../../src/worktree/find-fix.ts';
import { fixMessage } from '../../src/worktree/fix-message.ts';
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
  const note = { fix: `Mend ${hash}`, reason: 'because' };
  const texts = Object.entries(files).map(([path, text]) => ({ path, text }));
  return commitFix(await open(home), texts, fixMessage({ ...STORY, fingerprint: 'f1', hash, note }), PLAIN);
}

const inTree = (home: string, path: string) => read(home, join('ai/worktree', path));
const isClean = (home: string) => assert.is(git(home, '-C', 'ai/worktree', 'status', '--porcelain'), '');
const kept = (home: string) => git(home, 'rev-parse', `refs/mendloop/base/${AI}`);
const before = (home: string) =>
  git(home, 'for-each-ref', '--format=%(objectname)', 'refs/mendloop/before/').split('\n').filter(Boolean);
const subjects = (home: string) =>
  git(home, 'log', '--reverse', '--format=%an: %s', `main..${AI}`).split('\n').filter(Boolean);

test('the owner wins: a fix whose line the base changed is dropped whole, once and with one note; the others stay', async () => {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }), 'b.txt': numbers({ 5: 'ours' }) });
  const tip = await fix(home, 'h2', { 'a.txt': numbers({ 5: 'ours', 20: 'elsewhere' }) });
  const theirs = commit(home, { 'a.txt': numbers({ 5: 'theirs' }) });
  const owners = checkoutHash(home);
  const tree = await bring(home);
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'theirs', 20: 'elsewhere' }));
  assert.is(inTree(home, 'b.txt'), numbers());
  assert.equal([tree.ended, subjects(home)], [['h1 superseded'], ['mendloop: Mend a: Mend h2']]);
  assert.equal([kept(home), before(home), checkoutHash(home)], [theirs, [tip], owners]);
  assert.equal(tree.notices, [
    `main moved; ${AI} was put onto it (${tree.head.slice(0, 12)})`,
    'main has another text where a fix was; it is taken back, yours stands (a: Mend h1)',
  ]);
  isClean(home);
  assert.equal((await bring(home)).notices, []);
});

test('the owner wins: what a person did on the branch is not thrown away: the run stops, and the commands work', async () => {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  const tree = await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }) });
  const mine = commit(tree.path, { 'b.txt': numbers({ 5: 'by hand' }) });
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'ours', 28: 'more' }) });
  commit(home, { 'a.txt': numbers({ 5: 'main' }), 'b.txt': numbers({ 5: 'main' }) });
  write(tree.path, { 'a.txt': 'by a stage\n' });
  write(home, { 'ai/patches/r-a-1.stage.diff': `${git(tree.path, 'diff', '--binary', '--full-index')}\n` });
  const tip = git(home, 'rev-parse', AI);
  for (const last of [false, true]) {
    const { text, exit } = await refusal(bring(home));
    assert.match(text, `error E_BASE_CONFLICT: main moved, and not all that is yours on ${AI} can be put onto it;`);
    assert.match(text, `  - ${mine.slice(0, 12)} is yours and does not apply: b.txt\n`);
    assert.equal([exit, git(home, 'rev-parse', AI), before(home)], [3, tip, []]);
    assert.is(inTree(home, 'a.txt'), 'by a stage\n');
    git(home, 'gc', '-q', '--prune=now');
    if (last) await followAdvice(home, text, () => write(tree.path, { 'b.txt': numbers({ 5: 'both' }) }));
  }
  await bring(home);
  assert.equal(
    [inTree(home, 'a.txt'), inTree(home, 'b.txt')],
    [numbers({ 5: 'main', 28: 'more' }), numbers({ 5: 'both' })],
  );
  assert.equal(subjects(home), ['mendloop: Mend a: Mend h2', 'Owner: change']);
});

test('the owner wins: a merge that a person solved by hand stops it when the base moves again, with commands that work', async () => {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  const tree = await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(tree.path, { 'b.txt': numbers({ 9: 'mine' }) });
  commit(home, { 'b.txt': numbers({ 9: 'main' }) });
  assert.throws(() => git(tree.path, 'merge', '-q', 'main'));
  const merge = commit(tree.path, { 'b.txt': numbers({ 9: 'both' }) });
  assert.is((await bring(home)).head, merge, 'it has the base');
  commit(home, { 'a.txt': numbers({ 28: 'moved' }) });
  const { text } = await refusal(bring(home));
  assert.match(text, `  - ${merge.slice(0, 12)} is a merge that you solved by hand\n`);
  await followAdvice(home, text, () => write(tree.path, { 'b.txt': numbers({ 9: 'both' }) }));
  await bring(home);
  assert.equal(
    [inTree(home, 'a.txt'), inTree(home, 'b.txt')],
    [numbers({ 5: 'fixed', 28: 'moved' }), numbers({ 9: 'both' })],
  );
});

test('the owner wins: that a person reverts a fix by git counts as declined, and nothing else that they revert', async () => {
  const home = repository();
  const tree = await open(home);
  const one = await fix(home, 'h1', { 'a.txt': numbers({ 5: 'ours' }) });
  const theirs = commit(tree.path, { 'c.txt': 'c' });
  git(tree.path, 'revert', '--no-edit', theirs);
  git(tree.path, 'revert', '--no-edit', one);
  const all = await committedFixes(treeGit(tree), 'main', AI);
  assert.equal(
    all.flatMap(({ hash, reverts }) => (reverts === undefined ? [] : [hash])),
    ['h1'],
  );
});

/** A base with a commit that the branch was put onto, between two fixes. */
async function branched() {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers() });
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  const dropped = commit(home, { 'b.txt': numbers({ 1: 'secret' }), 'dropped.txt': 'd' });
  const tree = await bring(home);
  await fix(home, 'h2', { 'a.txt': numbers({ 5: 'fixed', 20: 'too' }) });
  return { home, dropped, tree };
}

const REWRITES: Record<string, (home: string) => unknown> = {
  amended: (home) => {
    git(home, 'rm', '-q', 'dropped.txt');
    write(home, { 'b.txt': numbers({ 1: 'public' }) });
    git(home, 'commit', '-q', '-a', '--amend', '-m', 'amended');
  },
  reset: (home) => git(home, 'reset', '-q', '--hard', 'HEAD~1'),
  rebased: (home) => {
    git(home, 'switch', '-q', '-c', 'other', 'HEAD~1');
    commit(home, { 'c.txt': 'below' });
    git(home, 'switch', '-q', 'main');
    git(home, 'rebase', '-q', '--onto', 'other', 'main~1');
    git(home, 'rm', '-q', 'dropped.txt');
    git(home, 'checkout', '-q', 'other', '--', 'b.txt');
    git(home, 'commit', '-q', '--amend', '--allow-empty', '-m', 'rebased');
  },
};

for (const [way, rewrite] of Object.entries(REWRITES))
  test(`a base that was ${way}: nothing that it dropped stays, the fixes do, and it is told once`, async () => {
    const { home, dropped, tree } = await branched();
    const tip = git(home, 'rev-parse', AI);
    rewrite(home);
    const { notices, moved, head } = await bring(home);
    assert.equal(subjects(home), ['mendloop: Mend a: Mend h1', 'mendloop: Mend a: Mend h2']);
    assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed', 20: 'too' }));
    assert.is(git(home, 'diff', '--stat', 'main', AI, '--', 'b.txt', 'dropped.txt'), '');
    assert.throws(() => lstatSync(join(tree.path, 'dropped.txt')));
    assert.equal([before(home).includes(tip), kept(home)], [true, git(home, 'rev-parse', 'main')]);
    const gone = `main was rewritten (${dropped.slice(0, 12)} is no longer in it)`;
    assert.equal(notices, [`${gone}; ${AI} was put onto it (${head.slice(0, 12)})`]);
    assert.equal(moved, { from: tip, to: git(home, 'rev-parse', AI), putBack: [] });
    isClean(home);
    assert.not(git(home, 'log', '-p', '--format=', AI).includes('secret'));
    assert.equal((await bring(home)).notices, [], 'once is enough');
  });

test('a base that was rewritten: also its first commit, and to another history altogether', async () => {
  const home = repository();
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'b.txt': 'b' });
  git(home, 'reset', '-q', '--soft', 'HEAD~1');
  git(home, 'commit', '-q', '--amend', '-m', 'first, anew');
  await bring(home);
  assert.is(inTree(home, 'a.txt'), numbers({ 5: 'fixed' }));
  assert.is(git(home, 'rev-list', '--count', `main..${AI}`), '1');
  assert.is(git(home, 'rev-list', '--max-parents=0', AI), git(home, 'rev-parse', 'main'));
});

test('a base that was renamed: the command that names it anew works, and the fixes come along', async () => {
  const home = repository();
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  git(home, 'branch', '-q', '-m', 'main', 'trunk');
  const moved = commit(home, { 'b.txt': 'b' });
  const { text } = await refusal(bring(home));
  const renamed = `git config branch.${AI}.mendloop-base trunk`;
  assert.match(text, renamed);
  git(home, ...renamed.split(' ').slice(1));
  await bring(home);
  assert.equal([inTree(home, 'a.txt'), git(home, 'rev-parse', `${AI}^`)], [numbers({ 5: 'fixed' }), moved]);
});

test('a shallow clone: the base that is fetched has no parent here, and the fixes come along', async () => {
  const origin = repository();
  const home = join(repository(), 'clone');
  git(origin, 'clone', '-q', '--depth=1', `file://${origin}`, home);
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(origin, { 'b.txt': 'one' });
  commit(origin, { 'b.txt': 'two' });
  git(home, 'fetch', '-q', '--depth=1', 'origin');
  git(home, 'reset', '-q', '--hard', 'origin/main');
  await bring(home);
  assert.equal([inTree(home, 'a.txt'), inTree(home, 'b.txt')], [numbers({ 5: 'fixed' }), 'two']);
  assert.is(git(home, 'rev-list', '--count', AI), '2');
});

test('without the kept base the last common commit counts; without one of those it is refused, and the command works', async () => {
  const home = repository();
  const first = git(home, 'rev-parse', 'HEAD');
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'b.txt': 'b' });
  git(home, 'update-ref', '-d', `refs/mendloop/base/${AI}`);
  await bring(home);
  assert.equal(subjects(home), ['mendloop: Mend a: Mend h1']);
  git(home, 'update-ref', '-d', `refs/mendloop/base/${AI}`);
  git(home, 'switch', '-q', '--orphan', 'anew');
  commit(home, { 'a.txt': numbers({ 30: 'anew' }) });
  git(home, 'branch', '-q', '-f', 'main', 'anew');
  git(home, 'switch', '-q', 'main');
  const { text, exit } = await refusal(bring(home));
  assert.match(text, `error E_NO_COMMON_BASE: ${AI} and main have no commit in common,`);
  const command = /git update-ref \S+/.exec(text)?.[0].split(' ').slice(1) ?? [];
  git(home, ...command, `${AI}~1`);
  await bring(home);
  assert.equal([exit, inTree(home, 'a.txt')], [3, numbers({ 5: 'fixed', 30: 'anew' })]);
  assert.not(git(home, 'rev-list', AI).includes(first));
});

test('an AI branch that is checked out elsewhere is refused, and the command works', async () => {
  const home = repository();
  await open(home);
  await fix(home, 'h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  git(home, 'worktree', 'remove', '--force', 'ai/worktree');
  git(home, 'worktree', 'add', '-q', join(home, '.git/elsewhere'), AI);
  commit(home, { 'b.txt': 'b' });
  const { text } = await refusal(bring(home));
  assert.match(text, 'E_AI_BRANCH_ELSEWHERE');
  await followAdvice(
    home,
    text.replace(/.*free it, no file changes: /, 'git status\n').replace(/\n.*git worktree prune/, ''),
    () => {},
  );
  await bring(home);
  assert.equal([inTree(home, 'a.txt'), inTree(home, 'b.txt')], [numbers({ 5: 'fixed' }), 'b']);
});

test("what the loop made is signed anew where that is wished, and a person's commit never in their name", async () => {
  const { home, tree } = await branched();
  script(
    join(home, '.git/gpg'),
    'cat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho "-----BEGIN PGP SIGNATURE-----"',
  );
  git(home, 'config', 'gpg.program', join(home, '.git/gpg'));
  commit(tree.path, { 'mine.txt': 'm' }, 'mine');
  const signed = () => {
    const commits = git(home, 'rev-list', '--reverse', `main..${AI}`).split('\n').filter(Boolean);
    return commits.map((one) => {
      const [head = '', subject = ''] = git(home, 'cat-file', 'commit', one).split('\n\n');
      return `${subject.split('\n')[0]}: ${head.includes('\ngpgsig ')}`;
    });
  };
  commit(home, { 'c.txt': '1' });
  await bring(home, { sign: true });
  assert.equal(signed(), ['Mend a: Mend h1: true', 'Mend a: Mend h2: true', 'mine: false']);
  commit(home, { 'c.txt': '2' });
  await bring(home);
  assert.equal(signed(), ['Mend a: Mend h1: false', 'Mend a: Mend h2: false', 'mine: false']);
});

test('carried links stay as they are, and untracked files in the way are refused by name', async () => {
  const { home, tree } = await branched();
  write(home, { 'tfstate/x': 'precious' });
  symlinkSync(join(home, 'tfstate'), join(tree.path, 'tfstate'));
  write(tree.path, { 'new.txt': 'made by a stage' });
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  const theirs = commit(home, { 'new.txt': 'theirs' });
  const refused = await refusal(bring(home, { carry: ['tfstate'] }));
  assert.match(refused.text, 'mv ai/worktree/new.txt ai/worktree/new.txt.old');
  await followAdvice(home, refused.text.replaceAll('mv ', 'git -C . status; mv '), () => {});
  await bring(home, { carry: ['tfstate'] });
  assert.ok(lstatSync(join(tree.path, 'tfstate')).isSymbolicLink());
  assert.equal([read(home, 'tfstate/x'), inTree(home, 'new.txt'), kept(home)], ['precious', 'theirs', theirs]);
});

test('hooks, drivers and settings of the owner do not run in it', async () => {
  const { home } = await branched();
  for (const hook of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change', 'post-rewrite'])
    script(join(home, '.git/hooks', hook), `touch ${join(home, '.git/ran')}`);
  git(home, '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', '-m', 'moved');
  await bring(home);
  assert.throws(() => lstatSync(join(home, '.git/ran')));
  isClean(home);
});

test.run();
