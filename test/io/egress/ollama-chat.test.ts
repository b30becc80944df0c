import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Chat, type ChatEnd, type HostOptions, openChat } from '../../../src/io/egress/ollama-chat.ts';
import {
  type OllamaServer,
  type ServedReply,
  type ServerOptions,
  startOllamaServer,
} from '../../../src/testing/ollama-server.ts';
import { httpServer, tcpServer } from '../servers.ts';
import { fault, until } from './faults.ts';

const MODEL = 'qwen2.5-coder:7b';
const CHAT: Chat = { model: MODEL, messages: [{ role: 'user', content: 'hello' }], options: { num_ctx: 4096 } };

const settings = (more: Partial<HostOptions> = {}): HostOptions => ({
  ...{ signal: new AbortController().signal, timeoutMs: 5000, mayReach: () => true },
  ...more,
});

async function withServer<T>(options: ServerOptions, work: (server: OllamaServer) => Promise<T>): Promise<T> {
  const server = await startOllamaServer(options);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

const chat = (reply: ServedReply, more: Partial<HostOptions> = {}, asked: Partial<Chat> = {}): Promise<ChatEnd> =>
  withServer({ script: [reply] }, ({ url }) => openChat(url, settings(more)).chat({ ...CHAT, ...asked }));

test('an answer comes whole, with its reason and its counts, and each piece is told', async () => {
  const pieces: string[] = [];
  const end = await chat(
    { text: 'grüß dich', thinking: 'hm', metrics: { prompt_eval_count: 11, eval_count: 3 } },
    {},
    { onText: (piece) => pieces.push(piece) },
  );
  assert.equal(end, { text: 'grüß dich', doneReason: 'stop', promptTokens: 11, answerTokens: 3, loadMs: 0.5 });
  assert.equal(pieces, ['hm', 'grüß', ' dic', 'h']);
});

test('the request asks for a stream, carries the options and the schema, and forbids to cut the prompt', async () => {
  const format = { type: 'object' };
  await withServer({ script: [{ text: '{}' }] }, async ({ url, requests }) => {
    await openChat(url, settings()).chat({ ...CHAT, format });
    const { body } = requests[0] ?? {};
    assert.equal(body, { ...CHAT, format, stream: true, truncate: false, shift: false });
  });
});

test('a count that the host leaves out is absent', async () => {
  const { promptTokens } = await chat({ text: 'x', metrics: { prompt_eval_count: null } });
  assert.is(promptTokens, undefined);
});

test('models are listed and shown', async () => {
  const models = [
    { name: 'a:7b', size: 5, parameters: '7B', context: 8192 },
    { name: 'b', remoteHost: 'https://ollama.com' },
  ];
  await withServer({ models }, async ({ url }) => {
    const host = openChat(url, settings());
    assert.equal(await host.models(), [
      { name: 'a:7b', size: 5, parameters: '7B', remoteHost: undefined },
      { name: 'b', size: 1_000_000_000, parameters: '', remoteHost: 'https://ollama.com' },
    ]);
    assert.equal(await host.show('a:7b'), { context: 8192, remoteHost: undefined, thinks: false });
    assert.equal(await host.show('b'), { context: undefined, remoteHost: 'https://ollama.com', thinks: false });
  });
});

test('each way in which a host fails is one clear line, and nothing is printed', async () => {
  const printed: unknown[] = [];
  const { log, warn, error } = console;
  Object.assign(console, {
    log: printed.push.bind(printed),
    warn: printed.push.bind(printed),
    error: printed.push.bind(printed),
  });
  const said = await Promise.all(
    [
      chat({ status: 503, error: 'server busy' }),
      chat({ status: 400, error: 'bad', contentType: 'text/plain' }),
      chat({ status: 500, error: '', contentType: 'text/plain' }),
      chat({}, {}, { model: 'none' }),
      chat({ text: 'x', end: 'error', error: 'out of memory' }),
      chat({ text: 'x', end: 'cut' }),
      chat({ text: 'x', end: 'disconnect' }),
      chat({ text: 'x', raw: 'this is not JSON\n' }),
      chat({ text: 'x', raw: '7\n' }),
      chat({ text: 'x', raw: '{"message":{"content":"y"},"do', end: 'cut' }),
      chat({ text: 'x', end: 'hang' }, { timeoutMs: 150 }),
      chat({ text: 'x', delayMs: 5000 }, { timeoutMs: 150 }),
      chat({ chunks: Array(40).fill('x'.repeat(30_000)) }),
    ].map(fault),
  );
  Object.assign(console, { log, warn, error });
  assert.equal(said, [
    'ModelFault: http://host answered 503: server busy',
    'ModelFault: http://host answered 400: bad',
    'ModelFault: http://host answered 500: Internal Server Error',
    'ModelFault: http://host answered 404: model "none" not found, try pulling it first',
    'ModelFault: http://host failed in the middle of its answer: out of memory',
    'ModelFault: the stream ended before the answer was complete',
    'ModelFault: http://host broke off in the middle of its answer',
    'ModelFault: the stream has a line that is not JSON: this is not JSON',
    'ModelFault: the stream has a line that is not JSON: 7',
    'ModelFault: the stream has a line that is not JSON: {"message":{"content":"y"},"do',
    'ModelFault: http://host did not answer within 0.15 s',
    'ModelFault: http://host did not answer within 0.15 s',
    'ModelFault: the model said more than 1000000 characters',
  ]);
  assert.equal(printed, []);
});

test('a host that is not there, is no Ollama, or sends elsewhere', async () => {
  const gone = await startOllamaServer();
  await gone.close();
  assert.is(
    await fault(openChat(gone.url, settings()).models()),
    'ModelFault: http://host cannot be reached: ECONNREFUSED',
  );
  const [silent, moved] = [await tcpServer(), await httpServer({ '/api/tags': 302 })];
  const other = await httpServer({ '/api/tags': 200 });
  const at = (port: number) => openChat(`http://127.0.0.1:${port}`, settings({ timeoutMs: 200 })).models();
  assert.is(await fault(at(silent.port)), 'ModelFault: http://host did not answer within 0.2 s');
  assert.is(
    await fault(at(moved.port)),
    'ModelFault: http://host answered 302 and points to another path of its own, which is not followed',
  );
  assert.is(await fault(at(other.port)), 'ModelFault: http://host does not answer as Ollama does');
  await Promise.all([silent.stop(), moved.stop(), other.stop()]);
});

test('an address that may not be reached is never talked to', async () => {
  await withServer({ script: [{ text: 'x' }] }, async ({ url, requests }) => {
    const seen: string[] = [];
    const mayReach = (address: string) => seen.push(address) < 0;
    assert.is(
      await fault(openChat(url, settings({ mayReach })).chat(CHAT)),
      'ModelFault: http://host is at 127.0.0.1, which is outside of this machine and its network',
    );
    assert.equal([seen, requests], [['127.0.0.1'], []]);
  });
});

test('a signal ends a request at once, before, while waiting and while streaming', async () => {
  for (const reply of [{ delayMs: 5000 }, { text: 'x', end: 'hang' as const }]) {
    await withServer({ script: [reply] }, async (server) => {
      const stop = new AbortController();
      const asked = openChat(server.url, settings({ signal: stop.signal })).chat(CHAT);
      await until(() => server.chats.length === 1);
      stop.abort();
      assert.is(await fault(asked), 'ModelFault: it was stopped');
      await until(() => server.chats[0]?.aborted === true);
      assert.is(
        await fault(openChat(server.url, settings({ signal: stop.signal })).chat(CHAT)),
        'ModelFault: it was stopped',
      );
      assert.is(server.chats.length, 1);
    });
  }
});

test('what a listener throws ends the request and is thrown on', async () => {
  await withServer({ script: [{ text: 'a long answer', gapMs: 5, end: 'hang' }] }, async (server) => {
    class Enough extends Error {}
    const asked = openChat(server.url, settings()).chat({
      ...CHAT,
      onText: () => {
        throw new Enough('enough');
      },
    });
    assert.is(await asked.catch((error) => error.constructor), Enough);
    await until(() => server.chats[0]?.aborted === true);
  });
});

test.run();
