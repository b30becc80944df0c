// The whole way on a real Slurm: one cluster for all tests of this file. What two of them prove is looked at every day, the rest in
// `npm run test:long`.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { withLock } from '../../src/io/lock.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { Stop } from '../../src/plan/stop.ts';
import { closeOpenRun } from '../../src/run/close-run.ts';
import { cutOff, homelab, journalIn, NOTE, ranSteps, run } from '../run/homelab.ts';
import { noSlurm, startCluster } from '../slurm/cluster.ts';
import { cases } from '../sweep.ts';

const cluster = noSlurm ? undefined : startCluster({ nodes: 4, cpus: 4 });
const onSlurm = cluster ? test : test.skip;
const atLength = cases<typeof test.skip>(() => {}, onSlurm);
const ENTRY = resolve(import.meta.dirname, '../../scripts/bootstrap_loop.mjs');
const LOOP = { backend: 'slurm-dag', slurm: { grace: '2s' } };
const ports = { env: { ...cluster?.env } };
const states = () =>
  (cluster?.slurm('squeue', '-h', '-t', 'all', '-o', '%T') ?? '').split('\n').filter((state) => state !== '');

onSlurm(
  'a graph with a broken script and a matrix ends green: mended once, each cell its own task, needs first',
  async () => {
    const home = homelab(
      {
        a: { command: `${NOTE}; echo 1 > "$MENDLOOP_OUT/o"`, outputs: { o: 'o' } },
        m: {
          command: `${NOTE}; ./m.sh`,
          needs: ['a'],
          matrix: { host: ['h1', 'h2', 'h3'] },
          verify: ['true'],
          files: ['m.sh'],
        },
        z: { command: `${NOTE}; cat "$MENDLOOP_OUTPUTS/a/o"`, needs: ['m'] },
      },
      LOOP,
      // Not executable, which a known fix mends.
      { 'm.sh': '#!/bin/sh\ntrue\n' },
    );
    const { exit, events, stages } = await run(home, {}, ports);
    assert.is(exit, 0, JSON.stringify(events.at(-1)));
    assert.equal(
      Object.values(stages.stages).map(({ status }) => status),
      ['green', 'green', 'green'],
    );
    assert.equal([ranSteps(home)[0], ranSteps(home).at(-1)], ['a', 'z']);
    assert.is(events.filter(({ type }) => type === 'fix.committed').length, 1);
    const [a, m, z] = events.flatMap((event) => (event.type === 'job.intended' ? [event.data] : []));
    assert.equal([a?.after, m?.after, z?.after], [[], ['a'], ['m[host=h1]', 'm[host=h2]', 'm[host=h3]']]);
    assert.equal(
      m?.tasks,
      ['h1', 'h2', 'h3'].map((host) => ({ step: `m[host=${host}]`, attempt: 1 })),
    );
    assert.equal(
      states().filter((state) => !['COMPLETED', 'FAILED', 'CANCELLED'].includes(state)),
      [],
    );
  },
);

onSlurm(
  'a run whose controller died goes on: what ended counts, what runs is followed, nothing is run twice',
  async () => {
    const home = homelab(
      {
        a: { command: `${NOTE}; echo 1 > "$MENDLOOP_OUT/o"`, outputs: { o: 'o' } },
        // What it needs is green before the controller has heard of it.
        b: { command: `${process.execPath} ${ENTRY} get a.o; ${NOTE}`, needs: ['a'] },
        c: { command: NOTE, needs: ['b'] },
      },
      LOOP,
    );
    const first = await run(home, {}, ports);
    // As if it had died when all was submitted and nothing had ended.
    let submitted = 0;
    cutOff(home, first.run, (event) => event.type === 'job.submitted' && ++submitted === 3);
    const second = await run(home, {}, ports);
    assert.equal([second.exit, second.run], [0, first.run]);
    assert.equal(ranSteps(home), ['a', 'b', 'c']);
    const journal = journalIn(home, first.run);
    assert.is(journal.filter(({ type }) => type === 'job.intended').length, 3);
    assert.is(journal.filter(({ type }) => type === 'step.interrupted').length, 0);
  },
);

