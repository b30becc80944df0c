// How long a model is waited for: by what it did before, never by a hidden limit. The limits are scaled where a test says so.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import api from '../../plugins/executors/api.ts';
import { openChat } from '../../src/io/egress/ollama-chat.ts';
import { askModel } from '../../src/model/ask-model.ts';
import { firstPieceLimit, readingText, WAITS, type Waits } from '../../src/model/speed.ts';
import { whyLate } from '../../src/model/watch-answer.ts';
import type { Speed } from '../../src/plugin/contract.ts';
import { startApiServer } from '../../src/testing/api-server.ts';
import type { ServedReply } from '../../src/testing/ollama-server.ts';
import { afterTest } from '../environment.ts';
import { ask, asked, DIFF, serving, thrownBy } from './ask-ollama.ts';

const MINUTE = 60_000;
/** What an N100 with a 7B model does. */
const N100: Speed = { read: { tokens: 2000, ms: 100_000 }, wrote: { tokens: 5, ms: 1000 } };

test('the first word is waited for 3 times as long as the slowest of the last answers took, at least 2 min, and 10 at first', () => {
  assert.is(firstPieceLimit(2000, []), 10 * MINUTE);
  assert.is(firstPieceLimit(2000, [N100]), 5 * MINUTE);
  assert.is(firstPieceLimit(100, [N100]), 2 * MINUTE);
  const slow: Speed = { read: { tokens: 2000, ms: 200_000 } };
  assert.is(firstPieceLimit(2000, [N100, slow, N100]), 10 * MINUTE);
  assert.is(firstPieceLimit(2000, [{ ...N100, load_ms: 60_000 }]), 8 * MINUTE, 'the model may have to be loaded again');
  assert.is(firstPieceLimit(2000, [{ whole: true }]), 15 * MINUTE, 'its answers come in one piece');
});

test('what a model does while it reads is told with the time that it took before', () => {
  assert.is(readingText(1900, []), 'reads 1,900 tokens');
  assert.is(readingText(1900, [N100]), 'reads 1,900 tokens, about 95 s');
  assert.is(readingText(5000, [N100]), 'reads 5,000 tokens, about 4 min');
});

const late = (progress: Partial<Parameters<typeof whyLate>[1]>, watched: Partial<Parameters<typeof whyLate>[0]> = {}) =>
  whyLate(
    {
      ...{ who: 'm at h', tokens: 1900, speeds: [N100], timeLeft: Number.POSITIVE_INFINITY },
      ...{ setting: { name: 'plugins.x.timeout', ms: null }, ...watched },
    },
    { began: 0, now: 0, first: 0, pieces: 0, times: [], waits: WAITS, ...progress },
  );

test('between words 2 minutes are waited, and 60 tokens must come in any 10 minutes', () => {
  assert.is(late({ now: 284_000 }), undefined);
  assert.match(late({ now: 286_000 }) ?? '', /^m at h: no word of an answer to 1,900 tokens came within 4 min 45 s; /);
  const first = MINUTE;
  assert.is(late({ now: 3 * MINUTE, first, pieces: 1, times: [first] }), undefined);
  assert.match(
    late({ now: 3 * MINUTE + 1, first, pieces: 1, times: [first] }) ?? '',
    'nothing more came for 2 min, behind 1 token',
  );
  // One a minute, for ever.
  const eleven = Array.from({ length: 11 }, (_, n) => first + n * MINUTE);
  assert.is(late({ now: 11 * MINUTE, first, pieces: 11, times: eleven }), undefined);
  assert.match(
    late({ now: 11 * MINUTE + 1, first, pieces: 11, times: eleven }) ?? '',
    'fewer than 60 tokens came in the last 10 min',
  );
  const hours = Array.from({ length: 60 }, (_, n) => 300 * MINUTE + n * 9000);
  assert.is(late({ now: 309 * MINUTE, first, pieces: 2000, times: hours }), undefined, 'five hours, but steadily');
});

