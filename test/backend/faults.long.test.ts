// What machines and people do to a run on a real Slurm, to each backend the same: it ends within its limit, loses nothing, and makes
// nothing green twice. TEST_FAULT and TEST_BACKENDS choose among them; TEST_SLOW gives them more time.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallDisk } from '../e2e/scenario.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { needs, type Test } from '../needs.ts';
import { homelab, journalIn, ranSteps } from '../run/homelab.ts';
import { type Cluster, type ClusterOptions, eventually, onSlurm, SLOW, SLURM, startCluster } from '../slurm/cluster.ts';

const ENTRY = resolve(import.meta.dirname, '../../scripts/bootstrap_loop.mjs');
const BACKENDS = (process.env.TEST_BACKENDS ?? 'slurm-dag,slurm-pool').split(',');

interface Lab {
  readonly backend: string;
  readonly home: string;
  readonly cluster: Cluster;
  /** Starts the loop as a process of its own. */
  start(...words: string[]): {
    ended: Promise<{ exit: number | null; output: string }>;
    pid: number;
    kill(): Promise<void>;
  };
  /** Waits until a step has noted that it runs. */
  running(step: string): Promise<void>;
  /** What the jobs of this cluster are, as squeue tells. */
  jobs(state: string): string[];
  events(): AnyEvent[];
}

/** Says when a step began and when it was done with it: one that was cut off has noted only the first. */
const noted = (middle: string) =>
  `echo "begin $MENDLOOP_STEP" >> "$MENDLOOP_HOME/ai/state/ran"; ${middle}; echo "end $MENDLOOP_STEP" >> "$MENDLOOP_HOME/ai/state/ran"`;
const STAGES = {
  first: { command: noted('sleep 4') },
  cells: { command: noted('sleep 1'), needs: ['first'], matrix: { host: ['h1', 'h2', 'h3'] } },
  last: { command: noted('true'), needs: ['cells'], verify: ['true'] },
};
const inFirstAttempt = (command: string) => noted(`if [ "$MENDLOOP_ATTEMPT" = 1 ]; then ${command}; fi`);
const FIRST_IS_SLOW_ONCE = { ...STAGES, first: { command: inFirstAttempt('sleep 60') } };
const EATS_MEMORY = 'for (const all = []; ; ) all.push(Buffer.alloc(1e7, 1))';
/** So many that some wait in the queue whenever somebody looks. */
const MORE_THAN_WORKERS = Array.from({ length: 20 }, (_, at) => `h${at}`);
const ALL = ['first', 'cells[host=h1]', 'cells[host=h2]', 'cells[host=h3]', 'last'];

const LIMITS = { grace: `${3 * SLOW}s`, idle: `${5 * SLOW}s`, stale: `${300 * SLOW}s` };

function lab(backend: string, cluster: Cluster, stages: Record<string, object> = STAGES, slurm: object = {}): Lab {
  const home = homelab(stages, { backend, workers: 3, slurm: { ...LIMITS, ...slurm } });
  const runs = () => readdirSync(join(home, 'ai/state/runs')).filter((name) => /^\d{8}-/.test(name));
  return {
    backend,
    home,
    cluster,
    start(...words) {
      const child = spawn(process.execPath, [ENTRY, '--root', home, ...words], { env: { ...cluster.env, CI: '' } });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const ended = new Promise<{ exit: number | null; output: string }>((done) =>
        child.once('close', (exit) => done({ exit, output })),
      );
      const kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      return { ended, kill, pid: child.pid as number };
    },
    running: (step) => eventually(`${step} runs`, () => ranSteps(home).includes(`begin ${step}`), 60_000),
    jobs: (state) =>
      cluster
        .slurm('squeue', '-h', '-r', `--states=${state}`, '--Format=JobArrayID:')
        .split('\n')
        .flatMap((id) => id.trim() || []),
    events: () => runs().flatMap((name) => journalIn(home, name)),
  };
}

const count = (list: readonly string[], value: string) => list.filter((one) => one === value).length;

