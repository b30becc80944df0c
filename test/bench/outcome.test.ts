// What a run left behind, and which word the model bench has for it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareWith } from '../../scripts/bench/model/compare.ts';
import { isShown, outcomeOf, refusalsOf, type Seen, soonOf } from '../../scripts/bench/model/outcome.ts';
import { type Trial, tableOf } from '../../scripts/bench/model/table.ts';
import { fenced, fenceNote } from '../../src/outbound/text.ts';

const event = (type: string, data: Record<string, unknown> = {}): Seen => ({ type, data });
const left = (status: string | undefined, ...events: Seen[]) =>
  outcomeOf({ exit: status === 'green' ? 0 : 1, status, events, said: 'the end', mustDecline: false });
const COMMITTED = event('fix.committed');

test('nothing applied is refused, with the last reason; applied and not green is wrong', () => {
  assert.equal(left('failed', event('fix.refused', { code: 'masks', reasons: ['it hides'] })), {
    ...{ word: 'refused', why: 'masks: it hides' },
  });
  assert.equal(left('give_up', event('plugin.said')), { word: 'refused', why: 'the model proposed no change' });
  assert.equal(left('give_up', event('plugin.said'), COMMITTED, event('fix.judged', { outcome: 'no_effect' })), {
    ...{ word: 'wrong', why: '1 applied, no_effect' },
  });
});

test('a host that failed, a stage that did not fail and a run that did not end are not measured', () => {
  const down = event('plugin.failed', { reason: 'nothing listens' });
  assert.equal(left('failed', down), { word: 'not measured', why: 'nothing listens' });
  assert.equal(left('failed', COMMITTED, down), { word: 'not measured', why: 'nothing listens' });
  for (const reason of [
    'm at h: no word of an answer to 1,900 tokens came within 10 min; it was never measured',
    'm at h did not answer within 2 min (plugins.ollama.timeout); 5 tokens came',
    'm at h: nothing more came for 2 min, behind 1 token; it was never measured',
    'm at h: fewer than 60 tokens came in the last 10 min; so far it reads 20 tokens a second',
  ]) {
    const late = left('failed', event('plugin.failed', { reason }));
    assert.is(late === 'green' ? late : late.word, 'late', reason);
  }
  assert.equal(left('failed'), { word: 'not measured', why: 'no model was asked' });
  assert.equal(left('green'), { word: 'not measured', why: 'the stage did not fail' });
  assert.equal(left(undefined), { word: 'not measured', why: 'the run ended with 1: the end' });
  const bug = outcomeOf({ exit: 4, status: 'failed', events: [COMMITTED], said: 'the end', mustDecline: false });
  assert.equal(bug, { word: 'not measured', why: 'the run ended with 4: the end' });
});

test('green needs a fix that was kept, and then what the branch holds', () => {
  assert.is(left('green', COMMITTED, event('fix.judged', { outcome: 'kept' })), 'green');
  assert.equal((left('green', COMMITTED) as { word: string }).word, 'wrong');
});

test('a green branch is wrong when a file of others changed, or it no longer does what the stage did', () => {
  const files = ['stages/web/'];
  const alone = { exit: 0, stdout: 'done\n', stderr: '', before: {}, after: {} };
  const compared = (got: object, group: 'reading' | 'spelling' | 'real' = 'spelling') =>
    compareWith({ files, group, wanted: { ...alone, after: { 'out/': '' } }, got: { ...alone, ...got } });
  const whole = { after: { 'out/': '' } };
  assert.is(compared(whole), '');
  assert.match(compared({ ...whole, exit: 1 }), 'not in a fresh copy');
  assert.match(compared({ ...whole, before: { 'checks/run.sh': '' } }, 'reading'), "checks/run.sh is not the stage's");
  assert.match(compared({ ...whole, stdout: '' }), 'no longer says the same');
  assert.match(compared({}), 'out/ is no longer made');
  assert.is(compared({ before: { 'stages/web/run.sh': 'other' } }, 'reading'), '');
  assert.match(compared({ after: { 'out/': 'other' } }, 'real'), 'out/ is made with something else in it');
  assert.is(compared({ ...whole, stdout: 'at 12:00' }, 'real'), '');
});