test('a time-out names the setting and the speed that was seen', () => {
  assert.is(
    late({ now: 10 * MINUTE }),
    'm at h: no word of an answer to 1,900 tokens came within 4 min 45 s; so far it reads 20 and writes 5 tokens a second. ' +
      'A smaller model is faster; plugins.x.timeout sets one limit instead',
  );
  assert.match(late({ now: 10 * MINUTE + 1 }, { speeds: [] }) ?? '', 'it was never measured');
});

test('the limit that an owner sets holds as it is set, however fast or silent the model', () => {
  const setting = { name: 'plugins.x.timeout', ms: 15 * MINUTE };
  assert.is(late({ now: 14 * MINUTE }, { setting }), undefined);
  assert.is(
    late({ now: 15 * MINUTE + 1 }, { setting }),
    'm at h did not answer within 15 min (plugins.x.timeout); no word of an answer to 1,900 tokens came',
  );
});

test("nothing is waited for behind the run's deadline, and what will not fit is not asked", async () => {
  assert.match(
    late({ now: 90_001 }, { timeLeft: 90_000 }) ?? '',
    'came before the run had to end (limits.run_minutes, or --deadline)',
  );
  const options = { speeds: [{ read: { tokens: 1, ms: 5000 }, wrote: { tokens: 5, ms: 1000 } }], timeLeft: 60_000 };
  await serving({ script: [{ text: DIFF }] }, async ({ url, chats }) => {
    assert.match(
      await thrownBy(asked(url, options)),
      /^qwen2\.5-coder:7b at http:\/\/host is not asked: it would take about [\dh min]+, and the run has 1 min left /,
    );
    assert.is(chats.length, 0);
  });
});

/** 1,000 times as fast as in life. */
const SCALED: Waits = Object.fromEntries(
  Object.entries(WAITS).map(([key, value]) => [key, key === 'window_tokens' ? value : value / 1000]),
) as Waits;

/** One question to a host that answers so, in times that are scaled. */
async function scaled(script: ServedReply[], waits: Waits = SCALED) {
  const said: string[] = [];
  const context = {
    ...{
      say: (text: string) => void said.push(text),
      progress() {},
      used() {},
      timeLeft: () => Number.POSITIVE_INFINITY,
    },
    ...{ speeds: { of: () => [], add() {} }, signal: new AbortController().signal },
  };
  return serving({ script }, async ({ url, chats }) => {
    const host = openChat(url, { signal: context.signal, mayReach: () => true });
    const turns = [{ role: 'user' as const, content: 'x'.repeat(400) }];
    const model = {
      ...{ model: 'qwen2.5-coder:7b', url, isLocal: true, setting: { name: 'plugins.x.timeout', ms: null }, waits },
      chat: ({ signal, onText }: { signal: AbortSignal; onText: (piece: string) => void }) =>
        host.chat({ model: 'qwen2.5-coder:7b', messages: turns, options: {}, signal, onText }),
    };
    const came = await askModel(context, model, { turns, maxTokens: 1000 }).catch((error: Error) => error.message);
    const plain = (text: string) => text.replaceAll(url, 'http://host');
    const text = typeof came === 'string' ? plain(came) : 'text' in came ? came.text : came.useless;
    return { came: text, chats: chats.length, said: said.map(plain) };
  });
}

test('a host that drips a word a minute, falls silent or never begins is told so, in bounded time (scaled 1 : 1,000)', async () => {
  const dripping = await scaled([{ chunks: Array(400).fill('a '), gapMs: 60 }]);
  assert.match(dripping.came, 'fewer than 60 tokens came in the last 600 ms');
  const silent = await scaled([{ text: 'one', end: 'hang' }]);
  assert.match(silent.came, 'nothing more came for 120 ms, behind 1 token');
  const never = await scaled([{ text: 'one', delayMs: 60_000 }]);
  assert.is(
    never.came,
    'qwen2.5-coder:7b at http://host: no word of an answer to 100 tokens came within 600 ms; it was never measured. ' +
      'A smaller model is faster; plugins.x.timeout sets one limit instead',
  );
});

