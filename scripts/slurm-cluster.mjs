#!/usr/bin/env node
// A real Slurm that is thrown away: munged, slurmctld and several slurmd of Debian's packages, all on loopback, without systemd, by
// root or by any user. Whatever it writes is below FOLDER; programs of Slurm reach it by SLURM_CONF=FOLDER/slurm.conf alone.
//   slurm-cluster.mjs start FOLDER [--nodes 4] [--cpus 4] [--conf "Key=Value"]…    again: starts what is not running
//   slurm-cluster.mjs stop FOLDER                                         ends its jobs and daemons, leaves the files
//   slurm-cluster.mjs kill FOLDER ctld|munged|NODE       as a power cut would: of a node also what its jobs run
import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const USAGE =
  'usage: slurm-cluster.mjs start FOLDER [--nodes N] [--cpus N] [--conf LINE]… | stop FOLDER | kill FOLDER ctld|munged|NODE';
/** The socket of a job step has the longest path below FOLDER, and the system takes no more than 107 bytes. */
const MAX_FOLDER_LENGTH = 70;
const READY_MS = 30_000;
/** How long jobs are given to end, KillWait included, and then the daemons. */
const STOP_MS = 3_000;

/** Debian puts daemons where an ordinary user's PATH does not look. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

export const confOf = (folder) => join(folder, 'slurm.conf');

/** Our environment without the variables that change what Slurm's programs do and print. */
function slurmEnv(folder) {
  const ours = Object.entries(process.env).filter(([name]) => !/^(SLURM|SBATCH|SQUEUE|SINFO|SCANCEL)/.test(name));
  return { ...Object.fromEntries(ours), PATH, SLURM_CONF: confOf(folder), LC_ALL: 'C' };
}

const run = (folder, program, args, options = {}) =>
  spawnSync(program, args, {
    encoding: 'utf8',
    env: slurmEnv(folder),
    timeout: 15_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });

/** Starts a daemon, which leaves by itself. Its output is a file's: it would hold a pipe open for ever. */
function startDaemon(folder, program, args, more = {}) {
  const { status, error } = run(folder, program, args, { stdio: 'ignore', env: { ...slurmEnv(folder), ...more } });
  if (status === 0) return;
  throw new Error(
    `${program} ${args.join(' ')} failed (${error?.message ?? `exit ${status}`}); its log is in ${folder}/log`,
  );
}

