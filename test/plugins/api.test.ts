import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import api from '../../plugins/escalations/api.ts';
import { CASE_TASK } from '../../src/model.ts';
import { estimateTokens } from '../../src/outbound/text.ts';
import { callHook } from '../../src/plugin/call.ts';
import type { LoadedPlugin } from '../../src/plugin/examine.ts';
import type { ApiKind, ApiReply, ApiServerOptions } from '../../src/testing/api-server.ts';
import { setEnv } from '../environment.ts';
import { fixFacts, load } from '../plugin/plugin-folder.ts';
import { type AskOptions, askedAbout, CASE, heard, KEY, serving } from './ask-about-case.ts';
import { DIFF, thrownBy } from './ask-ollama.ts';

test.before.each(() => void setEnv({ OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }));

const asking = (url: string, given: AskOptions = {}, kind: ApiKind = 'openai') =>
  askedAbout(api, {
    ...given,
    options: {
      ...{ kind, base_url: kind === 'openai' ? `${url}/v1` : url, model: 'large' },
      // To a host of this network no key is sent that it was not told to.
      key_env: kind === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY',
      ...given.options,
    },
  });

/** One question, these replies, what came of it and what was sent. */
const ask = (script: ApiReply[], given: AskOptions = {}, { kind = 'openai', ...more }: ApiServerOptions = {}) =>
  serving({ script, kind, ...more }, async ({ url, requests }) => ({ ...(await asking(url, given, kind)), requests }));

const faultOf = (script: ApiReply[], given: AskOptions = {}, options: ApiServerOptions = {}) =>
  thrownBy(ask(script, given, options));

