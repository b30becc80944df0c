// One stage's way from its first failure to its end: real stages, real commits, an executor that answers as told.
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkoutHash, commit, git, write } from '../worktree/repository.ts';
import { fakeClock } from './builders.ts';
import { failuresIn, run } from './homelab.ts';
import { decided, fixTrail, mendable, ranWords, says } from './probe.ts';

test('a fix that ends green is one commit on the AI branch with its story, and nothing of the owner is touched', async () => {
  const { home, probe, subjects, tree, treeStatus } = mendable({ files: { 'other.txt': 'one\n', 'third.txt': 'x\n' } });
  write(home, { 'other.txt': 'two\n', 'new.txt': 'not in git\n', 'third.txt': 'staged\n' });
  git(home, 'add', 'third.txt');
  const before = [checkoutHash(home), git(home, 'status', '--porcelain'), git(home, 'rev-parse', 'main')];
  probe.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status, ran.stages.stages.a?.attempts], [0, 'green', 2]);
  assert.equal([checkoutHash(home), git(home, 'status', '--porcelain'), git(home, 'rev-parse', 'main')], before);
  assert.equal(fixTrail(ran.events), ['fix.intended', 'fix.committed', 'fix.judged verified']);
  assert.equal(subjects(), ['Mend a: Say good']);
  assert.equal([tree(), treeStatus()], ['good\nsecond\n', '']);
  const [entry] = failuresIn(home);
  const [author, body] = git(home, 'log', '-1', '--format=%an <%ae>%n%B', 'ai/orchestrator-stage1').split(/\n(.*)/s);
  assert.is(author, 'mendloop <mendloop@localhost>');
  const hash = entry?.patches[0]?.hash;
  assert.is(
    body?.trim(),
    `Mend a: Say good\n\nFix: Say good\nReason: the check wants another word\n\nStage: a\nFingerprint: ${entry?.fingerprint}\nClass: ${entry?.class}\nTier: executor\nPlugin: probe\nAttempt: 1\nRun: ${ran.run}\nPatch: ${hash}`,
  );
  assert.is(git(home, 'show', '--format=', '--name-only', 'ai/orchestrator-stage1'), 'conf/a.txt');
  assert.equal([entry?.patches[0]?.outcome, entry?.executor_tries], ['verified', 0]);
  assert.equal(
    execFileSync('git', ['status', '--porcelain', '--', 'ai'], { cwd: home, encoding: 'utf8' }),
    '',
    'nothing of the loop shows in the owner status',
  );
});

test('without effect three times: taken back each time, told to the next try, then given up', async () => {
  const { home, probe, subjects, tree, treeStatus } = mendable();
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'give_up']);
  const once = ['fix.intended', 'fix.committed', 'fix.reverted no_effect'];
  assert.equal(fixTrail(ran.events), [...once, ...once, ...once]);
  assert.equal(decided(ran.events), ['executor', 'executor', 'executor', 'give_up']);
  assert.equal([subjects().length, tree(), treeStatus()], [6, 'bad\nsecond\n', '']);
  assert.equal(
    probe.asked().map(({ tries }) => tries.map(({ outcome }) => outcome)),
    [[], ['no_effect'], ['no_effect', 'no_effect']],
  );
  assert.match(probe.asked()[1]?.tries[0]?.diff ?? '', /^\+one$/m);
  assert.is(ran.stages.stages.a?.attempts, 4);
  const again = await run(home);
  assert.equal([again.exit, again.stages.stages.a?.status, ranWords(home).length], [3, 'give_up', 4]);
});

test('a stage that was given up runs again when its inputs change, and its counters stay', async () => {
  const { home, probe } = mendable();
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  await run(home);
  commit(home, { 'conf/other.txt': 'something else\n' });
  probe.answers({ pass: 'no more' });
  const second = await run(home);
  assert.equal([second.exit, second.stages.stages.a?.status, probe.asked().length], [3, 'give_up', 0]);
  assert.ok(second.events.some(({ type }) => type === 'stage.recovered'));
  commit(home, { 'conf/a.txt': 'good\n' });
  const third = await run(home);
  assert.equal([third.exit, third.stages.stages.a?.status], [0, 'green']);
});

