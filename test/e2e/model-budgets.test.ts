// What the models of a day can cost, through the real entry: no more than the owner allows, also after a restart.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dataOf, FILE, modelLab, saying } from './model-lab.ts';

test('the tokens of a day end the asking after the answer that spent them, also after a restart', async () => {
  const lab = await modelLab({ loop: { limits: { day_tokens: 1000 } } });
  lab.answers({ text: saying('bad', 'other'), metrics: { prompt_eval_count: 900, eval_count: 200 } });
  for (const start of ['first', 'second', 'third']) {
    const done = await lab.mend();
    assert.equal(
      [done.exit, lab.stages().a?.status, lab.server.chats.length],
      [1, 'failed', 1],
      `${start}: ${done.said}`,
    );
    const reason = dataOf(done, 'failure.decided', 'reason').at(-1);
    assert.match(String(reason), /^1100 tokens used on \d{4}-\d\d-\d\d, 1000 at most$/);
    assert.is(done.decided.at(-1), 'day_tokens_spent');
    assert.ok(done.said.includes(String(reason)), done.said);
  }
  assert.equal([lab.ledger().day.tokens, lab.entry().executor_tries], [1100, 1]);
});

test('so do the tries of a day, for every failure there is', async () => {
  const stage = (file: string) => ({ command: ['bash', 'check.sh', file], files: [file], on_failure: 'skip' });
  const lab = await modelLab({
    stages: { a: stage(FILE), b: stage('conf/b.txt') },
    files: { 'conf/b.txt': 'worse\nsecond\n' },
    loop: { limits: { day_tries: 1 } },
  });
  lab.answers(saying('bad', 'other'));
  for (const start of ['first', 'second']) {
    const done = await lab.mend();
    assert.equal([done.exit, lab.server.chats.length], [1, 1], `${start}: ${done.said}`);
    assert.equal(done.decided.slice(-2), ['day_tries_spent', 'day_tries_spent']);
    assert.match(String(dataOf(done, 'failure.decided', 'reason').at(-1)), /^1 try on \d{4}-\d\d-\d\d, 1 at most$/);
  }
  assert.equal([lab.ledger().day.tries, lab.subjects()], [1, []]);
});

test.run();