for (const kind of ['openai', 'anthropic'] as const) {
  test(`${kind}: the case goes out with the task, and a fenced diff is passed on as it is`, async () => {
    const { reply, requests, said, tokens } = await ask(
      [{ text: DIFF, usage: { input: 900, output: 100 } }],
      {},
      { kind },
    );
    assert.equal(reply, { answer: DIFF });
    assert.is(tokens, 1000);
    assert.equal(said, [`asks large at http://host about ${CASE.name}`, 'large read 900 tokens and wrote 100 in N s']);
    const [{ method, path, headers, body } = {} as never] = requests;
    assert.is(`${method} ${path}`, kind === 'openai' ? 'POST /v1/chat/completions' : 'POST /v1/messages');
    const [first] = kind === 'openai' ? body.messages.slice(1) : body.messages;
    assert.ok(first.content.startsWith(CASE.text));
    assert.is(first.role, 'user');
    if (kind === 'openai') {
      assert.is(headers.authorization, `Bearer ${KEY}`);
      assert.equal(Object.keys(body).sort(), ['max_tokens', 'messages', 'model', 'stream', 'stream_options']);
      assert.equal(body.messages[0], { role: 'system', content: CASE_TASK });
    } else {
      assert.is(headers['x-api-key'], KEY);
      assert.is(headers['anthropic-version'], '2023-06-01');
      assert.equal(Object.keys(body).sort(), ['max_tokens', 'messages', 'model', 'stream', 'system']);
      assert.is(body.system, CASE_TASK);
    }
    assert.is(body.max_tokens, 16_000);
  });

  test(`${kind}: diagnostics and a hand-over come as JSON`, async () => {
    const diagnostics = [['kubectl', 'get', 'pods', '-A']];
    assert.equal((await ask([{ text: JSON.stringify({ diagnostics }) }], {}, { kind })).reply, { diagnostics });
    const { reply } = await ask([{ text: '{"hand_over": "replace the disk"}' }], {}, { kind });
    assert.equal(reply, { hand_over: 'replace the disk' });
  });

  test(`${kind}: an answer that is none is told as such; asked again by another call, it is shown that answer`, async () => {
    const why = 'it is neither a change of files nor one JSON object with diagnostics or hand_over';
    for (const [said, shown, wrong] of [
      ['I would look at the logs.', 'I would look at the logs.', why],
      ['', '(nothing)', 'it is empty'],
    ] as const) {
      await serving({ kind, script: [{ text: said }, { text: DIFF }] }, async ({ url, requests }) => {
        assert.equal((await asking(url, {}, kind)).reply, { unreadable: wrong });
        assert.is(requests.length, 1);
        const refused = [{ code: 'unreadable' as const, reasons: [wrong] }];
        assert.equal((await asking(url, { refused }, kind)).reply, { answer: DIFF });
        const turns = requests[1]?.body.messages.filter(({ role }: { role: string }) => role !== 'system');
        assert.equal(
          turns.map(({ role }: { role: string }) => role),
          ['user', 'assistant', 'user'],
        );
        assert.is(turns[1].content, shown);
        assert.match(turns[2].content, `Your answer cannot be used: ${wrong}.`);
      });
    }
  });

  test(`${kind}: an answer that was cut off or refused, or is empty, is the model's and not the host's fault`, async () => {
    const cut = await ask([{ text: DIFF.slice(0, 40), finish: 'length' }], {}, { kind });
    assert.equal(cut.reply, { unreadable: 'it was cut off at max_tokens, before its end; answer in fewer words' });
    const refused = await ask([{ finish: 'refusal' }], {}, { kind });
    assert.equal(refused.reply, { pass: 'large at http://host would not answer' });
    const empty = await ask([{ text: '' }], {}, { kind });
    assert.equal(empty.reply, { unreadable: 'it is empty' });
  });

  test(`${kind}: a key that is not taken is told by the name of its variable, with what to do`, async () => {
    const options = { key_env: 'MENDLOOP_TEST_API_KEY' };
    setEnv({ MENDLOOP_TEST_API_KEY: 'sk-wrong-0123456789' });
    assert.is(
      await faultOf([], { options }, { kind, key: KEY }),
      'http://host does not take the key in MENDLOOP_TEST_API_KEY (401); put a valid one there',
    );
    assert.is(
      await faultOf([{ status: 403, error: 'no' }], { options }, { kind }),
      'http://host does not take the key in MENDLOOP_TEST_API_KEY (403); it may not be allowed to use large',
    );
  });

  test(`${kind}: a host that stays busy is asked again as often as set, then it is at fault`, async () => {
    const busy: ApiReply = {
      status: kind === 'openai' ? 502 : 529,
      error: 'overloaded',
      headers: { 'retry-after': '0' },
    };
    const came = await ask([busy, busy, { text: DIFF }], {}, { kind });
    assert.equal(came.reply, { answer: DIFF });
    assert.is(came.requests.length, 3);
    assert.is(
      await faultOf([busy, busy, busy, { text: DIFF }], {}, { kind }),
      `http://host answered ${busy.status}: overloaded`,
    );
    assert.is(
      await faultOf([busy, { text: DIFF }], { options: { retries: 0 } }, { kind }),
      `http://host answered ${busy.status}: overloaded`,
    );
  });
}

test('a patch may also come as JSON or as search/replace blocks', async () => {
  const patch = '--- a/x.yaml\n+++ b/x.yaml\n@@\n-a\n+b\n';
  const note = { fix: 'Use b', reason: 'a is gone' };
  const { reply } = await ask([{ text: JSON.stringify({ patch, ...note }) }]);
  assert.equal(reply, { answer: `\`\`\`diff\n${patch}\`\`\`\n`, note });
  const blocks = 'x.yaml\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\nFix: Use b\nReason: a is gone\n';
  assert.equal((await ask([{ text: blocks }])).reply, { answer: blocks });
});

test('why a patch was not taken is told behind the patch itself', async () => {
  const subject = { ...CASE, name: 'refined' };
  const refused = [{ code: 'no_match' as never, reasons: ['line 3 is another'] }];
  const forgotten = await ask([{ text: DIFF }], { refused, case: subject });
  assert.is(forgotten.requests[0]?.body.messages.length, 2);
  assert.match(forgotten.requests[0]?.body.messages[1].content, '  line 3 is another\n');
  await serving({ script: [{ text: DIFF }, { text: '{"hand_over": "x"}' }] }, async ({ url, requests }) => {
    await asking(url, { case: subject });
    await asking(url, { case: subject, refused });
    const [, opening, before, why] = requests[1]?.body.messages ?? [];
    assert.ok(opening.content.startsWith(subject.text));
    assert.equal(before, { role: 'assistant', content: DIFF });
    assert.match(why.content, 'line 3 is another');
  });
});

