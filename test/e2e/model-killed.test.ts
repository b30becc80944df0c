// The loop is killed while a model is asked, while its fix is tried and while it is judged: no try is made twice, and a model
// that is always wrong gets no more of them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alwaysWrong, applied, modelLab, type Ran } from './model-lab.ts';
import { until } from './scenario.ts';

/** The loop is ended as soon as one more of these stands in a journal. */
const MOMENTS = ['plugin.said', 'fix.committed', 'fix.judged'];

test('a model that is always wrong gets three tries, however often the loop is killed in the middle', async () => {
  const lab = await modelLab({ loop: { limits: { stage_attempts: 6 } } });
  lab.answers(alwaysWrong());
  let kills = 0;
  for (const moment of MOMENTS) {
    const seen = () =>
      lab
        .runs()
        .flatMap((run) => lab.events(run))
        .filter(({ type }) => type === moment).length;
    const before = seen();
    const started = lab.start([], { env: lab.env });
    let over = false;
    const done = started.done.finally(() => {
      over = true;
    });
    await until(moment, () => over || seen() > before);
    started.kill('SIGKILL');
    if ((await done).exit === null) kills += 1;
  }
  assert.ok(kills >= 2, `${kills} were killed in the middle`);
  const ends: Ran[] = [];
  for (let start = 0; start < 4; start++) ends.push(await lab.mend());
  assert.equal([ends.at(-1)?.exit, lab.stages().a?.status, lab.inTree()], [3, 'give_up', 'bad\nsecond\n']);
  const { executor_tries } = lab.entry();
  assert.ok(executor_tries <= 3 && applied(lab) <= 3, `${executor_tries} tries, ${applied(lab)} fixes`);
  assert.ok(lab.ledger().day.tries <= 3, JSON.stringify(lab.ledger().day));
  assert.ok(lab.server.chats.length <= 9 + 3 * kills, `${lab.server.chats.length} questions, ${kills} kills`);
  const asked = lab.server.chats.length;
  await lab.mend();
  assert.is(lab.server.chats.length, asked);
});

test.run();
