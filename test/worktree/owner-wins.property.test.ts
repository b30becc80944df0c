// Whatever fixes, their owner and a person on the branch do, in whatever order: the base's text stands, nobody's work is lost, and
// each fix is carried, landed or superseded, never twice.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { committedFixes } from '../../src/worktree/find-fix.ts';
import { fixMessage } from '../../src/worktree/fix-message.ts';
import { treeGit } from '../../src/worktree/tree.ts';
import { fc, runs } from '../sweep.ts';
import { AI, bring, commit, git, numbers, open, read, repository, write } from './repository.ts';

const STORY = {
  stage: 'a',
  step: 'a',
  class: 'unknown',
  tier: 'executor' as const,
  plugin: 'probe',
  attempt: 1,
  run: 'r1',
};
const line = fc.integer({ min: 1, max: 12 });
const nth = fc.nat({ max: 5 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ fix: line }) },
  { weight: 3, arbitrary: fc.record({ base: line }) },
  { weight: 1, arbitrary: fc.record({ mine: line }) },
  { weight: 2, arbitrary: fc.record({ pick: nth }) },
  { weight: 2, arbitrary: fc.constant({ squash: true }) },
  { weight: 1, arbitrary: fc.constant({ land: true }) },
  { weight: 2, arbitrary: fc.constant({ revert: true }) },
  { weight: 1, arbitrary: fc.record({ amend: line }) },
  { weight: 1, arbitrary: fc.constant({ reset: true }) },
  { weight: 1, arbitrary: fc.constant({ rebase: true }) },
  { weight: 3, arbitrary: fc.constant({ run: true }) },
);

type Change = Readonly<{ at: number; word: string }>;

const replaced = (text: string, { at, word }: Change) =>
  text
    .split('\n')
    .with(at - 1, word)
    .join('\n');
const linesOf = (text: string) => text.split('\n');

/** git, or as it was: what the owner tries may conflict. */
function tried(home: string, ...args: string[]): boolean {
  try {
    git(home, ...args);
    return true;
  } catch {
    git(home, 'reset', '-q', '--hard');
    git(home, 'clean', '-q', '-f', '-d', '-e', 'ai');
    return false;
  }
}

test('the base comes below whatever fixes there are, and its text stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const home = repository({ 'a.txt': numbers(), keep: 'k' });
      const { path } = await open(home);
      const fixes = new Map<string, Change>();
      const ended = new Set<string>();
      const ours = () => git(home, 'rev-list', '--reverse', `main..${AI}`).split('\n').filter(Boolean);
      const base = (change: Change, ...how: string[]) => {
        write(home, { 'a.txt': replaced(read(home, 'a.txt'), change) });
        git(home, 'commit', '-q', '-a', '--allow-empty', ...how);
      };
      for (const [n, one] of [...steps, { run: true }].entries()) {
        if ('fix' in one) {
          const change = { at: one.fix, word: `fix ${n}` };
          const note = { fix: 'x', reason: 'y' };
          const message = fixMessage({ ...STORY, fingerprint: `f${n}`, hash: `h${n}`, note });
          const text = replaced(read(path, 'a.txt'), change);
          await commitFix(await open(home), [{ path: 'a.txt', text }], message, { hooks: false, sign: false });
          fixes.set(`h${n}`, change);
        }
        if ('mine' in one) commit(path, { [`mine-${n}.txt`]: 'mine' }, `mine ${n}`);
        if ('base' in one) base({ at: one.base, word: `base ${n}` }, '-m', `base ${n}`);
        if ('amend' in one) base({ at: one.amend, word: `amended ${n}` }, '--amend', '--no-edit');
        if ('pick' in one) {
          const commits = ours();
          const chosen = commits[one.pick % Math.max(1, commits.length)];
          if (chosen && !tried(home, 'cherry-pick', '-x', chosen)) tried(home, 'cherry-pick', '--quit');
        }
        if ('squash' in one && tried(home, 'merge', '-q', '--squash', AI))
          tried(home, 'commit', '-q', '-m', `squash ${n}`);
        if ('land' in one) tried(home, 'merge', '-q', '--ff-only', AI);
        if ('revert' in one && !tried(home, 'revert', '--no-edit', 'HEAD')) tried(home, 'revert', '--quit');
        const isDeep = Number(git(home, 'rev-list', '--count', 'main')) > 2;
        if ('reset' in one && isDeep) git(home, 'reset', '-q', '--hard', 'HEAD~1');
        // The last commit is put below the one before it.
        if ('rebase' in one && isDeep) {
          const [last, before] = [git(home, 'rev-parse', 'main'), git(home, 'rev-parse', 'main~1')];
          git(home, 'reset', '-q', '--hard', 'main~2');
          for (const moved of [last, before])
            if (!tried(home, 'cherry-pick', '--allow-empty', moved)) tried(home, 'cherry-pick', '--quit');
        }
        if ('run' in one) await look(home, fixes, ended);
      }
    }),
    runs(5, 300),
  );
});

/** Puts the branch onto the base, and looks at every line and every commit. */
async function look(home: string, fixes: ReadonlyMap<string, Change>, ended: Set<string>): Promise<void> {
  const owners = git(home, 'rev-parse', 'main');
  const mine = git(home, 'log', '--format=%s', `refs/mendloop/base/${AI}..${AI}`)
    .split('\n')
    .filter((s) => s.startsWith('mine'));
  const tree = await bring(home);
  assert.is(git(home, 'rev-parse', 'main'), owners, 'the base is the owner’s');
  assert.is(git(home, 'merge-base', 'main', AI), owners, 'the branch is on the base');
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.is(git(home, 'rev-list', '--merges', `main..${AI}`), '');
  const hashes = (await committedFixes(treeGit(tree), 'main', AI)).map(({ hash }) => hash).reverse();
  assert.is(new Set(hashes).size, hashes.length, 'none is there twice');
  const wanted = hashes.reduce((text, hash) => replaced(text, fixes.get(hash) as Change), read(home, 'a.txt'));
  assert.equal(
    linesOf(read(home, join('ai/worktree', 'a.txt'))),
    linesOf(wanted),
    'nothing but the base and its fixes',
  );
  for (const one of tree.ended) {
    const [hash = ''] = one.split(' ');
    assert.not(ended.has(hash), `${hash} ended twice`);
    assert.not(hashes.includes(hash), `${hash} ended, and is there`);
    ended.add(hash);
  }
  const log = git(home, 'log', '--format=%s', AI).split('\n');
  for (const subject of mine) {
    const [, n] = subject.split(' ');
    const has = tryRead(home, `${AI}:mine-${n}.txt`);
    assert.ok(log.includes(subject) || has || wasThere(home, subject), `${subject} is lost`);
  }
}

const tryRead = (home: string, what: string): boolean => {
  try {
    git(home, 'cat-file', '-e', what);
    return true;
  } catch {
    return false;
  }
};

/** Whether the base had it, and dropped it since. */
const wasThere = (home: string, subject: string): boolean =>
  git(home, 'log', '-g', '--format=%s', 'main')
    .split('\n')
    .some((one) => one.includes(subject) || one.startsWith('squash')) ||
  git(home, 'log', '-g', '--format=%s', 'HEAD').includes(subject);

test.run();
