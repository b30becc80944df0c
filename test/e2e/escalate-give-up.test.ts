// What was given up, through the real entry: the evidence it leaves, and the ways back: a change, a retry, a reset, an answer.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerCase, attempts, caseText, escalateLab, onlyCase, patch } from './escalate-lab.ts';
import { CHECK, dataOf, diff, FILE, saying } from './model-lab.ts';

/** Given up after one call whose patch changed nothing. */
async function givenUp() {
  const lab = await escalateLab({
    stages: { a: { command: ['bash', 'check.sh', FILE], files: [FILE], diagnostics: ['echo seen by the owner'] } },
    loop: { executors: ['ollama'], escalations: ['api'], limits: { executor_tries: 1, escalation_calls: 1 } },
  });
  lab.answers(saying('bad', 'other'));
  lab.host.says(diff(FILE, ' bad', '-second', '+third'));
  const ran = await lab.mend();
  assert.equal([ran.exit, lab.stages().a?.status, lab.host.requests.length], [3, 'give_up', 1], ran.said);
  return { lab, ran };
}

test('what is given up leaves the evidence: stage, command, log, failure, all that was tried, what to do next', async () => {
  const { lab, ran } = await givenUp();
  const { case: name, fingerprint, state, why } = onlyCase(lab);
  assert.equal([state, why], ['given_up', '1 of 1 try spent, and 1 of 1 call made']);
  const text = caseText(lab, name, 1);
  for (const part of [
    ...['# a failed: config_error, exit 1', `- Fingerprint: ${fingerprint}`, `- Runs: bash check.sh ${FILE}`],
    ...[`- Whole log: ai/logs/a/${lab.runs()[0]}-`, '- Spent: 1 of 1 try, 1 of 1 escalation call'],
    ...['error: unexpected word bad in conf/a.txt', 'seen by the owner', '1 | bad\n2 | second\n'],
    ...['by ollama (executor tier): applied without effect', 'Fix: Say bad', '-second\n+other'],
    ...['by api (escalation tier): applied without effect', `Fix: Change ${FILE}`, '-second\n+third'],
    ...['The loop gave up: 1 of 1 try spent, and 1 of 1 call made', 'mendloop reset a'],
  ]) {
    assert.ok(text.includes(part), `${part}\n--- is not in ---\n${text}`);
  }
  assert.match(ran.said, `mendloop explain ${fingerprint}`);
  assert.match((await lab.run(['status'])).stdout, 'give_up');
});

test('given up it is left alone; retry runs it once without anyone; reset soon after wants --force and closes the case', async () => {
  const { lab } = await givenUp();
  const asked = () => lab.host.requests.length + lab.server.chats.length;
  const before = asked();
  const next = await lab.mend();
  assert.equal([next.exit, attempts(next), lab.stages().a?.status], [3, 0, 'give_up'], next.said);
  const retried = await lab.mend(['retry', 'a']);
  assert.equal([retried.exit, attempts(retried), lab.stages().a?.status], [3, 1, 'give_up'], retried.said);
  assert.is(asked(), before);
  const soon = await lab.run(['reset', 'a']);
  assert.equal([soon.exit, soon.stdout, lab.stages().a?.status], [2, '', 'give_up']);
  assert.match(
    soon.stderr,
    /^error E_RESET_SOON: the loop gave up on a \d+ s ago\n {2}next: .*mendloop reset a --force\n$/,
  );
  assert.is(onlyCase(lab).state, 'given_up');
  const forced = await lab.run(['reset', 'a', '--force']);
  assert.equal([forced.exit, lab.stages().a?.status], [0, 'idle'], forced.stderr);
  assert.equal([onlyCase(lab).state, onlyCase(lab).closed?.why], ['closed', 'the stage was reset']);
  const { executor_tries, escalation_calls, patches } = lab.entry();
  assert.equal([executor_tries, escalation_calls, patches.length], [0, 0, 2], 'counters anew, history kept');
  lab.answers(saying('good'));
  const again = await lab.mend();
  assert.equal([again.exit, lab.stages().a?.status], [0, 'green'], again.said);
});

test('a person answers what was given up; after a reset that is applied first, and nobody is called', async () => {
  const { lab } = await givenUp();
  const { case: name } = onlyCase(lab);
  const taken = await answerCase(lab, name, patch('good'));
  assert.equal(
    [taken.exit, taken.stdout.trimEnd().endsWith('mendloop reset a, then: mendloop a')],
    [0, true],
    taken.stderr,
  );
  const asked = lab.host.requests.length + lab.server.chats.length;
  const reset = await lab.run(['reset', 'a', '--force']);
  assert.is(reset.exit, 0, reset.stderr);
  const green = await lab.mend(['a']);
  assert.equal([green.exit, lab.inTree()], [0, 'good\nsecond\n'], green.said);
  assert.is(lab.host.requests.length + lab.server.chats.length, asked);
});

test('what was given up clears itself when its inputs change, and says so', async () => {
  const { lab } = await givenUp();
  lab.commit({ [FILE]: 'good\nsecond\n' });
  const green = await lab.mend();
  assert.equal([green.exit, lab.stages().a?.status], [0, 'green'], green.said);
  assert.equal(dataOf(green, 'stage.recovered', 'reason'), ['its inputs changed']);
  assert.equal([onlyCase(lab).state, green.trail], ['closed', ['case.closed']]);
});

test('the case counts every attempt that the stage had in the run', async () => {
  const { lab, ran } = await givenUp();
  assert.match(caseText(lab, onlyCase(lab).case, 1), `, ${attempts(ran)} attempts of a in it\n`);
});

test('a change that does not mend it is tried once; what was spent stays spent, and nobody is asked', async () => {
  const { lab } = await givenUp();
  const asked = () => lab.host.requests.length + lab.server.chats.length;
  const before = asked();
  lab.commit({ 'check.sh': `${CHECK}# looked at\n`, [FILE]: 'bad\nfourth\n' });
  const ran = await lab.mend();
  assert.equal(dataOf(ran, 'stage.recovered', 'reason'), ['its inputs changed'], ran.said);
  assert.equal([ran.exit, attempts(ran), asked(), lab.stages().a?.status], [3, 1, before, 'give_up'], ran.said);
});

test.run();
