// The whole way on a real Slurm, of which all tests of a process share one. Every day one test for each backend; the rest waits for
// Slurm again and again, in `npm run test:long`.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../src/errors.ts';
import type { LoopEvent } from '../../src/events.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { LAB_TOOLS, PACKAGE_ROOT } from '../../src/io/package.ts';
import { Stop } from '../../src/plan/stop.ts';
import { folder } from '../environment.ts';
import { needs, type Test } from '../needs.ts';
import { cutOff, failuresIn, homelab, journalIn, NOTE, ranSteps, run } from '../run/homelab.ts';
import { mendable, says, stageOn } from '../run/probe.ts';
import { onSlurm, SLOW, SLURM, sharedCluster } from '../slurm/cluster.ts';
import { cases } from '../sweep.ts';
import { git } from '../worktree/repository.ts';

const cluster = sharedCluster();
const atLength = cases<Test>(() => {}, onSlurm);
const ENTRY = resolve(import.meta.dirname, '../../scripts/bootstrap_loop.mjs');
const BACKENDS = ['slurm-dag', 'slurm-pool'];
const LOOP = { backend: 'slurm-dag', workers: 3, slurm: { grace: `${15 * SLOW}s`, idle: '5s' } };
const ports = { env: { ...cluster?.env } };
const states = () =>
  (cluster?.slurm('squeue', '-h', '-t', 'all', '-o', '%T') ?? '').split('\n').filter((state) => state !== '');
const unended = () => states().filter((state) => ['PENDING', 'RUNNING', 'COMPLETING'].includes(state));

for (const backend of BACKENDS)
  onSlurm(`${backend}: a graph with a broken script and a matrix ends green, mended once, needs first`, async () => {
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
      { ...LOOP, backend },
      // Not executable, which a known fix mends.
      { 'm.sh': '#!/bin/sh\ntrue\n' },
    );
    const { exit, events, stages, run: id } = await run(home, {}, ports);
    assert.is(exit, 0, JSON.stringify(events.at(-1)));
    assert.equal(
      Object.values(stages.stages).map(({ status }) => status),
      ['green', 'green', 'green'],
    );
    const cells = ['h1', 'h2', 'h3'].map((host) => `m[host=${host}]`);
    const ran = ranSteps(home);
    assert.equal([ran[0], ran.at(-1), new Set(ran).size], ['a', 'z', 5]);
    assert.is(events.filter(({ type }) => type === 'fix.committed').length, 1);
    const jobs = events.flatMap((event) => (event.type === 'job.intended' ? [event.data] : []));
    if (backend === 'slurm-dag') {
      assert.equal(
        jobs.slice(0, 3).map(({ after }) => after),
        [[], ['a'], cells],
      );
      assert.equal(
        jobs[1]?.tasks,
        cells.map((step) => ({ step, attempt: 1 })),
      );
    } else {
      assert.ok(readdirSync(join(layoutOf(home).jobs(id), 'workers')).length <= 3);
      assert.is(existsSync(join(layoutOf(home).jobs(id), 'pool')), false);
    }
    assert.equal(unended(), []);
  });

atLength(
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

for (const backend of BACKENDS)
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
          slurm: { ...LOOP.slurm, specs: { default: { options: ['--cpus-per-task=4'] } } },
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

for (const backend of ['local', ...BACKENDS])
  atLength(`${backend}: one broken template on forty hosts is one entry, one fix, and all of them green`, async () => {
    const hosts = Array.from({ length: 40 }, (_, at) => `h${at + 10}`);
    const stages = { a: { ...stageOn(), matrix: { host: hosts } } };
    const { home, probe, subjects } = mendable({ stages, loop: { ...LOOP, backend, workers: 4 } });
    probe.answers(says('good'), { throw: 'a second question' });
    const ran = await run(home, {}, ports);
    assert.equal([ran.exit, probe.asked().length, subjects()], [0, 1, ['Mend a: Say good']]);
    const entries = failuresIn(home).map(({ times_seen, patches }) => [
      times_seen,
      patches.map(({ outcome }) => outcome),
    ]);
    assert.equal(entries, [[1, ['verified']]]);
    assert.equal(
      Object.values(ran.stages.stages.a?.cells ?? {}).map(({ status }) => status),
      Array(40).fill('green'),
    );
    assert.equal(unended(), []);
  });

atLength("the lab's six stages end alike on each backend", async () => {
  const ends = [];
  for (const backend of ['local', ...BACKENDS]) {
    const home = folder();
    for (const part of ['ai/context_map.yaml', 'config', 'stages', 'infrastructure'])
      cpSync(join(PACKAGE_ROOT, part), join(home, part), { recursive: true });
    writeFileSync(join(home, 'ai/loop.yaml'), JSON.stringify({ ...LOOP, backend, lab: 'simulated', escalations: [] }));
    for (const words of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['commit', '-q', '-m', 'the lab'],
    ])
      git(home, ...words);
    const { exit, stages } = await run(home, {}, { ...ports, labTools: LAB_TOOLS });
    const files = readdirSync(join(home, 'ai/state/out'), { recursive: true }).map(String).toSorted();
    ends.push({ exit, stages: Object.entries(stages.stages).map(([name, { status }]) => `${name} ${status}`), files });
  }
  const six = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'].map((name) => `${name} green`);
  assert.equal([ends[0]?.exit, ends[0]?.stages], [0, six]);
  assert.ok((ends[0]?.files.length ?? 0) > 0);
  assert.equal(ends.slice(1), [ends[0], ends[0]]);
});

