// What a model that is always wrong can cost, through the real entry: three tries on a failure, however often the loop is
// started.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cases } from '../sweep.ts';
import { alwaysWrong, applied, dataOf, modelLab, type Ran } from './model-lab.ts';

/** Three tries, then it is given up, and two more: what one start does not change, none does. */
const STARTS = cases(6, 20);
test('a model that is always wrong gets three tries over any number of starts, then it is given up', async () => {
  // One attempt after a fix: every start makes one try at most.
  const lab = await modelLab({ loop: { limits: { stage_attempts: 2 } } });
  lab.answers(alwaysWrong());
  const runs: Ran[] = [];
  const left: unknown[] = [];
  for (let start = 0; start < STARTS; start++) {
    runs.push(await lab.mend());
    left.push([lab.entry(), lab.ledger().day, lab.stages().a?.status, lab.subjects(), lab.server.chats.length]);
  }
  assert.equal(left.slice(4), Array(STARTS - 4).fill(left[4]), 'a further start changes nothing');
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

test.run();
