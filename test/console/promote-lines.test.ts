// What a promotion says: the line that accepts it comes last, and only when it would be taken.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  landedLines,
  nothingLine,
  type PromoteView,
  promoteLines,
  type ShownFix,
} from '../../src/console/promote-lines.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const commitOf = (letter: string) => letter.repeat(40);

const fix = (letter: string, more: Partial<ShownFix> = {}): ShownFix => ({
  ...{ commit: commitOf(letter), stage: 'web', time: '2026-11-16T11:00:00Z', fix: 'Say two', reason: 'It said one' },
  ...{ plugin: 'probe', tier: 'executor', run: 'run-1', paths: ['a.txt'], outcome: 'verified', ...more },
});

const view = (more: Partial<PromoteView> = {}): PromoteView => ({
  ...{ branch: 'ai/x', base: 'main', base_commit: commitOf('0'), tip: commitOf('f') },
  stages: [{ stage: 'web', failures: [{ fingerprint: 'f1', class: 'unknown', fixes: [fix('a')] }] }],
  ...{ undone: [], others: [], taken_back: 0, landed: 0, clean: true, conflicts: [], unverified: [] },
  ...{ stat: ' a.txt | 2 +-', accept: `mendloop promote --accept ${commitOf('f')}`, solve: [], ...more },
});

test('the whole story, in order', () => {
  const others = [{ commit: commitOf('c'), subject: 'by \u001b[31mhand' }];
  const undone = [fix('b', { fix: 'Take back: Say three' })];
  assert.is(
    promoteLines(view({ others, undone, taken_back: 2, landed: 1 }), NOW).join('\n'),
    `ai/x into main: 1 fix for 1 failure in 1 stage, 1 rollback, 1 other commit

web
  for unknown f1
    aaaaaaaaaaaa  1 h ago  Say two
        why:  It said one
        by:   probe (executor), run run-1; in a.txt
        verified: the stage was green with it

rolled back, and taken out again
    bbbbbbbbbbbb  web  Take back: Say three

other commits
    cccccccccccc  by  [31mhand

left out: 2 fixes made and taken back
left out: 1 commit that main has already

 a.txt | 2 +-

it merges cleanly into main (000000000000)
to land exactly this:
mendloop promote --accept ${commitOf('f')}`,
  );
});

test('a fix that is not verified, or a conflict: what to do instead', () => {
  const open = [fix('a', { outcome: 'applied' })];
  const stages = [{ stage: 'web', failures: [{ fingerprint: 'f1', class: 'unknown', fixes: open }] }];
  const unverified = promoteLines(view({ stages, unverified: [commitOf('a')], accept: null }), NOW);
  assert.ok(unverified.includes('        NOT VERIFIED: not judged yet'));
  assert.equal(unverified.slice(-3), [
    'it merges cleanly into main (000000000000)',
    'not yet: let a run judge what is not verified (mendloop), or roll it back:',
    'mendloop rollback aaaaaaaaaaaa',
  ]);
  const conflict = view({ clean: false, conflicts: ['a.txt'], accept: null, solve: ['git merge'] });
  assert.equal(promoteLines(conflict, NOW).slice(-4), [
    'it does not merge into main (000000000000); in conflict:',
    '    a.txt',
    'solve it by hand, then look again with mendloop promote:',
    'git merge',
  ]);
});

test('nothing to promote says why; what landed says how to undo and share it', () => {
  assert.is(nothingLine(view({ tip: null })), 'nothing to promote: there is no ai/x yet');
  assert.is(
    nothingLine(view({ landed: 2, taken_back: 1 })),
    'nothing to promote: main has all that ai/x could bring (2 commits landed already, 1 fix taken back)',
  );
  assert.is(
    landedLines(view(), commitOf('d'), '/home/lab', 'git push origin main').join('\n'),
    `landed on main: dddddddddddd, in /home/lab
    web: Say two
to undo it:
    mendloop rollback aaaaaaaaaaaa
    mendloop promote
to share it:
    git push origin main`,
  );
  const two = [{ stage: 'web', failures: [{ fingerprint: 'f1', class: 'unknown', fixes: [fix('a'), fix('b')] }] }];
  assert.ok(
    landedLines(view({ stages: two }), commitOf('d'), undefined, undefined).includes(
      '    mendloop rollback --run run-1',
    ),
  );
});

test.run();
