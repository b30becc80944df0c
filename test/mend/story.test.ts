// A failure behind a provisional fix: its case shows that fix, and an answer to it is applied together with it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openCaseStore } from '../../src/mend/case-store.ts';
import { answerCase } from '../../src/run/answer-case.ts';
import { runHere } from '../e2e/here.ts';
import { failuresIn, run } from '../run/homelab.ts';
import {
  FILE,
  type Mendable,
  mendable,
  type Probe,
  probe,
  probePlugin,
  ranWords,
  says,
  stageOn,
} from '../run/probe.ts';
import { commit } from '../worktree/repository.ts';

const PORTS = { clock: systemClock, env: process.env, graceMs: 100 };

/** `one` becomes `two` by a fix of the executor; for `two` a person is asked. */
function behindFix(): Mendable & { oncall: Probe } {
  const oncall = probe('oncall');
  const made = mendable({
    word: 'one',
    stages: { a: stageOn() },
    loop: { escalations: ['oncall'], limits: { executor_tries: 1 } },
    more: { oncall: { folder: oncall.folder } },
    files: { 'plugins/escalations/oncall.mjs': probePlugin('oncall', 'escalate') },
  });
  made.probe.answers({ words: { one: [says('two')], two: [{ pass: 'no idea' }] } });
  oncall.answers({ hand_over: 'only you can know' });
  return { ...made, oncall };
}

const swap = (from: string, to: string) => `--- a/${FILE}\n+++ b/${FILE}\n@@ -1,2 +1,2 @@\n-${from}\n+${to}\n second\n`;

const answer = (home: string, name: string, text: string) =>
  answerCase({ home, case: name, answer: text, command: 'answer', dry: false }, PORTS);

test('the case of a failure behind a fix names that fix and shows the text it made', async () => {
  const { home } = behindFix();
  assert.is((await run(home)).exit, 3);
  const [first, second] = failuresIn(home);
  assert.equal(second?.stands_on, [{ fingerprint: first?.fingerprint, hash: first?.patches[0]?.hash }]);
  const text =
    openCaseStore(layoutOf(home))
      .texts(second?.case ?? '')
      .at(-1)?.text ?? '';
  assert.match(text, /Say two \(probe\)/);
  assert.match(text, /-one\n.*\+two/);
  assert.match(text, /1[^\n]*two\n/, 'the file as the fix made it');
});

test('while that case is open its fix is not applied again: the stage runs once and waits', async () => {
  const { home, subjects } = behindFix();
  await run(home);
  const commits = subjects().length;
  const ran = await run(home);
  assert.equal([ran.exit, subjects().length], [3, commits]);
  assert.equal(ranWords(home).slice(-1), ['a one']);
  const ended = ran.events.find(({ type }) => type === 'step.failed');
  assert.match(String(ended?.data.next), /mendloop cases show/);
});

test('an answer against what the case shows is applied with the fix it stands on, and one attempt judges both', async () => {
  const { home, tree } = behindFix();
  await run(home);
  const [, second] = failuresIn(home);
  await answer(home, second?.case ?? '', swap('two', 'good'));
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [0, 'good\nsecond\n']);
  assert.equal(ranWords(home).slice(-2), ['a one', 'a good'], 'no attempt with the fix alone');
  const outcomes = failuresIn(home).map(({ patches }) => patches.map((p) => `${p.plugin} ${p.outcome}`));
  assert.equal(outcomes, [['probe verified'], ['person verified']]);
  const { stdout } = await runHere(['fixes'], home, { PATH: process.env.PATH });
  assert.equal(stdout.match(/^ {4}(?:verified|taken back).*$/gm), [
    '    verified by its exit code alone (the stage has no checks)',
    '    verified by its exit code alone (the stage has no checks)',
    '    taken back unjudged; came again with its failure, above',
  ]);
});

test('an answer without effect is taken back, and the fix below it with the end of the stage', async () => {
  const { home, tree } = behindFix();
  await run(home);
  const [, second] = failuresIn(home);
  await answer(home, second?.case ?? '', `--- a/${FILE}\n+++ b/${FILE}\n@@ -1,2 +1,2 @@\n two\n-second\n+other\n`);
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [3, 'one\nsecond\n']);
  assert.is(failuresIn(home)[1]?.patches.find(({ plugin }) => plugin === 'person')?.outcome, 'no_effect');
});

test('an answer that no longer fits opens a case again, which shows both', async () => {
  const { home } = behindFix();
  await run(home);
  const [, second] = failuresIn(home);
  await answer(home, second?.case ?? '', swap('two', 'good'));
  commit(home, { [FILE]: 'one\nquite another\nline\n' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  const after = failuresIn(home).find((entry) => entry.case !== undefined);
  assert.ok(after, 'a case is open');
});

test.run();
