// What a promotion brings, in words: for the merge commit, for a pull request, and what keeps it from being accepted.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitBody, pullRequestText, requestPull } from '../../src/promote/pull-request.ts';
import { acceptLine, byStage, promoteMessage, promoteTitle, refusedFixes, whyNot } from '../../src/promote/story.ts';
import type { Configuration } from '../../src/stage/configuration.ts';
import { folder } from '../worktree/repository.ts';
import { commitOf, fix, story } from './stories.ts';

test('the line that accepts is there only where it would be taken', () => {
  assert.is(acceptLine(story()), `mendloop promote --accept ${commitOf('f')}`);
  assert.ok(acceptLine(story({ fixes: [fix('a', { not_seen: ['vms'] })] })));
  const failed = fix('a', { failed: ['vms', 'dns'] });
  assert.is(whyNot(failed), 'failed with it since: vms, dns');
  const refused = [
    { nothing: true },
    { stuck: [{ commit: commitOf('b'), paths: ['a.txt'] }] },
    { fixes: [fix('a', { outcome: 'applied' })] },
    { fixes: [fix('b'), failed] },
  ];
  for (const more of refused as Parameters<typeof story>[0][]) assert.is(acceptLine(story(more)), undefined);
  assert.equal(refusedFixes({ fixes: [fix('b'), failed] }), [failed]);
});

test('fixes are sorted by stage and failure, each where it first comes', () => {
  const fixes = [
    fix('a'),
    fix('b', { stage: 'vms', class: 'later' }),
    fix('c', { class: 'other' }),
    fix('d', { fingerprint: 'f2' }),
  ];
  const rows = byStage(fixes).map(({ stage, failures }) => [
    stage,
    ...failures.map(
      (failure) => `${failure.fingerprint} ${failure.class} ${failure.fixes.map((one) => one.commit[0]).join('')}`,
    ),
  ]);
  assert.equal(rows, [
    ['web', 'f1 unknown ac', 'f2 unknown d'],
    ['vms', 'f1 later b'],
  ]);
});

test('the title counts what comes, of which stages; what there is none of is not named', () => {
  const other = { commit: commitOf('c'), subject: 'by hand' };
  const titles = [
    story({ fixes: [fix('a'), fix('b', { stage: 'vms' })], undone: [fix('c')], others: [other] }),
    story({ undone: [fix('b', { stage: 'vms' }), fix('c')] }),
    story({ fixes: [], others: [other, other] }),
  ].map(promoteTitle);
  assert.equal(titles, [
    'Promote 2 fixes, 1 rollback, 1 other commit of web, vms',
    'Promote 1 fix, 2 rollbacks of web, vms',
    'Promote 2 other commits',
  ]);
});

test('the one commit of a squash names every fix, what is undone and what else comes', () => {
  const others = [{ commit: commitOf('c'), subject: 'by hand' }];
  const undone = [fix('b', { fix: 'Take back: Say three', reverts: commitOf('e') })];
  assert.is(
    promoteMessage(story({ undone, others })),
    `Promote 1 fix, 1 rollback, 1 other commit of web

All that ai/x had and main had not, in one commit.

- web: Say two (aaaaaaaaaaaa, probe, f1)
- web: Take back: Say three (bbbbbbbbbbbb, f1)
- by hand (cccccccccccc)

Promoted-fix: ${commitOf('a')}
Undone-fix: ${commitOf('e')}
Promoted-tip: ${commitOf('f')}
`,
  );
});

test('a pull request says what is not as it should be: cells, stages that were not seen, another base', () => {
  const fixes = [
    fix('a', { left: 'cp1', not_seen: ['dns'] }),
    fix('d', { unchecked: true, verified_on: commitOf('9'), shapes: ['path: it leads to nothing'] }),
  ];
  const others = [{ commit: commitOf('c'), subject: 'by hand' }];
  const text = pullRequestText(story({ fixes, others, undone: [fix('b')] }));
  assert.equal(
    text.split('\n').filter((line) => /^\s*-/.test(line)),
    [
      '- `aaaaaaaaaaaa` `Say two`',
      '  - why: `It said one`',
      '  - in `a.txt`; by `probe (executor)`, run `run-1`, 2026-11-16T11:00:00Z',
      '- `dddddddddddd` `Say two`',
      '  - why: `It said one`',
      '  - in `a.txt`; by `probe (executor)`, run `run-1`, 2026-11-16T11:00:00Z',
      '  - repair: `path: it leads to nothing`',
      '- `bbbbbbbbbbbb` `web` `Say two`',
      '- `cccccccccccc` `by hand`',
      '- `aaaaaaaaaaaa`: some cells of `web` were green with it, not `cp1`; not seen with it: `dns`.',
      '- `dddddddddddd`: `web` was green with it by its exit code alone: it has no checks, on `999999999999`.',
      '- It is `main` at `000000000000` with these commits on top.',
    ],
  );
});

test('a text that is too long for a pull request ends with a whole line and says where the rest is', () => {
  const line = `${'x'.repeat(99)}\n`;
  const fits = line.repeat(600);
  assert.is(fitBody(fits, 'ai/x'), fits);
  const rest = '\n\n(too long for a pull request; the rest is in the commits of `ai/x`)\n';
  assert.is(fitBody(`${fits}y`, 'ai/x'), `${fits.slice(0, -1)}${rest}`);
  const late = `${'x'.repeat(60_000)}\ny`;
  assert.is(fitBody(late, 'ai/x'), `${'x'.repeat(60_000)}${rest}`);
});

test('a command of gh is named only for GitHub; other hosts have their page, where it is known', async () => {
  const home = folder();
  const base = { name: 'main', branch: 'ai/x', commit: commitOf('0'), firstRun: false };
  const config = { loop: { git: {} } } as Configuration;
  const pull = (host: string) => {
    const remote = { name: 'origin', url: `git@${host}:me/lab.git`, tip: 't', messages: [] };
    const options = { home, base, config, remote, tip: 't', env: { PATH: home }, dry: true };
    return requestPull({ title: 'so', body: '' }, options);
  };
  const { notes, commands, page, url } = await pull('gitlab.example.org');
  assert.equal(
    [notes, commands, url, page?.slice(0, 26)],
    [['gh is not installed'], [], null, 'https://gitlab.example.org'],
  );
  assert.equal((await pull('github.com')).commands, [
    'gh pr create --repo github.com/me/lab --head ai/x --base main --title so --body-file ai/state/pull-request.md',
  ]);
});

test.run();
