// Cases and what was given up, through the real entry: opened once, waited for, answered, closed, reset, tried again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cases, caseText, type EscalateLab, escalateLab, handOver, patch } from './escalate-lab.ts';
import { CHECK, dataOf, diff, FILE, type Ran, saying } from './model-lab.ts';
import { tree, until } from './scenario.ts';

const desk = suite('cases');

const only = (lab: EscalateLab) => {
  const all = Object.values(cases(lab));
  assert.is(all.length, 1);
  return all[0] as (typeof all)[number];
};
const attempts = ({ events }: Ran) => events.filter(({ type }) => type === 'attempt.started').length;
const answer = (lab: EscalateLab, name: string, text: string) =>
  lab.run(['cases', 'answer', name, '-'], { env: lab.env, stdin: text });

desk(
  'after a hand-over the stage runs once each run, nobody is called and nothing is written; green closes it',
  async () => {
    const lab = await escalateLab();
    lab.host.says(handOver('the word must be agreed on'));
    const first = await lab.mend();
    const { case: name } = only(lab);
    assert.equal([first.exit, lab.stages().a?.status, attempts(first)], [3, 'failed', 1], first.said);
    assert.match(first.said, `mendloop cases show ${name}`);
    assert.match((await lab.run(['cases'])).stdout, 'api: the word must be agreed on');
    const kept = tree(lab.path('ai/escalations'));
    for (const run of [await lab.mend(), await lab.mend(['a'])]) {
      assert.equal([run.exit, attempts(run), run.decided, run.trail], [3, 1, ['open_case'], []], run.said);
    }
    assert.equal([lab.host.requests.length, tree(lab.path('ai/escalations'))], [1, kept]);
    lab.commit({ [FILE]: 'good\nsecond\n' });
    const green = await lab.mend();
    assert.equal([green.exit, green.trail, attempts(green)], [0, ['case.closed'], 1], green.said);
    assert.equal([only(lab).state, only(lab).closed?.why], ['closed', 'the stage is green']);
    assert.is((await answer(lab, name, patch('good'))).exit, 2, 'a closed case takes no answer');
    assert.is(lab.host.requests.length, 1);
  },
);

desk('an answer goes through the gate: refused with the reason, unknown named, taken and verified', async () => {
  const lab = await escalateLab();
  lab.host.says(handOver('you'));
  await lab.mend();
  const { case: name } = only(lab);
  const before = [tree(lab.path('ai/escalations')), lab.ledger(), lab.git('rev-parse', 'main')];
  const refused = await answer(lab, name, diff('check.sh', '-set -eu', '+set -u'));
  assert.equal([refused.exit, refused.stdout], [2, '']);
  assert.match(refused.stderr, /^error E_CASE_REFUSED: the gate refuses this patch: \w+\n {2}- check\.sh: /);
  const unknown = await answer(lab, `${name}x`, patch('good'));
  assert.match(unknown.stderr, new RegExp(`^error E_CASE_UNKNOWN: there is no case ${name}x.*${name}`));
  const empty = await answer(lab, name, '');
  assert.equal([empty.exit, /^error E_\w+: /.test(empty.stderr)], [2, true], empty.stderr);
  assert.equal([tree(lab.path('ai/escalations')), lab.ledger(), lab.git('rev-parse', 'main')], before);
  const taken = await answer(lab, name, patch('good'));
  assert.equal([taken.exit, only(lab).state], [0, 'answered'], taken.stderr);
  assert.match(taken.stdout, /^taken: Say good\n[\s\S]*-bad\n\+good[\s\S]*mendloop a\n$/);
  const green = await lab.mend();
  assert.equal([green.exit, green.trail.at(-1), lab.host.requests.length], [0, 'case.closed', 1], green.said);
  assert.match(lab.git('log', '-1', '--format=%B', 'ai/orchestrator-stage1'), 'Tier: escalation\nPlugin: person\n');
});

desk('while a run is at work no answer is taken: exit 75', async () => {
  const slow = { command: 'until [ -e "$MENDLOOP_HOME/ai/state/go" ]; do sleep 0.05; done', always: true };
  const lab = await escalateLab({
    stages: { a: { command: ['bash', 'check.sh', FILE], files: [FILE] }, slow },
  });
  lab.host.says(handOver('you'));
  assert.is((await lab.mend(['a'])).exit, 3);
  const { case: name } = only(lab);
  const run = lab.start(['slow'], { env: lab.env });
  await until('it runs', () => lab.events().some(({ type, stage }) => type === 'attempt.started' && stage === 'slow'));
  const done = await answer(lab, name, patch('good'));
  assert.equal([done.exit, only(lab).state], [75, 'open'], done.stderr);
  lab.write({ 'ai/state/go': '' });
  assert.is((await run.done).exit, 0);
});

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

desk(
  'what is given up leaves the evidence: stage, command, log, failure, all that was tried, what to do next',
  async () => {
    const { lab, ran } = await givenUp();
    const { case: name, fingerprint, state, why } = only(lab);
    assert.equal([state, why], ['given_up', '1 of 1 try spent, and 1 of 1 call made']);
    const text = caseText(lab, name, 1);
    for (const part of [
      ...['# a failed: unknown, exit 1', `- Fingerprint: ${fingerprint}`, `- Runs: bash check.sh ${FILE}`],
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
  },
);

desk(
  'given up it is left alone; retry runs it once without anyone; reset soon after wants --force and closes the case',
  async () => {
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
    assert.is(only(lab).state, 'given_up');
    const forced = await lab.run(['reset', 'a', '--force']);
    assert.equal([forced.exit, lab.stages().a?.status], [0, 'idle'], forced.stderr);
    assert.equal([only(lab).state, only(lab).closed?.why], ['closed', 'the stage was reset']);
    const { executor_tries, escalation_calls, patches } = lab.entry();
    assert.equal([executor_tries, escalation_calls, patches.length], [0, 0, 2], 'counters anew, history kept');
    lab.answers(saying('good'));
    const again = await lab.mend();
    assert.equal([again.exit, lab.stages().a?.status], [0, 'green'], again.said);
  },
);

desk('a person answers what was given up; after a reset that is applied first, and nobody is called', async () => {
  const { lab } = await givenUp();
  const { case: name } = only(lab);
  const taken = await answer(lab, name, patch('good'));
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

desk('what was given up clears itself when its inputs change, and says so', async () => {
  const { lab } = await givenUp();
  lab.commit({ [FILE]: 'good\nsecond\n' });
  const green = await lab.mend();
  assert.equal([green.exit, lab.stages().a?.status], [0, 'green'], green.said);
  assert.equal(dataOf(green, 'stage.recovered', 'reason'), ['its inputs changed']);
  assert.equal([only(lab).state, green.trail], ['closed', ['case.closed']]);
});

desk('the case counts every attempt that the stage had in the run', async () => {
  const { lab, ran } = await givenUp();
  assert.match(caseText(lab, only(lab).case, 1), `, ${attempts(ran)} attempts of a in it\n`);
});

desk('a change that does not mend it is tried once; what was spent stays spent, and nobody is asked', async () => {
  const { lab } = await givenUp();
  const asked = () => lab.host.requests.length + lab.server.chats.length;
  const before = asked();
  lab.commit({ 'check.sh': `${CHECK}# looked at\n`, [FILE]: 'bad\nfourth\n' });
  const ran = await lab.mend();
  assert.equal(dataOf(ran, 'stage.recovered', 'reason'), ['its inputs changed'], ran.said);
  assert.equal([ran.exit, attempts(ran), asked(), lab.stages().a?.status], [3, 1, before, 'give_up'], ran.said);
});

desk.run();
