#!/usr/bin/env node
// The same work on a throw-away Slurm of four nodes: by each backend, and as bare jobs of sbatch. Then what a step of the dag costs,
// how long it takes to submit a thousand, and what the controller of a pool needs while 5,000 steps are in its queue.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { confOf, startCluster, stopCluster } from '../slurm-cluster.mjs';
import { bench, compare, ENTRY, repository, run, scratch, short, writeFiles } from './measure.mjs';

const NODES = 4;
const CPUS = 2;
const SLOTS = NODES * CPUS;
const STEPS = 40;
const STEP_S = 10;
const CHAIN = 10;
const CHAIN_S = 5;
/** A stage has at most 1,024 cells. */
const QUEUED = { stages: 5, rows: 10, columns: 100 };
const WATCH_S = 30;
const MANY = 1000;
/** So that these are several arrays. */
const MAX_ARRAY = 401;
const ATTEMPTS = 5;
/** Cells that do nothing: what a step costs beside its work. */
const TRIVIAL = [40, 400];
const BOUNDS = { 'slurm-dag': 5, 'slurm-pool': 3 };

/** Not below the scratch folder: the paths of Slurm's sockets must be short. */
const folder = mkdtempSync('/tmp/mendloop-bench-slurm-');
const more = { SLURM_CONF: confOf(folder) };
const CLOCK_TICKS = Number(execFileSync('getconf', ['CLK_TCK']));
const numbers = (count) => Array.from({ length: count }, (_, i) => `c${String(i + 1).padStart(3, '0')}`);

const loop = (backend, workers, rest = {}) => ({
  'ai/loop.yaml': JSON.stringify({ backend, workers, executors: [], escalations: [], ...rest }),
});
/** Each step notes when it begins and when it is done. */
const noting = (command) => `date +%s.%N >> "$MENDLOOP_OUT/times"; ${command}; date +%s.%N >> "$MENDLOOP_OUT/times"`;

