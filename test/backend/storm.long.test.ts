// Random faults on a real Slurm: nodes, workers, the loop, slurmctld, munge, the disk. Whatever happens, every cell is green exactly
// once in the end, or failed with its reason; and each start of a cell has an end on record. TEST_FAULTS says how many.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallDisk } from '../e2e/scenario.ts';
import { folder } from '../environment.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { homelab, journalIn } from '../run/homelab.ts';
import { type Cluster, onSlurm, SLOW, startCluster } from '../slurm/cluster.ts';

const ENTRY = resolve(import.meta.dirname, '../../scripts/bootstrap_loop.mjs');
const COUNT = Number(process.env.TEST_FAULTS ?? 12);
const CELLS = Array.from({ length: 10 }, (_, at) => `c${at}`);
/** Starts of a run that a fault ended, until it must be done. */
const MAX_STARTS = 6;

/** A generator of numbers below one, the same for the same seed. */
function random(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Storm {
  readonly home: string;
  readonly notes: string;
  readonly cluster: Cluster;
  /** Kills the loop. */
  end(): void;
  pick<T>(all: readonly T[]): T;
}

const NODES = ['n1', 'n2', 'n3', 'n4'];

/** Slurm itself may not get over a fault soon; then all of it is started anew, which is one more. */
function restore({ control }: Cluster): void {
  for (let tries = 1; ; tries++) {
    try {
      control('start');
      return;
    } catch (error) {
      if (tries === 5) throw error;
      if (tries === 2) for (const part of ['ctld', 'munged', ...NODES]) control('kill', part);
    }
  }
}

const FAULTS: Readonly<Record<string, (storm: Storm) => Promise<void> | void>> = {
  async node({ cluster, pick }) {
    cluster.control('kill', pick(NODES));
    await sleep(500);
    restore(cluster);
  },
  worker({ home, pick }) {
    const pids = readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      const { stdout } = spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' });
      return /--(attempt|worker)/.test(stdout) && stdout.includes(home);
    });
    // It may have ended meanwhile.
    if (pids.length > 0) spawnSync('kill', ['-9', pick(pids)]);
  },
  loop: ({ end }) => end(),
  async slurmctld({ cluster }) {
    cluster.control('kill', 'ctld');
    await sleep(1000);
    restore(cluster);
  },
  async munge({ cluster }) {
    cluster.control('kill', 'munged');
    await sleep(3000);
    restore(cluster);
  },
  async disk({ home }) {
    const filler = join(home, 'ai/state/filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' });
    await sleep(2000);
    rmSync(filler, { force: true });
  },
};

/** How a run goes with a fault; how often cells were started, by step. */
async function oneStorm(cluster: Cluster, seed: number) {
  const next = random(seed * 7919 + 17);
  const pick = <T>(all: readonly T[]) => all[Math.floor(next() * all.length)] as T;
  const backend = pick(['slurm-dag', 'slurm-pool']);
  const fault = pick(Object.keys(FAULTS));
  const notes = join(folder(), 'ran');
  const note = (what: string) => `echo "${what} $MENDLOOP_STEP $MENDLOOP_ATTEMPT" >> ${notes}`;
  const stages = {
    a: { command: `${note('begin')}; sleep ${(next() * 1.5).toFixed(2)}; ${note('end')}`, matrix: { c: CELLS } },
  };
  const loop = { backend, workers: 4, slurm: { grace: `${3 * SLOW}s`, idle: '3s', stale: `${60 * SLOW}s` } };
  const home = homelab(stages, { ...loop, executors: [] });
  if (fault === 'disk') smallDisk(join(home, 'ai/state'), '32m');
  let exit: number | null = null;
  let output = '';
  let starts = 0;
  for (; starts < MAX_STARTS && exit !== 0; starts++) {
    const child = spawn(process.execPath, [ENTRY, '--root', home, '--yes'], { env: { ...cluster.env, CI: '' } });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const storm = { home, notes, cluster, end: () => void child.kill('SIGKILL'), pick };
    if (starts === 0) {
      let isOver = false;
      ended.then(() => (isOver = true));
      // Most come while cells run, some before.
      const isEarly = next() < 0.2;
      while (!isOver && !isEarly && !existsSync(notes)) await sleep(50);
      await Promise.race([ended, sleep(next() * 3000)]);
      await FAULTS[fault]?.(storm);
    }
    exit = await ended;
  }
  return { backend, fault, home, notes, exit, output, starts };
}

const eventsOf = (home: string): AnyEvent[] => {
  const runs = join(home, 'ai/state/runs');
  return readdirSync(runs)
    .filter((name) => /^\d{8}-/.test(name))
    .flatMap((name) => journalIn(home, name));
};

onSlurm(`${COUNT} random faults: every cell is green exactly once, or failed with its reason`, async () => {
  const first = Number(process.env.TEST_SEED ?? Date.now() % 100_000);
  const cluster = startCluster({ nodes: 4, cpus: 2 });
  const account = new Map<string, { runs: number; cells: number; started: number; lost: number; loopStarts: number }>();
  const wrong: string[] = [];
  for (let seed = first; seed < first + COUNT; seed++) {
    const { backend, fault, home, notes, exit, output, starts } = await oneStorm(cluster, seed);
    const events = eventsOf(home);
    const begun = existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('begin'))
      : [];
    const faults: string[] = [];
    if (exit !== 0) faults.push(`exit ${exit} after ${starts} starts: ${output.slice(-600)}`);
    for (const cell of CELLS.map((name) => `a[c=${name}]`)) {
      const ofCell = (type: string) => events.filter((event) => event.type === type && event.step === cell);
      const failed = ofCell('step.failed').filter(({ data }) => !data.reason);
      if (ofCell('step.done').length !== 1) faults.push(`${cell} is green ${ofCell('step.done').length} times`);
      if (failed.length > 0) faults.push(`${cell} failed without a reason`);
      const times = begun.filter((line) => line.split(' ')[1] === cell);
      if (new Set(times).size !== times.length) faults.push(`${cell} began an attempt twice: ${times.join('; ')}`);
    }
    const key = `${backend} ${fault}`;
    const sum = account.get(key) ?? { runs: 0, cells: 0, started: 0, lost: 0, loopStarts: 0 };
    const lost = events.filter(({ type }) => type === 'attempt.lost').length;
    account.set(key, {
      runs: sum.runs + 1,
      cells: sum.cells + CELLS.length,
      started: sum.started + begun.length,
      lost: sum.lost + lost,
      loopStarts: sum.loopStarts + starts,
    });
    const line = `${seed} ${key}: exit ${exit}, ${starts} starts, ${begun.length} of ${CELLS.length} cells begun, ${lost} lost ${faults.join(' | ')}`;
    if (process.env.TEST_ACCOUNT) appendFileSync(process.env.TEST_ACCOUNT, `${line}\n`);
    wrong.push(...faults.map((text) => `${seed} ${key}: ${text}`));
    restore(cluster);
  }
  console.log(JSON.stringify(Object.fromEntries(account), null, 1));
  assert.equal(wrong, []);
});

test.run();
