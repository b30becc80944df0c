// What a hosted model that is always wrong can cost, through the real entry: three calls for a failure, however often the loop
// is started, and however often it is killed while it waits for an answer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cases, escalateLab } from './escalate-lab.ts';
import { diff, FILE } from './model-lab.ts';
import { until } from './scenario.ts';

const restarts = suite('restarts of an escalation');

const STARTS = 20;
const KILLS = 2;

restarts(
  `always wrong: at most three calls over ${STARTS} starts, ${KILLS} of them killed in the middle of a call`,
  async () => {
    const lab = await escalateLab({ loop: { escalations: ['api'] } });
    const { requests } = lab.host;
    const ends: (number | null)[] = [];
    for (let start = 0; start < STARTS; start++) {
      if (start < KILLS) {
        lab.host.says({ end: 'hang' });
        const before = requests.length;
        const run = lab.start([], { env: lab.env });
        await until('it is asked', () => requests.length > before);
        run.kill('SIGKILL');
        ends.push((await run.done).exit);
      } else {
        lab.host.says(diff(FILE, ' bad', '-second', `+other ${'x'.repeat(start)}`));
        ends.push((await lab.mend()).exit);
      }
    }
    assert.equal(ends.slice(0, KILLS), [null, null]);
    assert.equal(new Set(ends.slice(KILLS + 1)), new Set([3]), String(ends));
    assert.equal(
      [requests.length, lab.stages().a?.status, lab.inTree()],
      [3, 'give_up', 'bad\nsecond\n'],
      String(ends),
    );
    assert.equal(
      [lab.entry().escalation_calls, Object.values(cases(lab)).map(({ state }) => state)],
      [3, ['given_up']],
    );
  },
);

restarts(
  'an answer that cannot be read is a call; so is a wish for more after the look, and a patch that is refused',
  async () => {
    const lab = await escalateLab({ loop: { escalations: ['api'] } });
    lab.host.says('I do not know.');
    const ran = await lab.mend();
    assert.equal([ran.exit, lab.stages().a?.status, lab.entry().escalation_calls], [3, 'give_up', 3], ran.said);
    assert.is(lab.host.requests.length, 6, 'each is asked once more for a form that can be read');
    assert.equal(
      Object.values(cases(lab)).map(({ answers }) => answers),
      [['pass', 'pass', 'pass']],
    );
  },
);

restarts.run();