for (const backend of BACKENDS)
  atLength(
    `${backend}: attempts that ran beside one that changed what checks run are made again, alone; not what waited`,
    async () => {
      const home = homelab(
        {
          bad: { command: `sleep 5; ${NOTE}; echo 'exit 0' > check.sh`, verify: ['sh check.sh'], on_failure: 'skip' },
          good: { command: `${NOTE}; sleep 15`, verify: ['sh check.sh'] },
          // It waits until Slurm's clock lets its spec begin, long after the others were heard of.
          waits: { command: `${NOTE}; sleep 1`, verify: ['sh check.sh'], spec: 'late' },
        },
        {
          ...LOOP,
          backend,
          slurm: { ...LOOP.slurm, specs: { default: {}, late: { options: ['--begin=now+20'] } } },
        },
        { 'check.sh': '#!/bin/sh\ntrue\n' },
      );
      const { exit, stages } = await run(home, { ai: false }, ports);
      assert.equal(
        [exit, ...['bad', 'good', 'waits'].map((name) => stages.stages[name]?.status)],
        [1, 'failed', 'green', 'green'],
      );
      assert.equal(ranSteps(home).toSorted(), ['bad', 'bad', 'good', 'good', 'waits']);
    },
  );

atLength('an interruption cancels what was submitted, and nothing of it is left', async () => {
  const home = homelab({ a: { command: 'sleep 60' }, b: { command: NOTE, needs: ['a'] } }, LOOP);
  const controller = new AbortController();
  const stop = async (event: LoopEvent) => {
    if (event.type !== 'job.submitted' || event.data.job !== '2') return;
    setTimeout(() => controller.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT')), 1500);
  };
  const { exit, stages } = await run(home, {}, { ...ports, signal: controller.signal, subscribers: [stop] });
  assert.equal([exit, stages.stages.a?.status, ranSteps(home)], [130, 'idle', []]);
  assert.equal(unended(), []);
});

atLength('a job that somebody cancels is lost, in its own words, and not submitted again', async () => {
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
  assert.equal([exit, lost?.data.code, ranSteps(home)], [1, 'JOB_CANCELLED', ['a']]);
});

atLength('what no node could run is refused before anything is submitted', async () => {
  const before = states().length;
  const specs = { default: { options: ['--cpus-per-task=64'] } };
  const home = homelab({ a: { command: NOTE } }, { ...LOOP, slurm: { specs } });
  const impossible = await run(home, {}, ports).catch((error) => error);
  assert.is(
    formatError(impossible),
    `error E_SLURM_REFUSED: Slurm refused: sbatch: allocation failure: Requested node configuration is not available
  - for jobs of spec default: --cpus-per-task=64
  next:  change partition or options under slurm.specs in ai/loop.yaml; what there is: sinfo -N -l`,
  );
  const partition = homelab(
    { a: { command: NOTE } },
    { ...LOOP, slurm: { specs: { default: { partition: 'none' } } } },
  );
  assert.is(
    formatError(await run(partition, {}, ports).catch((refused) => refused)),
    `error E_SLURM_REFUSED: Slurm refused: sbatch: invalid partition specified: none; allocation failure: Invalid partition name specified
  - for jobs of spec default: partition none
  next:  change partition or options under slurm.specs in ai/loop.yaml; what there is: sinfo -N -l`,
  );
  assert.equal([states().length, ranSteps(home)], [before, []]);
});

atLength('when Slurm refuses one job of several, none of them is left, and nothing has run', async () => {
  const bin = folder();
  const refusing = `#!/bin/sh
case "$*" in *--test-only*|*mendloop-probe*) ;; *job-name=b*) echo 'sbatch: error: the second is too much' >&2; exit 1 ;; esac
exec ${cluster?.slurm('sh', '-c', 'command -v sbatch').trim()} "$@"
`;
  writeFileSync(join(bin, 'sbatch'), refusing, { mode: 0o755 });
  const home = homelab({ a: { command: `sleep 5; ${NOTE}` }, b: { command: NOTE, needs: ['a'] } }, LOOP);
  const { exit, events, result } = await run(home, {}, { env: { ...ports.env, PATH: `${bin}:${process.env.PATH}` } });
  assert.match(String(result.error?.message), 'E_SLURM_REFUSED Slurm refused: sbatch: the second is too much');
  const withdrawn = events.flatMap(({ type, data }) => (type === 'job.withdrawn' ? [data.reason] : []));
  assert.equal([exit, withdrawn], [3, ['Slurm did not take it', 'what was to be submitted with it could not be']]);
  assert.equal([ranSteps(home), unended()], [[], []]);
});

cases<Test>(() => {}, needs(...SLURM, 'right to mount'))(
  'a repository that nodes do not see is found out by a job, and nothing runs',
  async () => {
    const home = homelab({ a: { command: NOTE } }, LOOP);
    // Only its own processes see what is mounted here.
    const script =
      'mkdir "$2" && mount --bind "$1" "$2" && mount -t tmpfs none "$1" && cp -a "$2/." "$1" && exec "$3" "$4" --root "$1"';
    const words = ['-m', 'sh', '-c', script, 'sh', home, `${home}.seen`, process.execPath, ENTRY];
    const { status, stdout, stderr } = spawnSync('unshare', words, { env: ports.env, encoding: 'utf8' });
    assert.match(stdout, /^job \d+ is to prove that nodes see this repository$/m);
    assert.match(
      stderr,
      new RegExp(
        `^error E_NOT_SHARED: jobs cannot work in ${home}: job \\d+ on n\\d could not be started on its node: `,
      ),
    );
    assert.equal([status, ranSteps(home), unended()], [2, [], []]);
  },
);

test.run();