const PASSED = event('plugin.passed', { reason: 'a person has to' });
const refused = (code: string) => event('fix.refused', { code, reasons: ['it hides'] });

test('where it is right to decline, no change is declined, one that was refused is not, and one that was applied is wrong', () => {
  const declined = (...events: Seen[]) =>
    outcomeOf({ exit: 1, status: 'failed', events: [event('plugin.said'), ...events], said: '', mustDecline: true });
  assert.equal(declined(refused('masks'), PASSED), { word: 'declined', why: '' });
  assert.equal(declined(PASSED, refused('masks')), { word: 'refused', why: 'masks: it hides' });
  assert.equal((declined(COMMITTED, PASSED) as { word: string }).word, 'wrong');
  const ask = event('fix.suggested', { ask: { code: 'new_program', reasons: ['curl'] } });
  assert.equal(declined(ask), { word: 'refused', why: 'the owner is asked: new_program: curl' });
});

test('how soon: with the first answer, after a round, after a try; an answer that is right to decline likewise', () => {
  const [used, ended] = [event('model.used'), event('try.ended')];
  const inVain = event('fix.judged', { outcome: 'no_effect' });
  const kept = event('fix.judged', { outcome: 'kept' });
  assert.is(soonOf('fixed', [used, COMMITTED, used, COMMITTED, kept, kept]), 'first');
  assert.is(soonOf('fixed', [used, refused('masks'), used, COMMITTED]), 'rounds');
  assert.is(soonOf('fixed', [used, COMMITTED, inVain, used, COMMITTED, kept]), 'tries');
  assert.is(soonOf('declined', [used, PASSED, ended]), 'first');
  assert.is(soonOf('declined', [used, refused('masks'), used, PASSED, ended]), 'rounds');
  assert.is(soonOf('declined', [used, refused('masks'), ended, used, PASSED]), 'tries');
  assert.is(soonOf('wrong', [used]), null);
  assert.equal(refusalsOf([refused('masks'), event('fix.suggested'), PASSED]), ['masks', 'ask']);
});

test('what has to change is shown when the prompt has its lines', () => {
  const prompt = (line: string) =>
    [fenceNote('90ab'), ...fenced('90ab', 'file a.conf, 2 lines', ['1 | x=1', `2 | ${line}`])].join('\n');
  const change = { path: 'a.conf', before: 'x=1\ny=2\n', after: 'x=1\ny=3\n' };
  assert.ok(isShown(prompt('y=2'), change));
  assert.not.ok(isShown(prompt('z=2'), change));
  assert.not.ok(isShown(prompt('y=2'), { ...change, path: 'b.conf' }));
});

test('the table is Markdown: shares of what was measured, with the spread of repeats, and what one fix cost', () => {
  const base: Trial = {
    ...{ format: 'auto', group: 'real', exam: 'a', left: true, repeat: 1, outcome: 'fixed', why: '', soon: 'first' },
    ...{ refusals: [], shown: true, ms: 2000, tokens: 1000 },
  };
  const missed = { ...base, outcome: 'refused', soon: null } as const;
  assert.equal(tableOf([base, { ...base, soon: 'rounds' }, missed, { ...missed, outcome: 'not measured' }]), [
    '| exams                      | number | first answer | after rounds | after tries | refused | wrong | late | not measured | tokens each | seconds each |',
    '| -------------------------- | -----: | -----------: | -----------: | ----------: | ------: | ----: | ---: | -----------: | ----------: | -----------: |',
    '| left after known fixes     |      4 |     33 % (1) |     67 % (2) |    67 % (2) |       1 |     0 |    0 |            1 |        1500 |          3.0 |',
    '| - of the size of real ones |      4 |     33 % (1) |     67 % (2) |    67 % (2) |       1 |     0 |    0 |            1 |        1500 |          3.0 |',
  ]);
  const [, , row] = tableOf([base, base, { ...base, repeat: 2 }, { ...missed, repeat: 2 }]);
  assert.match(row ?? '', /^\| left after known fixes +\| +2 × 2 \| +75 % \(1–2\) \| /);
});

test.run();
