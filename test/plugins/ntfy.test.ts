import { test } from 'uvu';
import * as assert from 'uvu/assert';
import ntfy from '../../plugins/notifiers/ntfy.ts';
import type { Notice } from '../../src/plugin/contract.ts';
import { setEnv } from '../environment.ts';
import { load, problems } from '../plugin/plugin-folder.ts';
import { serving } from './ask-about-case.ts';
import { thrownBy } from './ask-ollama.ts';
import { ASK, NOTICE, tell } from './notify.ts';

const OK = { raw: '{"id": "x", "event": "message"}' };
const TOPIC = 'homelab-Zq81';

test('a notice is published with its title, priority and tags', async () => {
  await serving({ script: [OK] }, async ({ url, requests }) => {
    await tell(ntfy, { server: url, topic: TOPIC, tags: ['house'] });
    assert.equal(requests[0]?.body, {
      ...{ topic: TOPIC, title: NOTICE.title, message: NOTICE.text },
      ...{ tags: ['raised_hand', 'talos', 'house'], priority: 4 },
    });
    assert.equal([requests[0]?.method, requests[0]?.path], ['POST', '/']);
    assert.is(requests[0]?.headers.authorization, undefined);
  });
});

test('every reason has its priority, which the owner may set', async () => {
  const priorities: Record<Notice['reason'], number> = {
    ...{ hand_over: 4, give_up: 4, external: 4, safe_mode: 5, conflict: 4, recovered: 2 },
  };
  await serving({ script: () => OK }, async ({ url, requests }) => {
    for (const reason of Object.keys(priorities) as Notice['reason'][]) {
      await tell(ntfy, { server: url, topic: TOPIC }, { notice: { reason } });
      assert.is(requests.at(-1)?.body.priority, priorities[reason], reason);
    }
    await tell(ntfy, { server: url, topic: TOPIC, priority: 1 });
    assert.is(requests.at(-1)?.body.priority, 1);
  });
});

test('no text of a notice reaches a header or the address, whatever it holds', async () => {
  await serving({ script: [OK, OK] }, async ({ url, requests }) => {
    const evil = 'a\r\nX-Evil: 1\r\n\r\nGET /other HTTP/1.1 😀';
    await tell(ntfy, { server: url, topic: TOPIC }, { notice: { title: evil, text: evil, stage: evil } });
    const { headers, path, body } = requests[0] ?? ({} as never);
    assert.equal(Object.keys(headers).sort(), ['connection', 'content-length', 'content-type', 'host', 'user-agent']);
    assert.equal([requests.length, path, body.message], [1, '/', evil]);
    assert.is(body.title, 'a X-Evil: 1 GET /other HTTP/1.1 😀');
    await tell(ntfy, { server: url, topic: TOPIC }, { notice: { text: '😀'.repeat(2000) } });
    const { message } = requests[1]?.body ?? {};
    assert.ok(Buffer.byteLength(message) <= 4000 && message.endsWith('😀…'));
  });
});

test('its topic and token come from the environment, and stay out of every message', async () => {
  setEnv({ MENDLOOP_TEST_TOPIC: TOPIC, MENDLOOP_TEST_TOKEN: 'tk_s3cret' });
  const options = (url: string) => ({
    server: url,
    topic_env: 'MENDLOOP_TEST_TOPIC',
    token_env: 'MENDLOOP_TEST_TOKEN',
  });
  await serving({ script: [OK, { status: 403, raw: `tk_s3cret ${TOPIC}` }] }, async ({ url, requests }) => {
    await tell(ntfy, options(url));
    assert.equal([requests[0]?.body.topic, requests[0]?.headers.authorization], [TOPIC, 'Bearer tk_s3cret']);
    assert.is(
      await thrownBy(tell(ntfy, options(url))),
      'http://host answered 403; check plugins.ntfy and the variable MENDLOOP_TEST_TOKEN',
    );
    setEnv({ MENDLOOP_TEST_TOPIC: 'a/b?c' });
    assert.is(
      await thrownBy(tell(ntfy, options(url))),
      'the variable MENDLOOP_TEST_TOPIC holds no topic: expected letters, digits, "-" and "_", at most 64',
    );
    setEnv({ MENDLOOP_TEST_TOKEN: 'tk\nX-Evil: 1' });
    assert.is(
      await thrownBy(tell(ntfy, options(url))),
      'the variable MENDLOOP_TEST_TOKEN holds what cannot be the access token for ntfy',
    );
  });
});

