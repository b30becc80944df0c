// A real Slurm for a test: started when it is asked for. What a test does not stop ends with its file, however that ended.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import { afterTest, folder as newFolder } from '../environment.ts';
import { isThere, needs } from '../needs.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/slurm-cluster.mjs');
export const SLURM = ['sbatch', 'slurmctld', 'slurmd', 'munged'];

/** For tests on a real Slurm. */
export const onSlurm = needs(...SLURM);

export interface Cluster {
  readonly folder: string;
  /** What a process needs to reach it: this process's own environment, and SLURM_CONF. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs one of Slurm's programs to its end, and gives what it printed. */
  slurm(program: string, ...args: string[]): string;
  /** `start` starts what is not running; `kill` ends the controller or a node as a power cut would. */
  control(verb: 'start' | 'kill', part?: string): void;
  stop(): void;
}

export interface ClusterOptions {
  readonly nodes?: number;
  readonly cpus?: number;
  readonly conf?: readonly string[];
  /** Lines of cgroup.conf. */
  readonly cgroup?: readonly string[];
}

/** Starts one for the test that runs. */
export function startCluster(options?: ClusterOptions): Cluster {
  const cluster = start(options);
  afterTest(cluster.stop);
  return cluster;
}

function start({ nodes = 4, cpus = 4, conf = [], cgroup }: ClusterOptions = {}): Cluster {
  const folder = newFolder();
  if (cgroup) writeFileSync(join(folder, 'cgroup.conf'), `${cgroup.join('\n')}\n`);
  const env = { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') };
  const run = (...words: string[]) => void execFileSync(process.execPath, [SCRIPT, ...words], { stdio: 'pipe' });
  run('start', folder, '--nodes', String(nodes), '--cpus', String(cpus), ...conf.flatMap((line) => ['--conf', line]));
  return {
    folder,
    env,
    slurm: (program, ...args) => execFileSync(program, args, { env, encoding: 'utf8', stdio: 'pipe' }),
    control: (verb, part) => run(verb, folder, ...(part ? [part] : [])),
    stop: () => run('stop', folder),
  };
}

/** TEST_SLOW=4 gives everything four times as long, on a machine that has other things to do. */
export const SLOW = Number(process.env.TEST_SLOW ?? 1);

let shared: Cluster | undefined;

/** One for all tests of a file that leave it as they found it; undefined where `onSlurm` skips. */
export function sharedCluster(): Cluster | undefined {
  if (shared === undefined && SLURM.every(isThere)) {
    shared = start();
    test.after(shared.stop);
  }
  return shared;
}

/** Waits until `isSo`; throws when it does not come true in time. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 20_000) {
  for (const until = Date.now() + limitMs * SLOW; ; await sleep(50)) {
    if (await isSo()) return;
    if (Date.now() > until) throw new Error(`not within ${(limitMs * SLOW) / 1000} s: ${what}`);
  }
}
