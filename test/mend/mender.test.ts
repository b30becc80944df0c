// One stage's way from its first failure to its end: real stages, real commits, an executor that answers as told.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HOOKS } from '../../src/plugin/contract.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { fakeClock } from '../run/builders.ts';
import { AGREES, cutOff, failuresIn, journalIn, run } from '../run/homelab.ts';
import {
  decided,
  FILE,
  fixTrail,
  mendable,
  probe as probeOf,
  probePlugin,
  ranWords,
  says,
  stageOn,
  swap,
} from '../run/probe.ts';
import { checkoutHash, commit, folder, git, write } from '../worktree/repository.ts';

test('a fix that ends green is one commit on the AI branch with its story, and nothing of the owner is touched', async () => {
  const { home, probe, subjects, tree, treeStatus } = mendable({ files: { 'other.txt': 'one\n', 'third.txt': 'x\n' } });
  write(home, { 'other.txt': 'two\n', 'new.txt': 'not in git\n', 'third.txt': 'staged\n' });
  git(home, 'add', 'third.txt');
  const before = [checkoutHash(home), git(home, 'status', '--porcelain'), git(home, 'rev-parse', 'main')];
  probe.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status, ran.stages.stages.a?.attempts], [0, 'green', 2]);
  assert.equal([checkoutHash(home), git(home, 'status', '--porcelain'), git(home, 'rev-parse', 'main')], before);
  assert.equal(fixTrail(ran.events), ['fix.intended', 'fix.committed', 'fix.judged kept']);
  assert.equal(subjects(), ['Mend a: Say good']);
  assert.equal([tree(), treeStatus()], ['good\nsecond\n', '']);
  const [entry] = failuresIn(home);
  const [author, body] = git(home, 'log', '-1', '--format=%an <%ae>%n%B', 'ai/orchestrator-stage1').split(/\n(.*)/s);
  assert.is(author, 'mendloop <mendloop@localhost>');
  const hash = entry?.patches[0]?.hash;
  assert.is(
    body?.trim().replace(/\nFix-Id: [0-9a-f]+$/, ''),
    `Mend a: Say good\n\nFix: Say good\nReason: the check wants another word\n\nStage: a\nFingerprint: ${entry?.fingerprint}\nClass: ${entry?.class}\nTier: executor\nPlugin: probe\nAttempt: 1\nRun: ${ran.run}\nPatch: ${hash}`,
  );
  assert.is(git(home, 'show', '--format=', '--name-only', 'ai/orchestrator-stage1'), 'conf/a.txt');
  assert.equal([entry?.patches[0]?.outcome, entry?.executor_tries], ['kept', 0]);
  assert.equal(
    execFileSync('git', ['status', '--porcelain', '--', 'ai'], { cwd: home, encoding: 'utf8' }),
    '',
    'nothing of the loop shows in the owner status',
  );
});

/** A stage that is not green until its word is. */
const CHECKED = { a: stageOn(FILE, { verify: ['grep -q ^good conf/a.txt'] }) };

test('without effect three times: undone each time, told to the next try, then given up', async () => {
  const { home, probe, subjects, tree, treeStatus } = mendable({ stages: CHECKED });
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'give_up']);
  const once = ['fix.intended', 'fix.committed', 'fix.judged no_effect'];
  assert.equal(fixTrail(ran.events), [...once, ...once, ...once]);
  assert.equal(decided(ran.events), ['executor', 'executor', 'executor', 'give_up']);
  assert.equal([subjects(), tree(), treeStatus()], [[], 'bad\nsecond\n', '']);
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
  const { home, probe } = mendable({ stages: CHECKED });
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

test('a failure that the trial had earlier takes off everything since', async () => {
  const { home, probe, tree } = mendable({ word: 'one' });
  probe.answers(says('two'), says('one', 'other'), says('good'));
  const ran = await run(home);
  assert.equal(ran.exit, 0);
  assert.equal(fixTrail(ran.events), [
    ...['fix.intended', 'fix.committed', 'fix.intended', 'fix.committed'],
    ...['fix.judged no_effect', 'fix.judged no_effect'],
    ...['fix.intended', 'fix.committed', 'fix.judged kept'],
  ]);
  assert.is(tree(), 'good\nsecond\n');
});

