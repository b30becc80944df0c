import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pickModel } from '../../plugins/executors/ollama/pick-model.ts';
import { type HostedModel, machineHasGpu } from '../../src/io/egress/ollama-chat.ts';
import { isLanAddress, lanHost } from '../../src/model/address.ts';
import type { Speed } from '../../src/plugin/contract.ts';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import { setEnv } from '../environment.ts';
import { ask, asked, DIFF, promptOf, serving, thrownBy } from './ask-ollama.ts';

const url = (text: string): string | undefined => {
  const host = lanHost(text);
  return 'url' in host ? host.url : undefined;
};

test('a host is written as for Ollama itself, and everywhere means here', () => {
  const written = {
    'http://127.0.0.1:11434': 'http://127.0.0.1:11434',
    'http://localhost:11434/': 'http://localhost:11434',
    '192.168.1.5': 'http://192.168.1.5:11434',
    '192.168.1.5:8080': 'http://192.168.1.5:8080',
    ':8080': 'http://127.0.0.1:8080',
    '0.0.0.0': 'http://127.0.0.1:11434',
    'http://0.0.0.0:11434': 'http://127.0.0.1:11434',
    '[::]:11434': 'http://127.0.0.1:11434',
    'https://gpu.lan/ollama/': 'https://gpu.lan:443/ollama',
    'http://gpu.home.arpa': 'http://gpu.home.arpa:80',
    'http://gpu.local:1': 'http://gpu.local:1',
    'gpu.internal': 'http://gpu.internal:11434',
    gpu: 'http://gpu:11434',
    '[fd00::5]:11434': 'http://[fd00::5]:11434',
    'http://[::1]:11434': 'http://[::1]:11434',
    'http://10.1.2.3:5': 'http://10.1.2.3:5',
    'http://2130706433:5': 'http://127.0.0.1:5',
  };
  for (const [text, expected] of Object.entries(written)) assert.is(url(text), expected, text);
});

test('a host that is neither here nor on the own network is refused, however it is written', () => {
  for (const text of [
    ...['http://8.8.8.8:11434', 'https://ollama.com', 'models.example.com', 'http://172.32.0.1', 'http://192.169.1.1'],
    ...[
      'http://[2606:4700::1111]',
      'http://134744072',
      'http://lan',
      'http://evil.lan.example.com',
      'http://[::ffff:8.8.8.8]',
    ],
    ...['http://user:secret@127.0.0.1', 'ftp://127.0.0.1', 'http://', '', 'http://100.64.0.1', 'http://11.0.0.1'],
  ]) {
    if (text === 'http://lan') continue;
    assert.is(url(text), undefined, text);
  }
  const { refused } = lanHost('https://ollama.com') as { refused: string };
  assert.is(
    refused,
    'ollama.com is neither this machine nor a host of its network (a private address, or a name in .lan, .local, .home.arpa, .internal); prompts hold your files and logs and stay here',
  );
});

test('these addresses are local and no others', () => {
  const local = ['127.0.0.1', '127.9.9.9', '10.0.0.1', '172.16.0.1', '172.31.255.1', '192.168.0.1', '169.254.1.1'];
  const alsoLocal = ['::1', 'fe80::1%eth0', 'febf::1', 'fc00::1', 'fdff::1', '::ffff:192.168.1.1', '::ffff:c0a8:101'];
  for (const address of [...local, ...alsoLocal]) assert.ok(isLanAddress(address), address);
  const foreign = [
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '1.2.3',
    '256.1.1.1',
    '',
  ];
  const alsoForeign = [
    '::',
    '2001:db8::1',
    'fec0::1',
    'ff02::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::7f00:1',
  ];
  for (const address of [...foreign, ...alsoForeign]) assert.not.ok(isLanAddress(address), address);
});

test('OLLAMA_HOST counts when the settings name no host, and is held to the same rule', async () => {
  await serving({ script: [{ text: DIFF }] }, async (server) => {
    setEnv({ OLLAMA_HOST: server.url.replace('http://127.0.0.1', '0.0.0.0') });
    assert.equal((await asked(server.url, { options: { host: undefined } })).proposal, { answer: DIFF });
    setEnv({ OLLAMA_HOST: 'https://ollama.com' });
    assert.match(await thrownBy(asked('', { options: { host: undefined } })), /^ollama\.com is neither this machine/);
  });
});