for (const backend of ['slurm-dag', 'slurm-pool'])
  atLength(
    `${backend}: the error of all cells is one failure and one fix; cells that had not begun wait for it`,
    async () => {
      const hosts = Array.from({ length: 12 }, (_, i) => `h${i}`);
      const home = homelab(
        {
          m: { command: `${NOTE}; sleep 0.5; ./m.sh`, matrix: { host: hosts }, files: ['m.sh'] },
          z: { command: NOTE, needs: ['m'] },
        },
        {
          ...LOOP,
          backend,
          workers: 4,
          slurm: { grace: '2s', idle: '5s', specs: { default: { options: ['--cpus-per-task=4'] } } },
        },
        { 'm.sh': '#!/bin/sh\ntrue\n' },
      );
      const { exit, events } = await run(home, {}, ports);
      assert.is(exit, 0, JSON.stringify(events.at(-1)));
      const count = (type: string) => events.filter((event) => event.type === type).length;
      assert.equal([count('fix.committed'), count('failure.decided'), count('stage.green')], [1, 1, 2]);
      // Four cells run at once: the others began after the fix.
      assert.ok(ranSteps(home).length < 12 + 1 + 10, ranSteps(home).join(' '));
    },
  );

atLength('attempts that run beside one that changed what checks run are made again, alone', async () => {
  const home = homelab(
    {
      bad: { command: `sleep 3; ${NOTE}; echo 'exit 0' > check.sh`, verify: ['sh check.sh'] },
      good: { command: `${NOTE}; sleep 6`, verify: ['sh check.sh'] },
    },
    LOOP,
    { 'check.sh': '#!/bin/sh\ntrue\n' },
  );
  const { exit, stages } = await run(home, { ai: false }, ports);
  assert.equal([exit, stages.stages.bad?.status, stages.stages.good?.status], [1, 'failed', 'green']);
  assert.equal(ranSteps(home).toSorted(), ['bad', 'bad', 'good', 'good']);
});

