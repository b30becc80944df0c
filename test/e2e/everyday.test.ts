// What people type every day is understood, and what they mistype is answered.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, jsonLines, scenario } from './scenario.ts';

const s = scenario({
  'ai/context_map.yaml': contextMap({
    talos: { command: 'echo secret > "$MENDLOOP_OUT/kubeconfig"', outputs: { kubeconfig: 'kubeconfig' } },
    run: { command: 'echo boom >&2; exit 3', needs: ['talos'] },
    metrics: { command: 'true' },
  }),
});

test('run is everything; a stage that is called as a command runs behind --, and validate says so', async () => {
  const ran = await s.run(['run', '--no-ai']);
  assert.is(ran.exit, 1);
  assert.match(ran.stdout, /begins: talos → run → metrics/);
  assert.is(ran.stdout.split('boom').length, 2, `a failure is told once:\n${ran.stdout}`);
  const behind = await s.run(['--no-ai', '--', 'metrics']);
  assert.match(behind.stdout, /begins: metrics\n/);
  const { warnings } = jsonLines((await s.run(['validate', '--json'])).stdout)[0] as unknown as { warnings: string[] };
  assert.ok(warnings.includes('stages.run: run is a command as well: the stage alone runs as mendloop -- run'));
});

test('validate lists the check files of each stage with the word that makes each one', async () => {
  const lab = scenario({
    'ai/context_map.yaml': contextMap({
      a: { command: 'true', verify: ['bash ./check.sh', 'make probe'] },
      b: { command: 'true', diagnostics: ['bash ./check.sh'], verify: ['true'] },
    }),
    'check.sh': 'source lib.sh\n',
    'lib.sh': '',
    Makefile: 'probe:\n\ttrue\n',
  });
  const { stdout } = await lab.run(['validate']);
  const listed = [
    'check files of a, which no fix may touch:\n  check.sh (./check.sh in verify[0])\n  lib.sh (lib.sh in check.sh)',
    '  Makefile (make probe in verify[1])\ncheck files of b, which no fix may touch:\n  check.sh (./check.sh in diagnostics[0])',
    '  lib.sh (lib.sh in check.sh)\n',
  ];
  assert.match(stdout, `ok: 2 stages: a, b\n${listed.join('\n')}`);
  const [told] = jsonLines((await lab.run(['validate', '--json'])).stdout) as unknown as [{ checkFiles: object[] }];
  assert.equal(told.checkFiles[0], { stage: 'a', path: 'check.sh', word: './check.sh', by: 'stages.a.verify[0]' });
  assert.is(told.checkFiles.length, 5);
});

test('why known fixes are not sure is told once, also when nobody else can be reached', async () => {
  const file = 'machine:\n  ntp:\n    servers:\n      - time.cloudflare.com\n';
  const words = `error parsing config JSON patch: unknown keys found during decoding:\n${file}`;
  const lab = scenario({
    'ai/context_map.yaml': contextMap({ talos: { command: `printf '${words}'; exit 1`, files: ['all.yaml'] } }),
    'ai/loop.yaml': 'executors: [known-fixes, ollama]\nescalations: []\n',
    'all.yaml': file,
  });
  const { stdout } = await lab.run();
  assert.is(stdout.split('no fix       known-fixes: nothing has a name that is surely meant by ').length, 2, stdout);
  assert.match(stdout, 'no executor can be reached');
  const explained = await lab.run(['explain', 'talos']);
  assert.match(explained.stdout, /because: seen 2 times since \S+: first of 3 tries/);
});

test('status, explain, get and logs answer about one stage, also when there is little to tell', async () => {
  const status = await s.run(['status', 'talos']);
  assert.match(status.stdout, /^talos {2}green .*\ntalos: log: ai\/logs\/talos\/\S+-1\.log\n$/m);
  assert.not.match(status.stdout, 'metrics');
  const explained = await s.run(['explain', 'talos']);
  assert.is(explained.stdout, 'talos has never failed\n  next:  mendloop status talos, mendloop logs talos\n');
  const outputs = await s.run(['get', 'talos']);
  assert.is(outputs.stdout, `talos.kubeconfig  ${s.path('ai/state/out/talos/kubeconfig')}\n`);
  const [run] = s.runs();
  const log = await s.run(['logs', 'talos', '--run', 'nosuch']);
  assert.is(
    s.plain(log.stderr),
    s.plain(`error E_NO_LOG: talos has no such log (${s.path('ai/logs/talos/nosuch-1.log')}); those there are:
  - --run ${run} --attempt 1
  next:  see what has run: mendloop status
`),
  );
});

test('--exit-code tells what was found; without it an answer is an answer', async () => {
  const exits = [
    ['status'],
    ['status', '--exit-code'],
    ['status', 'talos', '--exit-code'],
    ['validate', '--exit-code'],
  ];
  const ended = await Promise.all(exits.map(async (args) => (await s.run(args)).exit));
  assert.equal(ended, [0, 1, 0, 1]);
});

test('an unknown word with --help is an error; a stage has the help of a run', async () => {
  const unknown = await s.run(['stauts', '--help']);
  assert.is(
    unknown.stderr,
    'error E_USAGE: there is no command or stage "stauts"; did you mean "status"?\n  next:  mendloop --help\n',
  );
  assert.match((await s.run(['talos', '--help'])).stdout, /^usage: mendloop \[all\]/);
});

test('completions asks for the stages of the repository', async () => {
  assert.is((await s.run(['completions', 'stages'])).stdout, 'talos\nrun\nmetrics\n');
});

test.run();
