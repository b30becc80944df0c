import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServerOptions, startOllamaServer } from '../../src/testing/ollama-server.ts';

const MESSAGES = [{ role: 'user', content: 'hello' }];
const post = (url: string, path: string, body: unknown) =>
  fetch(`${url}${path}`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

/** What a process that runs only this script says before it ends by itself. */
function ranAlone(script: string): string {
  const flags = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const cwd = new URL('../..', import.meta.url);
  const ran = spawnSync(process.execPath, flags, { cwd, timeout: 20_000, encoding: 'utf8' });
  assert.is(ran.status, 0, ran.stderr);
  return ran.stdout;
}

async function chatted(options: ServerOptions, body: object = {}): Promise<{ status: number; text: string }> {
  const server = await startOllamaServer(options);
  const answer = await post(server.url, '/api/chat', { model: 'qwen2.5-coder:7b', messages: MESSAGES, ...body });
  const text = await answer.text();
  await server.close();
  return { status: answer.status, text };
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('an answer is streamed in pieces, one JSON object a line, the last with done, its reason and the counts', async () => {
  const { status, text } = await chatted({ script: [{ text: 'good morning' }] });
  const lines = linesOf(text);
  assert.is(status, 200);
  assert.is(lines.map(({ message }) => message.content).join(''), 'good morning');
  assert.equal(
    lines.map(({ done }) => done),
    [false, false, false, true],
  );
  const last = lines.at(-1);
  assert.is(last.done_reason, 'stop');
  for (const key of [
    'prompt_eval_count',
    'eval_count',
    'total_duration',
    'load_duration',
    'prompt_eval_duration',
    'eval_duration',
  ]) {
    assert.type(last[key], 'number');
  }
});

test('without streaming it is one object', async () => {
  const { text } = await chatted({ script: [{ text: 'hi', thinking: 'hm' }] }, { stream: false });
  const { message, done } = JSON.parse(text);
  assert.equal({ message, done }, { message: { role: 'assistant', content: 'hi', thinking: 'hm' }, done: true });
});

test('a number of the last line can be another one, or none', async () => {
  const metrics = { prompt_eval_count: null, eval_count: 7 };
  const last = linesOf((await chatted({ script: [{ text: 'x', metrics, doneReason: 'length' }] })).text).at(-1);
  assert.is('prompt_eval_count' in last, false);
  assert.is(last.eval_count, 7);
  assert.is(last.done_reason, 'length');
});

test('errors have the words and the status of the real one', async () => {
  const server = await startOllamaServer({ models: [] });
  const said = async (path: string, body: unknown) => {
    const answer = await post(server.url, path, body);
    return [answer.status, await answer.json()];
  };
  const [chat, show] = ['/api/chat', '/api/show'];
  assert.equal(await said(chat, { model: 'x' }), [404, { error: 'model "x" not found, try pulling it first' }]);
  assert.equal(await said(show, { model: 'x' }), [404, { error: "model 'x' not found" }]);
  assert.equal(await said(chat, {}), [400, { error: 'model is required' }]);
  assert.equal(await said(chat, ''), [400, { error: 'missing request body' }]);
  assert.is((await said(chat, '{'))[0], 400);
  assert.is((await fetch(`${server.url}/api/nothing`)).status, 404);
  await server.close();
  const busy = { status: 503, error: 'server busy, please try again. maximum pending requests exceeded' };
  assert.equal(await chatted({ script: [busy] }), { status: 503, text: JSON.stringify({ error: busy.error }) });
});

test('a stream can end with an error, without done, or with a broken connection', async () => {
  const failed = linesOf((await chatted({ script: [{ text: 'x', end: 'error', error: 'out of memory' }] })).text);
  assert.equal(failed.at(-1), { error: 'out of memory' });
  const cut = linesOf((await chatted({ script: [{ text: 'x', end: 'cut' }] })).text);
  assert.is(cut.at(-1).done, false);
  assert.is(
    await chatted({ script: [{ text: 'x', end: 'disconnect' }] }).catch((error: Error) => error.message),
    'terminated',
  );
});

test('a prompt that does not fit is cut in silence, or refused when the client asks for that', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(40_000) }];
  const options = { num_ctx: 2048 };
  const cut = linesOf((await chatted({ script: [{ text: 'x' }] }, { messages, options })).text).at(-1);
  assert.is(cut.prompt_eval_count, 2048);
  const refused = await chatted({ script: [{ text: 'x' }] }, { messages, options, truncate: false });
  assert.equal(refused, { status: 400, text: '{"error":"the input length exceeds the context length"}' });
});

test('models are listed and shown as the real one does, also those that run elsewhere', async () => {
  const models = [
    { name: 'a:7b', size: 5, parameters: '7B', context: 8192 },
    { name: 'b:cloud', remoteHost: 'https://ollama.com:443' },
  ];
  const server = await startOllamaServer({ models });
  const listed = (await (await fetch(`${server.url}/api/tags`)).json()) as { models: Record<string, unknown>[] };
  assert.equal(
    listed.models.map(({ name, size, remote_host }) => ({ name, size, remote_host })),
    [
      { name: 'a:7b', size: 5, remote_host: undefined },
      { name: 'b:cloud', size: 1_000_000_000, remote_host: 'https://ollama.com:443' },
    ],
  );
  const shown = (await (await post(server.url, '/api/show', { model: 'a:7b' })).json()) as { model_info: object };
  assert.equal(shown.model_info, { 'general.architecture': 'qwen2', 'qwen2.context_length': 8192 });
  assert.is(await (await fetch(server.url)).text(), 'Ollama is running');
  await server.close();
});

test('requests are recorded, the script may be a function of them, and its end is said', async () => {
  const server = await startOllamaServer({
    script: (request, before) =>
      before < 2 ? { text: `${before}: ${request.body.messages[0].content}` } : { status: 500 },
  });
  const ask = async () =>
    (await post(server.url, '/api/chat', { model: 'qwen2.5-coder:7b', messages: MESSAGES, stream: false })).json();
  assert.is(((await ask()) as { message: { content: string } }).message.content, '0: hello');
  assert.is(((await ask()) as { message: { content: string } }).message.content, '1: hello');
  assert.equal(await ask(), { error: 'the server failed' });
  assert.equal(
    server.chats.map(({ body, aborted }) => [body.messages, aborted]),
    Array(3).fill([MESSAGES, false]),
  );
  await server.close();
  const { text } = await chatted({ script: [] });
  assert.equal(JSON.parse(text), { error: 'the script has no reply number 1' });
});

test('a client that goes away is noticed', async () => {
  const server = await startOllamaServer({ script: [{ text: 'x', end: 'hang' }] });
  const answer = await post(server.url, '/api/chat', { model: 'qwen2.5-coder:7b', messages: MESSAGES });
  assert.is(answer.status, 200);
  await answer.body?.cancel();
  for (let i = 0; i < 1000 && !server.chats[0]?.aborted; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(server.chats[0]?.aborted, true);
  await server.close();
  await server.close();
});

test('it listens on loopback only, stops by itself, and holds no process open', async () => {
  const server = await startOllamaServer({ idleMs: 30 });
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.is(
    await fetch(server.url).then(
      () => 'answers',
      () => 'gone',
    ),
    'gone',
  );
  const path = new URL('../../src/testing/ollama-server.ts', import.meta.url).href;
  const script = `const { startOllamaServer } = await import(${JSON.stringify(path)}); const s = await startOllamaServer({ script: [{ text: 'x', end: 'hang' }] }); await (await fetch(s.url)).text(); console.log('open');`;
  assert.is(ranAlone(script), 'open\n');
});

test.run();
