// Which host is asked at all, through the real entry: one that is not there, one that is silent, one that is not ours, one
// that passes prompts on; and how often a host that is down is tried.
import { existsSync, readFileSync } from 'node:fs';
import { createServer as createWeb } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dataOf, type Lab, modelLab, type Ran } from './model-lab.ts';
import { folder, until, write } from './scenario.ts';

const NOBODY = 'http://127.0.0.1:1';

/** A host that does only this with whoever connects. Returns its address and how many came. */
async function bareHost(meets: (socket: Socket) => void): Promise<{ url: string; met: () => number }> {
  let count = 0;
  return listening(
    createServer((socket) => {
      count += 1;
      socket.on('error', () => {});
      meets(socket);
    }),
    () => count,
  );
}

async function listening(server: Server, met: () => number): Promise<{ url: string; met: () => number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref().on('connection', (socket: Socket) => socket.unref());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, met };
}

function assertLeft(lab: Lab, done: Ran, reason: string | RegExp): void {
  assert.equal([done.exit, lab.stages().a?.status, lab.subjects()], [1, 'failed', []], done.said);
  assert.equal([lab.ledger().day.tries, lab.entry().executor_tries], [0, 0]);
  assert.equal(done.trail, ['plugin.failed', 'prompt.saved']);
  assert.equal(done.decided, ['executor', 'no_executor']);
  assert.match(String(dataOf(done, 'plugin.failed', 'reason')[0]), reason);
  const [path] = dataOf(done, 'prompt.saved', 'path').map(String);
  assert.ok(done.said.includes(path as string), done.said);
  assert.match(lab.read(path as string), 'unexpected word bad');
  assert.not(existsSync(lab.path('ai/escalations')));
}

test('nothing listens: said at once, and the run takes hardly longer than one without a model', async () => {
  const [asking, alone] = [
    await modelLab({ loop: { escalations: undefined } }),
    await modelLab({ loop: { executors: ['known-fixes'] } }),
  ];
  const timed = async (lab: Lab) => {
    const began = performance.now();
    const done = await lab.mend([], { env: { OLLAMA_HOST: NOBODY } });
    return { done, took: performance.now() - began };
  };
  const runs: Record<'asking' | 'alone', Awaited<ReturnType<typeof timed>>>[] = [];
  for (let round = 0; round < 2; round++) runs.push({ asking: await timed(asking), alone: await timed(alone) });
  for (const { asking: one } of runs) {
    assertLeft(asking, one.done, `ollama: nothing listens at ${NOBODY}; start it there: ollama serve`);
  }
  const least = (of: 'asking' | 'alone') => Math.min(...runs.map((run) => run[of].took));
  const more = least('asking') - least('alone');
  console.log(
    `a host that is not there costs ${more.toFixed(0)} ms (${least('asking').toFixed(0)} ms, ${least('alone').toFixed(0)} ms without)`,
  );
  assert.ok(more < 2000, `${more} ms`);
});

test('a host that takes the connection and is silent costs its time and no more', async () => {
  const silent = await bareHost(() => {});
  const lab = await modelLab({ loop: { plugins: { ollama: { host: silent.url, timeout: '1s' } } } });
  const done = await lab.mend();
  assertLeft(lab, done, `ollama: ${silent.url} did not answer within 1 s`);
  assert.is(lab.server.requests.length, 0, 'the setting counts before OLLAMA_HOST');
});

test('what the run has no time left for is not asked: failed, and no try is spent', async () => {
  const lab = await modelLab({ loop: { limits: { run_minutes: 2 } } });
  const slow = { read: { tokens: 1, ms: 1000 }, wrote: { tokens: 1, ms: 1000 } };
  const models = { [`qwen2.5-coder:7b at ${lab.server.url}`]: [slow] };
  write(lab.home, { 'ai/state/.gitignore': '*\n', 'ai/state/speeds.json': JSON.stringify({ version: 1, models }) });
  const done = await lab.mend();
  assertLeft(lab, done, /qwen2\.5-coder:7b at \S+ is not asked: it would take about \d+ min, and the run has 1 min /);
  assert.is(lab.server.chats.length, 0);
});

test('an answer that the run has to end before is no stop, but a host without an answer', async () => {
  const lab = await modelLab();
  lab.answers({ text: 'conf', end: 'hang' });
  const done = await lab.mend(['--deadline', '12s']);
  assertLeft(lab, done, 'came before the run had to end (limits.run_minutes, or --deadline)');
});

test('a login page instead of Ollama is no answer, and no page is printed', async () => {
  const page = createWeb((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please log in</body></html>');
  });
  const { url } = await listening(page, () => 0);
  const lab = await modelLab({ loop: { plugins: { ollama: { host: url } } } });
  const done = await lab.mend();
  assertLeft(lab, done, /^ollama: .*(JSON|not speak|Ollama)/i);
  assert.not.match(done.said, '<html>');
});

