// What becomes of each commit of the AI branch when it is put onto a base that moved, in git's store alone.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openGit } from '../../src/io/git.ts';
import { fixMessage } from '../../src/worktree/fix-message.ts';
import { type BranchAndBase, isStuck, putOnBase } from '../../src/worktree/on-base.ts';
import { commit, git, numbers, repository, script, write } from './repository.ts';

const STORY = {
  ...{ stage: 'a', step: 'a', class: 'unknown', tier: 'executor' as const, plugin: 'probe', attempt: 1, run: 'r1' },
};

/** A home on main with a branch `ai`; what is committed there is a fix, unless it is by a person. */
function branched(files: Record<string, string> = { 'a.txt': numbers(), 'b.txt': numbers() }) {
  const home = repository(files);
  const old = git(home, 'rev-parse', 'HEAD');
  git(home, 'branch', 'ai');
  const onBranch = <T>(work: () => T): T => {
    git(home, 'switch', '-q', 'ai');
    try {
      return work();
    } finally {
      git(home, 'switch', '-q', 'main');
    }
  };
  const fix = (hash: string, changed: Record<string, string>) => {
    const note = { fix: `Mend ${hash}`, reason: 'because' };
    const message = fixMessage({ ...STORY, fingerprint: `f-${hash}`, hash, note });
    return onBranch(() => {
      write(home, changed);
      git(home, 'add', '-A');
      const author = ['-c', 'user.name=mendloop', '-c', 'user.email=mendloop@localhost'];
      git(home, ...author, 'commit', '-q', '-m', message);
      return git(home, 'rev-parse', 'HEAD');
    });
  };
  const byHand = (changed: Record<string, string>, subject = 'by hand') =>
    onBranch(() => commit(home, changed, subject));
  const put = async (more: Partial<BranchAndBase> = {}) => {
    const refs = git(home, 'for-each-ref');
    const request = { old, base: git(home, 'rev-parse', 'main'), tip: git(home, 'rev-parse', 'ai'), ...more };
    const result = await putOnBase(openGit(home), request);
    assert.is(git(home, 'for-each-ref'), refs, 'no ref moves');
    return {
      ...result,
      stuck: isStuck(result) ? result.stuck.map(({ paths }) => paths.join()) : [],
      solved: isStuck(result) ? result.solved : [],
      fates: result.fates.map(({ fate, fix: { hash } = { hash: 'by hand' } }) => `${hash} ${fate}`),
      text: (path: string) => git(home, 'show', `${result.to}:${path}`),
      same: (path = 'a.txt') => git(home, 'diff', '--name-only', 'main', result.to, '--', path) === '',
    };
  };
  return { home, old, fix, byHand, onBranch, put };
}

const text = (changes: Record<number, string>) => numbers(changes).trimEnd();

test('fixes and commits of a person come along in their order, each as it was', async () => {
  const { home, fix, byHand, put } = branched();
  fix('h1', { 'a.txt': numbers({ 5: 'one' }) });
  byHand({ 'mine.txt': 'm' }, 'Größe');
  fix('h2', { 'a.txt': numbers({ 5: 'one', 20: 'two' }) });
  const base = commit(home, { 'b.txt': numbers({ 1: 'moved' }) });
  const { to, fates } = await put();
  assert.equal(fates, ['h1 carried', 'by hand carried', 'h2 carried']);
  assert.is(git(home, 'log', '--format=%P', `${base}..${to}`).split('\n').at(-1), base);
  const shown = (range: string) => git(home, 'log', '-p', '--format=%an %ae %ai %cn %ci %B', range);
  assert.is(shown(`main..${to}`), shown('main..ai'));
  assert.is((await put({ tip: to, old: base })).to, to, 'it stands there');
  assert.is((await put()).to, to, 'the same again');
});

test('landed: picked, retyped with other words, squashed, squashed twice over one line, merged', async () => {
  const ways: Record<string, (home: string, fixes: string[]) => unknown> = {
    picked: (home, fixes) => git(home, 'cherry-pick', '-x', ...fixes),
    retyped: (home) =>
      commit(home, { 'a.txt': numbers({ 5: 'one, better', 20: 'two' }), 'b.txt': numbers({ 1: 'x' }) }),
    squashed: (home) => git(home, 'merge', '--squash', '-q', 'ai') + git(home, 'commit', '-q', '-m', 'squash'),
    merged: (home) => git(home, 'merge', '--no-ff', '-q', '-m', 'merge', 'ai'),
  };
  for (const [way, land] of Object.entries(ways)) {
    const { home, fix, put } = branched();
    const fixes = [
      fix('h1', { 'a.txt': numbers({ 5: 'one' }) }),
      fix('h2', { 'a.txt': numbers({ 5: 'one, better', 20: 'two' }) }),
    ];
    land(home, fixes);
    commit(home, { 'b.txt': numbers({ 1: 'x', 30: 'later' }) });
    const result = await put();
    assert.equal(result.fates.toSorted(), ['h1 landed', 'h2 landed'], way);
    assert.is(result.to, git(home, 'rev-parse', 'main'), way);
  }
});

