// What a run left behind, and which word the model bench has for it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareWith } from '../../scripts/bench/model/compare.ts';
import { outcomeOf, type Seen } from '../../scripts/bench/model/outcome.ts';
import { READING_STAGES } from '../../scripts/bench/model/reading-stages.ts';
import type { BrokenStage } from '../known-fixes/broken-stages.ts';

const judged = suite('outcomes');

const event = (type: string, data: Record<string, unknown> = {}): Seen => ({ type, data });
const left = (status: string | undefined, ...events: Seen[]) =>
  outcomeOf({ exit: status === 'green' ? 0 : 1, status, events, said: 'the end' });
const COMMITTED = event('fix.committed');

judged('nothing applied is refused, with the last reason; applied and not green is wrong', () => {
  assert.equal(left('failed', event('fix.refused', { code: 'masks', reasons: ['it hides'] })), {
    ...{ word: 'refused', why: 'masks: it hides' },
  });
  assert.equal(left('give_up', event('plugin.said')), { word: 'refused', why: 'the model proposed no change' });
  assert.equal(left('give_up', event('plugin.said'), COMMITTED, event('fix.reverted', { outcome: 'no_effect' })), {
    ...{ word: 'wrong', why: '1 applied, no_effect' },
  });
});

judged('a host that failed, a stage that did not fail and a run that did not end are not measured', () => {
  const down = event('plugin.failed', { reason: 'nothing listens' });
  assert.equal(left('failed', down), { word: 'not measured', why: 'nothing listens' });
  assert.equal(left('failed', COMMITTED, down), { word: 'not measured', why: 'nothing listens' });
  assert.equal(left('failed'), { word: 'not measured', why: 'no model was asked' });
  assert.equal(left('green'), { word: 'not measured', why: 'the stage did not fail' });
  assert.equal(left(undefined), { word: 'not measured', why: 'the run ended with 1: the end' });
  const bug = outcomeOf({ exit: 4, status: 'failed', events: [COMMITTED], said: 'the end' });
  assert.equal(bug, { word: 'not measured', why: 'the run ended with 4: the end' });
});

judged('green needs a fix that was verified, and then what the branch holds', () => {
  assert.is(left('green', COMMITTED, event('fix.judged', { outcome: 'verified' })), 'green');
  assert.equal((left('green', COMMITTED) as { word: string }).word, 'wrong');
});

judged('a green branch is wrong when a file of others changed, or it no longer does what the stage did', () => {
  const stage = { ...(READING_STAGES[0] as BrokenStage), files: ['stages/web/'] };
  const alone = { exit: 0, stdout: 'done\n', stderr: '', before: {}, after: {} };
  const compared = (got: object, group: 'reading' | 'spelling' = 'spelling') =>
    compareWith({ stage, group, wanted: { ...alone, after: { 'out/': '' } }, got: { ...alone, ...got } });
  const whole = { after: { 'out/': '' } };
  assert.is(compared(whole), '');
  assert.match(compared({ ...whole, exit: 1 }), 'not in a fresh copy');
  assert.match(compared({ ...whole, before: { 'checks/run.sh': '' } }, 'reading'), "checks/run.sh is not the stage's");
  assert.match(compared({ ...whole, stdout: '' }), 'no longer says the same');
  assert.match(compared({}), 'out/ is no longer made');
  assert.is(compared({ before: { 'stages/web/run.sh': 'other' } }, 'reading'), '');
});

judged.run();