/** All is green, each step by one attempt, and nothing is left. Those of `again` may have begun more often. */
function assertGreen(
  { home, events, cluster }: Lab,
  exit: number | null,
  output: string,
  again: readonly string[] = [],
) {
  assert.is(exit, 0, output);
  const noted = ranSteps(home);
  for (const step of ALL) {
    const isOnce = (what: string) => assert.is(count(noted, `${what} ${step}`), 1, `${what} ${step}`);
    // What a job had begun may go on where Slurm does not end all that it started; nobody takes that for its end.
    if (!again.includes(step)) for (const what of ['begin', 'end']) isOnce(what);
    assert.is(events().filter((event) => event.type === 'step.done' && event.step === step).length, 1, step);
  }
  // One of Slurm's that was killed early remembers the proof, long over, as a job that waits; started again, that does nothing.
  const left = cluster.slurm('squeue', '-h', '-o', '%j %i %T').split('\n');
  assert.equal(
    left.filter((job) => job !== '' && !/^mendloop-probe \d+ PENDING$/.test(job)),
    [],
    'no job is left',
  );
}

const workersLeave = ({ jobs }: Lab) =>
  eventually('workers leave by themselves', () => jobs('PENDING,RUNNING,COMPLETING').length === 0, 60_000);

const lossesOf = ({ events }: Lab) =>
  events().flatMap(({ type, data }) => (type === 'attempt.lost' ? [data.code] : []));

interface Setting {
  readonly stages?: Record<string, object>;
  /** Of ai/loop.yaml. */
  readonly slurm?: object;
  readonly cluster?: ClusterOptions;
  /** What it needs besides Slurm. */
  readonly on?: Test;
}

/** Each backend's fault, with how long it took. */
function fault(
  name: string,
  does: (lab: Lab, began: number) => Promise<void>,
  { stages = STAGES, slurm = {}, cluster: options = {}, on = onSlurm }: Setting = {},
): void {
  if (!name.includes(process.env.TEST_FAULT ?? '')) return;
  for (const backend of BACKENDS) {
    on(`${backend}: ${name}`, async () => {
      const cluster = startCluster({ nodes: 4, ...options });
      const began = Date.now();
      await does(lab(backend, cluster, stages, slurm), began);
      console.log(`\ntook ${((Date.now() - began) / 1000).toFixed(1)} s  ${backend}: ${name}`);
    });
  }
}

fault('the controller is killed while a step runs: the next start follows it and ends alike', async (one) => {
  const first = one.start();
  await one.running('first');
  await first.kill();
  const { exit, output } = await one.start().ended;
  assertGreen(one, exit, output);
  assert.equal(lossesOf(one), []);
});

fault('the controller is killed and what it had begun ends before the next start: it counts', async (one) => {
  const first = one.start();
  await one.running('first');
  await first.kill();
  await eventually('the step ends by itself', () => ranSteps(one.home).includes('end first'));
  await sleep(1500);
  const { exit, output } = await one.start().ended;
  assertGreen(one, exit, output);
});

fault('the process of a job is killed on its node: its step is lost, and made again', async (one) => {
  const { ended } = one.start();
  await one.running('first');
  for (const pid of jobProcesses(one)) process.kill(pid, 'SIGKILL');
  const { exit, output } = await ended;
  assertGreen(one, exit, output, ['first']);
  assert.equal(lossesOf(one), ['JOB_KILLED']);
});

fault(
  'a node is lost: its step is lost, and made again on another',
  async (one) => {
    const { ended } = one.start();
    await one.running('first');
    const node = one.cluster
      .slurm('squeue', '-h', '--states=RUNNING', '--Format=NodeList:')
      .trim()
      .split('\n')[0] as string;
    one.cluster.control('kill', node);
    const { exit, output } = await ended;
    assertGreen(one, exit, output, ['first']);
    assert.equal(lossesOf(one), ['JOB_NODE_FAIL']);
  },
  { stages: { ...STAGES, first: { command: noted('sleep 20') } } },
);

