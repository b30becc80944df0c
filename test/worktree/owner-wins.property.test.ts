// Whatever fixes and their owner do to one file, in whatever order: the base comes in, each line is the base's or that of the
// newest fix that stands, and nothing that the base dropped is left.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { committedFixes, standingFixes } from '../../src/worktree/find-fix.ts';
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
const VERIFIED = Array.from({ length: 20 }, (_, n) => `h${n}`);
const line = fc.integer({ min: 1, max: 12 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ fix: line }) },
  { weight: 3, arbitrary: fc.record({ base: line }) },
  { weight: 3, arbitrary: fc.constant({ run: true }) },
  { weight: 1, arbitrary: fc.record({ amend: line }) },
  { weight: 1, arbitrary: fc.constant({ reset: true }) },
);

test('the base comes in whatever fixes there are, and its text stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const home = repository({ 'a.txt': numbers(), keep: 'k' });
      await open(home);
      const linesOf = (text: string) => text.split('\n');
      const replaced = (text: string, at: number, word: string) =>
        linesOf(text)
          .with(at - 1, word)
          .join('\n');
      let seen = numbers();
      const texts = new Map<string, { at: number; word: string }>();
      const change = (at: number, word: string) => write(home, { 'a.txt': replaced(read(home, 'a.txt'), at, word) });
      for (const [n, one] of [...steps, { run: true }].entries()) {
        if ('fix' in one) {
          const tree = await open(home, { merge: false });
          const text = replaced(read(tree.path, 'a.txt'), one.fix, `fix ${n}`);
          const message = fixMessage({
            ...STORY,
            fingerprint: `f${n}`,
            hash: `h${n}`,
            note: { fix: 'x', reason: 'y' },
          });
          await commitFix(tree, [{ path: 'a.txt', text }], message, { hooks: false, sign: false });
          texts.set(`h${n}`, { at: one.fix, word: `fix ${n}` });
        }
        if ('base' in one) commit(home, { 'a.txt': replaced(read(home, 'a.txt'), one.base, `base ${n}`) });
        if ('amend' in one) {
          change(one.amend, `amended ${n}`);
          git(home, 'commit', '-q', '-a', '--amend', '--no-edit');
        }
        if ('reset' in one && git(home, 'rev-list', '--count', 'main') !== '1')
          git(home, 'reset', '-q', '--hard', 'HEAD~1');
        if ('run' in one) seen = await look(home, texts, seen);
      }
    }),
    runs(4, 200),
  );
});

type Texts = ReadonlyMap<string, { at: number; word: string }>;

/** Brings the base in and looks at every line; `seen` is the base's text when this was last done. */
async function look(home: string, texts: Texts, seen: string): Promise<string> {
  const before = await standing(home);
  const tree = await open(home, { merge: bring(VERIFIED) });
  const after = await standing(home);
  const now = read(home, 'a.txt');
  const wanted = now.split('\n');
  for (const hash of after) {
    const { at, word } = texts.get(hash) ?? { at: 1, word: '?' };
    wanted[at - 1] = word;
  }
  assert.equal(read(home, join('ai/worktree', 'a.txt')).split('\n'), wanted);
  assert.is(git(tree.path, 'status', '--porcelain'), '');
  assert.not(
    git(home, 'log', '--no-merges', '--format=%an', `main..${AI}`).includes('Owner'),
    'no trace of what is dropped',
  );
  const linesBefore = seen.split('\n');
  const touched = wanted.flatMap((_, i) => (now.split('\n')[i] === linesBefore[i] ? [] : [i + 1]));
  const gone = before.filter((hash) => !after.includes(hash)).map((hash) => texts.get(hash)?.at ?? 0);
  for (const at of gone) {
    const others = gone.toSpliced(gone.indexOf(at), 1);
    assert.ok(
      [...touched, ...others].some((other) => Math.abs(other - at) <= 1),
      `the fix on line ${at} was in nobody's way (${touched} and ${others})`,
    );
  }
  return now;
}

/** Hashes of the fixes that stand, the first one first. */
async function standing(home: string): Promise<string[]> {
  const tree = await open(home, { merge: false });
  return standingFixes(await committedFixes(treeGit(tree), 'main', tree.head))
    .map(({ hash }) => hash)
    .reverse();
}

test.run();