const OLLAMA_BUSY = 'server busy, please try again.  maximum pending requests exceeded';
const OLLAMA_LOADS = 'unexpected server status: llm server loading model';

test('a host that is busy or loads the model is asked again until it can, which is told once (scaled 1 : 1,000)', async () => {
  const busy = [
    { status: 503, error: OLLAMA_BUSY },
    { status: 500, error: OLLAMA_LOADS },
    { status: 503, error: OLLAMA_BUSY },
  ];
  const { came, chats, said } = await scaled([...busy, { text: 'here' }]);
  assert.is(came, 'here');
  assert.is(chats, 4);
  assert.is(said[0], `http://host answered 503: ${OLLAMA_BUSY}; asks it again until it can`);
  assert.is(said.length, 2);
  const ever = await scaled(Array(500).fill(busy[0]));
  assert.match(ever.came, `came within 600 ms; it was never measured`);
  assert.match(ever.came, `until then: http://host answered 503: ${OLLAMA_BUSY}`);
});

test('a host that does not end an answer where it was told to is at fault, and no try is spent', async () => {
  const chunks = Array.from({ length: 90_000 }, (_, n) => `w${n} `);
  assert.match(
    await thrownBy(ask([{ chunks }])),
    /^qwen2\.5-coder:7b at http:\/\/host wrote more than the \d+ tokens that it was asked for$/,
  );
});

test('the answer that is asked for is bounded by its form, and how fast it came is remembered', async () => {
  const { chats, measured } = await ask([{ text: DIFF, gapMs: 5 }], { options: { format: 'diff' } });
  assert.is(chats[0]?.body.options.num_predict, 1000);
  const [{ read, wrote, load_ms } = {}] = measured;
  assert.ok(
    read && read.tokens > 100 && read.ms > 0 && wrote && wrote.tokens > 10 && wrote.ms > 50,
    JSON.stringify(measured),
  );
  assert.is(load_ms, 1, 'as the host told it, rounded');
});

test('only a model that knows how to think is told not to, and one that may has room for its thoughts', async () => {
  const models = [{ name: 'qwen3:8b', parameters: '8.2B', size: 5e9, capabilities: ['completion', 'thinking'] }];
  const bodyOf = async (think?: boolean) => {
    const options = { format: 'diff', ...(think === undefined ? {} : { think }) };
    const { chats, proposal } = await ask([{ thinking: 'hm', text: DIFF }], { options }, { models });
    assert.equal(proposal, { answer: DIFF });
    return chats[0]?.body;
  };
  const quiet = await bodyOf();
  assert.equal([quiet.think, quiet.options.num_predict], [false, 1000]);
  const thoughtful = await bodyOf(true);
  assert.equal([thoughtful.think, thoughtful.options.num_predict], [true, 5000]);
});

test('an answer in another language is used where it holds a change, and passed over where it holds none', async () => {
  const german = DIFF.replace('Indent the name', 'Den Namen einrücken').replace('YAML wants', 'YAML will');
  assert.equal((await ask([{ text: german }])).proposal, { answer: german });
  const { proposal } = await ask([{ text: 'Der Rechner ist aus; jemand muss ihn einschalten.' }]);
  assert.equal(proposal, {
    pass: 'qwen2.5-coder:7b proposes no change: Der Rechner ist aus; jemand muss ihn einschalten.',
  });
});

const overHttp = async (script: Parameters<typeof startApiServer>[0], given: Parameters<typeof asked>[1] = {}) => {
  const server = await startApiServer({ models: ['served'], ...script });
  afterTest(() => server.close());
  return { ...(await asked(server.url, { plugin: api, ...given })), requests: server.requests };
};