test('fixes that bring another failure stay, three at most; with a stage that is not green all are undone', async () => {
  const { home, probe, tree, treeStatus } = mendable({ word: 'w-one' });
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  probe.answers(...words.map((word) => says(word)));
  const ran = await run(home);
  assert.is(tree(), 'w-one\nsecond\n');
  assert.is(treeStatus(), '');
  const trail = fixTrail(ran.events).filter((line) => /judged|prepared/.test(line));
  assert.equal(trail.slice(0, 3), Array(3).fill('fix.judged no_effect'), 'the third with which it is not green');
  assert.equal(trail.slice(-3), ['fix.judged undone', 'fix.judged undone', 'fix.prepared']);
  assert.equal(ran.exit, 3);
  // Asked for by hand after giving up: once, and without anyone's help.
  const retried = await run(home, { stages: ['a'], forced: true });
  assert.equal([retried.exit, fixTrail(retried.events), decided(retried.events)], [3, [], ['give_up_stands']]);
  // After a reset what is known already comes first.
  const clock = fakeClock(Date.now());
  await resetStages({ home, stages: ['a'], command: 'test', force: true }, { clock, graceMs: 300 });
  probe.answers(says('good'));
  const next = await run(home);
  assert.equal([next.exit, tree()], [0, 'good\nsecond\n']);
  assert.is(probe.asked().length, 1, 'what came further is applied whole, and the next fix goes on top');
});

test('what came further comes back first when its failure does, once, and nobody is asked', async () => {
  const { home, probe, tree, subjects } = mendable({ word: 'one', loop: { limits: { stage_attempts: 2 } } });
  probe.answers(says('two'));
  const first = await run(home);
  assert.equal([first.exit, tree()], [1, 'one\nsecond\n']);
  assert.equal(fixTrail(first.events), ['fix.intended', 'fix.committed', 'fix.judged undone', 'fix.prepared']);
  assert.equal(
    failuresIn(home).map(({ patches }) => patches.map((p) => p.outcome)),
    [['undone'], []],
  );
  probe.answers(says('good'));
  const second = await run(home);
  assert.equal(fixTrail(second.events), ['fix.intended', 'fix.committed', 'fix.judged undone']);
  assert.equal([probe.asked().length, subjects()], [0, []]);
  const [entry] = failuresIn(home);
  assert.equal([entry?.patches.length, entry?.executor_tries], [1, 1]);
  const third = await run(home);
  assert.equal([third.exit, probe.asked().length], [0, 1]);
});

for (const [what, word, exit] of [
  ['transient', 'net', 3],
  ['external', 'outside', 1],
] as const) {
  test(`an end that says nothing (${what}) judges nothing: the stage runs once more, then it counts`, async () => {
    const { home, probe, tree } = mendable();
    probe.answers(says(word), { pass: 'no' });
    const clock = fakeClock();
    const ran = await run(home, {}, { clock });
    assert.equal(ranWords(home).slice(0, 3), ['a bad', `a ${word}`, `a ${word}`]);
    assert.equal(fixTrail(ran.events).slice(-2), ['fix.judged undone', 'fix.prepared']);
    assert.is(failuresIn(home)[0]?.patches[0]?.unjudged, true);
    assert.is(tree(), 'bad\nsecond\n');
    assert.is(ran.exit, exit);
  });
}

test('a fix after which the stage runs out of time, which it did not before, had no effect', async () => {
  const { home, probe } = mendable({
    stages: { a: { command: ['bash', 'check.sh', 'conf/a.txt'], files: ['conf/'], timeout: '1s' } },
  });
  probe.answers(says('slow'), { throw: 'it is out' });
  const ran = await run(home);
  assert.equal(ranWords(home), ['a bad', 'a slow']);
  assert.equal(fixTrail(ran.events).slice(2), ['fix.judged no_effect', 'plugin.failed']);
});

test('retry runs a stage that was given up once, without asking anyone, and it stays given up', async () => {
  const { home, probe } = mendable({ stages: CHECKED });
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  await run(home);
  probe.answers(says('good'));
  const retried = await run(home, { stages: ['a'], forced: true });
  assert.equal(
    [retried.exit, retried.stages.stages.a?.status, probe.asked().length, ranWords(home).length],
    [3, 'give_up', 0, 5],
  );
  const next = await run(home);
  assert.equal([next.exit, ranWords(home).length], [3, 5], 'and the next run refuses it again');
});

