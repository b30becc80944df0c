// What a hosted model that is always wrong can cost, through the real entry: three calls for a failure, however often the loop
// is started, and however often it is killed while it waits for an answer.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cases } from '../sweep.ts';
import { escalateLab, onlyCase, cases as openCases, wish } from './escalate-lab.ts';
import { diff, FILE } from './model-lab.ts';
import { until } from './scenario.ts';

/** Those that are ended, the one that gives up, and two more: what one start does not change, none does. */
const STARTS = cases(5, 20);
/** How the first ones are ended, while an answer is waited for. */
const ENDED: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

test('always wrong: at most three calls over any number of starts, two of them ended in the middle of a call', async () => {
  const lab = await escalateLab({ loop: { escalations: ['api'] } });
  const { requests } = lab.host;
  const ends: (number | null)[] = [];
  const left: unknown[] = [];
  for (let start = 0; start < STARTS; start++) {
    const signal = ENDED[start];
    if (signal) {
      lab.host.says({ end: 'hang' });
      const before = requests.length;
      const run = lab.start([], { env: lab.env });
      await until('it is asked', () => requests.length > before);
      run.kill(signal);
      ends.push((await run.done).exit);
    } else {
      lab.host.says(diff(FILE, ' bad', '-second', `+other ${'x'.repeat(start)}`));
      ends.push((await lab.mend()).exit);
      left.push([lab.entry(), lab.ledger().day, lab.stages().a?.status, openCases(lab), requests.length]);
    }
  }
  assert.equal(left.slice(1), Array(left.length - 1).fill(left[0]), 'a further start changes nothing');
  assert.equal(ends.slice(0, ENDED.length), [null, 130]);
  assert.equal(new Set(ends.slice(ENDED.length)), new Set([3]), String(ends));
  assert.equal([requests.length, lab.stages().a?.status, lab.inTree()], [3, 'give_up', 'bad\nsecond\n'], String(ends));
  assert.equal(
    [lab.entry().escalation_calls, Object.values(openCases(lab)).map(({ state }) => state)],
    [3, ['given_up']],
  );
});

/** What is always said → requests and answers until it is given up. */
const USELESS: Record<string, [said: string, requests: number, answers: string[]]> = {
  // One that is asked again for a form that can be read is another call.
  'what cannot be read': ['I do not know.', 3, ['unreadable', 'unreadable', 'unreadable']],
  'a wish for more after the look': [wish(['uname', '-s']), 3, ['diagnostics', 'diagnostics', 'diagnostics']],
  'a patch that is refused, and refused again': [
    diff('check.sh', '-set -eu', '+set -u'),
    3,
    ['patch', 'patch', 'patch'],
  ],
};

test('what is of no use is a call: three of them, then it is given up', async () => {
  for (const [what, [said, requests, answers]] of Object.entries(USELESS)) {
    const lab = await escalateLab({ loop: { escalations: ['api'] } });
    lab.host.says(said);
    const ran = await lab.mend();
    const { state, calls, answers: heard } = onlyCase(lab);
    assert.equal([ran.exit, lab.entry().escalation_calls, state, calls], [3, 3, 'given_up', 3], `${what}: ${ran.said}`);
    assert.equal([heard, lab.host.requests.length], [answers, requests], what);
  }
});

test.run();