await bench('slurm', async () => {
  await startCluster(folder, { nodes: NODES, cpus: CPUS, conf: [`MaxArraySize=${MAX_ARRAY}`] });
  const work = `${STEPS} steps of ${STEP_S} s`;
  const parts = {
    async fleet() {
      const peer = await bare(`--array=1-${STEPS}`, STEP_S);
      return [
        compare(`slurm-dag, ${work}`, 's', await fleet('slurm-dag'), peer, '(target ≤ 1.15)'),
        compare(`slurm-pool, ${work}`, 's', await fleet('slurm-pool'), peer, '(target ≤ 1.1, workers up)'),
      ];
    },
    async trivial() {
      const rows = [];
      for (const cells of TRIVIAL) {
        const peer = await bareTrivial(cells);
        for (const [backend, bound] of Object.entries(BOUNDS)) {
          const ours = await trivial(backend, cells);
          rows.push(
            compare(`${backend}, ${cells} cells of true, a whole start`, 's', ours, peer, `(bound ≤ ${bound})`),
          );
        }
      }
      return rows;
    },
    async chain() {
      const peer = await bareChain();
      return [compare(`slurm-dag, chain of ${CHAIN} × ${CHAIN_S} s`, 's', await chained(), peer, '(target ≤ 1.15)')];
    },
    async step() {
      const { attempt, controller, peer } = await costOfStep();
      const note = `(target ≤ 0.5 s; ${short(attempt)} s on the node, ${short(controller)} s by the controller; peer: an empty Node)`;
      return [compare('slurm-dag, processor time of a step', 's', attempt + controller, peer, note)];
    },
    async arrays() {
      const { seconds, arrays } = await manySubmitted();
      return [
        [`slurm-dag, ${MANY} steps submitted as ${arrays} arrays`, `${short(seconds)} s`, '', '', '(target < 10 s)'],
      ];
    },
    async queued() {
      const { count, waiting, mb, cpu } = await manyQueued();
      const figures = [`${short(mb)} MB`, `${short(cpu)} % of a core`, ''];
      return [[`slurm-pool, ${count} steps to do, ${waiting} in the folder`, ...figures, '(target < 150 MB, < 20 %)']];
    },
  };
  try {
    const named = process.argv.slice(2);
    const rows = [];
    for (const [name, part] of Object.entries(parts)) {
      if (named.length === 0 || named.includes(name)) rows.push(...(await part()));
    }
    return {
      rows,
      notes: [
        `${NODES} nodes with ${CPUS} processors each, all of them this machine; peer: sbatch --array, sbatch --dependency=afterok`,
        'from the start of the first to the end of the last, as they note it; the pool has its workers up before',
      ],
    };
  } finally {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Seconds from the first start to the last end; not by `sbatch --wait`, which looks only now and then. */
async function bare(option, seconds) {
  const out = mkdtempSync(join(scratch, 'bare-'));
  await run('sbatch', ['--wait', '--output=/dev/null', option, wrapped(out, seconds)], { more });
  return spanOf(out);
}

/** Seconds from the submit to the last end. */
async function bareTrivial(cells) {
  const out = mkdtempSync(join(scratch, 'bare-'));
  const began = performance.now();
  await run('sbatch', ['--output=/dev/null', `--array=1-${cells}`, `--wrap=touch ${out}/$SLURM_ARRAY_TASK_ID`], {
    more,
  });
  while (readdirSync(out).length < cells) await sleep(50);
  return (performance.now() - began) / 1000;
}

/** Seconds of a whole start; the proof that nodes see home is there before. */
async function trivial(backend, cells) {
  const home = await matrixHome(backend, 1, 'true');
  await run(process.execPath, [ENTRY], { cwd: home, more });
  writeFiles(home, { 'ai/context_map.yaml': JSON.stringify(matrixMap(cells, 'true')) });
  await run('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-qam', 'more'], {
    cwd: home,
  });
  const { ms } = await run(process.execPath, [ENTRY, '--yes'], { cwd: home, more });
  return ms / 1000;
}

async function bareChain() {
  const out = mkdtempSync(join(scratch, 'bare-'));
  let before = [];
  for (let i = 1; i <= CHAIN; i++) {
    const args = ['--parsable', '--output=/dev/null', ...before, wrapped(out, CHAIN_S)];
    if (i === CHAIN) args.unshift('--wait');
    const { stdout } = await run('sbatch', args, { more });
    before = [`--dependency=afterok:${stdout.trim()}`];
  }
  return spanOf(out);
}

/** Notes what steps note. */
function wrapped(out, seconds) {
  return `--wrap=MENDLOOP_OUT=${out}; ${noting(`sleep ${seconds}`)}`;
}

/** Seconds from the first start to the last end of a matrix; a stage before it has brought workers up. */
async function fleet(backend) {
  const stages = {
    warm: { command: 'sleep 3', matrix: { cell: numbers(SLOTS) } },
    work: { command: noting(`sleep ${STEP_S}`), needs: ['warm'], matrix: { cell: numbers(STEPS) } },
  };
  const home = await repository({ 'ai/context_map.yaml': JSON.stringify({ stages }), ...loop(backend, SLOTS) });
  await run(process.execPath, [ENTRY, '--yes'], { cwd: home, more });
  return spanOf(join(home, 'ai/state/out/work'));
}

async function chained() {
  const stages = Object.fromEntries(
    numbers(CHAIN).map((name, i, all) => [
      name,
      { command: noting(`sleep ${CHAIN_S}`), needs: i === 0 ? [] : [all[i - 1]] },
    ]),
  );
  const home = await repository({ 'ai/context_map.yaml': JSON.stringify({ stages }), ...loop('slurm-dag', 1) });
  await run(process.execPath, [ENTRY, '--yes'], { cwd: home, more });
  return spanOf(join(home, 'ai/state/out'));
}

function spanOf(out) {
  const files = readdirSync(out, { recursive: true }).filter((path) => path.endsWith('times'));
  const times = files.flatMap((path) => readFileSync(join(out, path), 'utf8').trim().split('\n').map(Number));
  return Math.max(...times) - Math.min(...times);
}

/** Seconds of a processor: for an attempt on its node, as often as it takes to know, and for a step's share of the controller. */
async function costOfStep() {
  const home = await matrixHome('slurm-dag', STEPS, 'true');
  const controller = await processorSeconds(() => run(process.execPath, [ENTRY, '--yes'], { cwd: home, more }));
  const [job] = runFiles(home, 'jobs/1/job.json');
  const attempt = await processorSeconds(async () => {
    for (let index = 0; index < ATTEMPTS; index++) {
      for (const left of ['begun', 'result.json']) rmSync(join(dirname(job), `${index}.${left}`));
      await run(process.execPath, [ENTRY, '--attempt', job, String(index)], { cwd: home, more });
    }
  });
  const peer = await processorSeconds(async () => {
    for (let index = 0; index < ATTEMPTS; index++) await run(process.execPath, ['-e', '0']);
  });
  return { attempt: attempt / ATTEMPTS, controller: controller / STEPS, peer: peer / ATTEMPTS };
}

/** Seconds from the start of a run to the last of its jobs being submitted, as its journal has it. */
async function manySubmitted() {
  const home = await matrixHome('slurm-dag', MANY, 'true');
  const env = { ...process.env, ...more, HOME: scratch };
  const child = spawn(process.execPath, [ENTRY, '--yes', '--quiet'], { cwd: home, env, stdio: 'ignore' });
  const over = new Promise((done) => child.once('exit', done));
  const events = () => {
    const [journal] = runFiles(home, 'events.jsonl');
    return readFileSync(journal, 'utf8')
      .split('\n')
      .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []));
  };
  try {
    const submitted = () => events().filter(({ type }) => type === 'job.submitted');
    await until(() => submitted().length >= Math.ceil(MANY / MAX_ARRAY), 120_000);
    const jobs = submitted();
    const began = events().find(({ type }) => type === 'run.started');
    const seconds = (Date.parse(jobs.at(-1).time) - Date.parse(began.time)) / 1000;
    return { seconds, arrays: jobs.length };
  } finally {
    child.kill('SIGINT');
    await over;
  }
}