test('a stage that was given up is green when its checks hold after all', async () => {
  const side = folder();
  const stages = { a: stageOn(FILE, { verify: [`test -e ${side}/up`] }) };
  const { home, probe } = mendable({ stages });
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  await run(home);
  write(side, { up: '' });
  const next = await run(home);
  assert.equal([next.exit, next.stages.stages.a?.status, ranWords(home).length], [0, 'green', 4]);
  assert.ok(next.events.some(({ type }) => type === 'stage.recovered'));
});

test('with --no-ai nobody is asked, and waits stay', async () => {
  const { home, probe } = mendable({ word: 'net' });
  const clock = fakeClock();
  const ran = await run(home, { ai: false }, { clock });
  assert.equal([ran.exit, decided(ran.events), probe.asked()], [1, ['wait', 'wait', 'wait', 'no_ai'], []]);
});

test('what nothing in the repository can fix is shown to no executor but the known fixes', async () => {
  const { home, probe, subjects } = mendable({ word: 'outside', loop: { executors: ['known-fixes', 'probe'] } });
  const ran = await run(home);
  assert.equal([ran.exit, decided(ran.events), probe.asked(), subjects()], [1, ['external'], [], []]);
});

test('a stage that must not run twice is never mended by trying', async () => {
  const { home, probe, subjects } = mendable({ stages: { a: stageOn(FILE, { rerun: false }) } });
  probe.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked(), subjects(), ranWords(home)], [3, [], [], ['a bad']]);
  const [decision] = ran.events.filter(({ type }) => type === 'failure.decided');
  assert.not.match(String(decision?.data.reason), /switched off/, 'nobody switched anything off');
});

test('a plugin that throws, or answers outside its schema, spends no try; the next one is asked', async () => {
  const second = probeOf('second');
  const { home, probe } = mendable({
    loop: { executors: ['probe', 'second'] },
    files: { 'plugins/executors/second.mjs': probePlugin('second') },
    more: { second: { folder: second.folder } },
  });
  probe.answers({ throw: 'no route to the model' });
  second.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked().length, second.asked().length], [0, 1, 1]);
  assert.equal(fixTrail(ran.events), ['plugin.failed', 'fix.intended', 'fix.committed', 'fix.judged kept']);
});

test('with nobody to be reached the stage is failed, exit 1, and no try is spent', async () => {
  for (const answer of [{ throw: 'gone' }, { wrong: 1 }, { huge: 50_000_000 }, { give: null }]) {
    const { home, probe } = mendable();
    probe.answers(answer);
    const ran = await run(home);
    assert.equal(
      [ran.exit, ran.stages.stages.a?.status, probe.asked().length],
      [1, 'failed', 1],
      JSON.stringify(answer),
    );
    assert.equal([decided(ran.events), failuresIn(home)[0]?.executor_tries], [['executor', 'no_executor'], 0]);
  }
});

test('a plugin that hangs is left after its time, and the next one is asked', async () => {
  const { timeoutMs } = HOOKS.propose;
  Object.assign(HOOKS.propose, { timeoutMs: 300 });
  try {
    const second = probeOf('second');
    const { home, probe } = mendable({
      loop: { executors: ['probe', 'second'] },
      files: { 'plugins/executors/second.mjs': probePlugin('second') },
      more: { second: { folder: second.folder } },
    });
    probe.answers({ hang: true });
    second.answers(says('good'));
    const ran = await run(home);
    assert.is(ran.exit, 0);
    const [failed] = ran.events.filter(({ type }) => type === 'plugin.failed');
    assert.is(failed?.data.reason, 'probe: propose took longer than 0.3 s');
  } finally {
    Object.assign(HOOKS.propose, { timeoutMs });
  }
});

test('a plugin that proposed no change, whatever it said, is asked again only when the prompt is another one', async () => {
  const other = probeOf('other');
  const { home, probe, subjects } = mendable({
    loop: { executors: ['probe', 'other'] },
    more: { other: { folder: other.folder } },
    files: { 'plugins/executors/other.mjs': probePlugin('other') },
  });
  probe.answers({ pass: 'no idea' });
  other.answers({ answer: 'I cannot see anything wrong with these files, I am sorry to say.' });
  const first = await run(home);
  assert.equal([first.exit, probe.asked().length, other.asked().length, subjects()], [3, 1, 1, []]);
  assert.equal([decided(first.events), ranWords(home)], [['executor', 'give_up'], ['a bad']]);
  assert.is(failuresIn(home)[0]?.executor_tries, 1);
  await run(home);
  assert.equal([probe.asked().length, other.asked().length], [1, 1]);
  // What the owner changes beside it is in no prompt; the text of the failing file is, and the failure is the same.
  write(home, { [FILE]: 'bad\nthird\n' });
  git(home, 'commit', '-qam', 'another second line');
  await run(home);
  assert.equal([probe.asked().length, other.asked().length], [2, 2]);
});