test('Retry-After is honoured in seconds and as a date', async () => {
  for (const at of [() => '1', () => new Date(Date.now() + 2000).toUTCString()]) {
    const began = performance.now();
    const { reply, said } = await serving(
      { script: (_, n) => (n > 0 ? { text: DIFF } : { status: 429, error: 'slow', headers: { 'retry-after': at() } }) },
      ({ url }) => asking(url),
    );
    assert.equal(reply, { answer: DIFF });
    assert.ok(performance.now() - began > 850, 'it waited');
    assert.match(said[1] ?? '', /^http:\/\/host answered 429; asks it again in N s$/);
  }
});

test('a wait of more than a minute is not waited out', async () => {
  const busy = (wait: string): ApiReply => ({ status: 429, error: 'slow', headers: { 'retry-after': wait } });
  const began = performance.now();
  assert.is(await faultOf([busy('90'), { text: DIFF }]), 'http://host answered 429: slow; it asks to wait 90 s');
  assert.ok(performance.now() - began < 2000);
});

test('an account without credit is not asked again', async () => {
  for (const errorType of ['insufficient_quota', 'billing_error']) {
    assert.is(
      await faultOf([{ status: 429, error: 'You exceeded your quota', errorType }, { text: DIFF }]),
      'http://host answered 429: You exceeded your quota; the account has no credit left',
    );
  }
});

