import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Chat, type ChatEnd, type HostOptions, openChat, runModelCommand } from '../../src/io/egress.ts';
import {
  type OllamaServer,
  type ServedReply,
  type ServerOptions,
  startOllamaServer,
} from '../../src/testing/ollama-server.ts';
import { httpServer, tcpServer } from './servers.ts';
import { folder } from './temporary.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
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

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The one line of what is thrown, the port left out. */
async function fault(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'nothing was thrown';
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message.replaceAll(/127\.0\.0\.1:\d+/g, 'host')}`;
  }
}

test('an answer comes whole, with its reason and its counts, and each piece is told', async () => {
  const pieces: string[] = [];
  const end = await chat(
    { text: 'grüß dich', thinking: 'hm', metrics: { prompt_eval_count: 11, eval_count: 3 } },
    {},
    { onText: (piece) => pieces.push(piece) },
  );
  assert.equal(end, { text: 'grüß dich', doneReason: 'stop', promptTokens: 11, answerTokens: 3 });
  assert.equal(pieces, ['hm', 'grüß', ' dic', 'h', '']);
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
    assert.equal(await host.show('a:7b'), { context: 8192, remoteHost: undefined });
    assert.equal(await host.show('b'), { context: undefined, remoteHost: 'https://ollama.com' });
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
  assert.is(await fault(at(moved.port)), 'ModelFault: http://host answered 302: body');
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

const run = (
  script: string,
  more: { input?: string; timeoutMs?: number; signal?: AbortSignal; env?: Record<string, string> } = {},
) =>
  runModelCommand({
    ...{ argv: ['bash', '-c', script], input: '', timeoutMs: 5000, signal: new AbortController().signal, graceMs: 200 },
    ...{ env: { PATH: process.env.PATH ?? '' } },
    ...more,
  });

test('a program reads the prompt and answers, in an empty folder that is gone afterwards', async () => {
  const input = 'x'.repeat(300_000);
  assert.is((await run('wc -c', { input })).trim(), '300000');
  const said = (await run('pwd; ls -A; env -0 | tr "\\0" "\\n" | cut -d= -f1 | grep -v ^_ | sort | xargs'))
    .trim()
    .split('\n');
  assert.is(existsSync(said[0] as string), false);
  assert.equal(said.slice(1), ['PATH PWD SHLVL']);
});

test('each way in which a program fails is one clear line', async () => {
  const missing = runModelCommand({
    argv: ['/no/such/program'],
    input: 'x',
    env: {},
    timeoutMs: 1000,
    signal: new AbortController().signal,
  });
  assert.equal(
    await Promise.all(
      [
        missing,
        run('echo trouble >&2; exit 3'),
        run('kill -9 $$'),
        run('true'),
        run('yes'),
        run('sleep 30', { timeoutMs: 100 }),
      ].map(fault),
    ),
    [
      'ModelFault: /no/such/program cannot be started: ENOENT',
      'ModelFault: bash ended with exit code 3: trouble',
      'ModelFault: bash was ended by SIGKILL',
      'ModelFault: bash said nothing',
      'ModelFault: bash said more than 1000000 bytes',
      'ModelFault: bash did not end within 0.1 s',
    ],
  );
});

test('a program that does not read its prompt may answer all the same', async () => {
  assert.is(await run('echo ready', { input: 'x'.repeat(2_000_000) }), 'ready\n');
});

test('nothing of its process group is left, whether it ends, is late or is stopped, and even when it will not listen', async () => {
  const dir = folder();
  const started = (name: string) => `trap "" TERM; sleep 60 & echo $! > ${join(dir, name)}`;
  const alive = (name: string) => {
    const stat = `/proc/${readFileSync(join(dir, name), 'utf8').trim()}/stat`;
    return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
  };
  await run(`${started('ends')}; echo done`);
  const stop = new AbortController();
  const stopped = fault(run(`${started('stopped')}; wait`, { signal: stop.signal }));
  const late = fault(run(`${started('late')}; wait`, { timeoutMs: 1200 }));
  await until(() => existsSync(join(dir, 'stopped')));
  stop.abort();
  assert.is(await stopped, 'ModelFault: it was stopped');
  assert.is(await late, 'ModelFault: bash did not end within 1.2 s');
  assert.equal(['ends', 'stopped', 'late'].map(alive), [false, false, false]);
});

test('no other module opens a connection or talks to a model', () => {
  // What listens for tests, looks whether a port answers, or serves.
  const others = new Set(['src/io/egress.ts', 'src/io/probe.ts', 'src/testing/ollama-server.ts']);
  const network =
    /from '(?:node:(?:http|https|http2|net|tls|dgram)|undici|ollama)(?:\/[^']*)?'|import\('(?:node:(?:https?|net|tls)|undici|ollama)'\)|\bfetch\(/;
  const sources = ['src', 'plugins', 'scripts'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((path) => `${top}/${path}`),
  );
  const found = sources.filter(
    (path) =>
      /\.(?:ts|mjs|js)$/.test(path) && !others.has(path) && network.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  assert.equal(found, []);
});

test.run();