/** Starts whatever of the cluster does not run, and waits until every node takes jobs. */
export async function startCluster(folder, { nodes = 4, cpus = 4, conf = [] } = {}) {
  const at = folder;
  if (at.length > MAX_FOLDER_LENGTH || /[\s#,;"'%]/.test(at)) {
    throw new Error(`${at}: at most ${MAX_FOLDER_LENGTH} characters, and no white space or any of # , ; " ' %`);
  }
  for (const name of ['run', 'log', 'state', 'spool']) mkdirSync(join(at, name), { recursive: true, mode: 0o755 });
  if (!existsSync(confOf(at))) {
    writeFileSync(join(at, 'munge.key'), randomBytes(128), { mode: 0o600 });
    writeFileSync(confOf(at), configuration(at, await freePorts(nodes + 1), cpus, conf));
  }
  const places = {
    socket: 'run/munge.sock',
    'key-file': 'munge.key',
    'log-file': 'log/munged.log',
    'pid-file': 'run/munged.pid',
  };
  const options = Object.entries({ ...places, 'seed-file': 'run/munge.seed' }).map(
    ([name, path]) => `--${name}=${join(at, path)}`,
  );
  if (!daemon(at, 'munged')) startDaemon(at, 'munged', ['--force', ...options]);
  if (!daemon(at, 'slurmctld')) startDaemon(at, 'slurmctld', ['-f', confOf(at)]);
  for (const node of nodesOf(at)) {
    mkdirSync(join(at, 'spool', node), { recursive: true });
    if (!daemon(at, node)) startDaemon(at, 'slurmd', ['-f', confOf(at), '-N', node], { SLURMD_NODENAME: node });
  }
  const isReady = () => {
    const states = run(at, 'sinfo', ['-h', '-N', '-p', 'main', '-o', '%t']).stdout?.trim().split('\n') ?? [];
    return states.length === nodesOf(at).length && states.every((state) => /^(idle|mix|alloc|comp)$/.test(state));
  };
  if (!(await within(READY_MS, isReady)))
    throw new Error(`nodes are not ready after ${READY_MS / 1000} s; see ${at}/log`);
}

/** Consecutive free ports on loopback, below those that the system gives to whoever connects. */
async function freePorts(count) {
  for (let tries = 0; tries < 50; tries++) {
    const first = randomInt(11_000, 31_000);
    const ports = Array.from({ length: count }, (_, at) => first + at);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports;
  }
  throw new Error(`no ${count} free ports in a row`);
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

const configuration = (at, [port, ...nodePorts], cpus, extra) =>
  [
    `ClusterName=throwaway${port}`,
    'SlurmctldHost=localhost(127.0.0.1)',
    `SlurmctldPort=${port}`,
    `SlurmUser=${userInfo().username}`,
    `SlurmdUser=${userInfo().username}`,
    'AuthType=auth/munge',
    'CredType=cred/munge',
    `AuthInfo=socket=${at}/run/munge.sock`,
    `StateSaveLocation=${at}/state`,
    `SlurmdSpoolDir=${at}/spool/%n`,
    `SlurmctldPidFile=${at}/run/slurmctld.pid`,
    `SlurmdPidFile=${at}/run/%n.pid`,
    `SlurmctldLogFile=${at}/log/slurmctld.log`,
    `SlurmdLogFile=${at}/log/%n.log`,
    'MailProg=/bin/true',
    'MpiDefault=none',
    'SwitchType=switch/none',
    // By process group, so that a killed script takes its children with it; no cgroups, which not every container has.
    'ProctrackType=proctrack/pgid',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core',
    // How jobs ended is asked of the controller, for there is no accounting: it remembers them for a day.
    'MinJobAge=86400',
    'MaxJobCount=20000',
    // Without the first of these each submit and each dependency waits three seconds, with it one.
    'SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1',
    'KillWait=2',
    'SlurmdTimeout=10',
    'ReturnToService=2',
    // Nodes have the processors of this file, not those of the machine.
    'SlurmdParameters=config_overrides',
    'DebugFlags=NO_CONF_HASH',
    ...extra,
    ...nodePorts.map(
      (port, i) =>
        `NodeName=n${i + 1} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${port} CPUs=${cpus} RealMemory=2000`,
    ),
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP',
    '',
  ].join('\n');

const nodesOf = (at) => [...readFileSync(confOf(at), 'utf8').matchAll(/^NodeName=(\S+)/gm)].map(([, name]) => name);

/** Ends jobs and daemons. What a job moved into a session of its own is ended, too. */
export async function stopCluster(at) {
  if (daemon(at, 'slurmctld') && daemon(at, 'munged')) {
    for (const state of ['PENDING', 'RUNNING', 'SUSPENDED']) run(at, 'scancel', [`--state=${state}`]);
    await within(STOP_MS, () => run(at, 'squeue', ['-h', '-t', 'RUNNING,COMPLETING']).stdout === '');
  }
  const daemons = () => [...nodesOf(at), 'slurmctld'].flatMap((name) => daemon(at, name) ?? []);
  signal(daemons(), 'SIGTERM');
  await within(STOP_MS, () => daemons().length === 0);
  signal(daemons(), 'SIGKILL');
  signal(nodeProcesses(at, nodesOf(at)), 'SIGKILL');
  const munged = () => [daemon(at, 'munged')].filter(Boolean);
  signal(munged(), 'SIGTERM');
  if (!(await within(STOP_MS, () => munged().length === 0))) signal(munged(), 'SIGKILL');
}

/** Ends the controller, munge, or a node with all that runs on it, without a warning. */
export function killPart(at, part) {
  const parts = { ctld: 'slurmctld', munged: 'munged' };
  if (!parts[part] && !nodesOf(at).includes(part))
    throw new Error(`there is no ${part}: ctld, munged, ${nodesOf(at).join(', ')}`);
  signal([daemon(at, parts[part] ?? part)].filter(Boolean), 'SIGKILL');
  if (!parts[part]) signal(nodeProcesses(at, [part]), 'SIGKILL');
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** The pid of a daemon that runs and that was started for this folder. */
function daemon(at, name) {
  const pid = Number(textOf(join(at, `run/${name}.pid`)));
  return pid > 0 && textOf(`/proc/${pid}/cmdline`)?.includes(at) ? pid : undefined;
}

/** What runs on one node or all but slurmd; first the slurmstepd, which would report how the rest ended. */
function nodeProcesses(at, nodes) {
  const marks = nodes.map((node) => ({ node, pid: daemon(at, node), marks: nodeMarks(at, node) }));
  const belongs = (pid) => {
    const environment = textOf(`/proc/${pid}/environ`)?.split('\0') ?? [];
    return marks.some((on) => on.pid !== pid && on.marks.every((mark) => environment.includes(mark)));
  };
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(belongs);
  const isStep = (pid) => textOf(`/proc/${pid}/comm`)?.startsWith('slurmstepd') === true;
  return pids.toSorted((a, b) => Number(isStep(b)) - Number(isStep(a)));
}

/** What slurmd hands on to its slurmstepd, and Slurm to jobs: theirs alone, for nobody else names a node. */
const nodeMarks = (at, node) => [`SLURM_CONF=${confOf(at)}`, `SLURMD_NODENAME=${node}`];

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether it came true in time. */
async function within(ms, isSo) {
  for (const until = Date.now() + ms; Date.now() < until; await sleep(50)) if (isSo()) return true;
  return isSo();
}

async function main() {
  const options = { nodes: { type: 'string' }, cpus: { type: 'string' }, conf: { type: 'string', multiple: true } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [verb, given, part] = positionals;
  if (!given || !['start', 'stop', 'kill'].includes(verb)) throw new Error(USAGE);
  mkdirSync(given, { recursive: true });
  const folder = realpathSync(given);
  const counts = Object.fromEntries(
    ['nodes', 'cpus'].flatMap((name) => (values[name] ? [[name, Number(values[name])]] : [])),
  );
  if (verb === 'start') await startCluster(folder, { ...counts, conf: values.conf ?? [] });
  if (verb === 'stop') await stopCluster(folder);
  if (verb === 'kill') killPart(folder, part);
  if (verb === 'start') console.log(`export SLURM_CONF=${confOf(folder)}`);
}

if (process.argv[1] === import.meta.filename) {
  await main().catch((error) => {
    console.error(`slurm-cluster: ${error.message}`);
    process.exitCode = 1;
  });
}