test('a model that is not installed is named, with how to pull it and what there is', async () => {
  const lab = await modelLab({
    models: [{ name: 'codellama:7b' }, { name: 'nomic-embed-text:latest' }],
    loop: { plugins: { ollama: { model: 'qwen2.5-coder:14b' } } },
  });
  const done = await lab.mend();
  assertLeft(
    lab,
    done,
    `qwen2.5-coder:14b is not installed at ${lab.server.url}; pull it there: ollama pull qwen2.5-coder:14b (installed: codellama:7b, nomic-embed-text:latest)`,
  );
  assert.is(lab.server.chats.length, 0);
});

test('a model that runs elsewhere is never asked, neither by its name nor by choice', async () => {
  const remote = [
    { name: 'gpt-oss:120b-cloud', remoteHost: 'https://ollama.com:443' },
    { name: 'big', remoteHost: 'https://ollama.com:443' },
  ];
  for (const [model, why] of [
    ['gpt-oss:120b-cloud', 'does not run at'],
    ['big', 'big does not run at'],
    ['auto', 'no model is installed at'],
  ] as const) {
    const lab = await modelLab({ models: remote, loop: { plugins: { ollama: { model } } } });
    const done = await lab.mend();
    assertLeft(lab, done, why);
    assert.is(lab.server.chats.length, 0, model);
  }
});

/** Tells every address that the child connects to. */
function watchedConnections(): { env: Record<string, string>; seen: () => string[] } {
  const at = folder();
  const spy = `import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const [first] = [args[0]].flat();
  appendFileSync(${JSON.stringify(join(at, 'seen'))}, JSON.stringify([first?.host ?? first, first?.port]) + '\\n');
  return connect.apply(this, args);
};
`;
  write(at, { 'spy.mjs': spy });
  const seen = () => (existsSync(join(at, 'seen')) ? readFileSync(join(at, 'seen'), 'utf8').trim().split('\n') : []);
  return { env: { NODE_OPTIONS: `--import ${join(at, 'spy.mjs')}` }, seen };
}

test('a host outside of this network: refused before the first stage in the file, without a connection from the environment', async () => {
  const written = await modelLab({ loop: { plugins: { ollama: { host: 'http://8.8.8.8:11434' } } } });
  const refused = await written.mend();
  assert.is(refused.exit, 2);
  assert.match(refused.said, 'plugins.ollama.host: 8.8.8.8 is neither this machine nor a host of its network');
  assert.not(written.has('ai/worktree'), 'nothing was begun');
  assert.equal(refused.events, []);
  const lab = await modelLab();
  const spy = watchedConnections();
  const done = await lab.mend([], { alone: true, env: { ...spy.env, OLLAMA_HOST: 'http://8.8.8.8:11434' } });
  assertLeft(lab, done, 'ollama: 8.8.8.8 is neither this machine nor a host of its network');
  assert.equal(spy.seen(), []);
  await lab.mend([], { alone: true, env: { ...spy.env, OLLAMA_HOST: NOBODY } });
  assert.match(spy.seen().join(), '127.0.0.1', 'a connection would have been seen');
});

test('a host that is down is tried three times in a minute, and the journal says why not a fourth time', async () => {
  const rude = await bareHost((socket) => socket.destroy());
  const cells = ['c1', 'c2', 'c3', 'c4', 'c5'];
  const command = 'bash check.sh "conf/$MENDLOOP_MATRIX_HOST.txt"';
  const lab = await modelLab({
    stages: { a: { command, files: ['conf/'], matrix: { host: cells }, on_failure: 'skip' } },
    files: Object.fromEntries(cells.map((cell) => [`conf/${cell}.txt`, `bad-${cell}\nsecond\n`])),
    loop: { plugins: { ollama: { host: rude.url } } },
  });
  const done = await lab.mend();
  assert.is(done.exit, 1, done.said);
  await until('all connections are seen', () => rude.met() > 0);
  assert.ok(rude.met() <= 3, `${rude.met()} connections`);
  const failed = dataOf(done, 'plugin.failed', 'reason').map(String);
  assert.is(failed.length, 5, done.said);
  for (const reason of failed.slice(0, 3)) assert.not.match(reason, 'not asked');
  for (const reason of failed.slice(3)) {
    assert.match(reason, /^ollama: not asked for 60 s after 3 failures in a row, the last: ollama: http:\/\/127/);
    assert.ok(done.said.includes(reason));
  }
  assert.is(new Set(dataOf(done, 'prompt.saved', 'path')).size, 5, 'a question each');
  assert.equal([lab.ledger().day.tries, lab.subjects()], [0, []]);
});

test.run();