test('a wait ends with the signal', async () => {
  const stop = new AbortController();
  const began = performance.now();
  const waiting = faultOf([{ status: 502, error: 'x', headers: { 'retry-after': '30' } }], { signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  assert.is(await waiting, 'it was stopped');
  assert.ok(performance.now() - began < 5000);
});

test('without a key nothing is opened; a host that wants none gets none', async () => {
  await serving({ script: [{ text: DIFF }] }, async ({ url, requests }) => {
    const unset = asking(url, { options: { key_env: 'MENDLOOP_TEST_UNSET' } });
    assert.is(
      await thrownBy(unset),
      'the variable MENDLOOP_TEST_UNSET is not set; set it, where mendloop runs, to the key for http://host',
    );
    setEnv({ MENDLOOP_TEST_UNSET: 'two\nlines' });
    const broken = asking(url, { options: { key_env: 'MENDLOOP_TEST_UNSET' } });
    assert.is(await thrownBy(broken), 'the variable MENDLOOP_TEST_UNSET holds what cannot be the key for http://host');
    assert.is(requests.length, 0);
    assert.equal((await asking(url, { options: { key_env: null } })).reply, { answer: DIFF });
    assert.is(requests[0]?.headers.authorization, undefined);
  });
});

const LATE =
  'large at http://host did not answer within 300 ms (plugins.api.timeout); no word of an answer to N tokens came';

const FAULTS: readonly [string, ApiReply, string][] = [
  [
    'a web page',
    { raw: '<!doctype html><title>Login</title>', contentType: 'text/html' },
    'http://host answered with a web page; check plugins.api.base_url and what is in between',
  ],
  [
    'a web page with an error',
    { status: 404, raw: '<html>', contentType: 'text/html' },
    'http://host answered 404: a web page; check plugins.api.base_url, and whether it has the model large',
  ],
  ['nothing', { raw: '' }, 'http://host answered with nothing'],
  ['half of its JSON', { text: DIFF, end: 'truncated' }, 'http://host broke off in the middle of its answer'],
  ['JSON that ends early', { raw: '{"choices": [{"mess' }, 'http://host answered with JSON that is broken or cut off'],
  [
    'other JSON',
    { raw: '{"ok": true}' },
    "http://host does not answer as OpenAI's chat completions does; check plugins.api.kind and plugins.api.base_url",
  ],
  [
    'no choice',
    { raw: '{"choices": []}' },
    "http://host does not answer as OpenAI's chat completions does; check plugins.api.kind and plugins.api.base_url",
  ],
  [
    'a redirect',
    { status: 302, raw: '', headers: { location: 'https://elsewhere.example/token' } },
    'http://host answered 302 and points to https://elsewhere.example, which is not followed',
  ],
  ['ten megabytes', { raw: `"${'x'.repeat(10_000_000)}"` }, 'the host sent more than anyone would read'],
  ['a slow body', { raw: JSON.stringify({ choices: [{ message: { content: DIFF } }] }), gapMs: 50 }, LATE],
  ['a hang', { end: 'hang' }, LATE],
  ['a stream without an end', { text: DIFF, end: 'cut' }, 'http://host broke off in the middle of its answer'],
  ['a broken connection', { end: 'disconnect' }, 'http://host broke off in the middle of its answer'],
  [
    'a model that is not there',
    { status: 404, error: 'The model large does not exist' },
    'http://host answered 404: The model large does not exist; check plugins.api.base_url, and whether it has the model large',
  ],
  [
    'a case that is too long',
    { status: 400, error: 'maximum context length is 8192 tokens' },
    'http://host answered 400: maximum context length is 8192 tokens',
  ],
  [
    'an error with a success',
    { raw: '{"error": {"message": "No endpoints found", "code": 404}}' },
    'http://host answered 200, but with an error: No endpoints found',
  ],
];

for (const [what, reply, line] of FAULTS) {
  test(`a host that answers with ${what} is at fault, in one line`, async () => {
    // Only who never answers is waited for; all others have time on a machine that has much else to do.
    const timeout = line.includes('within') ? '300ms' : '20s';
    const said = await faultOf([reply, { text: DIFF }], { options: { timeout, retries: 0 } });
    assert.is(said.replace(/\d+ tokens came/, 'N tokens came'), line);
  });
}

test('what a host may have read before it failed counts as used; what never arrived does not', async () => {
  await faultOf([{ end: 'disconnect' }]);
  assert.ok(heard.tokens > 300, String(heard.tokens));
  await thrownBy(asking('http://127.0.0.1:1'));
  assert.is(heard.tokens, 0);
});

test('a certificate that nobody vouches for is not trusted', async () => {
  const { selfSigned } = await import('./self-signed.ts');
  await serving({ script: [{ text: DIFF }], tls: selfSigned() }, async ({ url, requests }) => {
    assert.is(
      await thrownBy(asking(url)),
      'https://host cannot be trusted: its certificate is signed by itself; name the certificate of its authority in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    assert.is(requests.length, 0);
  });
});

test('tokens are estimated where the host does not count, and the cost is told where the price is set', async () => {
  const { tokens, said, requests } = await ask([{ text: DIFF, usage: null }]);
  const sent: string[] = requests[0]?.body.messages.map(({ content }: { content: string }) => content);
  assert.is(
    tokens,
    [...sent, DIFF].reduce((sum, text) => sum + estimateTokens(text), 0),
  );
  assert.match(said[1] ?? '', /^large read about \d+ tokens and wrote \d+ in N s$/);
  const priced = await ask([{ text: DIFF, usage: { input: 2000, output: 500 } }], {
    options: { price: { input: 3, output: 15 } },
  });
  assert.is(priced.said[1], 'large read 2,000 tokens and wrote 500 in N s, cost about $0.0135');
});

test('a model that wants the newer name of max_tokens gets it', async () => {
  const error =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  const { reply, requests } = await ask([{ status: 400, error }, { text: DIFF }], { options: { retries: 0 } });
  assert.equal(reply, { answer: DIFF });
  assert.equal([requests[1]?.body.max_completion_tokens, requests[1]?.body.max_tokens], [16_000, undefined]);
  assert.is(
    await faultOf([
      { status: 400, error },
      { status: 400, error },
    ]),
    `http://host answered 400: ${error}`,
  );
});

test('nothing of the key is said, thrown or answered, whatever the host repeats of it', async () => {
  const parts = [KEY, `${KEY.slice(0, 8)}****${KEY.slice(-6)}`, `"${KEY}"`, `key=${KEY};`];
  const replies: ApiReply[] = [
    ...parts.flatMap((part) =>
      [400, 401, 403, 404, 429, 500, 529].map((status) => ({ status, error: `bad key ${part} there` })),
    ),
    ...parts.map((part) => ({ raw: JSON.stringify({ error: { message: `bad ${part}` } }) })),
    { text: `{"hand_over": "the key is ${KEY}"}` },
    { text: `{"${KEY}": 1}` },
    { text: DIFF.replace('cp1', KEY) },
    { status: 302, raw: '', headers: { location: `https://elsewhere.example/?${KEY}` } },
    { raw: KEY },
    { raw: `<p>${KEY}` },
  ];
  for (const kind of ['openai', 'anthropic'] as const) {
    for (const reply of replies) {
      const outcome = await ask([reply, reply], { options: { retries: 0 } }, { kind }).then(
        ({ reply: came }) => JSON.stringify(came),
        (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)}`,
      );
      const all = `${outcome} ${heard.said.join(' ')}`;
      for (let i = 0; i + 6 <= KEY.length; i++) {
        assert.not.ok(all.includes(KEY.slice(i, i + 6)), `${KEY.slice(i, i + 6)} in ${all}`);
      }
    }
  }
  const repeated = await ask([{ text: DIFF.replace('cp1', KEY) }]);
  assert.equal(repeated.reply, {
    pass: 'large at http://host repeats the key that it was sent; its answer is not used',
  });
});

test('its settings are checked when they are loaded', async () => {
  const wrong = (settings: string) =>
    load(`escalations: [api]\nplugins: { api: ${settings} }`, {}).catch((error) => error.problems.join('\n'));
  assert.match(
    await wrong('{ kind: openai, model: m, base_url: "http://models.example.com/v1" }'),
    'plugins.api.base_url: expected https: plain http is only for this machine and its network',
  );
  assert.match(
    await wrong('{ kind: openai, model: m, base_url: "https://me:pw@example.com" }'),
    'a user name or password',
  );
  assert.match(await wrong('{ kind: openai, model: m, key: sk-123 }'), 'plugins.api.key: unknown key');
  assert.match(
    await wrong('{ kind: openai, model: m, key_env: sk-123 }'),
    'expected the name of an environment variable',
  );
  for (const base of ['https://models.example.com/v1', 'http://127.0.0.1:8080/v1', 'http://gpu.lan:8000/v1']) {
    const { escalations } = await load(
      `escalations: [api]\nplugins: { api: { kind: openai, model: m, base_url: "${base}" } }`,
      {},
    );
    assert.is(escalations[0]?.name, 'api');
  }
  assert.equal((api.options as z.ZodType).parse({ kind: 'anthropic', model: 'm' }), {
    ...{ kind: 'anthropic', model: 'm', public: false, num_ctx: 8192, max_tokens: 16_000, think: false },
    ...{ timeout: null, retries: 2, format: 'auto' },
  });
});

test('loaded and called by the loop, it answers within the schema of its hook and tells what it used', async () => {
  await serving(
    {
      script: [
        { text: DIFF, usage: { input: 7, output: 3 } },
        { status: 401, error: KEY },
      ],
    },
    async ({ url }) => {
      const yaml = `escalations: [api]\nplugins: { api: { kind: anthropic, model: large, base_url: "${url}", key_env: ANTHROPIC_API_KEY } }`;
      const { escalations } = await load(yaml, {});
      const reported: string[] = [];
      const reporting = {
        say: (text: string) => reported.push(text),
        used: (tokens: number) => reported.push(`${tokens} tokens`),
      };
      const call = () =>
        callHook(escalations[0] as LoadedPlugin, 'escalate', { ...fixFacts(), case: CASE }, { reporting });
      assert.equal(await call(), { plugin: 'api', answer: { answer: DIFF } });
      assert.is(reported[1], '10 tokens');
      const failed = await call();
      assert.ok('failed' in failed && failed.why === 'threw');
      assert.match('failed' in failed ? failed.failed : '', 'does not take the key in ANTHROPIC_API_KEY (401)');
    },
  );
});

test('where questions go follows from the base, as each protocol has it', async () => {
  const paths: Record<string, [ApiKind, string]> = {
    '': ['anthropic', '/v1/messages'],
    '/v1/': ['anthropic', '/v1/messages'],
    '/proxy/v1/messages': ['anthropic', '/proxy/v1/messages'],
    '/api/v1': ['openai', '/api/v1/chat/completions'],
    '/v2/chat/completions': ['openai', '/v2/chat/completions'],
  };
  for (const [base, [kind, path]] of Object.entries(paths)) {
    await serving({ kind, script: [{ text: DIFF }] }, async ({ url, requests }) => {
      await asking(url, { options: { base_url: `${url}${base}` } }, kind);
      assert.is(requests[0]?.path, path);
    });
  }
});

test.run();