test('a change that was tried, or refused before, ends the try in whatever form it comes: no other plugin is asked in it', async () => {
  const other = probeOf('other');
  const { home, probe } = mendable({
    loop: { executors: ['probe', 'other'], limits: { executor_tries: 3 } },
    more: { other: { folder: other.folder } },
    files: { 'plugins/executors/other.mjs': probePlugin('other'), 'elsewhere.txt': 'bad\nsecond\n' },
  });
  other.answers({ pass: 'not to be asked' });
  const outside = says('good', 'second', 'elsewhere.txt');
  probe.answers(outside, swap('elsewhere.txt', 'bad', 'good'), says('bad', 'mine'), {
    answer: `\`\`\`\n${JSON.stringify({ files: { [FILE]: 'bad\nmine  \n' } })}\n\`\`\`\n`,
  });
  const ran = await run(home);
  assert.equal(fixTrail(ran.events), [
    ...['fix.refused outside', 'fix.refused outside', 'fix.intended', 'fix.committed', 'fix.judged no_effect'],
    'fix.refused already_tried',
  ]);
  assert.equal([ran.exit, probe.asked().length, other.asked().length], [3, 4, 0]);
  const [entry] = failuresIn(home);
  assert.equal(
    entry?.refused?.map(({ code, times }) => [code, times]),
    [
      ['outside', 2],
      ['already_tried', 1],
    ],
  );
  const name = readdirSync(join(home, 'ai/escalations')).find((one) => one.startsWith('a-')) as string;
  const text = readFileSync(join(home, 'ai/escalations', name, 'case_v1.md'), 'utf8');
  const patch = `ai/patches/${entry?.refused?.[0]?.hash}.fix.diff`;
  for (const part of [
    'refused before it was applied (proposed 2 times)',
    'Fix: say good\nReason: it says bad\n',
    `To let it in: add "elsewhere.txt" to files of a in ai/context_map.yaml, commit, then: mendloop cases answer ${name} ${patch}`,
    '--- a/elsewhere.txt\n+++ b/elsewhere.txt\n@@ -1,2 +1,2 @@\n-bad\n+good\n',
    'applied without effect: the same failure came back, and the change was undone (proposed 2 times)',
  ])
    assert.ok(text.includes(part), `${part}\n${text}`);
});

test('a change that was tried, and one that takes back a fix that stands, are refused', async () => {
  const { home, probe } = mendable({ word: 'one' });
  const again = says('one', 'mine');
  probe.answers(again, again, says('two'), says('one'), says('good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  assert.equal(fixTrail(ran.events), [
    ...['fix.intended', 'fix.committed', 'fix.judged no_effect', 'fix.refused already_tried'],
    ...['fix.intended', 'fix.committed', 'fix.refused reversal'],
    ...['fix.intended', 'fix.committed', 'fix.judged kept', 'fix.judged kept'],
  ]);
});

test('two cells that fail with one cause are mended by one fix', async () => {
  for (const workers of [1, 2]) {
    const { home, probe, subjects } = mendable({ stages: { a: stageOn(FILE, { matrix: { host: ['cp1', 'cp2'] } }) } });
    probe.answers(says('good'));
    const ran = await run(home, { workers });
    assert.equal([ran.exit, subjects()], [0, ['Mend a: Say good']], `${workers} workers`);
    assert.is(ran.events.filter(({ type }) => type === 'stage.green').length, 1);
    assert.equal(
      ran.events.filter(({ type }) => type === 'fix.judged').map(({ data }) => data.outcome),
      ['kept'],
    );
  }
});

test('a fix that another stage would undo with its old text is not written: the stage runs again first', async () => {
  const stages = { a: stageOn('conf/a.txt'), b: stageOn('conf/a.txt') };
  const { home, probe, tree } = mendable({ stages });
  probe.answers({ pause: 100, give: says('good') }, { pause: 400, give: says('good', 'other') });
  const ran = await run(home, { workers: 2 });
  assert.equal([ran.exit, tree()], [0, 'good\nsecond\n']);
});