fault('slurmctld is killed and started anew: what it forgets is made again, the rest goes on', async (one) => {
  const { ended } = one.start();
  await one.running('first');
  one.cluster.control('kill', 'ctld');
  one.cluster.control('start');
  const { exit, output } = await ended;
  // What was submitted in the moment before, Slurm itself may forget and end. It then gives its number to the next job, which it
  // cancels where the node still has the first. And it may have forgotten no more than that a job was started, and starts it again.
  const losses = lossesOf(one);
  assertGreen(one, exit, output, losses.length > 0 ? ALL : []);
  const logs = below(join(one.cluster.folder, 'log')).map((path) => readFileSync(path, 'utf8'));
  const slurmSays = (words: string) => logs.some((log) => log.includes(words));
  const codes = [
    'JOB_FORGOTTEN',
    ...(slurmSays('do not launch second copy') ? ['JOB_CANCELLED', 'JOB_CONTROLLER'] : []),
    ...(slurmSays('Registered PENDING JobId') ? ['JOB_NO_RESULT'] : []),
  ];
  assert.equal(
    losses.filter((code) => !codes.includes(String(code))),
    [],
    losses.join(),
  );
});

fault('slurmctld is away for a minute: the run waits for it', async (one, began) => {
  const { ended } = one.start();
  await one.running('first');
  one.cluster.control('kill', 'ctld');
  await sleep(60_000);
  one.cluster.control('start');
  const { exit, output } = await ended;
  // Workers that are up finish without it: then the run could not see them gone.
  if (one.backend === 'slurm-pool') await workersLeave(one);
  assertGreen(one, exit, output);
  assert.ok(Date.now() - began < 150_000 * SLOW);
});

fault(
  'slurmctld stays away: the run ends with a clear error, and the next start finishes it',
  async (one) => {
    const { ended } = one.start();
    await one.running('first');
    one.cluster.control('kill', 'ctld');
    const { exit, output } = await ended;
    one.cluster.control('start');
    // Workers that are up need no controller of Slurm; what they do not finish is told.
    if (exit !== 0 || one.backend === 'slurm-dag') assert.match(output, 'Slurm cannot be reached');
    await workersLeave(one);
    const next = await one.start().ended;
    assertGreen(one, next.exit, next.output, ['first']);
  },
  { slurm: { stale: '5s' } },
);

fault(
  "Slurm's own time limit ends a job: its step has failed with the setting to change, and is not tried again",
  async (one) => {
    const { ended } = one.start();
    await one.running('first');
    for (const id of one.jobs('RUNNING')) one.cluster.slurm('scontrol', 'update', `JobId=${id}`, 'EndTime=now+2');
    const { exit, output } = await ended;
    assert.is(exit, 1, output);
    assert.match(output, 'give its spec a longer --time in ai/loop.yaml');
    assert.equal([lossesOf(one), ranSteps(one.home)], [['JOB_TIMEOUT'], ['begin first']]);
    const lost = one.events().find(({ type }) => type === 'attempt.lost');
    assert.match(String(lost?.data.reason), 'ran into the time limit that Slurm has for it (TIMEOUT');
  },
  { stages: FIRST_IS_SLOW_ONCE },
);

for (const mode of ['CANCEL', 'REQUEUE'])
  fault(
    `a job with a higher priority takes the place of one (PreemptMode=${mode}): its step is lost, and made again`,
    async (one) => {
      const { ended } = one.start();
      await one.running('first');
      const urgent = ['--partition=urgent', '--nodes=4', '--exclusive', '--output=/dev/null', '--wrap=sleep 2'];
      one.cluster.slurm('sbatch', ...urgent);
      const { exit, output } = await ended;
      assertGreen(one, exit, output, ['first']);
      assert.equal(lossesOf(one), ['JOB_PREEMPTED']);
    },
    {
      stages: FIRST_IS_SLOW_ONCE,
      cluster: {
        conf: [
          'PreemptType=preempt/partition_prio',
          `PreemptMode=${mode}`,
          'PartitionName=urgent Nodes=ALL PriorityTier=10',
        ],
      },
    },
  );

