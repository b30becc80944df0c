import { spawnSync } from 'node:child_process';
import { get } from 'node:https';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ApiReply, type ApiServerOptions, startApiServer } from '../../src/testing/api-server.ts';
import { selfSigned } from '../plugins/self-signed.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify({ model: 'm', messages: [] }), redirect: 'manual' });

async function served<T>(options: ApiServerOptions, work: (url: string) => Promise<T>): Promise<T> {
  const server = await startApiServer(options);
  try {
    return await work(server.url);
  } finally {
    await server.close();
  }
}

const answered = (reply: ApiReply, path = CHAT) =>
  served({ script: [reply] }, async (url) => {
    const answer = await post(`${url}${path}`);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  });

test('an answer comes in the form of the protocol that the path is of', async () => {
  const chat = JSON.parse((await answered({ text: 'hi', usage: { input: 5, output: 2 } })).text);
  assert.equal(chat.choices, [
    { index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, finish_reason: 'stop' },
  ]);
  assert.equal(chat.usage, { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 });
  const message = JSON.parse((await answered({ text: 'hi', usage: { input: 5, output: 2 } }, MESSAGES)).text);
  assert.equal(
    [message.type, message.content, message.stop_reason, message.usage],
    ['message', [{ type: 'text', text: 'hi' }], 'end_turn', { input_tokens: 5, output_tokens: 2 }],
  );
});

test('an answer may be cut off, refused or not counted', async () => {
  const of = async (reply: ApiReply, path?: string) => JSON.parse((await answered(reply, path)).text);
  assert.is((await of({ text: 'a', finish: 'length' })).choices[0].finish_reason, 'length');
  assert.is((await of({ text: 'a', finish: 'length' }, MESSAGES)).stop_reason, 'max_tokens');
  assert.type((await of({ finish: 'refusal' })).choices[0].message.refusal, 'string');
  assert.is((await of({ finish: 'refusal' }, MESSAGES)).stop_reason, 'refusal');
  assert.is((await of({ text: 'a', usage: null })).usage, undefined);
});

test('an error has the status, the form and the kind that the protocol gives it', async () => {
  const chat = await answered({ status: 429, error: 'slow down', headers: { 'retry-after': '3' } });
  assert.equal([chat.status, chat.headers.get('retry-after')], [429, '3']);
  assert.equal(JSON.parse(chat.text).error, {
    message: 'slow down',
    type: 'rate_limit_error',
    param: null,
    code: null,
  });
  const busy = JSON.parse((await answered({ status: 529, error: 'busy' }, MESSAGES)).text);
  assert.equal([busy.type, busy.error], ['error', { type: 'overloaded_error', message: 'busy' }]);
  const spent = JSON.parse((await answered({ status: 429, error: 'x', errorType: 'insufficient_quota' })).text);
  assert.is(spent.error.code, 'insufficient_quota');
});

test('a body may be anything: a page, nothing, ten megabytes, a pointer to elsewhere', async () => {
  const page = await answered({ raw: '<html>', contentType: 'text/html' });
  assert.equal([page.text, page.headers.get('content-type')], ['<html>', 'text/html']);
  assert.is((await answered({ raw: '' })).text, '');
  assert.is((await answered({ raw: 'x'.repeat(10_000_000) })).text.length, 10_000_000);
  const moved = await answered({ status: 307, raw: '', headers: { location: 'https://elsewhere.example/' } });
  assert.equal([moved.status, moved.headers.get('location')], [307, 'https://elsewhere.example/']);
});

test('it may be late, slow, break off, or never answer', async () => {
  const began = performance.now();
  await answered({ text: 'a', delayMs: 150 });
  assert.ok(performance.now() - began > 140);
  const slow = performance.now();
  assert.is((await answered({ raw: '0123456789', gapMs: 20 })).text, '0123456789');
  assert.ok(performance.now() - slow > 150);
  for (const end of ['truncated', 'disconnect'] as const) {
    assert.ok((await answered({ text: 'a', end }).catch((error) => error)) instanceof TypeError, end);
  }
  const server = await startApiServer({ script: [{ end: 'hang' }] });
  const hung = await fetch(`${server.url}${CHAT}`, { method: 'POST', signal: AbortSignal.timeout(150) }).catch(
    (e) => e,
  );
  assert.is(hung.name, 'TimeoutError');
  for (let i = 0; i < 200 && !server.requests[0]?.aborted; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(server.requests[0]?.aborted, true);
  await server.close();
});

test('requests are kept, and a script may be a function of them', async () => {
  const server = await startApiServer({ script: ({ body }, before) => ({ text: `${body.model} ${before}` }) });
  await post(`${server.url}${CHAT}?a=1`, { 'X-One': 'two' });
  const second = await (await post(`${server.url}${MESSAGES}`)).json();
  assert.is((second as { content: { text: string }[] }).content[0]?.text, 'm 1');
  const [{ method, path, headers, body } = {} as never] = server.requests;
  assert.equal([method, path, headers['x-one'], body], ['POST', `${CHAT}?a=1`, 'two', { model: 'm', messages: [] }]);
  await server.close();
  await server.close();
});

test('a key that is not the one it knows is refused, and parts of it are repeated', async () => {
  await served({ key: 'right', script: [{ text: 'a' }] }, async (url) => {
    const wrong = await post(`${url}${CHAT}`, { authorization: 'Bearer sk-0123456789-wrong' });
    assert.is(wrong.status, 401);
    assert.match(await wrong.text(), 'sk-01234********rong');
    assert.is((await post(`${url}${MESSAGES}`, { 'x-api-key': 'right' })).status, 500);
  });
  await served({ key: 'right', script: [{ text: 'a' }] }, async (url) => {
    assert.is((await post(`${url}${MESSAGES}`, { 'x-api-key': 'right' })).status, 200);
  });
});

test('what is not scripted is an error', async () => {
  await served({}, async (url) => {
    assert.is((await post(`${url}${CHAT}`)).status, 500);
    assert.is((await fetch(url)).status, 405);
  });
});

test('with a certificate it speaks TLS', async () => {
  const tls = selfSigned();
  await served({ tls, script: [{ text: 'a' }] }, async (url) => {
    const status = await new Promise((resolve, reject) => {
      get(url, { ca: tls.cert, agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    assert.is(status, 405);
    assert.ok((await post(`${url}${CHAT}`).catch((error) => error)) instanceof TypeError);
  });
});

test('it listens on loopback alone, holds no process open, and stops by itself', () => {
  const script = `
    const { startApiServer } = await import('./src/testing/index.ts');
    const server = await startApiServer({ idleMs: 100 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const gone = await fetch(server.url).then(() => 'there', () => 'gone');
    const other = await startApiServer({});
    console.log(gone, new URL(other.url).hostname);`;
  const flags = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const cwd = new URL('../..', import.meta.url);
  const ran = spawnSync(process.execPath, flags, { cwd, timeout: 20_000, encoding: 'utf8' });
  assert.equal([ran.status, ran.stdout], [0, 'gone 127.0.0.1\n'], ran.stderr);
});

test.run();