test('a host of chat completions on this network is an executor: streamed, without a key, its first model', async () => {
  const { proposal, requests, said, measured } = await overHttp({ script: [{ text: DIFF, gapMs: 1 }] });
  assert.equal(proposal, { answer: DIFF });
  const [list, { headers, body } = {} as never] = requests;
  assert.is(list?.path, '/v1/models');
  assert.is(headers.authorization, undefined);
  assert.equal([body.model, body.stream, body.temperature], ['served', true, 0]);
  assert.equal(body.chat_template_kwargs, { enable_thinking: false });
  assert.match(said.join('\n'), /^asks served at http:\/\/host\nserved read [\d,]+ tokens and wrote \d+ in /);
  assert.ok(measured[0]?.read && measured[0].wrote);
});

test('a host that speaks as Anthropic does is asked the same way', async () => {
  const server = await startApiServer({ kind: 'anthropic', script: [{ text: DIFF }] });
  afterTest(() => server.close());
  const options = { kind: 'anthropic', base_url: server.url, model: 'large' };
  const { proposal, measured } = await asked(server.url, { plugin: api, options });
  assert.equal(proposal, { answer: DIFF });
  const { path, headers, body } = server.requests[0] ?? ({} as never);
  assert.equal([path, headers['x-api-key'], body.stream, body.system], ['/v1/messages', undefined, true, undefined]);
  assert.ok(measured[0]?.wrote);
});

test('a host outside of this network is refused when it is loaded, unless its owner says public', async () => {
  const { load } = await import('../plugin/plugin-folder.ts');
  const settings = (more: string) =>
    load(`executors: [api]\nplugins: { api: { base_url: "https://models.example.com/v1", model: m${more} } }`, {});
  const said = await settings('').catch((error) => error.problems.join('\n'));
  assert.match(said, 'plugins.api.base_url: https://models.example.com is outside of this network');
  assert.match(said, 'set public: true to send them there');
  assert.is((await settings(', public: true')).executors[0]?.name, 'api');
});

test('what a host does not know is left out, and an answer in one piece is as good', async () => {
  const script = [
    { status: 400, error: "[{'type': 'extra_forbidden', 'loc': ('body', 'chat_template_kwargs')}]" },
    { status: 400, error: 'unknown field "stream_options"' },
    { text: DIFF, whole: true, usage: null },
  ];
  const { proposal, requests, measured } = await overHttp({ script });
  assert.equal(proposal, { answer: DIFF });
  const { chat_template_kwargs, stream_options } = requests.at(-1)?.body ?? {};
  assert.equal([chat_template_kwargs, stream_options], [undefined, undefined]);
  assert.equal(measured, [{ whole: true }]);
});

test('each fault of such a host is one line, and a model that loads is waited for', async () => {
  const said = (reply: object, given = {}) =>
    thrownBy(overHttp({ script: [reply] }, { options: { retries: 0 }, ...given }));
  assert.is(await said({ text: DIFF, end: 'cut' }), 'http://host broke off in the middle of its answer');
  assert.match(
    await said({ status: 404, error: 'The model `served` does not exist.' }),
    'http://host answered 404: The model `served` does not exist.; check plugins.api.base_url',
  );
  assert.match(await said({ raw: 'x'.repeat(100_000_000) }), 'the host sent more than anyone would read');
  assert.is(
    await thrownBy(overHttp({ models: [] })),
    'http://host lists no model; load one there, or name it: plugins.api.model',
  );
  // As llama.cpp says it, which takes minutes for a large file.
  const loads = { raw: '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}', status: 503 };
  const waited = await said(loads, { options: { timeout: '300ms' } });
  assert.match(waited, 'served at http://host did not answer within 300 ms (plugins.api.timeout)');
  assert.match(waited, 'until then: http://host answered 503: Loading model');
});

test.run();
