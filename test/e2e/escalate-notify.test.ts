// Who is told of what, through the real entry: give-ups, hand-overs, what only a person can mend, and that it is over; each
// once, by every notifier, however often the loop runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apiHost, type EscalateLab, escalateLab, type Host, handOver } from './escalate-lab.ts';
import { dataOf, diff, type Ran, stageOn } from './model-lab.ts';
import { type Files, folder } from './scenario.ts';

const notify = suite('notices');

const OK = { status: 204, raw: '' };
const STAGES = { given: 'conf/g.txt', handed: 'conf/h.txt', outside: 'conf/x.txt' };
const files = (word: string): Files =>
  Object.fromEntries(
    Object.entries(STAGES).map(([name, path]) => [path, `${word === 'good' ? word : name}\nsecond\n`]),
  );

/** One stage that is given up, one that is handed over, one that fails for what is outside of the repository. */
async function noticeLab(notifiers: readonly string[], plugins: Record<string, object>): Promise<EscalateLab> {
  const lab = await escalateLab({
    stages: Object.fromEntries(Object.entries(STAGES).map(([name, path]) => [name, stageOn(path, { on_failure: 'skip' })])),
    files: files('bad'),
    loop: {
      ...{ notifiers, limits: { escalation_calls: 1 }, plugins },
      classify: [{ match: 'unexpected word outside', class: 'permission_denied', external: true }],
    },
  });
  lab.host.says(({ body }) =>
    String(body.messages.at(-1).content).startsWith('# handed')
      ? handOver('only you know the word')
      : diff(STAGES.given, ' given', '-second', '+third'),
  );
  return lab;
}

const told = (host: Host) => host.requests.map(({ body }) => `${body.stage} ${body.reason}`).sort();
const FIRST = ['given give_up', 'handed hand_over', 'outside external'];
const AFTER = ['given recovered', 'handed recovered', 'outside recovered'];

notify('each failure and state is told once by every notifier over five runs, and once that it is over', async () => {
  const [hook, phone] = [await apiHost(), await apiHost()];
  for (const host of [hook, phone]) host.says(OK);
  const book = join(folder(), 'book');
  const plugins = {
    webhook: { url_env: 'HOOK_ADDRESS' },
    ntfy: { server: phone.url, topic: 'lab' },
    command: { argv: ['bash', '-c', `cat >> '${book}'`] },
  };
  const lab = await noticeLab(['webhook', 'ntfy', 'command'], plugins);
  lab.env.HOOK_ADDRESS = `${hook.url}/T0ken`;
  const exits: unknown[] = [];
  for (let run = 0; run < 5; run++) exits.push((await lab.mend()).exit);
  assert.equal(exits, [3, 3, 3, 3, 3]);
  assert.equal(told(hook), FIRST);
  const heard = () =>
    readFileSync(book, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  assert.equal(
    heard()
      .map(({ stage, reason }) => `${stage} ${reason}`)
      .sort(),
    FIRST,
  );
  assert.equal(phone.requests.map(({ body }) => body.title).sort(), [
    'given: given up',
    'handed: a case waits for you',
    'outside: needs you',
  ]);
  const [name] = Object.keys(lab.ledger().entries).filter((key) => key.startsWith('handed/'));
  const fingerprint = name?.split('/')[1] as string;
  const text = String(hook.requests.find(({ body }) => body.stage === 'handed')?.body.text);
  for (const part of [
    fingerprint,
    'error: unexpected word handed in conf/h.txt',
    'log: ai/logs/handed/',
    'next: mendloop cases show handed-',
  ]) {
    assert.ok(text.includes(part), `${part} is not in ${text}`);
  }
  lab.commit(files('good'));
  for (let run = 0; run < 2; run++) assert.is((await lab.mend()).exit, 0);
  assert.equal(told(hook), [...FIRST, ...AFTER].sort());
  assert.equal([phone.requests.length, heard().length], [6, 6]);
});

notify('what only a person can mend: exit 1, the one thing to do, no model, one notice over three runs', async () => {
  const hook = await apiHost();
  hook.says(OK);
  const lab = await escalateLab({
    stages: { a: "echo 'root@pve1: Permission denied (publickey,password).' >&2; exit 255" },
    loop: { executors: ['ollama'], notifiers: ['webhook'], plugins: { webhook: { url: `${hook.url}/x` } } },
  });
  for (let run = 0; run < 3; run++) {
    const ran = await lab.mend();
    assert.equal(
      [ran.exit, ran.decided, lab.stages().a?.status, lab.stages().a?.attempts],
      [1, ['external'], 'failed', 1],
    );
    assert.match(ran.stdout, 'next:  check the credentials that this stage uses, then: mendloop\n');
  }
  assert.equal(told(hook), ['a external']);
  assert.match(hook.requests[0]?.body.text, 'next: check the credentials that this stage uses, then: mendloop');
  assert.equal([lab.server.requests.length, lab.host.requests.length], [0, 0]);
});

const untold = (ran: Ran) =>
  dataOf(ran, 'notice', 'text')
    .map(String)
    .filter((text) => text.startsWith('not told'));

notify('a webhook that is down changes no exit code, is said, and is told when it is up again', async () => {
  const [hook, gone] = [await apiHost(), await apiHost()];
  hook.says(OK);
  await gone.close();
  const lab = await noticeLab(['webhook'], { webhook: { url_env: 'HOOK_ADDRESS', timeout: '1s' } });
  const down = await lab.mend([], { env: { HOOK_ADDRESS: `${gone.url}/T0ken` } });
  assert.equal([down.exit, untold(down).length], [3, 3], down.said);
  for (const text of untold(down)) assert.match(text, new RegExp(`^not told: webhook: ${gone.url} cannot be reached`));
  assert.not.match(down.said, 'T0ken');
  const up = await lab.mend([], { env: { HOOK_ADDRESS: `${hook.url}/T0ken` } });
  assert.equal([up.exit, told(hook)], [3, FIRST], up.said);
});

notify('one that hangs holds up the end of a run by ten seconds at most, and no exit code', async () => {
  const hook = await apiHost();
  hook.says({ end: 'hang' });
  const lab = await noticeLab(['webhook'], { webhook: { url: `${hook.url}/x` } });
  const began = performance.now();
  const ran = await lab.mend();
  const took = performance.now() - began;
  assert.equal([ran.exit, untold(ran).length], [3, 3], ran.said);
  const [first, last] = [ran.events.at(0)?.time, ran.events.at(-1)?.time].map((time) => Date.parse(String(time)));
  const ended = ran.events.findLast(({ type }) => type === 'step.failed')?.time;
  const waited = Number(last) - Date.parse(String(ended));
  assert.ok(waited < 11_000, `${waited} ms after the last step; ${Number(last) - Number(first)} ms; ${took} ms in all`);
  assert.equal(ran.events.filter(({ type }) => type === 'run.ended').length, 1);
});

notify('nobody is told what nobody was told of: no news of an end alone', async () => {
  const hook = await apiHost();
  hook.says(OK);
  const lab = await escalateLab({
    loop: {
      escalations: [],
      executors: ['ollama'],
      notifiers: ['webhook'],
      plugins: { webhook: { url: `${hook.url}/x` } },
    },
  });
  assert.is((await lab.mend()).exit, 1);
  lab.commit({ 'conf/a.txt': 'good\nsecond\n' });
  assert.is((await lab.mend()).exit, 0);
  assert.is(hook.requests.length, 0);
  assert.ok(existsSync(lab.path('ai/state/ledger.json')));
});

notify.run();
