// Cases and what was given up, through the real entry: opened once, waited for, answered, closed, reset, tried again.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerCase, attempts, cases, escalateLab, handOver, onlyCase, patch } from './escalate-lab.ts';
import { diff, FILE, stageOn } from './model-lab.ts';
import { tree, until } from './scenario.ts';

test('after a hand-over the stage runs once each run, nobody is called and nothing is written; green closes it', async () => {
  const lab = await escalateLab();
  lab.host.says(handOver('the word must be agreed on'));
  const first = await lab.mend();
  const { case: name } = onlyCase(lab);
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
  assert.equal([onlyCase(lab).state, onlyCase(lab).closed?.why], ['closed', 'the stage is green']);
  assert.is((await answerCase(lab, name, patch('good'))).exit, 2, 'a closed case takes no answer');
  assert.is(lab.host.requests.length, 1);
});

test('an answer goes through the gate: refused with the reason, unknown named, taken and verified', async () => {
  const lab = await escalateLab();
  lab.host.says(handOver('you'));
  await lab.mend();
  const { case: name } = onlyCase(lab);
  const before = [tree(lab.path('ai/escalations')), lab.ledger(), lab.git('rev-parse', 'main')];
  const refused = await answerCase(lab, name, diff('check.sh', '-set -eu', '+set -u'));
  assert.equal([refused.exit, refused.stdout], [2, '']);
  assert.match(refused.stderr, /^error E_CASE_REFUSED: the gate refuses this patch: \w+\n {2}- check\.sh: /);
  const unknown = await answerCase(lab, `${name}x`, patch('good'));
  assert.match(unknown.stderr, new RegExp(`^error E_CASE_UNKNOWN: there is no case ${name}x.*${name}`));
  const empty = await answerCase(lab, name, '');
  assert.equal([empty.exit, /^error E_\w+: /.test(empty.stderr)], [2, true], empty.stderr);
  assert.equal([tree(lab.path('ai/escalations')), lab.ledger(), lab.git('rev-parse', 'main')], before);
  const taken = await answerCase(lab, name, patch('good'));
  assert.equal([taken.exit, onlyCase(lab).state], [0, 'answered'], taken.stderr);
  assert.match(taken.stdout, /^taken: Say good\n[\s\S]*-bad\n\+good[\s\S]*mendloop a\n$/);
  const green = await lab.mend();
  assert.equal([green.exit, green.trail.at(-1), lab.host.requests.length], [0, 'case.closed', 1], green.said);
  assert.match(lab.git('log', '-1', '--format=%B', 'ai/orchestrator-stage1'), 'Tier: escalation\nPlugin: person\n');
});

test('while a run is at work no answer is taken: exit 75', async () => {
  const slow = { command: 'until [ -e "$MENDLOOP_HOME/ai/state/go" ]; do sleep 0.05; done', always: true };
  const lab = await escalateLab({
    stages: { a: { command: ['bash', 'check.sh', FILE], files: [FILE] }, slow },
  });
  lab.host.says(handOver('you'));
  assert.is((await lab.mend(['a'])).exit, 3);
  const { case: name } = onlyCase(lab);
  const run = lab.start(['slow'], { env: lab.env });
  await until('it runs', () => lab.events().some(({ type, stage }) => type === 'attempt.started' && stage === 'slow'));
  const done = await answerCase(lab, name, patch('good'));
  assert.equal([done.exit, onlyCase(lab).state], [75, 'open'], done.stderr);
  lab.write({ 'ai/state/go': '' });
  assert.is((await run.done).exit, 0);
});

test('two stages that fail at the same time: each has its case, its call and its counter', async () => {
  const lab = await escalateLab({
    stages: { a: stageOn(), b: stageOn('conf/b.txt') },
    files: { 'conf/b.txt': 'worse\nsecond\n' },
  });
  lab.host.says(({ body }) => {
    const text = String(body.messages.at(-1).content);
    return text.startsWith('# a failed') ? handOver('for a') : patch('good', 'worse', 'conf/b.txt');
  });
  const ran = await lab.mend(['--workers', '2']);
  assert.equal([ran.exit, lab.stages().a?.status, lab.stages().b?.status], [3, 'failed', 'green'], ran.said);
  const states = Object.values(cases(lab)).map(({ stage, state, calls }) => `${stage} ${state} ${calls}`);
  assert.equal([lab.host.requests.length, states.sort()], [2, ['a open 1', 'b closed 1']]);
  for (const text of lab.host.asked()) assert.is(/word bad in/.test(text), !/word worse in/.test(text));
});

test.run();