/** Slurm ends nothing for its memory without the system's help. */
fault(
  'a step needs more memory than its job may use: it has failed with the setting to change, and is not tried again',
  async (one) => {
    const { exit, output } = await one.start().ended;
    assert.is(exit, 1, output);
    assert.match(output, 'give its spec more');
    assert.equal(lossesOf(one), ['JOB_OUT_OF_MEMORY']);
    assert.is(one.events().filter(({ type }) => type === 'failure.seen').length, 0, 'nobody is asked for a fix');
  },
  {
    on: needs(...SLURM, 'cgroups of the first version'),
    stages: { ...STAGES, first: { command: inFirstAttempt(`node -e '${EATS_MEMORY}'`) } },
    slurm: { specs: { default: { options: ['--mem=500M'] } } },
    cluster: {
      conf: ['TaskPlugin=task/cgroup', 'SelectTypeParameters=CR_Core_Memory'],
      cgroup: [
        'CgroupPlugin=cgroup/v1',
        'CgroupMountpoint=/sys/fs/cgroup',
        'ConstrainRAMSpace=yes',
        'ConstrainSwapSpace=yes',
        'AllowedSwapSpace=0',
      ],
    },
  },
);

fault(
  "a step's own time limit ends it, on the node, as everywhere",
  async (one) => {
    const { exit, output } = await one.start().ended;
    assert.is(exit, 1, output);
    assert.match(output, /timeout|ran past its/);
    assert.equal(lossesOf(one), []);
    assert.is(one.cluster.slurm('squeue', '-h'), '');
  },
  { stages: { ...STAGES, first: { command: noted('sleep 60'), timeout: '2s', on_failure: 'halt' } } },
);

fault('the run is interrupted: what it submitted is gone when it ends, and the next start goes on', async (one) => {
  const { ended, pid } = one.start();
  await one.running('first');
  process.kill(pid, 'SIGINT');
  const { exit, output } = await ended;
  assert.is(exit, 130, output);
  assert.is(one.cluster.slurm('squeue', '-h'), '');
  const next = await one.start().ended;
  assertGreen(one, next.exit, next.output, ['first']);
});

fault(
  'the run is interrupted and slurmctld is away: it ends soon, says how to end what may still run, and the next start does',
  async (one) => {
    const { ended, pid } = one.start();
    await one.running('first');
    one.cluster.control('kill', 'ctld');
    process.kill(pid, 'SIGINT');
    const interruptedAt = Date.now();
    const { exit, output } = await ended;
    assert.is(exit, 130, output);
    // Slurm's programs try for nine seconds, twice at most: one may have just begun.
    assert.ok(Date.now() - interruptedAt < 30_000 * SLOW, output);
    assert.match(
      output,
      /Slurm (cannot be reached: .*|does not answer), so (this|workers) may still (run|live): .*scancel \d+/,
    );
    one.cluster.control('start');
    const next = await one.start().ended;
    assertGreen(one, next.exit, next.output, ['first']);
  },
  { stages: FIRST_IS_SLOW_ONCE },
);

fault('the run is interrupted while it waits for the proof that nodes see home: no job is left', async (one) => {
  one.cluster.slurm('sbatch', '--output=/dev/null', '--nodes=4', '--exclusive', '--wrap=sleep 60');
  await eventually('all nodes are taken', () => one.jobs('RUNNING').length === 1);
  const { ended, pid } = one.start();
  await eventually('the proof waits', () => one.jobs('PENDING').length === 1, 60_000);
  process.kill(pid, 'SIGINT');
  const { exit, output } = await ended;
  assert.is(exit, 130, output);
  assert.match(output, /^job \d+ is to prove that nodes see this repository, and waits \(\w+\)$/m);
  assert.match(output, 'error E_INTERRUPTED: interrupted by SIGINT, before anything was run');
  assert.equal(one.jobs('PENDING'), []);
});

fault('a running job is cancelled by hand: its step has failed, and nothing is submitted in its place', async (one) => {
  const { ended } = one.start();
  await one.running('first');
  one.cluster.slurm('scancel', ...one.jobs('RUNNING'));
  const { exit, output } = await ended;
  assert.is(exit, 1, output);
  assert.match(output, 'was cancelled by somebody with scancel');
  assert.equal([lossesOf(one), ranSteps(one.home)], [['JOB_CANCELLED'], ['begin first']]);
  assertGreen(one, ...(Object.values(await one.start().ended) as [number, string]), ['first']);
});

