// What a promotion says: the line that accepts it comes last, and only when it would be taken.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { landedLines, nothingLine, promoteLines, pullLines, withShortDiff } from '../../src/cli/promote.ts';
import { commitOf, fix, story } from '../promote/stories.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
test('the whole story, in order', () => {
  const others = [{ commit: commitOf('c'), subject: 'by \u001b[31mhand' }];
  const undone = [fix('b', { fix: 'Take back: Say three' })];
  assert.is(
    promoteLines(
      story({ others, undone, superseded: [{ commit: commitOf('e'), stage: 'vms', fix: 'Say one' }], landed: 1 }),
      NOW,
    ).join('\n'),
    `ai/x into main: 1 fix for 1 failure in 1 stage, 1 rollback, 1 other commit

web
  for unknown f1
    aaaaaaaaaaaa  1 h ago  Say two
        why:  It said one
        by:   probe (executor), run run-1; in a.txt
        kept: the stage was green with it

rolled back, and taken out again
    bbbbbbbbbbbb  web  Take back: Say three

other commits
    cccccccccccc  by  [31mhand

does not come: main has another text there
    eeeeeeeeeeee  vms  Say one

left out: 1 commit landed already

 a.txt | 2 +-
see each change before you land it: mendloop promote --diff

it is on main (000000000000)
to land exactly this:
mendloop promote --accept ${commitOf('f')}`,
  );
});

test('a change of at most 40 lines is shown unasked; of a longer one it is said how to see it', () => {
  const diff = (changed: number) =>
    [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,21 +1,21 @@',
      ' same',
      ...Array(changed)
        .fill('-one')
        .fill('+two', changed / 2),
    ].join('\n');
  const shown = (changed: number) => promoteLines(withShortDiff(story({ diff: diff(changed) })), NOW);
  const see = 'see each change before you land it: mendloop promote --diff';
  assert.ok(
    shown(40)
      .join('\n')
      .includes(`\n a.txt | 2 +-\n\n${diff(40)}\n\nit is on main`),
  );
  assert.not.ok(shown(40).includes(see));
  assert.ok(shown(41).join('\n').includes(`\n a.txt | 2 +-\n${see}\n\nit is on main`));
});

test('where the base is protected, the way by a pull request comes first', () => {
  assert.equal(promoteLines(story({ protected: true }), NOW).slice(-5), [
    'it is on main (000000000000)',
    'main is protected, so for a pull request:',
    'mendloop promote --push --pr',
    'to land exactly this:',
    `mendloop promote --accept ${commitOf('f')}`,
  ]);
});

test('a pull request is told with its address, or with what to type for one', () => {
  const pull = { title: 'Promote 1 fix of web', body: 'so\n', file: 'ai/state/pr.md', page: 'https://host/new' };
  const open = { ...pull, url: 'https://host/7', notes: [], commands: [] };
  assert.equal(pullLines(story(), open, false), [
    'pull request of ai/x into main: https://host/7',
    '    title: Promote 1 fix of web',
    '    text:  ai/state/pr.md',
  ]);
  const not = { ...pull, url: null, notes: ['gh is not installed'], commands: ['gh pr create'] };
  assert.equal(pullLines(story(), not, true), [
    'pull request of ai/x into main: not opened',
    '    title: Promote 1 fix of web',
    '    text:',
    'so',
    'gh is not installed',
    '    gh pr create',
    'or with these by hand: https://host/new',
  ]);
});

test('where a fix was verified, what was not seen with it, and why it may not land', () => {
  const lines = (more: Parameters<typeof fix>[1], moves = false) =>
    promoteLines(story({ fixes: [fix('a', more)], moves }), NOW);
  const elsewhere = lines({ verified_on: commitOf('9'), not_seen: ['dns', 'vms'] }, true);
  assert.ok(elsewhere.includes('        kept: the stage was green with it, on 999999999999; not yet on 000000000000'));
  assert.ok(elsewhere.includes('        not seen with it: dns, vms'));
  assert.equal(elsewhere.slice(-3), [
    'it will be put onto main (000000000000) first',
    'to land exactly this:',
    `mendloop promote --accept ${commitOf('f')}`,
  ]);
  const here = lines({ verified_on: commitOf('0') });
  assert.ok(here.includes('        kept: the stage was green with it'));
  const failed = lines({ failed: ['vms'] });
  assert.ok(failed.includes('        NOT TO LAND: failed with it since: vms'));
  assert.equal(failed.slice(-3), [
    'it is on main (000000000000)',
    'not yet: let a run judge it (mendloop vms), or roll it back:',
    'mendloop rollback aaaaaaaaaaaa',
  ]);
  const stuck = story({ stuck: [{ commit: commitOf('c'), paths: ['a.txt'] }] });
  assert.equal(promoteLines(stuck, NOW).slice(-3), [
    'ai/x cannot be put onto main (000000000000); yours, and in the way:',
    '    cccccccccccc  a.txt',
    'what to type is told by: mendloop',
  ]);
});

test('nothing to promote says why; what landed says how to undo and share it', () => {
  assert.is(nothingLine(story({ tip: null })), 'nothing to promote: there is no ai/x yet');
  assert.is(
    nothingLine(story({ landed: 2, superseded: [{ commit: commitOf('e'), stage: 'vms', fix: 'x' }] })),
    'nothing to promote: main has all that ai/x could bring (2 commits landed already, 1 fix dropped, for main has another text there)',
  );
  assert.is(
    landedLines(story(), commitOf('d'), '/home/lab', 'git push origin main').join('\n'),
    `landed on main: dddddddddddd, in /home/lab
    web: Say two
to undo it; this ends with the line that lands that:
    mendloop rollback aaaaaaaaaaaa && mendloop promote
to share it:
    git push origin main
or, where main is protected, for a pull request:
    git push origin main:refs/heads/promoted`,
  );
  const queue = story({ fixes: [], others: [{ commit: commitOf('e'), subject: 'Tick 02' }] });
  assert.equal(landedLines(queue, commitOf('d'), undefined, undefined), [
    'landed on main: dddddddddddd',
    '    Tick 02',
  ]);
  const runs = [fix('a'), { ...fix('b'), run: 'run-2' }];
  assert.equal(
    landedLines(story({ fixes: runs }), commitOf('d'), undefined, undefined).filter((line) => /rollback/.test(line)),
    ['    mendloop rollback bbbbbbbbbbbb && mendloop rollback aaaaaaaaaaaa && mendloop promote'],
    'the newest first: it may stand on the other',
  );
  assert.ok(
    landedLines(story({ fixes: [fix('a'), fix('b')] }), commitOf('d'), undefined, undefined).includes(
      '    mendloop rollback --run run-1 && mendloop promote',
    ),
  );
});

test.run();