function matrixMap(cells, command) {
  return { stages: { work: { command, matrix: { cell: numbers(cells) } } } };
}

function matrixHome(backend, cells, command) {
  const map = JSON.stringify(matrixMap(cells, command));
  return repository({ 'ai/context_map.yaml': map, ...loop(backend, SLOTS) });
}

/** A file of each run of a home. */
function runFiles(home, path) {
  const runs = join(home, 'ai/state/runs');
  return readdirSync(runs)
    .map((name) => join(runs, name, path))
    .filter(existsSync);
}

/** What processes that `work` waited for have used. */
async function processorSeconds(work) {
  const ofChildren = () =>
    ticks('self')
      .slice(2)
      .reduce((sum, one) => sum + one, 0);
  const before = ofChildren();
  await work();
  return (ofChildren() - before) / CLOCK_TICKS;
}

/** The controller of a pool, looked at while thousands of steps wait. */
async function manyQueued() {
  const matrix = { row: numbers(QUEUED.rows), column: numbers(QUEUED.columns) };
  const stages = Object.fromEntries(numbers(QUEUED.stages).map((name) => [name, { command: 'sleep 5', matrix }]));
  const count = QUEUED.stages * QUEUED.rows * QUEUED.columns;
  const home = await repository({
    'ai/context_map.yaml': JSON.stringify({ stages }),
    ...loop('slurm-pool', SLOTS, { limits: { max_steps: count } }),
  });
  const env = { ...process.env, ...more, HOME: scratch };
  const child = spawn(process.execPath, [ENTRY, '--yes', '--quiet'], {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const over = new Promise((done) => child.once('exit', done));
  const waiting = () => {
    const runs = join(home, 'ai/state/runs');
    const queues = readdirSync(runs).map((name) => join(runs, name, 'jobs/pool/queue/default'));
    return readdirSync(queues[0], { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  };
  try {
    await until(() => waiting() > 0 || child.exitCode !== null, 180_000);
    // What starting cost is not what waiting costs.
    await sleep(10_000);
    const used = () => ticks(child.pid).reduce((sum, one) => sum + one, 0);
    const before = used();
    await sleep(WATCH_S * 1000);
    const cpu = ((used() - before) / CLOCK_TICKS / WATCH_S) * 100;
    const mb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
    return { count, waiting: waiting(), cpu, mb };
  } finally {
    child.kill('SIGINT');
    await over;
  }
}

/** Processor time of a process, two numbers, and of what it started and saw end, two numbers, in ticks of the clock. */
function ticks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

async function until(isSo, limitMs) {
  for (const end = Date.now() + limitMs; ; await sleep(500)) {
    try {
      if (isSo()) return;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    if (Date.now() > end) throw new Error(`not within ${limitMs / 1000} s`);
  }
}
