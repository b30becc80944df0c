// The owner answers on the page: `serve --act` in a process of its own, its forms posted as a browser posts them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askLab, failing, serving, USELESS } from './ask-lab.ts';
import { AI, until } from './scenario.ts';

const refusals = (lab: ReturnType<typeof askLab>) =>
  lab.all().flatMap(({ type, data }) => (type === 'answer.refused' ? [data.reason as string] : []));

test('Apply starts the stage at once, the answer says where it came from, and exactly the commit shown lands', async () => {
  const lab = askLab();
  await failing(lab);
  const { case: name } = lab.theCase();
  const page = await serving(lab, '--act');
  assert.match((await page.get('/')).body, 'replicas: 3');
  const began = performance.now();
  const pressed = await page.press('/', `/cases/${name}/accept`);
  assert.is(pressed.status, 200);
  assert.match(pressed.body, 'Taken: Give loki 3 replicas. Started: mendloop apps --with-needs');
  await until('the stage has begun', () => lab.events().some(({ type }) => type === 'attempt.started'));
  // A few seconds on a machine that does nothing else.
  assert.ok(performance.now() - began < 40_000, `from the tap to the start: ${performance.now() - began} ms`);
  await until('the stage is green', () => lab.stage() === 'green');
  await until('the run is over', () => lab.events().at(-1)?.type === 'run.ended');
  const answered = lab.all().find(({ type }) => type === 'case.answered');
  assert.is(answered?.data.answered_at, 'page');
  assert.match(lab.git('log', '-1', '--format=%B', AI), 'Accepted-at: page');
  assert.match((await lab.run(['explain', 'apps'])).stdout, 'by command, accepted by a person (page)');
  assert.match((await lab.run(['report'])).stdout, 'accepted by a person (page)');

  const { body } = await page.get('/promote');
  const tip = lab.git('rev-parse', AI).trim();
  assert.match(body, `Land exactly ${tip.slice(0, 12)} on main`);
  const once = await page.onceOn('/promote', '/promote');
  lab.write({ 'apps/values.yaml': 'loki:\n  replicas: 7\n' });
  const dirty = await page.press('/promote', '/promote');
  assert.is(dirty.status, 409);
  assert.match(dirty.body, 'E_DIRTY');
  lab.git('checkout', '--', 'apps/values.yaml');
  lab.commit({ 'notes.txt': 'the base moved\n' });
  const stale = await page.press('/promote', '/promote', { once });
  assert.is(stale.status, 409);
  assert.match(stale.body, 'Something else is there now than what the button was for');
  assert.is((await page.press('/promote', '/promote')).status, 200);
  assert.match(lab.git('show', 'main:apps/values.yaml'), 'replicas: 3');
});

test('a form without a sign-in, a value, a page of ours or a state that still stands does nothing, says why, and is on record', async () => {
  const lab = askLab({}, USELESS);
  await failing(lab);
  const { case: name } = lab.theCase();
  const page = await serving(lab, '--act');
  const path = `/cases/${name}/decline`;
  const once = await page.onceOn('/', path);
  const foreign = { origin: 'http://evil.example' };
  const table: [string, { once?: string; headers?: Record<string, string> }, number, string][] = [
    ['no cookie', { once, headers: { cookie: '' } }, 401, 'needs the token'],
    ['another site', { once, headers: foreign }, 403, 'another site asked for it'],
    ['no origin', { once, headers: { origin: 'null' } }, 403, 'another site asked for it'],
    ['another name', { once, headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'another site asked for it'],
    ['no value', { once: '' }, 409, 'The button is not one of this page'],
    ['a made-up value', { once: `${once.slice(0, -2)}xx` }, 409, 'The button is not one of this page'],
    ['of another form', { once: await page.onceOn('/', '/run') }, 409, 'The button is not one of this page'],
    ['no form', { once, headers: { 'content-type': 'text/plain' } }, 409, 'The button is not one of this page'],
  ];
  for (const [what, change, status, words] of table) {
    const answer = await page.press('/', path, change);
    assert.is(answer.status, status, what);
    assert.match(answer.body, words, what);
  }
  assert.is((await page.get(path)).status, 405, 'an address does nothing');
  assert.is(lab.theCase().state, 'open');
  assert.is((await page.press('/', path, { once })).status, 200);
  assert.is(lab.theCase().state, 'closed');
  assert.match((await page.press('/', path, { once })).body, 'This button was pressed before');
  const gone = await page.press('/', '/cases/apps-00000000/accept', { once: 'x' });
  assert.match(gone.body, 'What the button was for is not there any more');
  await lab.run(['apps', '--no-ai']);
  assert.ok(refusals(lab).length >= 7, refusals(lab).join('\n'));
});

test('without --act every POST is refused, and the commands to type are shown', async () => {
  const lab = askLab();
  await failing(lab);
  const { case: name } = lab.theCase();
  const page = await serving(lab);
  assert.is((await page.press('/', `/cases/${name}/accept`, { once: 'x' })).status, 405);
  const { body } = await page.get('/');
  assert.not.match(body, '<form class="act"');
  assert.match(body, `mendloop cases accept ${name} --run`);
});

test('two answers at once: one counts, the other is told so; a run at work takes an answer before it ends', async () => {
  const lab = askLab();
  await failing(lab);
  const { case: name } = lab.theCase();
  const page = await serving(lab, '--act');
  const [accept, decline] = await Promise.all([
    page.press('/', `/cases/${name}/accept`),
    page.press('/', `/cases/${name}/decline`),
  ]);
  const statuses = [accept.status, decline.status];
  assert.ok(statuses.includes(200), statuses.join());
  await until('what was started is over', () => lab.events().at(-1)?.type === 'run.ended', 60_000);
  const words = lab.all().filter(({ type }) => type === 'case.answered' || type === 'fix.declined');
  assert.ok(words.length >= 1);
});

test('the answer of a person while the run is killed is taken by the next one', async () => {
  const lab = askLab();
  await failing(lab);
  const { case: name } = lab.theCase();
  lab.commit({ 'stages/web.sh': 'sleep 60\n' });
  lab.commit({
    'ai/context_map.yaml': lab.read('ai/context_map.yaml').replace('"command": "true"', '"command": "sleep 60"'),
  });
  const busy = lab.start(['web'], { env: lab.env });
  await until('the run is at work', () => lab.events().some(({ type }) => type === 'attempt.started'));
  const page = await serving(lab, '--act');
  assert.match((await page.press('/', `/cases/${name}/accept`)).body, 'A run is at work: it tries this before it ends');
  assert.match((await page.get(`/cases/${name}`)).body, 'is with the run at work');
  busy.kill('SIGKILL');
  await busy.done;
  const done = await lab.run(['apps'], { env: lab.env });
  assert.is(done.exit, 0, done.stdout + done.stderr);
});

test.run();