const coder = (name: string, gb: number) => ({ name, size: gb * 1e9, parameters: '' });

test('auto takes the largest of the first preferred family that fits, never one that runs elsewhere or only embeds', async () => {
  const picked = async (...names: (string | { name: string; remoteHost?: string; size?: number })[]) => {
    const models = names.map((model) => (typeof model === 'string' ? coder(model, 1) : model));
    return (await ask([{ text: DIFF }], {}, { models })).chats[0]?.body.model;
  };
  assert.is(await picked('llama3.1:8b', 'codellama:7b', 'qwen2.5-coder:7b'), 'qwen2.5-coder:7b');
  assert.is(await picked(coder('qwen2.5-coder:1.5b', 1), coder('qwen2.5-coder:7b', 2)), 'qwen2.5-coder:7b');
  assert.is(await picked(coder('qwen3-coder:480b', 290_000), 'codellama:7b'), 'codellama:7b');
  assert.is(
    await picked({ name: 'qwen3-coder:480b-cloud', remoteHost: 'https://ollama.com' }, 'llama3.1:8b'),
    'llama3.1:8b',
  );
  assert.is(await picked('nomic-embed-text:latest', 'someone/mystery:3b'), 'someone/mystery:3b');
  assert.is(await picked(coder('codellama:70b', 300_000), coder('codellama:34b', 200_000)), 'codellama:34b');
});

test('without a GPU that is seen, auto takes nothing above 8B, nor what was measured as slow', async () => {
  const of = (name: string, parameters: string, gb: number) => ({ name, parameters, size: gb * 1e9 });
  const large = of('qwen2.5-coder:14b', '14.8B', 9);
  const small = of('qwen2.5-coder:7b', '7.6B', 4.7);
  const tiny = of('qwen2.5-coder:1.5b', '1.5B', 1);
  const machine = { maxBytes: 20e9, hasGpu: false, speedOf: (): Speed[] => [] };
  const picked = (models: HostedModel[], more = {}) => pickModel('auto', models, 'h', { ...machine, ...more });
  const installed = [large, small, tiny].map((model) => ({ ...model, remoteHost: undefined }));
  assert.equal(picked(installed), {
    model: small.name,
    why: '7.6B, 4.7 GB; the largest qwen2.5-coder model here that fits into 20.0 GB, of at most 8B as no GPU is seen',
  });
  assert.is(picked(installed, { hasGpu: true }).model, large.name);
  assert.match(picked(installed.slice(0, 1)).why, 'the smallest here, as none has at most 8B and no GPU is seen');
  const slow: Speed[] = [{ read: { tokens: 5, ms: 1000 }, wrote: { tokens: 1, ms: 1000 } }];
  const slower: Speed[] = [{ read: { tokens: 4, ms: 1000 }, wrote: { tokens: 1, ms: 1000 } }];
  const one = picked(installed, { speedOf: (name: string) => (name === small.name ? slow : []) });
  assert.is(one.model, tiny.name);
  assert.match(one.why, 'that fits into 20.0 GB and answers in less than 5 min');
  const all = picked(installed, { speedOf: (name: string) => (name === small.name ? slow : slower) });
  assert.equal(all, { model: small.name, why: '7.6B, 4.7 GB; the fastest here, as all took longer than 5 min' });
});

test('on another host a GPU is seen while a model is in its memory', async () => {
  const models = [
    { name: 'qwen2.5-coder:14b', size: 1e9, parameters: '14.8B' },
    { name: 'a:7b', size: 1e9, parameters: '7B' },
  ];
  for (const [onGpu, model] of [
    [true, 'qwen2.5-coder:14b'],
    [false, 'a:7b'],
    [undefined, 'a:7b'],
  ] as const) {
    const { chats } = await ask([{ text: DIFF }], {}, { models, ...(onGpu === undefined ? {} : { onGpu }) });
    // This machine may have one itself.
    assert.is(chats[0]?.body.model, machineHasGpu() ? 'qwen2.5-coder:14b' : model);
  }
});

