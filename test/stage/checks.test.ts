import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../src/io/log.ts';
import { dottedKey, verifyStage } from '../../src/stage/checks.ts';
import { folder, write } from '../environment.ts';
import { httpServer, tcpServer } from '../io/servers.ts';
import { stageOf } from '../plan/builders.ts';

const root = folder();
const out = folder();
write(root, {
  'full.txt': 'hello world\n',
  'empty.txt': '',
  'good.yaml': 'a: 1\n---\nb: [1, 2]\n',
  'bad.yaml': 'a: [1, 2\nb: 3\n',
  'good.json': '{"status": {"ready": false, "none": null, "list": [{"x": 0}]}}',
  'bad.json': '{"a": 1,}',
});
write(out, { kubeconfig: 'apiVersion: v1\n', empty: '' });
symlinkSync('loop', join(root, 'loop'));

/** What does not hold of `keys`, and what the log says. */
async function problems(keys: object, more: { signal?: AbortSignal; ends?: Record<string, string> } = {}) {
  const log = openLog(join(folder(), 'logs/x.log'), 4_000_000);
  const ran: unknown[] = [];
  const found = await verifyStage(stageOf(keys), {
    ...{ root, out, log, signal: more.signal ?? AbortSignal.timeout(10_000) },
    run: async (command) => {
      ran.push(command);
      return more.ends?.[String(command)];
    },
  });
  await log.close();
  return { found, ran, log: readFileSync(log.path, 'utf8') };
}

const check = async (entry: object) => (await problems({ verify: [entry] })).found;

test('each check of a file holds, or says what does not', async () => {
  const cases: [object, string[]][] = [
    [{ file: 'full.txt' }, []],
    [{ file: 'empty.txt' }, []],
    [{ file: 'out:kubeconfig' }, []],
    [{ file: 'none.txt' }, ['file none.txt: does not exist']],
    [{ file: 'out:none' }, ['file out:none: does not exist']],
    [{ file: 'loop' }, ['file loop: does not exist']],
    [{ file: 'full.txt/below' }, ['file full.txt/below: does not exist']],
    [{ nonempty: 'full.txt' }, []],
    [{ nonempty: 'out:kubeconfig' }, []],
    [{ nonempty: 'empty.txt' }, ['nonempty empty.txt: is empty']],
    [{ nonempty: 'out:empty' }, ['nonempty out:empty: is empty']],
    [{ nonempty: 'none.txt' }, ['nonempty none.txt: does not exist']],
    [{ contains: { file: 'full.txt', text: 'lo wo' } }, []],
    [{ contains: { file: 'full.txt', text: 'lo.wo' } }, ['contains full.txt: does not contain "lo.wo"']],
    [{ contains: { file: 'none.txt', text: 'x' } }, ['contains none.txt: does not exist']],
    [{ yaml: 'good.yaml' }, []],
    [{ yaml: 'empty.txt' }, []],
    [{ yaml: 'none.yaml' }, ['yaml none.yaml: does not exist']],
    [{ json: 'good.json' }, []],
    [{ json: 'good.json', has: 'status.ready' }, []],
    [{ json: 'good.json', has: 'status.none' }, []],
    [{ json: 'good.json', has: 'status.list.0.x' }, []],
    [{ json: 'good.json', has: 'status.nothing' }, ['json good.json: has no status.nothing']],
    [{ json: 'good.json', has: 'toString' }, ['json good.json: has no toString']],
    [{ json: 'none.json' }, ['json none.json: does not exist']],
  ];
  for (const [entry, expected] of cases) assert.equal(await check(entry), expected, JSON.stringify(entry));
  assert.match((await check({ yaml: 'bad.yaml' }))[0] ?? '', /^yaml bad\.yaml: .* at line \d+, column \d+/);
  assert.match((await check({ json: 'bad.json' }))[0] ?? '', /^json bad\.json: .*JSON/);
  assert.match((await check({ json: 'loop' }))[0] ?? '', /^json loop: /);
});

test('each check of a server holds while it runs, and no longer when it stopped', async () => {
  const [tcp, http] = [await tcpServer(), await httpServer({ '/ready': 200, '/teapot': 418 })];
  const entries = [
    { tcp: `127.0.0.1:${tcp.port}` },
    { http: `http://127.0.0.1:${http.port}/ready` },
    { http: `http://127.0.0.1:${http.port}/teapot`, status: 418 },
  ];
  assert.equal((await problems({ verify: entries })).found, []);
  assert.equal(await check({ http: `http://127.0.0.1:${http.port}/teapot` }), [
    `http http://127.0.0.1:${http.port}/teapot: status 418, expected 200`,
  ]);
  await Promise.all([tcp.stop(), http.stop()]);
  assert.equal((await problems({ verify: entries })).found, [
    `tcp 127.0.0.1:${tcp.port}: ECONNREFUSED`,
    `http http://127.0.0.1:${http.port}/ready: ECONNREFUSED`,
    `http http://127.0.0.1:${http.port}/teapot: ECONNREFUSED`,
  ]);
});

test('commands hold when they succeed; all checks run, also after one that did not', async () => {
  const verify = ['stages/a/verify.sh', ['kubectl', 'get', 'nodes'], { file: 'none.txt' }, 'true'];
  const { found, ran, log } = await problems({ verify }, { ends: { 'stages/a/verify.sh': 'exit code 3' } });
  assert.equal(ran, ['stages/a/verify.sh', ['kubectl', 'get', 'nodes'], 'true']);
  assert.equal(found, ['stages/a/verify.sh: exit code 3', 'file none.txt: does not exist']);
  assert.is(
    log,
    [
      'mendloop: verify: stages/a/verify.sh',
      'mendloop: verify: stages/a/verify.sh: exit code 3',
      'mendloop: verify: kubectl get nodes',
      'mendloop: verify: file none.txt: does not exist',
      'mendloop: verify: true\n',
    ].join('\n'),
  );
});

test('a check of several lines is one line of the log: the others would pass for its output', async () => {
  const check = 'set -e\nx="$(helm list --failed \\\n  --short)"\ntest -z "$x"\n';
  const { ran, log } = await problems({ verify: [check] }, { ends: { [check]: 'exit code 1' } });
  const line = 'mendloop: verify: set -e; x="$(helm list --failed --short)"; test -z "$x"';
  assert.equal([ran, log], [[check], `${line}\n${line}: exit code 1\n`]);
});

test('every output must be there and not empty', async () => {
  const { found } = await problems({ outputs: { config: 'kubeconfig', nothing: 'none', hollow: 'empty' } });
  assert.equal(found, ['output nothing: none is missing or empty', 'output hollow: empty is missing or empty']);
});

test('nothing more is checked once it must stop', async () => {
  const { ran } = await problems({ verify: ['true', 'true'] }, { signal: AbortSignal.abort() });
  assert.equal(ran, []);
});

test('a stage that checks nothing holds', async () => {
  assert.equal((await problems({})).found, []);
});

test('a dotted key leads through objects and lists, and only to what is their own', () => {
  const value = { a: { b: [{ c: 1 }], d: null }, e: undefined };
  assert.is(dottedKey(value, 'a.b.0.c'), 1);
  assert.is(dottedKey(value, 'a.d'), null);
  for (const key of ['a.b.1', 'a.d.x', 'e', 'x', 'a.constructor', 'a.b.0.c.toFixed', '']) {
    assert.is(dottedKey(value, key), undefined, key);
  }
});

test.run();
