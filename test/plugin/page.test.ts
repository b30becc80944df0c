// What docs/plugins.md shows of plugins loads, and does what it says.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { callHook } from '../../src/plugin/call.ts';
import { HOOKS } from '../../src/plugin/contract.ts';
import type { LoadedPlugin } from '../../src/plugin/examine.ts';
import { blocksOf, readPage } from '../docs/pages.ts';
import { fixFacts, load } from './plugin-folder.ts';

const PAGE = 'docs/plugins.md';
const blocks = (language: string, page = PAGE) =>
  blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
const block = (language: string) => blocks(language)[0] ?? '';

test('the example is eight lines, loads as it says, and mends', async () => {
  const [first = '', ...lines] = block('js').trimEnd().split('\n');
  assert.is(lines.length, 8);
  const path = first.replace('// plugins/', '');
  const { executors } = await load(block('yaml'), { [path]: lines.join('\n') });
  const propose = (text: string) =>
    callHook(executors[0] as LoadedPlugin, 'propose', fixFacts({ read: async () => text }));
  assert.equal(await propose('set -e\r\necho\r\n'), {
    plugin: 'line-ends',
    answer: {
      files: { 'stages/talos/run.sh': 'set -e\necho\n' },
      note: { fix: 'Use Unix line ends', reason: 'bash takes a carriage return for a letter' },
    },
  });
  assert.equal(await propose('set -e\n'), {
    plugin: 'line-ends',
    answer: { pass: 'no carriage return in a file that the error names' },
  });
});

test('the example in TypeScript tells a person, and says when it could not', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk) => asked.push(String(chunk)));
    request.on('end', () => response.writeHead(request.url === '/ok' ? 200 : 503).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const notified = async (path: string) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const yaml = `notifiers: [pager]\nplugins: { pager: { url: "${url}" } }`;
    const { notifiers } = await load(yaml, { 'pager.ts': block('ts') });
    const notice = { reason: 'give_up', run: 'r', title: 'talos gave up', text: '' } as const;
    return Promise.all(notifiers.map((plugin) => callHook(plugin, 'notify', notice)));
  };
  assert.equal(await notified('/ok'), [{ plugin: 'pager', answer: undefined }]);
  const thrown = 'the pager answered 503';
  const failed = `pager: notify threw: ${thrown}`;
  assert.equal(await notified('/down'), [{ plugin: 'pager', failed, why: 'threw', thrown }]);
  assert.equal(asked, ['talos gave up', 'talos gave up']);
  server.close();
  server.closeAllConnections();
});

test('the template loads with every hook, wherever it is copied to', async () => {
  const yaml = 'executors: [template]\nescalations: [template]\nnotifiers: [template]\nbackend: template';
  const loaded = await load(yaml, { 'template.mjs': readPage('plugins/template.mjs') });
  assert.equal(Object.keys(loaded.backend?.hooks ?? {}).sort(), Object.keys(HOOKS).sort());
  assert.is(loaded.rules.length, 1);
  const template = loaded.backend as LoadedPlugin;
  const facts = { ...fixFacts(), case: { name: 'c', version: 1, text: '' } };
  assert.ok('answer' in (await callHook(template, 'propose', facts)));
  assert.ok('answer' in (await callHook(template, 'escalate', facts)));
  assert.ok('answer' in (await callHook(template, 'backend', { run: 'r' })));
});

test('the page names every hook', () => {
  for (const [hook, { list }] of Object.entries(HOOKS)) {
    const named = list === null ? 'anywhere' : `\`${list === 'backends' ? 'backend' : list}\``;
    assert.match(readPage(PAGE), new RegExp(`^\\| \`${hook}\` +\\| ${named} +\\|`, 'm'));
  }
});

test('the page of models has an example for each shipped plugin with settings, and it loads as it is written', async () => {
  const shown = blocks('yaml', 'docs/models.md').filter((yaml) => /^plugins:/m.test(yaml));
  for (const yaml of shown) {
    await load(yaml, {}).catch((error) => assert.unreachable(`${yaml}\n${error.problems}`));
  }
  const names = [...new Set(shown.flatMap((yaml) => Object.keys(parse(yaml).plugins)))].sort();
  assert.equal(names, ['api', 'command', 'ntfy', 'ollama', 'webhook']);
  const settings = Object.assign({}, ...shown.map((yaml) => parse(yaml).plugins));
  const { argv } = settings.command.escalations;
  assert.equal([...argv.slice(0, 2), argv.at(-1)], ['codex', 'exec', '-']);
});

test('the example of the test servers does what it says', () => {
  const example = blocks('js').find((text) => text.includes('mendloop/testing')) ?? '';
  const script = example.replace('mendloop/testing', './src/testing/index.ts');
  const flags = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const ran = spawnSync(process.execPath, flags, {
    cwd: new URL('../..', import.meta.url),
    timeout: 20_000,
    encoding: 'utf8',
  });
  assert.equal([ran.status, ran.stdout], [0, '200 503 2\n200 429 2\n'], ran.stderr);
});

test.run();