test('a model that is missing or runs elsewhere is said clearly, with what to do', async () => {
  const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => coder(name, 1));
  const said = (model: string, served: { name: string; remoteHost?: string }[]) =>
    thrownBy(ask([], { options: { model } }, { models: served }));
  assert.is(
    await said('qwen2.5-coder:7b', models),
    'qwen2.5-coder:7b is not installed at http://host; pull it there: ollama pull qwen2.5-coder:7b (installed: a, b, c, d, e and 1 more)',
  );
  assert.is(
    await said('x', []),
    'x is not installed at http://host; pull it there: ollama pull x (installed: nothing)',
  );
  assert.is(
    await said('auto', []),
    'no model is installed at http://host; pull one there: ollama pull qwen2.5-coder:7b',
  );
  const remote = [{ name: 'big', remoteHost: 'https://ollama.com:443' }];
  assert.is(
    await said('big', remote),
    'big does not run at http://host but at https://ollama.com:443; prompts stay here',
  );
  assert.is(
    await said('gpt-oss:120b-cloud', []),
    'gpt-oss:120b-cloud does not run at http://host but at ollama.com; prompts stay here',
  );
});

test('every fault of a host throws one line', async () => {
  const gone = await startOllamaServer();
  await gone.close();
  assert.is(await thrownBy(asked(gone.url)), 'nothing listens at http://host; start it there: ollama serve');
  const quick = { options: { timeout: '200ms' } };
  assert.is(await thrownBy(ask([{ status: 500, error: 'no memory' }])), 'http://host answered 500: no memory');
  assert.is(
    await thrownBy(ask([{ text: 'x', end: 'error', error: 'out of memory' }])),
    'http://host failed in the middle of its answer: out of memory',
  );
  assert.is(await thrownBy(ask([{ text: 'x', end: 'cut' }])), 'the stream ended before the answer was complete');
  assert.is(
    await thrownBy(ask([{ text: 'x', end: 'hang' }], quick)),
    'qwen2.5-coder:7b at http://host did not answer within 200 ms (plugins.ollama.timeout); 1 token came',
  );
});

test('it stops at once when it is told to', async () => {
  await serving({ script: [{ text: 'x', end: 'hang' }] }, async (server) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 150);
    assert.is(await thrownBy(asked(server.url, { signal: stop.signal })), 'it was stopped');
  });
});

test('a prompt that does not fit is not sent, one that was cut is noticed, and no count proves nothing', async () => {
  const files = { 'a.yaml': 'a: 1\n' };
  const prompt = `${'word '.repeat(5000)}\n${promptOf(files)}`;
  const options = { num_ctx: 4096 };
  const large = await thrownBy(ask([{ text: DIFF }], { files, prompt, options }));
  assert.match(
    large,
    /^the prompt has about \d{4} tokens, and qwen2\.5-coder:7b takes 4096 with its answer; raise plugins\.ollama\.num_ctx/,
  );
  // More tokens than estimated: only the host can tell.
  const dense = await thrownBy(ask([{ text: DIFF }], { files, prompt: '"'.repeat(13_000), options }));
  assert.match(dense, 'answered 400: the input length exceeds the context length; raise plugins.ollama.num_ctx');
  const models = [{ name: 'codellama:7b', context: 2048 }];
  const small = await thrownBy(ask([{ text: DIFF }], { files, prompt: 'x'.repeat(8000) }, { models }));
  assert.match(small, 'codellama:7b takes 2048 with its answer');
  const cut = await thrownBy(ask([{ text: DIFF, truncatesTo: 2048 }], { files, prompt }));
  assert.match(cut, /^http:\/\/host cut the prompt: qwen2\.5-coder:7b read 2048 of about \d{4} tokens$/);
  const filled = await thrownBy(ask([{ text: DIFF, truncatesTo: 8192 }], { files, prompt }));
  assert.match(filled, 'cut the prompt');
  const none = await ask([{ text: DIFF, metrics: { prompt_eval_count: null } }], { files, prompt });
  assert.equal(none.proposal, { answer: DIFF });
});

test.run();