test('an end that says nothing, on the last attempt there is, leaves the fix unjudged: it is undone, and the first next time', async () => {
  const { home, probe, tree } = mendable({ loop: { limits: { stage_attempts: 2 } } });
  probe.answers(says('net'));
  const ran = await run(home, {}, { clock: fakeClock() });
  assert.equal([ran.exit, decided(ran.events), tree()], [1, ['executor', 'attempts_spent'], 'bad\nsecond\n']);
  assert.equal(fixTrail(ran.events), ['fix.intended', 'fix.committed', 'fix.judged undone', 'fix.prepared']);
  const [entry] = failuresIn(home);
  assert.equal([entry?.patches[0]?.unjudged, entry?.first?.because], [true, 'undone']);
});

test('a run that is stopped, or out of time, while somebody is asked does not wait for the answer', async () => {
  const { home, probe } = mendable();
  probe.answers({ hang: true });
  const stop = new AbortController();
  const asked = ({ type }: { type: string }) => type === 'failure.decided' && setTimeout(() => stop.abort(), 300);
  const began = Date.now();
  const stopped = await run(home, {}, { signal: stop.signal, subscribers: [asked] });
  assert.equal([stopped.exit, decided(stopped.events)], [130, ['executor', 'stopped']]);
  const late = await run(home, { deadline: Date.now() + 3000 });
  assert.equal([late.exit, decided(late.events)], [1, ['executor', 'stopped']]);
  assert.ok(Date.now() - began < 20_000);
  assert.is(failuresIn(home)[0]?.executor_tries, 0);
});

test('a trial that was open when the loop was killed is undone by the next start, once, and what was tried comes first', async () => {
  const { home, probe, subjects } = mendable({ loop: { limits: { stage_attempts: 3 } } });
  probe.answers(says('good'));
  const first = await run(home);
  cutOff(home, first.run, ({ type }) => type === 'fix.committed');
  // The branch is where it was then, and the worktree in the trial.
  const [tip, base] = [git(home, 'rev-parse', 'ai/orchestrator-stage1'), git(home, 'rev-parse', 'main')];
  git(home, 'update-ref', 'refs/mendloop/trial', tip);
  git(`${home}/ai/worktree`, 'update-ref', '--no-deref', 'HEAD', tip);
  git(home, 'update-ref', 'refs/heads/ai/orchestrator-stage1', base);
  const next = await run(home);
  const trail = fixTrail(journalIn(home, first.run));
  const once = ['fix.intended', 'fix.committed'];
  assert.equal(trail, [...once, 'fix.judged undone', 'fix.prepared', ...once, 'fix.judged kept']);
  assert.equal([next.exit, probe.asked().length, subjects()], [0, 1, ['Mend a: Say good']]);
});

test('a fix that is nowhere on the branch any more may be tried again', async () => {
  const { home, probe } = mendable();
  probe.answers(says('good'));
  const first = await run(home);
  // Killed before it was judged, and then the owner made the branch anew.
  cutOff(home, first.run, ({ type }) => type === 'fix.committed');
  git(home, 'worktree', 'remove', '--force', 'ai/worktree');
  git(home, 'branch', '-D', 'ai/orchestrator-stage1');
  const other = await run(home, { stages: ['a'], withNeeds: true });
  assert.equal(
    [other.exit, fixTrail(other.events)],
    [0, ['fix.judged undone', 'fix.prepared', 'fix.intended', 'fix.committed', 'fix.judged kept']],
  );
});

test('a stage without checks that was given up is not green for want of them', async () => {
  const { home, probe } = mendable();
  probe.answers({ pass: 'no idea' });
  for (const runs of [1, 2, 3]) {
    const ran = await run(home);
    assert.equal([ran.exit, ran.stages.stages.a?.status, ranWords(home).length], [3, 'give_up', 1], `run ${runs}`);
  }
});

test('a known fix is seen for what the owner calls external, and spends no try', async () => {
  const { home, probe, subjects } = mendable({
    stages: { a: { command: 'bash conf/run.sh', files: ['conf/'] } },
    loop: {
      executors: ['known-fixes', 'probe'],
      classify: [{ match: 'command not found|invalid option', class: 'command_not_found', external: true }],
    },
    files: { 'conf/run.sh': '#!/usr/bin/env bash\r\nset -eu\r\necho fine\r\n\r\n' },
  });
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked().length, subjects().length], [0, 0, 1]);
  const [entry] = failuresIn(home);
  assert.equal([entry?.external, entry?.executor_tries, entry?.patches[0]?.plugin], [true, 0, 'known-fixes']);
});

