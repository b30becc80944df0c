// Which backend a run has: looked for and reached before the first stage, opened once the run is there.
import type { Stage } from '../config/context-map.ts';
import { fail, MendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import type { Plugins } from '../plugin/load.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import { type EndJobsPorts, watchSlurm } from '../slurm/watch.ts';
import { type Backend, localBackend, type TaskAhead } from '../stage/backend.ts';
import type { Configuration } from '../stage/configuration.ts';
import type { Run } from '../stage/run.ts';
import { cancelJobs, interruptible } from './close-jobs.ts';
import { DagCarrier, SLURM_DAG } from './dag.ts';
import { openJobs, placeOf } from './jobs.ts';
import { askPlugin, pluginBackend } from './plugin-backend.ts';
import { PoolCarrier, SLURM_POOL } from './pool.ts';
import { proveShared } from './probe.ts';
import { SlurmAttempts } from './slurm-attempts.ts';
import { type Carrier, SlurmBackend } from './slurm-backend.ts';
import { isWithdrawn, openTasks } from './task-file.ts';

/** More jobs than these need a person's --yes. */
export const MANY_JOBS = 100;

export interface ReachRequest extends EndJobsPorts {
  readonly run: string;
  readonly plugins: Plugins;
  readonly config: Configuration;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly layout: Layout;
  readonly signal: AbortSignal;
  /** The stages that may run. */
  readonly stages: readonly string[];
  /** How many steps are to do, as far as is known. */
  readonly steps: number;
  /** Of a pool, instead of what ai/loop.yaml says. */
  readonly workers?: number | undefined;
  /** A person confirmed that many jobs are meant. */
  readonly yes: boolean;
}

/** A backend that can be reached; what opens it for a run. */
export interface Reached {
  readonly name: string;
  open(run: Run, scope: { ahead(): readonly TaskAhead[]; earlier: readonly LoopEvent[] }): Promise<Backend>;
}

const LOCAL: Reached = { name: 'local', open: async (run) => localBackend(run) };

/** Throws MendError for what would keep every attempt from being made: nothing runs elsewhere, or here, in its place. */
export async function reachBackend(request: ReachRequest): Promise<Reached> {
  return interruptible(request.signal, () => reach(request));
}

async function reach(request: ReachRequest): Promise<Reached> {
  const { loop } = request.config;
  const { backend: plugin } = request.plugins;
  if (plugin) {
    const runner = await askPlugin(plugin, request.run);
    return { name: plugin.name, open: async (run, { earlier }) => pluginBackend(run, plugin.name, runner, earlier) };
  }
  if (loop.backend !== SLURM_DAG && loop.backend !== SLURM_POOL) return LOCAL;
  // A pool's workers are its jobs.
  const { workers = loop.workers } = request;
  const jobs = loop.backend === SLURM_POOL ? Math.min(request.steps, workers) : request.steps;
  if (jobs > MANY_JOBS && !request.yes) fail('E_MANY_JOBS', { jobs, most: MANY_JOBS });
  const slurm = createSlurm(request.env);
  if (!(await slurm.isUp()))
    request.progress?.("Slurm's controller does not answer: waiting up to half a minute for it");
  await reachSlurm(slurm, request);
  const { layout, clock, signal, progress } = request;
  // Slurm may have been away when an earlier run ended: what it left works in this tree.
  await cancelJobs(slurm, layout.home, (run) => run !== request.run, { clock, signal, progress });
  const limits = { graceMs: loop.slurm.grace, limitMs: loop.limits.run_minutes * 60_000 };
  const probe = { slurm, layout, clock, signal, progress, ...limits };
  for (const spec of specsOf(request)) await proveShared(placeOf(loop.slurm, spec), probe);
  const cluster = await slurm.config();
  return { name: loop.backend, open: async (run, scope) => openSlurm(run, scope, { slurm, workers, ...cluster }) };
}

/** What this backend left in this run is taken over, and nothing else. */
async function openSlurm(
  run: Run,
  { ahead, earlier }: { ahead(): readonly TaskAhead[]; earlier: readonly LoopEvent[] },
  {
    slurm,
    workers,
    maxArraySize,
    startedAt,
  }: { slurm: Slurm; workers: number; maxArraySize: number; startedAt: string },
): Promise<Backend> {
  const { layout, clock, config, journal } = run;
  const { slurm: settings, backend, limits } = config.loop;
  const all = openTasks(layout, run.id, earlier, backend);
  // Its process died before it could say so.
  const withdrawn = all.filter(({ file, index }) => isWithdrawn(file, index));
  const reason = 'it was withdrawn';
  journal.append(
    ...withdrawn.map(
      ({ job, task }): NewEvent => ({ type: 'job.withdrawn', data: { job, steps: [task.step], reason } }),
    ),
  );
  const left = all.filter((task) => !withdrawn.includes(task));
  let carrier: Carrier | undefined;
  const watch = watchSlurm(slurm, clock, settings.stale, () => carrier?.isAlive?.() === true);
  const attempts = new SlurmAttempts(run, { slurm, watch, settings, startedAt });
  const shared = { slurm, watch, settings, attempts, maxArraySize, count: openJobs(earlier).count };
  carrier =
    backend === SLURM_POOL
      ? new PoolCarrier(run, { ...shared, workers, requeues: limits.max_compute_retries }, left)
      : await DagCarrier.open(run, { ...shared, ahead }, left);
  return new SlurmBackend(run, attempts, carrier);
}

const specsOf = ({ config, stages }: Pick<ReachRequest, 'config' | 'stages'>): Set<string> =>
  new Set(stages.map((name) => (config.map.stages[name] as Stage).spec));

/** Asks Slurm whether it would take a job of each spec that these stages have; submits nothing. Throws MendError. */
async function reachSlurm(slurm: Slurm, request: Pick<ReachRequest, 'config' | 'layout' | 'stages'>) {
  for (const spec of specsOf(request)) {
    const place = placeOf(request.config.loop.slurm, spec);
    const job = { name: 'mendloop', comment: 'mendloop', command: ['true'], cwd: request.layout.home, place };
    await slurm.rehearse({ ...job, output: '/dev/null' }).catch((error) => {
      if (!(error instanceof MendError) || error.code !== 'E_SLURM_REFUSED') throw error;
      const words = [place.partition && `partition ${place.partition}`, ...place.options].filter(Boolean);
      const problems = [`for jobs of spec ${spec}: ${words.join(' ')}`];
      throw new MendError(error.code, error.exit, error.message, error.next, problems);
    });
  }
}

/** The specs whose jobs a scheduler would take; none where the backend has no scheduler. Throws MendError as a run would. */
export async function reachScheduler(
  config: Configuration,
  layout: Layout,
  env: ReachRequest['env'],
): Promise<string[]> {
  if (!config.loop.backend.startsWith('slurm-')) return [];
  const request = { config, layout, stages: Object.keys(config.map.stages) };
  await reachSlurm(createSlurm(env), request);
  return [...specsOf(request)];
}
