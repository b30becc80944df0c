// Which backend a run has: looked for and reached before the first stage, opened once the run is there.
import type { Stage } from '../config/context-map.ts';
import { fail, MendError } from '../errors.ts';
import type { LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import type { Plugins } from '../plugin/load.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import type { EndJobsPorts } from '../slurm/end-jobs.ts';
import { type JobPlace, parentsInOptions, phaseOf } from '../slurm/job.ts';
import { type Backend, localBackend, type TaskAhead } from '../stage/backend.ts';
import type { Configuration } from '../stage/configuration.ts';
import type { Run } from '../stage/run.ts';
import { cancelJobs, interruptible } from './close-jobs.ts';
import { openJobs, placeOf } from './jobs.ts';
import { askPlugin, pluginBackend } from './plugin-backend.ts';
import { proveShared } from './probe.ts';
import { SLURM_DAG, slurmDag } from './slurm-dag.ts';
import { slurmJobs } from './slurm-jobs.ts';
import { SLURM_POOL, slurmPool } from './slurm-pool.ts';
import { openTasks } from './task-file.ts';

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
  if (loop.backend === SLURM_POOL) {
    const { slurm: settings, limits } = loop;
    const shared = { slurm, settings, workers, requeues: limits.max_compute_retries };
    const open = async (run: Run, { earlier: events }: { earlier: readonly LoopEvent[] }) => {
      const earlier = openTasks(layout, run.id, events);
      return slurmPool(run, { ...shared, earlier, count: openJobs(events).count });
    };
    return { name: SLURM_POOL, open };
  }
  const maxArraySize = await slurm.maxArraySize();
  return {
    name: SLURM_DAG,
    async open(run, { ahead, earlier }) {
      const jobs = slurmJobs(run, slurm, loop.slurm, SLURM_DAG, openJobs(earlier).count);
      const adopted = await jobs.adopt(openTasks(layout, run.id, earlier));
      return slurmDag(run, { jobs, adopted, maxArraySize, ahead });
    },
  };
}

const specsOf = ({ config, stages }: Pick<ReachRequest, 'config' | 'stages'>): Set<string> =>
  new Set(stages.map((name) => (config.map.stages[name] as Stage).spec));

/** Asks Slurm whether it would take a job of each spec that these stages have; submits nothing. Throws MendError. */
async function reachSlurm(slurm: Slurm, request: Pick<ReachRequest, 'config' | 'layout' | 'stages'>) {
  for (const spec of specsOf(request)) {
    const place = placeOf(request.config.loop.slurm, spec);
    const problems = await parentProblems(slurm, place);
    if (problems.length > 0) fail('E_SLURM_PARENT', { spec }, problems);
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

/** Jobs that an owner's options wait for and that cannot be waited for: Slurm would start behind an unknown one at once. */
async function parentProblems(slurm: Slurm, { options }: JobPlace): Promise<string[]> {
  const parents = parentsInOptions(options);
  if (parents.length === 0) return [];
  const jobs = await slurm.lookUp(parents.map(({ id }) => id));
  return parents.flatMap(({ id, mustEndWell }) => {
    const mine = jobs.filter((job) => job.id === id || job.id.startsWith(`${id}_`));
    if (mine.length === 0) return [`job ${id}: Slurm does not know it, and would start behind it at once`];
    const failed = mine.find((job) => phaseOf(job) === 'ended' && job.state !== 'COMPLETED');
    return mustEndWell && failed ? [`job ${failed.id}: it ended as ${failed.state}, so nothing would ever start`] : [];
  });
}
