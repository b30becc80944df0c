// When the loop stops changing things by itself, and how a person does it, through the real entry.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dataOf, type Lab, modelLab, saying, stageOn } from './model-lab.ts';

const STAGES = ['a', 'b', 'c', 'd'];
const file = (name: string) => `conf/${name}.txt`;

/** Each stage has its own file and its own failure; one that fails does not keep the others from running. */
const four = (): Promise<Lab> =>
  modelLab({
    stages: Object.fromEntries(STAGES.map((name) => [name, stageOn(file(name), { on_failure: 'skip' })])),
    files: Object.fromEntries(STAGES.map((name) => [file(name), `bad-${name}\nsecond\n`])),
    loop: { limits: { executor_tries: 1 } },
  });

const wrong = (name: string) => saying(`bad-${name}`, 'other', file(name));

test('fixes of three failures that did not help in one run set it, and the next stage is not mended', async () => {
  const lab = await four();
  lab.answers(...STAGES.map(wrong));
  const done = await lab.mend();
  assert.equal([done.exit, lab.written()], [3, 3], done.said);
  const why = 'fixes of 3 different failures did not help in this run';
  assert.equal(dataOf(done, 'safe_mode.on', 'why'), [why]);
  assert.match(done.said, `safe mode is on, the AI changes nothing more: ${why}`);
  assert.equal(done.decided.slice(-1), ['safe_mode']);
  assert.is(dataOf(done, 'failure.decided', 'reason').at(-1), 'safe mode is on: the AI changes nothing');
  assert.equal(lab.stages().d?.status, 'failed', 'stages still run');
  assert.match(done.said, 'mendloop safe-mode off');
  assert.equal(lab.subjects(), []);

  const status = await lab.run(['status']);
  assert.match(status.stdout, `(by itself, in run ${lab.runs().at(-1)}): ${why}`);
  assert.match(status.stdout, 'to leave it: mendloop safe-mode off');
  assert.is(JSON.parse((await lab.run(['status', '--json'])).stdout).safe_mode.why, why);

  lab.answers(saying('good', 'second', file('d')));
  const still = await lab.mend(['d']);
  assert.equal([still.exit, still.decided, lab.written()], [3, ['safe_mode'], 3], 'it lasts');
  assert.is((await lab.run(['safe-mode', 'off'])).exit, 0);
  const resumed = await lab.mend(['d']);
  assert.equal([resumed.exit, lab.inTree(file('d'))], [0, 'good\nsecond\n'], resumed.said);
  assert.not.match((await lab.run(['status'])).stdout, 'safe mode');
});

test('by hand: with the reason given, nobody is asked until it is switched off', async () => {
  const lab = await modelLab();
  lab.answers(saying('good'));
  const on = await lab.run(['safe-mode', 'on', 'moving house']);
  assert.is(on.exit, 0, on.stderr);
  const done = await lab.mend();
  assert.equal([done.exit, done.decided, lab.subjects()], [3, ['safe_mode'], []], done.said);
  assert.equal([lab.server.requests.length, lab.ledger().day.tries], [0, 0]);
  assert.match((await lab.run(['status'])).stdout, /safe mode is on since .*\(by hand\): moving house/);
  assert.match((await lab.run(['safe-mode'])).stdout, 'moving house');
  await lab.run(['safe-mode', 'off']);
  const after = await lab.mend();
  assert.equal([after.exit, lab.subjects()], [0, ['Mend a: Say good']], after.said);
});

test.run();