test('landed in part: the first two squashed, the third is still to come', async () => {
  const { home, fix, put } = branched();
  fix('h1', { 'a.txt': numbers({ 5: 'one' }) });
  const second = fix('h2', { 'a.txt': numbers({ 5: 'one, better' }) });
  git(home, 'merge', '--squash', '-q', second);
  git(home, 'commit', '-q', '-m', 'squash');
  fix('h3', { 'a.txt': numbers({ 5: 'one, better', 25: 'three' }) });
  commit(home, { 'a.txt': numbers({ 1: 'x', 5: 'one, better' }) });
  const { fates, text: at } = await put();
  assert.equal(fates, ['h1 landed', 'h2 landed', 'h3 carried']);
  assert.is(at('a.txt'), text({ 1: 'x', 5: 'one, better', 25: 'three' }));
});

test('superseded: the owner has another text there, removed the file, or had the fix and reverted it', async () => {
  const ways: Record<string, (home: string, one: string) => unknown> = {
    rewritten: (home) => commit(home, { 'a.txt': numbers({ 5: 'theirs' }) }),
    removed: (home) => git(home, 'rm', '-q', 'a.txt') + git(home, 'commit', '-q', '-m', 'gone'),
    'merged and reverted': (home, one) =>
      git(home, 'merge', '-q', '--ff-only', one) + git(home, 'revert', '--no-edit', 'HEAD'),
    reverted: (home, one) => git(home, 'cherry-pick', '-x', one) + git(home, 'revert', '--no-edit', 'HEAD'),
    'landed and rewritten': (home, one) =>
      git(home, 'cherry-pick', '-x', one) + commit(home, { 'a.txt': numbers({ 5: 'theirs' }) }),
  };
  for (const [way, change] of Object.entries(ways)) {
    const { home, fix, put } = branched();
    const one = fix('h1', { 'a.txt': numbers({ 5: 'ours' }) });
    fix('h2', { 'b.txt': numbers({ 5: 'elsewhere' }) });
    change(home, one);
    const { fates, same } = await put();
    assert.equal(fates, ['h1 superseded', 'h2 carried'], way);
    assert.ok(same(), way);
  }
});

test('superseded: what was squashed and then reverted does not come back, nor what stands on a fix that is gone', async () => {
  const { home, fix, put } = branched();
  fix('h1', { 'a.txt': numbers({ 5: 'one' }) });
  fix('h2', { 'a.txt': numbers({ 5: 'one, better' }) });
  git(home, 'merge', '--squash', '-q', 'ai');
  git(home, 'commit', '-q', '-m', 'squash');
  git(home, 'revert', '--no-edit', 'HEAD');
  fix('h3', { 'a.txt': numbers({ 5: 'one, best' }) });
  const { fates, same } = await put();
  assert.equal(fates, ['h1 superseded', 'h2 superseded', 'h3 superseded']);
  assert.ok(same());
});

test('left out: a fix and what took it back on the branch, by the loop or by a person; and what is to be dropped', async () => {
  const { home, fix, byHand, onBranch, put } = branched();
  const wrong = fix('h1', { 'a.txt': numbers({ 5: 'wrong' }) });
  onBranch(() => git(home, 'revert', '--no-edit', wrong));
  fix('h2', { 'a.txt': numbers({ 5: 'right' }) });
  const third = fix('h3', { 'b.txt': numbers({ 5: 'three' }) });
  byHand({ 'mine.txt': 'm' });
  const { to, fates } = await put({ drop: new Set([third]) });
  assert.equal(fates, ['h1 left_out', 'h1 left_out', 'h2 carried', 'h3 left_out', 'by hand carried']);
  assert.is(git(home, 'log', '--format=%s', `main..${to}`), 'by hand\nMend a: Mend h2');
});

test('an amended, a reset and a rebased base: what the old one had does not come along', async () => {
  const rewrites: Record<string, (home: string) => unknown> = {
    amended: (home) => write(home, { 'b.txt': numbers({ 1: 'public' }) }),
    reset: (home) => git(home, 'reset', '-q', '--hard', 'HEAD~1'),
    rebased: (home) =>
      git(home, 'reset', '-q', '--hard', 'HEAD~1') || (commit(home, { 'c.txt': 'c' }) && write(home, { 'b.txt': 'b' })),
  };
  for (const [way, rewrite] of Object.entries(rewrites)) {
    const { home, fix, onBranch, put } = branched();
    const old = commit(home, { 'b.txt': numbers({ 1: 'secret' }) });
    onBranch(() => git(home, 'merge', '-q', '--ff-only', 'main'));
    fix('h1', { 'a.txt': numbers({ 5: 'fixed' }) });
    rewrite(home);
    if (way !== 'reset') git(home, 'commit', '-q', '-a', ...(way === 'amended' ? ['--amend'] : []), '-m', 'anew');
    const { to, fates } = await put({ old });
    assert.equal(fates, ['h1 carried'], way);
    assert.is(git(home, 'log', '--format=%s', `main..${to}`), 'Mend a: Mend h1');
    assert.not(git(home, 'log', '-p', to).includes('secret'), way);
  }
});