test('what one cell ends in decides about its own fixes alone', async () => {
  // The first cell is green whatever the file says; the second wants the word.
  const command = '[ "$MENDLOOP_MATRIX_HOST" = cp2 ] && exit 0; sleep 0.1; bash check.sh conf/a.txt';
  const stages = { a: { command, files: ['conf/'], matrix: { host: ['cp1', 'cp2'] } } };
  const { home, probe, tree } = mendable({ word: 'one', stages, loop: { limits: { stage_attempts: 2 } } });
  probe.answers(says('two'));
  const ran = await run(home, { workers: 2 });
  assert.equal([ran.exit, tree()], [1, 'one\nsecond\n']);
  assert.equal(fixTrail(ran.events).slice(2), ['fix.judged undone', 'fix.prepared']);
});

test('a known fix that had no effect is not proposed again, in this run or a later one', async () => {
  const command = `echo "run.sh: line 1: \\$'\\\\r': command not found"; exit 127`;
  const { home } = mendable({
    stages: { a: { command, files: ['run.sh'] } },
    loop: { executors: ['known-fixes'] },
    files: { 'run.sh': 'true\r\nfalse\r\n' },
  });
  assert.equal(fixTrail((await run(home)).events), ['fix.intended', 'fix.committed', 'fix.judged no_effect']);
  assert.equal(fixTrail((await run(home)).events), []);
});

test('why no known fix is certain is recorded, for the owner and for whoever is asked next', async () => {
  const { home, probe } = mendable({
    stages: { a: { command: `echo "ERROR! the role 'cady' was not found in /roles"; exit 1`, files: ['site.yml'] } },
    loop: { executors: ['known-fixes', 'probe'] },
    files: { 'site.yml': '- roles: [cady]\n', 'roles/caddy/a.yml': 'a: 1\n', 'roles/candy/a.yml': 'a: 1\n' },
  });
  const { events } = await run(home);
  const reason = '2 names are equally near to cady: caddy, candy';
  const [passed] = events.filter(({ type }) => type === 'plugin.passed');
  assert.equal([passed?.data.plugin, passed?.data.reason], ['known-fixes', reason]);
  assert.equal(failuresIn(home)[0]?.refused?.filter((one) => one.plugin === 'known-fixes').length, 1);
  assert.is(probe.asked()[0]?.tries[0]?.plugin, 'known-fixes');
});

const NEEDED = 'conf/needed.txt';
const lacking = (requires: object, more: object = {}) => ({
  a: { command: `cat ${NEEDED}`, files: ['conf/'], requires, ...more },
});

test('a required file that is missing below the own files of a stage, in a folder that exists, is the executors’ to add', async () => {
  const { home, probe, tree } = mendable({ stages: lacking({ files: [`./${NEEDED}`] }) });
  probe.answers({ files: { [NEEDED]: 'here\n' }, note: { fix: 'Add it', reason: 'it is required' } });
  const ran = await run(home, {}, AGREES);
  assert.equal([ran.exit, fixTrail(ran.events).at(-1), tree(NEEDED)], [0, 'fix.judged kept', 'here\n']);
  assert.is(failuresIn(home)[0]?.class, 'missing_file');
});

const NOT_THEIRS: Record<string, { stages: Record<string, object>; files?: Record<string, string> }> = {
  'its folder is missing too': { stages: lacking({ files: ['conf/deep/needed.txt'] }) },
  'it is none of the stage’s files': { stages: lacking({ files: ['other.txt', NEEDED] }) },
  'a tool is missing besides': { stages: lacking({ files: [NEEDED], tools: ['no-such-tool-here'] }) },
  'git ignores it': { stages: lacking({ files: [NEEDED] }), files: { '.gitignore': 'needed.txt\n' } },
  'the stage may not run twice': { stages: lacking({ files: [NEEDED] }, { rerun: false }) },
};

for (const [why, options] of Object.entries(NOT_THEIRS)) {
  test(`a required file is its owner’s to bring when ${why}`, async () => {
    const { home, probe } = mendable(options);
    probe.answers({ files: { [NEEDED]: 'here\n' }, note: { fix: 'Add it', reason: 'it is required' } });
    const ran = await run(home);
    // Only its owner's retry runs it again.
    const exit = why === 'the stage may not run twice' ? 3 : 1;
    assert.equal([ran.exit, probe.asked().length], [exit, 0]);
  });
}

test.run();
