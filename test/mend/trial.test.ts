// A trial that came further: all of it is undone with its stage, kept as one change, and offered in the case.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openCaseStore } from '../../src/mend/case-store.ts';
import { answerCase } from '../../src/run/answer-case.ts';
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
import { commit, git } from '../worktree/repository.ts';

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

const accept = (home: string, name: string) =>
  answerCase({ home, case: name, answer: undefined, command: 'accept', dry: false }, PORTS);
const branch = (home: string) => git(home, 'rev-parse', 'ai/orchestrator-stage1');

test('the case is that of the first failure, shows the files as the branch has them, and offers the whole change', async () => {
  const { home, tree } = behindFix();
  assert.is((await run(home)).exit, 3);
  assert.equal([branch(home), tree()], [git(home, 'rev-parse', 'main'), 'one\nsecond\n']);
  const [first, second] = failuresIn(home);
  assert.equal([second?.case, first?.suggestion?.ask?.code], [undefined, 'prepared']);
  const store = openCaseStore(layoutOf(home));
  const text = store.texts(first?.case ?? '').at(-1)?.text ?? '';
  assert.match(text, /Say two \(probe\)/);
  assert.match(text, /-one\n.*\+two/);
  assert.match(text, /1[^\n]*one\n/, 'the file as it is');
});

test('while that case is open nobody is asked and nothing is tried: the stage runs once and waits', async () => {
  const { home, probe: executor } = behindFix();
  await run(home);
  executor.answers({ pass: 'not to be asked' });
  const ran = await run(home);
  assert.equal(
    [ran.exit, executor.asked().length, ran.events.some(({ type }) => type === 'trial.opened')],
    [3, 0, false],
  );
  assert.equal(ranWords(home).slice(-1), ['a one']);
  const ended = ran.events.find(({ type }) => type === 'step.failed');
  assert.match(String(ended?.data.next), /mendloop cases show/);
});

test('an accepted change is tried before the stage runs: its failure need not return', async () => {
  const { home, tree } = behindFix();
  await run(home);
  const [first] = failuresIn(home);
  await accept(home, first?.case ?? '');
  const ran = await run(home);
  assert.equal(ranWords(home).slice(-1), ['a two'], 'no attempt without the change');
  assert.equal([ran.exit, tree()], [3, 'one\nsecond\n'], 'it is not green with it, so all is undone again');
});

test('an accepted change with which the stage is green is kept as one commit', async () => {
  const { home, tree, subjects } = behindFix();
  await run(home);
  const [first] = failuresIn(home);
  const answer = `--- a/${FILE}\n+++ b/${FILE}\n@@ -1,2 +1,2 @@\n-one\n+good\n second\n`;
  await answerCase({ home, case: first?.case ?? '', answer, command: 'answer', dry: false }, PORTS);
  const ran = await run(home);
  assert.equal([ran.exit, tree(), ranWords(home).slice(-1)], [0, 'good\nsecond\n', ['a good']]);
  assert.is(subjects().length, 1);
  const outcomes = failuresIn(home).map(({ patches }) => patches.map((p) => `${p.plugin} ${p.outcome}`));
  assert.equal(outcomes[0], ['probe undone', 'person kept']);
});

test('an accepted change that no longer fits opens a case again, which shows both', async () => {
  const { home } = behindFix();
  await run(home);
  const [first] = failuresIn(home);
  await accept(home, first?.case ?? '');
  commit(home, { [FILE]: 'one\nquite another\nline\n' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.ok(
    failuresIn(home).some((entry) => entry.case !== undefined),
    'a case is open',
  );
});

test.run();
