import { test } from 'uvu';
import * as assert from 'uvu/assert';
import webhook from '../../plugins/notifiers/webhook.ts';
import { setEnv } from '../environment.ts';
import { load, problems } from '../plugin/plugin-folder.ts';
import { serving } from './ask-about-case.ts';
import { thrownBy } from './ask-ollama.ts';
import { NOTICE, tell } from './notify.ts';
import { selfSigned } from './self-signed.ts';

const OK = { status: 204, raw: '' };
const PATH = '/hooks/T0KEN-in-the-path';

test('a notice is posted as one JSON object, and nothing else of the context', async () => {
  await serving({ script: [OK, OK] }, async ({ url, requests }) => {
    await tell(webhook, { url: `${url}${PATH}?a=1` });
    assert.equal(requests[0]?.body, NOTICE);
    assert.is(`${requests[0]?.method} ${requests[0]?.path}`, `POST ${PATH}?a=1`);
    assert.is(requests[0]?.headers['content-type'], 'application/json');
    const long = { title: 'a\r\nb', text: 'ü'.repeat(40_000), run: 'r1' };
    await tell(webhook, { url: `${url}${PATH}` }, { notice: { reason: 'safe_mode', ...long } });
    const { title, text, run } = requests[1]?.body ?? {};
    assert.equal([title, run, text.at(-1), Buffer.byteLength(text) <= 32_000], ['a b', 'r1', '…', true]);
  });
});

test('its address and headers may come from the environment', async () => {
  await serving({ script: [OK] }, async ({ url, requests }) => {
    setEnv({ MENDLOOP_TEST_URL: `${url}${PATH}\n`, MENDLOOP_TEST_AUTH: 'Bearer abc' });
    await tell(webhook, { url_env: 'MENDLOOP_TEST_URL', headers: { Authorization: 'MENDLOOP_TEST_AUTH' } });
    assert.equal([requests[0]?.path, requests[0]?.headers.authorization], [PATH, 'Bearer abc']);
    assert.is(
      await thrownBy(tell(webhook, { url_env: 'MENDLOOP_TEST_UNSET' })),
      'the variable MENDLOOP_TEST_UNSET is not set; set it, where mendloop runs, to the address to post to',
    );
    for (const value of ['http://hooks.example.com/T0KEN', 'T0KEN', 'ftp://x/T0KEN']) {
      setEnv({ MENDLOOP_TEST_URL: value });
      const line = await thrownBy(tell(webhook, { url_env: 'MENDLOOP_TEST_URL' }));
      assert.match(line, /^the variable MENDLOOP_TEST_URL: expected /);
      assert.not.match(line, 'T0KEN');
    }
    setEnv({ MENDLOOP_TEST_AUTH: 'a\r\nX-Evil: 1' });
    assert.is(
      await thrownBy(tell(webhook, { url: `${url}${PATH}`, headers: { 'X-Key': 'MENDLOOP_TEST_AUTH' } })),
      'the variable MENDLOOP_TEST_AUTH holds what cannot be the header X-Key',
    );
    assert.is(requests.length, 1);
  });
});

test('trouble that may pass is tried three times, half a second and two seconds apart', async () => {
  await serving({ script: [{ status: 503, raw: '' }, { end: 'disconnect' }, OK] }, async ({ url, requests }) => {
    const began = performance.now();
    await tell(webhook, { url });
    const took = performance.now() - began;
    assert.is(requests.length, 3);
    assert.ok(took > 2400 && took < 6000, `${took} ms`);
  });
  await serving({ script: () => ({ status: 500, raw: 'T0KEN' }) }, async ({ url, requests }) => {
    assert.is(await thrownBy(tell(webhook, { url: `${url}${PATH}` })), 'http://host answered 500 (tried 3 times)');
    assert.is(requests.length, 3);
  });
});

test('what will not pass is not tried again, and no message has more of the address than its host', async () => {
  const lines: [object, string][] = [
    [{ status: 404, raw: `no ${PATH}` }, 'http://host answered 404; check plugins.webhook.url'],
    [{ status: 400, raw: '' }, 'http://host answered 400; check plugins.webhook.url'],
    [
      { status: 308, raw: '', headers: { location: `https://elsewhere.example${PATH}` } },
      'http://host answered 308 and points to https://elsewhere.example, which is not followed',
    ],
  ];
  for (const [reply, line] of lines) {
    await serving({ script: [reply, OK] }, async ({ url, requests }) => {
      assert.is(await thrownBy(tell(webhook, { url: `${url}${PATH}` })), line);
      assert.is(requests.length, 1);
    });
  }
  await serving({ tls: selfSigned(), script: [OK] }, async ({ url, requests }) => {
    assert.match(await thrownBy(tell(webhook, { url: `${url}${PATH}` })), /^https:\/\/host cannot be trusted: [^/]*$/);
    assert.is(requests.length, 0);
  });
});

test('it ends within its time and with the signal', async () => {
  await serving({ script: () => ({ end: 'hang' }) }, async ({ url }) => {
    const began = performance.now();
    const line = await thrownBy(tell(webhook, { url: `${url}${PATH}`, timeout: '400ms' }));
    assert.match(line, /^http:\/\/host did not answer within 0\.\d+ s$/);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    assert.is(await thrownBy(tell(webhook, { url }, { signal: stop.signal })), 'it was stopped');
    assert.ok(performance.now() - began < 3000);
  });
  await serving({ script: () => ({ status: 503, raw: '' }) }, async ({ url }) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const began = performance.now();
    assert.is(await thrownBy(tell(webhook, { url }, { signal: stop.signal })), 'it was stopped');
    assert.ok(performance.now() - began < 450, 'the pause ends with the signal');
  });
});

test('its settings are checked when they are loaded', async () => {
  const wrong = (settings: string) => problems(load(`notifiers: [webhook]\nplugins: { webhook: ${settings} }`, {}));
  assert.equal(await wrong('{}'), ['webhook: plugins.webhook: expected either url or url_env']);
  assert.equal(await wrong('{ url: "https://a.example/x", url_env: X }'), [
    'webhook: plugins.webhook: expected either url or url_env',
  ]);
  assert.equal(await wrong('{ url: "http://hooks.example.com/x" }'), [
    'webhook: plugins.webhook.url: expected https: plain http is only for this machine and its network',
  ]);
  assert.match((await wrong('{ url_env: X, headers: { Host: Y } }')).join(), 'this header is not yours to set');
  assert.match((await wrong('{ url_env: X, headers: { "a: b": Y } }')).join(), 'expected the name of a header');
  assert.match(
    (await wrong('{ url_env: X, headers: { X-Key: "s3cret!" } }')).join(),
    'the name of an environment variable',
  );
});

test.run();