fault('a pending job is cancelled by hand: what it was for has failed, and the next start makes it', async (one) => {
  assert.is((await one.start('first').ended).exit, 0);
  one.cluster.slurm('sbatch', '--output=/dev/null', '--nodes=4', '--exclusive', '--wrap=sleep 12');
  await eventually('all nodes are taken', () => one.jobs('RUNNING').length === 1);
  const { ended } = one.start();
  await eventually('a job waits', () => one.jobs('PENDING').length > 0, 60_000);
  one.cluster.slurm('scancel', ...one.jobs('PENDING'));
  const stopped = await ended;
  assert.is(stopped.exit, 1, stopped.output);
  const { exit, output } = await one.start().ended;
  assertGreen(one, exit, output);
});

fault('a result file is damaged: the run says which, and calls nothing green', async (one) => {
  const { ended, pid } = one.start();
  await one.running('first');
  process.kill(pid, 'SIGSTOP');
  await eventually('there is a result', () => results(one.home).length > 0, 30_000);
  for (const path of results(one.home)) writeFileSync(path, readFileSync(path, 'utf8').slice(0, 20));
  process.kill(pid, 'SIGCONT');
  const { exit, output } = await ended;
  assert.is.not(exit, 0);
  assert.match(output, /result of .*(damaged|cannot be read)/);
  assert.match(output, /spec default/);
  assert.equal(
    one.events().filter(({ type }) => type === 'stage.green'),
    [],
  );
});

fault(
  'a file that hands an attempt on is damaged: a queue that nobody can trust ends the run, a job is made again',
  async (one) => {
    const { ended } = one.start();
    await one.running('first');
    const isMeant = (path: string) =>
      one.backend === 'slurm-pool'
        ? path.includes('/pool/queue/')
        : path.endsWith('/job.json') && readFileSync(path, 'utf8').includes('"step":"last"');
    const files = below(join(one.home, 'ai/state/runs')).filter(isMeant);
    assert.ok(files.length > 0);
    for (const path of files) writeFileSync(path, '{"spec":"default"');
    const { exit, output } = await ended;
    if (one.backend === 'slurm-dag') {
      assertGreen(one, exit, output);
      assert.equal(lossesOf(one), ['JOB_NO_RESULT']);
    } else {
      assert.is.not(exit, 0, output);
      assert.match(
        output,
        /a task is not what was put into the queue \(.*: entry \S+, hash \w+, spec default, worker \S+, attempt 1\)/,
      );
      assert.is(one.cluster.slurm('squeue', '-h'), '', 'no job is left');
    }
  },
  { stages: { ...STAGES, also: { command: noted('sleep 4'), matrix: { host: MORE_THAN_WORKERS } } } },
);

fault('signs of life have a clock ten minutes off: nobody looks at it', async (one) => {
  const { ended } = one.start();
  await one.running('first');
  const wrong = new Date(Date.now() - 600_000);
  for (const path of below(join(one.home, 'ai/state/runs')))
    if (path.includes('/pool/')) utimesSync(path, wrong, wrong);
  const { exit, output } = await ended;
  assertGreen(one, exit, output);
  assert.equal(lossesOf(one), []);
});

fault(
  'the disk under the queue is full: the run says so, and the next one, with room, finishes',
  async (one) => {
    const state = join(one.home, 'ai/state');
    smallDisk(state, '4m');
    const { ended } = one.start();
    await one.running('first');
    fill(join(state, 'filler'));
    const { exit, output } = await ended;
    assert.is.not(exit, 0, output);
    assert.match(output, /full|no space|E_DISK_FULL/i);
    rmSync(join(state, 'filler'));
    const next = await one.start().ended;
    assertGreen(one, next.exit, next.output, ['first']);
  },
  { on: needs(...SLURM, 'right to mount') },
);

/** The Node processes of this home that Slurm runs. */
function jobProcesses({ home }: Lab): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(home) && /--(attempt|worker) /.test(line))
    .map((line) => Number.parseInt(line, 10));
}

const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
const results = (home: string): string[] =>
  below(join(home, 'ai/state/runs')).filter((path) => path.endsWith('.result.json'));

function fill(path: string): void {
  execFileSync('sh', ['-c', 'head -c 8M /dev/zero > "$1" 2>/dev/null || true', 'sh', path]);
  assert.ok(statSync(path).size > 0);
}

test.run();