test('a server that is busy is tried again, within Retry-After; a redirect is refused', async () => {
  const busy = { status: 429, raw: '', headers: { 'retry-after': '1' } };
  await serving({ script: [busy, OK] }, async ({ url, requests }) => {
    const began = performance.now();
    await tell(ntfy, { server: url, topic: TOPIC });
    assert.ok(performance.now() - began > 950);
    assert.is(requests.length, 2);
  });
  await serving({ script: [{ status: 429, raw: '', headers: { 'retry-after': '60' } }, OK] }, async ({ url }) => {
    assert.is(await thrownBy(tell(ntfy, { server: url, topic: TOPIC })), 'http://host answered 429');
  });
  const moved = { status: 301, raw: '', headers: { location: 'https://elsewhere.example/' } };
  await serving({ script: [moved, OK] }, async ({ url, requests }) => {
    assert.match(
      await thrownBy(tell(ntfy, { server: url, topic: TOPIC })),
      'https://elsewhere.example, which is not followed',
    );
    assert.is(requests.length, 1);
  });
});

test('a change that waits comes with two buttons on a private server, cut to what ntfy takes; without answers it is a sentence', async () => {
  setEnv({ MENDLOOP_TEST_BUTTON: 'tk_button' });
  await serving({ script: () => OK }, async ({ url, requests }) => {
    const settings = { server: url, topic: TOPIC, answers: 'answers', answers_token_env: 'MENDLOOP_TEST_BUTTON' };
    await tell(ntfy, settings, { notice: { ask: ASK } });
    const { message, actions } = requests[0]?.body ?? {};
    assert.is(message.split('\n').at(-1), '… 2 more lines');
    assert.equal(
      actions.map(({ label, url: to, body, headers, clear }: Record<string, unknown>) => [
        label,
        to,
        body,
        headers,
        clear,
      ]),
      ['Apply accept', 'Decline decline'].map((words) => {
        const [label, word] = words.split(' ');
        return [label, `${url}/answers`, `${word} ${ASK.token}`, { Authorization: 'Bearer tk_button' }, true];
      }),
    );
    await tell(ntfy, settings, { notice: { ask: { ...ASK, diff: '"\\\n'.repeat(4000) } } });
    assert.ok(Buffer.byteLength(JSON.stringify(requests[1]?.body)) <= 8000);
    await tell(ntfy, { server: url, topic: TOPIC }, { notice: { ask: ASK } });
    assert.equal([requests[2]?.body.message, requests[2]?.body.actions], [ASK.sentence, undefined]);
  });
});

test('its settings are checked when they are loaded', async () => {
  const wrong = (settings: string) => problems(load(`notifiers: [ntfy]\nplugins: { ntfy: ${settings} }`, {}));
  assert.equal(await wrong('{}'), ['ntfy: plugins.ntfy: expected either topic or topic_env']);
  assert.match((await wrong('{ topic: "a b" }')).join(), 'expected letters, digits');
  assert.match((await wrong('{ topic: a, priority: 6 }')).join(), 'plugins.ntfy.priority: ');
  assert.match((await wrong('{ topic: a, tags: ["a,b"] }')).join(), 'expected a tag');
  assert.match((await wrong('{ topic: a, server: "http://ntfy.sh" }')).join(), 'plain http is only for this machine');
});

test.run();