atLength('an interruption cancels what was submitted, and nothing of it is left', async () => {
  const home = homelab({ a: { command: 'sleep 60' }, b: { command: NOTE, needs: ['a'] } }, LOOP);
  const controller = new AbortController();
  const stop = async (event: LoopEvent) => {
    if (event.type !== 'job.submitted' || event.data.job !== '2') return;
    setTimeout(() => controller.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT')), 1500);
  };
  const { exit, stages } = await run(home, {}, { ...ports, signal: controller.signal, subscribers: [stop] });
  assert.equal([exit, stages.stages.a?.status, ranSteps(home)], [130, 'idle', []]);
  assert.equal(
    states().filter((state) => ['PENDING', 'RUNNING'].includes(state)),
    [],
  );
});

atLength('a job that somebody cancels is lost, in its own words, and tried again', async () => {
  const home = homelab({ a: { command: `${NOTE}; test "$MENDLOOP_ATTEMPT" = 2 || sleep 60` } }, LOOP);
  const cancel = (event: LoopEvent) => {
    if (event.type !== 'job.submitted' || event.data.job !== '1') return;
    const timer = setInterval(() => {
      if (ranSteps(home).length === 0) return;
      clearInterval(timer);
      cluster?.slurm('scancel', event.data.id);
    }, 100);
  };
  const { exit, events } = await run(home, {}, { ...ports, subscribers: [cancel] });
  const lost = events.find(({ type }) => type === 'attempt.lost');
  const words = /^job \d+ on n\d was cancelled by somebody with scancel \(CANCELLED.*\); its output: ai\/state\/runs\//;
  assert.match(String(lost?.data.reason), words);
  assert.equal([exit, lost?.data.code, ranSteps(home)], [0, 'JOB_CANCELLED', ['a', 'a']]);
});

atLength('what no node could run is refused before anything is submitted', async () => {
  const before = states().length;
  const specs = { default: { options: ['--cpus-per-task=64'] } };
  const home = homelab({ a: { command: NOTE } }, { ...LOOP, slurm: { specs } });
  const impossible = await run(home, {}, ports).catch((error) => error);
  assert.is(impossible.code, 'E_SLURM_REFUSED');
  const partition = homelab(
    { a: { command: NOTE } },
    { ...LOOP, slurm: { specs: { default: { partition: 'none' } } } },
  );
  assert.match((await run(partition, {}, ports).catch((refused) => refused)).message, /invalid partition/i);
  const parent = homelab(
    { a: { command: NOTE } },
    { ...LOOP, slurm: { specs: { default: { options: ['-d', 'afterok:99999'] } } } },
  );
  const refused = await run(parent, {}, ports).catch((error) => error);
  assert.equal(
    [refused.code, refused.problems],
    ['E_SLURM_PARENT', ['job 99999: Slurm does not know it, and would start behind it at once']],
  );
  assert.equal([states().length, ranSteps(home)], [before, []]);
});

test('a spec that nothing is said of, and an option that is not theirs, are problems of the configuration', async () => {
  const specs = { default: { options: ['--array=1-3'] } };
  const home = homelab({ a: { command: NOTE, spec: 'gpu' } }, { backend: 'slurm-dag', slurm: { specs } });
  const error = await run(home).catch((refused) => refused);
  assert.is(error.code, 'E_CONFIG');
  assert.match(error.problems[0], /stages\.a\.spec: slurm\.specs in ai\/loop\.yaml has no "gpu"/);
  assert.match(error.problems[1], /slurm\.specs\.default\.options: --array=1-3 cannot be given/);
});

test('more than a hundred jobs need a word of their owner', async () => {
  const hosts = Array.from({ length: 101 }, (_, i) => `h${i}`);
  const home = homelab({ m: { command: NOTE, matrix: { host: hosts } } }, LOOP);
  const error = await run(home, {}, ports).catch((refused) => refused);
  assert.equal(
    [error.code, error.message],
    ['E_MANY_JOBS', 'this would be 101 jobs, and more than 100 are submitted only at your word'],
  );
});

const OWN = `export default {
  name: 'mine',
  backend: () => ({
    async run({ command: [program, ...args], folder, env }) {
      const { spawnSync } = await import('node:child_process');
      const { status } = spawnSync(program, args, { cwd: folder, env });
      return { exit_code: status, signal: null, timed_out: false };
    },
  }),
};
`;

test("a backend of the owner's own runs the attempts", async () => {
  const home = homelab(
    { a: { command: NOTE }, b: { command: `${NOTE}; exit 3` } },
    { backend: 'mine' },
    { 'plugins/backends/mine.mjs': OWN },
  );
  const { exit, result, run: id } = await run(home);
  assert.equal([exit, result.error?.message, ranSteps(home)], [1, 'exit code 3', ['a', 'b']]);
  assert.match(readFileSync(join(home, `ai/state/runs/${id}/jobs/1/job.json`), 'utf8'), '"step":"a"');
});

test('what an own backend had begun is not taken for gone, unless its owner says so; without Slurm a person can close a run', async () => {
  const home = homelab({ a: { command: 'true' } }, { backend: 'mine' }, { 'plugins/backends/mine.mjs': OWN });
  const { run: id } = await run(home);
  cutOff(home, id, ({ type }) => type === 'job.intended');
  const layout = layoutOf(home);
  rmSync(join(layout.jobs(id), '1/0.result.json'));
  const ports = { layout, clock: systemClock, graceMs: 100, env: { PATH: '/nonexistent' } };
  await withLock(layout, 'test', async () => {
    const refused = await closeOpenRun(loadStages(layout), 'test', ports).catch((error) => error);
    assert.is(refused.code, 'E_LEFTOVER');
    assert.is(await closeOpenRun(loadStages(layout), 'test', ports, true), id);
  });
  const events = journalIn(home, id);
  const upTo = events.slice(0, events.findIndex(({ type }) => type === 'job.intended') + 1);
  const asSlurm = upTo.map((event) => JSON.stringify(event).replace('"backend":"mine"', '"backend":"slurm-dag"'));
  writeFileSync(layout.journal(id), `${asSlurm.join('\n')}\n`);
  rmSync(layout.stages);
  rmSync(layout.runFile(id), { force: true });
  await withLock(layout, 'test', async () => {
    const refused = await closeOpenRun(loadStages(layout), 'test', ports).catch((error) => error);
    assert.is(refused.code, 'E_SLURM_MISSING');
    assert.is(await closeOpenRun(loadStages(layout), 'test', ports, true), id);
  });
});

test.run();