test('another history altogether, as a shallow clone has it after each fetch', async () => {
  const { home, fix, put } = branched();
  fix('h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  git(home, 'switch', '-q', '--orphan', 'anew');
  commit(home, { 'a.txt': numbers({ 30: 'anew' }) });
  git(home, 'branch', '-q', '-f', 'main', 'anew');
  git(home, 'switch', '-q', 'main');
  const { fates, text: at } = await put();
  assert.equal(fates, ['h1 carried']);
  assert.is(at('a.txt'), text({ 5: 'fixed', 30: 'anew' }));
});

test('stuck: a commit of a person that does not apply; what applies without it is told', async () => {
  const { home, fix, byHand, put } = branched();
  byHand({ 'b.txt': numbers({ 5: 'mine' }) });
  fix('h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'b.txt': numbers({ 5: 'theirs' }) });
  const { to, fates, stuck } = await put();
  assert.equal([fates, stuck], [['h1 carried'], ['b.txt']]);
  assert.is(git(home, 'log', '--format=%s', `main..${to}`), 'Mend a: Mend h1');
});

test('stuck: a merge that a person solved by hand, once the base moves again', async () => {
  const { home, old, byHand, onBranch, put } = branched();
  byHand({ 'b.txt': numbers({ 5: 'mine' }) });
  commit(home, { 'b.txt': numbers({ 5: 'theirs' }) });
  const merge = onBranch(() => {
    assert.throws(() => git(home, 'merge', '-q', 'main'));
    return commit(home, { 'b.txt': numbers({ 5: 'both' }) });
  });
  assert.is((await put({ old })).to, merge, 'it has the base');
  commit(home, { 'a.txt': numbers({ 1: 'moved' }) });
  assert.equal((await put()).solved, [merge]);
});

test('a commit of a person that the base had is no conflict', async () => {
  const { home, byHand, put } = branched();
  const mine = byHand({ 'a.txt': numbers({ 5: 'mine' }) });
  git(home, 'cherry-pick', '-x', mine);
  commit(home, { 'a.txt': numbers({ 5: 'mine, better' }) });
  const { fates, stuck, same } = await put();
  assert.equal([fates, stuck, same()], [['by hand left_out'], [], true]);
});

test('ticks and log lines of the work queue are merged by line, and a file that the owner removed stays away', async () => {
  const item = (state: string, log: string) => `# 1\n\n## Steps\n\n- [${state}] one\n\n## Progress log\n\n${log}`;
  const { home, byHand, put } = branched({ 'ai/backlog/01-x.md': item(' ', ''), 'ai/backlog/02-y.md': 'y\n', k: 'k' });
  byHand({ 'ai/backlog/01-x.md': item('x', '- done by the loop\n'), 'ai/backlog/02-y.md': 'y, ticked\n' }, 'Tick 1');
  git(home, 'rm', '-q', 'ai/backlog/02-y.md');
  commit(home, { 'ai/backlog/01-x.md': item(' ', '- a note of mine\n') });
  const { fates, stuck, text: at, same } = await put();
  assert.equal([fates, stuck], [['by hand carried'], []]);
  assert.match(at('ai/backlog/01-x.md'), /- \[x\] one[\s\S]*- a note of mine\n- done by the loop/);
  assert.ok(same('ai/backlog/02-y.md'));
});

test('a merge driver or a filter of the owner does not run', async () => {
  const { home, fix, put } = branched({ 'a.txt': numbers(), '.gitattributes': 'a.txt merge=mine filter=mine\n' });
  script(join(home, '.git/ran.sh'), `touch ${join(home, '.git/ran')}; cat`);
  fix('h1', { 'a.txt': numbers({ 5: 'fixed' }) });
  commit(home, { 'a.txt': numbers({ 25: 'moved' }) });
  git(home, 'config', 'merge.mine.driver', join(home, '.git/ran.sh'));
  git(home, 'config', 'merge.renormalize', 'true');
  git(home, 'config', 'filter.mine.clean', join(home, '.git/ran.sh'));
  git(home, 'config', 'filter.mine.smudge', join(home, '.git/ran.sh'));
  const { text: at } = await put();
  assert.is(git(home, 'show', 'ai:a.txt').length > 0 && at('a.txt'), text({ 5: 'fixed', 25: 'moved' }));
  assert.throws(() => git(home, 'cat-file', '-e', 'ran'));
});

test('names in other encodings survive', async () => {
  const { home, fix, put } = branched();
  const odd = Buffer.from([0x67, 0xf6, 0x2e, 0x74, 0x78, 0x74]);
  fix('h1', { 'a.txt': numbers({ 5: 'fixed' }), 'new\nline "q" ü.txt': 'x' });
  commit(home, { [odd.toString()]: 'y' });
  const { to } = await put();
  assert.is(git(home, 'diff', '--stat', `${to}^`, 'main'), '');
});

test.run();