test('a failure that the stage had earlier in this run means that the fix broke something', async () => {
  const { home, probe, tree } = mendable({ word: 'one' });
  probe.answers(says('two'), says('one', 'other'), says('good'));
  const ran = await run(home);
  assert.equal(ran.exit, 0);
  assert.equal(fixTrail(ran.events), [
    'fix.intended',
    'fix.committed',
    'fix.judged provisional',
    'fix.intended',
    'fix.committed',
    'fix.reverted broke',
    'fix.intended',
    'fix.committed',
    'fix.judged verified',
    'fix.judged verified',
  ]);
  assert.is(tree(), 'good\nsecond\n');
});

test('fixes that bring another failure stay, three at most; with a stage that is not green all are withdrawn', async () => {
  const { home, probe, tree, treeStatus } = mendable({ word: 'w-one' });
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  probe.answers(...words.map((word) => says(word)));
  const ran = await run(home);
  assert.is(tree(), 'w-one\nsecond\n');
  assert.is(treeStatus(), '');
  const trail = fixTrail(ran.events).filter((line) => /judged|reverted/.test(line));
  assert.equal(trail.slice(0, 3), Array(3).fill('fix.judged provisional'));
  assert.equal(trail.slice(-3), Array(3).fill('fix.reverted withdrawn'));
  assert.equal(ran.exit, 3);
  // The next run: nobody is asked for what is known already.
  probe.answers(says('good'));
  const spent = failuresIn(home).map((e) => e.executor_tries);
  const next = await run(home, { stages: ['a'], forced: true });
  assert.equal(
    fixTrail(next.events).slice(0, 3),
    ['fix.intended', 'fix.committed', 'fix.judged provisional'],
    JSON.stringify([spent, decided(next.events)]),
  );
});

test('withdrawn fixes come back first when their failure does, and nobody is asked', async () => {
  const { home, probe, tree, subjects } = mendable({ word: 'one', loop: { limits: { stage_attempts: 2 } } });
  probe.answers(says('two'));
  const first = await run(home);
  assert.equal([first.exit, tree()], [1, 'one\nsecond\n']);
  assert.equal(fixTrail(first.events), [
    'fix.intended',
    'fix.committed',
    'fix.judged provisional',
    'fix.reverted withdrawn',
  ]);
  assert.equal(
    failuresIn(home).map(({ patches }) => patches.map((p) => p.outcome)),
    [['withdrawn'], []],
  );
  probe.answers(says('good'));
  const second = await run(home);
  assert.equal(
    fixTrail(second.events),
    ['fix.intended', 'fix.committed', 'fix.judged provisional', 'fix.reverted withdrawn'],
    JSON.stringify(second.events.filter((e) => /fix|decided/.test(e.type))),
  );
  assert.is(probe.asked().length, 0);
  assert.is(subjects().length, 4);
  const [entry] = failuresIn(home);
  assert.equal([entry?.patches.length, entry?.executor_tries], [1, 1]);
});

for (const [what, word] of Object.entries({ transient: 'net', external: 'outside' })) {
  test(`an end that says nothing (${what}) judges nothing: the stage runs once more, then it counts`, async () => {
    const { home, probe, tree } = mendable();
    probe.answers(says(word), { pass: 'no' });
    const clock = fakeClock();
    const ran = await run(home, {}, { clock });
    assert.equal(ranWords(home).slice(0, 3), ['a bad', `a ${word}`, `a ${word}`]);
    assert.equal(fixTrail(ran.events)[2], 'fix.judged provisional');
    assert.equal([fixTrail(ran.events).at(-1), tree()], ['fix.reverted withdrawn', 'bad\nsecond\n']);
    assert.is(ran.exit, 1);
  });
}

test('a fix after which the stage runs out of time is judged by another attempt', async () => {
  const { home, probe } = mendable({
    stages: { a: { command: ['bash', 'check.sh', 'conf/a.txt'], files: ['conf/'], timeout: '1s' } },
  });
  probe.answers(says('slow'));
  const ran = await run(home);
  assert.equal(ranWords(home), ['a bad', 'a slow', 'a slow']);
  assert.equal(fixTrail(ran.events).slice(2), ['fix.judged provisional', 'fix.reverted withdrawn']);
});

test.run();
