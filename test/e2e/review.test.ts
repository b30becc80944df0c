// `cases review` and `cases accept --run`: the owner answers on a terminal, and what they accept is tried at once.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askLab, failing } from './ask-lab.ts';

test('what is accepted in a review is tried by one run; the change is seen before the question', async () => {
  const lab = askLab();
  await failing(lab);
  const done = await lab.run(['cases', 'review'], { tty: 'here', typed: { question: '[l]ater: ', keys: 'y\n' } });
  assert.is(done.exit, 0, done.stdout);
  const said = done.stdout;
  const order = [
    'apps failed',
    'command proposes: Give loki 3 replicas',
    'you are asked',
    '1 of 1: [y]es',
    'taken: Give loki',
    '1 change accepted',
  ];
  assert.equal(
    order.map((text) => said.indexOf(text) >= 0 && text),
    order,
  );
  assert.is(lab.stage(), 'green');
});

test('skipped or left for later, it waits still; declined, it counts as tried', async () => {
  const lab = askLab();
  await failing(lab);
  const answer = (keys: string) =>
    lab.run(['cases', 'review'], { tty: 'here', typed: { question: '[l]ater: ', keys } });
  for (const keys of ['s\n', 'l\n']) {
    assert.is((await answer(keys)).exit, 0);
    assert.is(lab.theCase().state, 'open');
  }
  await answer('n\n');
  assert.is(lab.theCase().state, 'closed');
  assert.is(lab.all().find(({ type }) => type === 'fix.declined')?.data.answered_at, 'terminal');
  assert.match((await answer('')).stdout, 'no case waits');
  const piped = await lab.run(['cases', 'review']);
  assert.equal(
    [piped.exit, piped.stderr.split('\n')[0]],
    [2, 'error E_USAGE: cases review asks, and nobody can answer here'],
  );
});

test('cases accept --run starts the stage; a one-time token answers only the change that it is about', async () => {
  const lab = askLab();
  await failing(lab);
  const { case: name } = lab.theCase();
  const wrong = await lab.run(['cases', 'accept', name, '--token', 'made-up-of-some-length']);
  assert.match(wrong.stderr, 'error E_ANSWER_REFUSED: the answer is not taken: its token is unknown');
  const done = await lab.run(['cases', 'accept', name, '--run']);
  assert.is(done.exit, 0, done.stdout + done.stderr);
  assert.is(lab.stage(), 'green');
});

test.run();
