// What a model that is always wrong can cost, through the real entry: three tries on a failure, however often the loop is
// started or killed.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dataOf, FILE, type Lab, modelLab, type Ran, saying, whole } from './model-lab.ts';
import { until } from './scenario.ts';

const restarts = suite('restarts');

const STARTS = 20;
const NEVER_RIGHT = { stages: { a: { command: ['bash', 'check.sh', FILE], files: [FILE] } } };

/** Two answers that are refused, then one that is applied and changes nothing; never the same. */
function alwaysWrong(): () => string {
  let asked = 0;
  return () => {
    asked += 1;
    return asked % 3 === 0 ? saying('bad', `other-${asked}`) : whole('x\n', `elsewhere-${asked}.txt`);
  };
}

/** Fixes that were applied to the branch, whoever counted them. */
const applied = (lab: Lab) => lab.subjects().filter((subject) => subject.startsWith('Mend ')).length;

restarts(`a model that is always wrong gets three tries over ${STARTS} starts, then it is given up`, async () => {
  // One attempt after a fix: every start makes one try at most.
  const lab = await modelLab({ ...NEVER_RIGHT, loop: { limits: { stage_attempts: 2 } } });
  lab.answers(alwaysWrong());
  const runs: Ran[] = [];
  for (let start = 0; start < STARTS; start++) runs.push(await lab.mend());
  assert.equal(
    runs.map(({ exit }) => exit),
    [1, 1, 1, ...Array(STARTS - 3).fill(3)],
  );
  assert.equal(
    runs.slice(0, 5).map(({ decided }) => decided),
    [...Array(3).fill(['executor', 'attempts_spent']), ['give_up'], []],
  );
  assert.equal(dataOf(runs[3] as Ran, 'failure.decided', 'reason'), ['3 of 3 tries spent, and there is no escalation']);
  assert.equal([lab.entry().executor_tries, lab.ledger().day.tries, applied(lab)], [3, 3, 3]);
  assert.is(lab.server.chats.length, 9, 'three tries of three rounds');
  assert.equal([lab.stages().a?.status, lab.inTree()], ['give_up', 'bad\nsecond\n']);
});

/** Ends the loop while the model is being asked, or while the stage runs again after a fix. */
const KILLED_WHEN: Record<string, (lab: Lab) => boolean> = {
  'it asks': (lab) => lab.server.chats.at(-1) !== undefined && lab.events().at(-1)?.type === 'plugin.said',
  'a fix was committed': (lab) => lab.events().at(-1)?.type === 'fix.committed',
  'it is judged': (lab) => lab.events().some(({ type }) => type === 'fix.reverted'),
};

restarts('nor does it get more when the loop is killed in the middle of some of them', async () => {
  const lab = await modelLab({ ...NEVER_RIGHT, loop: { limits: { stage_attempts: 6 } } });
  const answer = alwaysWrong();
  lab.answers(answer);
  let kills = 0;
  for (const [when, holds] of Object.entries(KILLED_WHEN)) {
    const before = lab.server.chats.length;
    const started = lab.start([], { env: lab.env });
    let over = false;
    const done = started.done.finally(() => {
      over = true;
    });
    await until(when, () => over || (lab.server.chats.length > before && holds(lab)));
    started.kill('SIGKILL');
    if ((await done).exit === null) kills += 1;
  }
  assert.ok(kills >= 2, `${kills} were killed in the middle`);
  const ends: Ran[] = [];
  for (let start = 0; start < 4; start++) ends.push(await lab.mend());
  assert.equal([ends.at(-1)?.exit, lab.stages().a?.status, lab.inTree()], [3, 'give_up', 'bad\nsecond\n']);
  const { executor_tries } = lab.entry();
  assert.ok(executor_tries <= 3 && applied(lab) <= 3, `${executor_tries} tries, ${lab.subjects().join(', ')}`);
  assert.ok(lab.ledger().day.tries <= 3, JSON.stringify(lab.ledger().day));
  assert.ok(lab.server.chats.length <= 9 + 3 * kills, `${lab.server.chats.length} questions, ${kills} kills`);
  const asked = lab.server.chats.length;
  await lab.mend();
  assert.is(lab.server.chats.length, asked);
});

restarts.run();
