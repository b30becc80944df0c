// The owner answers on a phone: notices with buttons over ntfy's protocol, answers read by the next run, or at once by the page.
import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type NtfyServer, startNtfyServer } from '../../src/testing/ntfy-server.ts';
import { afterTest } from '../environment.ts';
import { type AskLab, askLab, failing, serving, USELESS } from './ask-lab.ts';
import { AI, until } from './scenario.ts';

const TOKENS = { HOME_TOKEN: 'tk_home', BUTTON_TOKEN: 'tk_button' };
const ACCESS = {
  tk_home: { lab: 'read-write', answers: 'read-only' },
  tk_button: { answers: 'write-only' },
} as const;
const SETTINGS = { topic: 'lab', token_env: 'HOME_TOKEN', answers: 'answers', answers_token_env: 'BUTTON_TOKEN' };

/** A stage has failed, and the phone was told. */
async function asked(answer?: string): Promise<{ lab: AskLab; phone: NtfyServer }> {
  const phone = await startNtfyServer({ access: ACCESS });
  afterTest(() => phone.close());
  const lab = askLab({ notifiers: ['ntfy'], plugins: { ntfy: { server: phone.url, ...SETTINGS } } }, answer);
  Object.assign(lab.env, TOKENS);
  await failing(lab);
  return { lab, phone };
}

/** A few seconds on a machine that does nothing else. */
const LOADED_MS = 40_000;

const actionsOf = (phone: NtfyServer) => phone.published('lab').at(-1)?.actions ?? [];
const refusals = (lab: AskLab) =>
  lab.all().flatMap(({ type, data }) => (type === 'answer.refused' ? [data.reason as string] : []));

test('the notice has the sentence, the failure, the change and two buttons; Apply is tried by the next run, and says so', async () => {
  const { lab, phone } = await asked();
  const [notice] = phone.published('lab');
  assert.is(notice?.title, 'apps: a case waits for you');
  assert.is(
    notice?.message,
    `apps failed, and command proposes: Give loki 3 replicas
You are asked: apps/values.yaml:2: changes \`2\` to \`3\` (replicas)

Error: spec.replicas: Invalid value: 2: quorum needs 3

apps/values.yaml
 loki:
-  replicas: 2
+  replicas: 3`,
  );
  const [apply, decline] = actionsOf(phone);
  assert.equal(
    [apply?.label, decline?.label, apply?.headers],
    ['Apply', 'Decline', { Authorization: 'Bearer tk_button' }],
  );
  const ended = lab.all().findLast(({ type }) => type === 'case.opened') as unknown as { time: string };
  assert.ok((notice?.time ?? 0) * 1000 - Date.parse(ended.time) < 5000, 'the notice comes within 5 s of the verdict');
  assert.is(await phone.press(apply as never), 200);
  const done = await lab.run(['apps'], { env: lab.env });
  assert.is(done.exit, 0, done.stdout + done.stderr);
  assert.match(lab.git('log', '-1', '--format=%B', AI), 'Accepted-at: ntfy');
  assert.match((await lab.run(['explain', 'apps'])).stdout, 'accepted by a person (ntfy)');
  assert.equal(refusals(lab), []);
});

test('with serve --act an answer is taken as it comes: the stage starts, whoever reads the topic besides', async () => {
  const { lab, phone } = await asked();
  await serving(lab, '--act');
  await until('it listens', () => phone.listeners('answers') > 0);
  const runs = lab.runs().length;
  const began = performance.now();
  await phone.press(actionsOf(phone)[0] as never);
  await until(
    'the stage starts',
    () => lab.runs().length > runs && lab.events().some(({ type }) => type === 'attempt.started'),
  );
  assert.ok(performance.now() - began < LOADED_MS, `${performance.now() - began} ms`);
  await until('the stage is green', () => lab.stage() === 'green');
  await until('the run is over', () => lab.events().at(-1)?.type === 'run.ended');
  assert.equal(refusals(lab), [], 'the run that reads the topic, too, takes no answer twice');
});

test('Decline counts as tried', async () => {
  const { lab, phone } = await asked(USELESS);
  await phone.press(actionsOf(phone)[1] as never);
  await lab.run(['apps'], { env: lab.env });
  const declined = lab.all().find(({ type }) => type === 'fix.declined');
  assert.is(declined?.data.answered_at, 'ntfy');
});

test('a token that is used twice, forged, for another change or a closed case is refused, and on record', async () => {
  const { lab, phone } = await asked(USELESS);
  const [apply] = actionsOf(phone);
  const say = (body: string) =>
    phone.press({
      ...(apply as never as { url: string }),
      action: 'http',
      label: '',
      headers: apply?.headers ?? {},
      body,
    });
  await say('accept made-up-token-of-some-length');
  await say('rm -rf /');
  await phone.press(apply as never);
  await phone.press(apply as never);
  await lab.run(['apps'], { env: lab.env });
  assert.equal(refusals(lab).sort(), [
    'its token is unknown: it was made up, or is for another home',
    'its token was used before',
    'what came is no answer',
  ]);
  assert.is(lab.all().filter(({ type }) => type === 'case.answered').length, 1);
});

test('an answer to a case that was closed meanwhile does nothing, and says so', async () => {
  const { lab, phone } = await asked(USELESS);
  await lab.run(['cases', 'decline', lab.theCase().case], { env: lab.env });
  await phone.press(actionsOf(phone)[0] as never);
  await lab.run(['apps'], { env: lab.env });
  assert.match(refusals(lab).join(), /the case apps-\w+ is closed: declined by its owner \(terminal\)/);
});

test('on a server that others reach without both tokens the notice is one sentence', async () => {
  const { lab } = await asked();
  assert.ok(readdirSync(lab.path('ai/state/tokens')).length > 0);
  const { default: ntfy } = await import('../../plugins/notifiers/ntfy.ts');
  const settings = (more: object) => ntfy.options?.parse({ server: 'https://ntfy.example.org', ...SETTINGS, ...more });
  const check = async (more: object) => (await ntfy.check?.({ options: settings(more) } as never)) ?? '';
  assert.match(
    await check({ token_env: undefined }),
    'without buttons: a server that others reach needs both token_env',
  );
  assert.match(await check({ answers: undefined }), 'without buttons: plugins.ntfy.answers names no topic');
});

test.run();
