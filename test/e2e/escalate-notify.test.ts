// Who is told of what, through the real entry: give-ups, hand-overs, what only a person can mend, and that it is over; each
// once, by every notifier, however often the loop runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiHost, escalateLab, noticeFiles, noticeLab, TOLD, toldTo } from './escalate-lab.ts';
import { folder } from './scenario.ts';

const OK = { status: 204, raw: '' };
const OVER = ['given recovered', 'handed recovered', 'outside recovered'];

test('each failure and state is told once by every notifier over five runs, and once that it is over', async () => {
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
  assert.equal(toldTo(hook), TOLD);
  const heard = () =>
    readFileSync(book, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  assert.equal(
    heard()
      .map(({ stage, reason }) => `${stage} ${reason}`)
      .sort(),
    TOLD,
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
  lab.commit(noticeFiles(true));
  for (let run = 0; run < 2; run++) assert.is((await lab.mend()).exit, 0);
  assert.equal(toldTo(hook), [...TOLD, ...OVER].sort());
  assert.equal([phone.requests.length, heard().length], [6, 6]);
});

test('what only a person can mend: exit 1, the one thing to do, no model, one notice over three runs', async () => {
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
  assert.equal(toldTo(hook), ['a external']);
  assert.match(hook.requests[0]?.body.text, 'next: check the credentials that this stage uses, then: mendloop');
  assert.equal([lab.server.requests.length, lab.host.requests.length], [0, 0]);
});

test('nobody is told what nobody was told of: no news of an end alone', async () => {
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

test.run();
