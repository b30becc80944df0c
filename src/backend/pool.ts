// slurm-pool: attempts go into a queue in the run's folder, and workers that Slurm started claim them one after the other. This has
// workers started as they are needed, ends those that do nothing, and puts again what was lost before it began.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { groupBy } from '../io/group-by.ts';
import { openQueueFolder } from '../io/queue-folder.ts';
import { privateFolder, removeAll } from '../io/store.ts';
import { haltFor, type StageEnd, thrownEnd } from '../plan/stage-end.ts';
import { isUnreachable, type Slurm } from '../slurm/client.ts';
import { type Job, phaseOf } from '../slurm/job.ts';
import type { Loss } from '../slurm/loss.ts';
import { whyUseless, workersToStart } from '../slurm/pool-plan.ts';
import type { SlurmView, SlurmWatch } from '../slurm/watch.ts';
import type { StageRun } from '../stage/run.ts';
import { naming } from './dag.ts';
import { jobComment, placeOf, readComment, signMs, WORKER_JOB } from './jobs.ts';
import { type Batch, entryOf, poolFolder, workerArgv, workerId } from './pool-entry.ts';
import type { Handed, SlurmAttempts } from './slurm-attempts.ts';
import type { Carrier } from './slurm-backend.ts';
import { hasBegun, jobWriter, type OpenTask, readResult, requirePrivate } from './task-file.ts';

export const SLURM_POOL = 'slurm-pool';

export interface PoolPorts {
  readonly slurm: Slurm;
  readonly watch: SlurmWatch;
  readonly settings: LoopConfig['slurm'];
  readonly attempts: SlurmAttempts;
  /** The most workers at a time. */
  readonly workers: number;
  /** How often a task that was lost before it began is put again. */
  readonly requeues: number;
  readonly maxArraySize: number;
  /** How many jobs the run had. */
  readonly count: number;
}

/** A worker as far as it is known here; times are monotonic. */
interface Worker {
  readonly spec: string;
  readonly since: number;
  runningSince?: number;
  sign?: string | undefined;
  signChanged?: number;
  /** Cancelled here, and why. */
  useless?: Loss;
  /** It takes no more: it has ended, or took its sign away. */
  isGone?: boolean;
}

/** So many tasks wait at most: enough for workers to go on for a while, few enough to be taken back at once. */
const QUEUE_LENGTH = 256;
const QUEUE_PER_WORKER = 4;
const TURN_MS = 250;
const ASK_MS = 5_000;
/** So many workers of a spec may end in a row without having lived. */
const FAILED_STARTS = 3;

const VANISHED: StageEnd = {
  kind: 'lost',
  message: 'its entry is nowhere in the queue any more',
  loss: {
    code: 'TASK_VANISHED',
    next: 'find out what else writes below ai/state/runs, and whether every node sees the same filesystem',
    ...{ transient: true, began: false },
  },
};

export function poolCarrier(run: StageRun, ports: PoolPorts, left: readonly OpenTask[]): Carrier {
  const { slurm, watch, settings, attempts, requeues } = ports;
  const { layout, clock } = run;
  const folder = poolFolder(layout, run.id);
  const outputs = join(layout.jobs(run.id), 'workers');
  const queue = openQueueFolder(folder);
  const write = jobWriter(run, SLURM_POOL, ports.count);
  const tasks = new Map<string, Handed & { puts: number; missingSince?: number | undefined }>();
  const workers = new Map<string, Worker>();
  const failedStarts = new Map<string, number>();
  /** Spec → how many of its workers a person cancelled: nothing is submitted in their place. */
  const cancelled = new Map<string, number>();
  let turning: Promise<void> | undefined;
  let isClosed = false;
  let [askedAt, auditedAt] = [Number.NEGATIVE_INFINITY, clock.monotonic()];

  for (const path of [folder, outputs]) privateFolder(path);
  queue.make();
  requirePrivate(layout.jobs(run.id));
  const adopted = left.map(({ task, file, index, job, size, after }) =>
    handOn({ task, file, index, job, size, after }),
  );
  // Its process may have died between the intent and the queue.
  const there = queue.waiting();
  for (const one of adopted) if (!there.has(entryOf(one).name)) put(one);

  return {
    width: Math.max(QUEUE_LENGTH, QUEUE_PER_WORKER * ports.workers),
    adopted,
    isMeant: (job) => batchOf(job) !== undefined,
    isAlive: () => [...workers.values()].some(isFresh),
    async submit(more) {
      const { job, file } = write(more);
      const size = more.length;
      const handed = more.map((task, index) => handOn({ task, file, index, job, size, after: [] }));
      handed.forEach(put);
      return handed;
    },
    async close() {
      isClosed = true;
      await turning;
      // Workers whose folder is gone leave by themselves, also those that Slurm starts when it is back.
      removeAll(folder);
    },
  };

  function handOn(given: Omit<Handed, 'since'>): Handed {
    const handed = { ...given, since: clock.monotonic(), puts: 1 };
    tasks.set(entryOf(handed).name, handed);
    turning ??= turns().finally(() => {
      turning = undefined;
    });
    return handed;
  }

  function put(handed: Handed): void {
    if (!hasBegun(handed.file, handed.index)) queue.put(handed.task.spec, entryOf(handed));
  }

  async function turns(): Promise<void> {
    // What is asked for in the same moment is one array of workers.
    await Promise.resolve();
    for (; !isClosed && tasks.size > 0; await clock.sleep(TURN_MS)) {
      try {
        forgetEnded();
        await turn(clock.monotonic());
      } catch (error) {
        if (isUnreachable(error)) continue;
        const isForPerson = error instanceof MendError;
        endUnbegun(() => true, isForPerson ? haltFor(error) : thrownEnd(error));
      }
    }
  }

  function forgetEnded(): void {
    for (const [name, task] of tasks) {
      const isOver = task.withdrawn !== undefined || task.verdict !== undefined;
      if (isOver) queue.remove(task.task.spec, name);
      if (isOver || readResult(task.file, task.index, task.task) !== undefined) tasks.delete(name);
    }
  }

  async function turn(now: number): Promise<void> {
    refuseBad();
    // Of a new run there are none yet: they are started before Slurm is asked.
    if (left.length === 0 && workers.size === 0) await startWorkers();
    if (now - askedAt >= Math.min(ASK_MS, settings.grace)) {
      askedAt = now;
      await lookAtWorkers(await watch.look(ASK_MS / 2), now);
    }
    if (now - auditedAt >= settings.grace) {
      auditedAt = now;
      queue.make();
      putMissing(queue.waiting(), now);
    }
    if (!isClosed) await startWorkers();
  }

  /** What the queue must never hold means that something else writes there. */
  function refuseBad(): void {
    const [entry, worker] = queue.bad()[0] ?? [];
    if (entry === undefined) return;
    const task = tasks.get(entry)?.task;
    const [whose = '', hash] = entry.split('.');
    const facts = `entry ${whose}, hash ${hash}, spec ${task?.spec ?? '?'}, worker ${worker}, attempt ${task?.attempt ?? '?'}`;
    const message = `a task is not what was put into the queue (${folder}: ${facts})`;
    queue.remove(task?.spec ?? '', entry);
    const next = 'find out what else writes there, then: mendloop';
    endUnbegun(() => true, { kind: 'halted', message, context: { human: true, next } });
  }

  /** Entries that are in no folder: their worker was lost before it began them, or somebody removed them. */
  function putMissing(waiting: ReadonlySet<string>, now: number): void {
    for (const [name, task] of tasks) {
      const isMissing = !waiting.has(name) && !hasBegun(task.file, task.index);
      task.missingSince = isMissing ? (task.missingSince ?? now) : undefined;
      if (task.missingSince === undefined || now - task.missingSince < settings.grace) continue;
      task.missingSince = undefined;
      if (task.puts > requeues) endUnbegun((one) => one === task, VANISHED);
      else put(task);
      task.puts += 1;
    }
  }

  /** What has not begun never does, and ends like this. */
  function endUnbegun(isMeant: (task: Handed) => boolean, end: StageEnd): void {
    const { takenBack } = attempts.withdraw(
      [...tasks.values()].filter(isMeant),
      end.kind === 'green' ? '' : end.message,
    );
    for (const task of takenBack) task.verdict = end;
  }

  function batchOf({ comment }: Job): Batch | undefined {
    const of = readComment(comment, layout.home);
    const [, name, spec] = /^(\w+) (.+)$/s.exec(of?.label ?? '') ?? [];
    return of?.run === run.id && of.job === WORKER_JOB && name && spec ? { spec, name } : undefined;
  }

  function isFresh({ signChanged }: Worker): boolean {
    return signChanged !== undefined && clock.monotonic() - signChanged < settings.stale;
  }

  /** What became of them, by Slurm and by their signs; those of an earlier process are recognised by their comments. */
  async function lookAtWorkers({ at, jobs }: SlurmView, now: number): Promise<void> {
    const listed = new Map<string, Job>();
    for (const job of jobs.values()) {
      const batch = batchOf(job);
      if (!batch) continue;
      const id = workerId(job.id, batch.name);
      listed.set(id, job);
      if (phaseOf(job) !== 'ended' && !workers.has(id)) workers.set(id, { spec: batch.spec, since: at });
    }
    const useless: string[] = [];
    for (const [id, worker] of workers) {
      const sign = queue.signOf(id);
      if (sign !== undefined && sign !== worker.sign) Object.assign(worker, { sign, signChanged: now });
      worker.isGone ||= sign === undefined && worker.sign !== undefined;
      const job = listed.get(id);
      // One that was submitted after Slurm was asked is not one that it forgot.
      if (job ? phaseOf(job) === 'ended' : worker.since < at) {
        if (job || !isFresh(worker)) workerEnded(id, worker, job);
        continue;
      }
      if (!job) continue;
      if (phaseOf(job) === 'running') worker.runningSince ??= now;
      const loss = worker.isGone
        ? undefined
        : whyUseless({ ...worker, job }, now, { graceMs: settings.grace, staleMs: settings.stale });
      if (!loss) continue;
      worker.useless = loss;
      attempts.explain(job.id, loss);
      useless.push(id);
    }
    if (useless.length > 0) await slurm.cancel((job) => useless.includes(workerId(job.id, batchOf(job)?.name ?? '')));
  }

  /** One that never lived says that others would not either; what it had begun is told by those who follow that. */
  function workerEnded(id: string, { spec, useless, sign, since }: Worker, job: Job | undefined): void {
    workers.delete(id);
    queue.leave(id);
    const loss = useless ?? attempts.lossFor(id.split('-')[0] ?? '', job, undefined, since);
    const isByPerson = useless === undefined && loss.code === 'JOB_CANCELLED';
    if (isByPerson) cancelled.set(spec, (cancelled.get(spec) ?? 0) + 1);
    const failures = sign === undefined ? (failedStarts.get(spec) ?? 0) + 1 : 0;
    const isHopeless = sign === undefined && (!loss.transient || failures >= FAILED_STARTS);
    failedStarts.set(spec, isHopeless ? 0 : failures);
    const isLast = isByPerson && (cancelled.get(spec) ?? 0) >= capOf(spec) && !liveOf(spec);
    if (!isHopeless && !isLast) return;
    const { message, ...facts } = loss;
    endUnbegun(({ task }) => task.spec === spec, { kind: 'lost', message, loss: { ...facts, began: false } });
  }

  function capOf(spec: string): number {
    return settings.specs[spec]?.workers ?? ports.workers;
  }
  function liveOf(spec: string): number {
    return [...workers.values()].filter((worker) => worker.spec === spec && !worker.isGone).length;
  }

  async function startWorkers(): Promise<void> {
    // What a lost worker has begun is waited for, and nobody else can make it.
    const isWork = ({ maker }: Handed) => maker === undefined || workers.has(maker);
    const bySpec = groupBy([...tasks.values()].filter(isWork), ({ task }) => task.spec);
    const specs = new Set([...bySpec.keys(), ...[...workers.values()].map(({ spec }) => spec)]);
    const demands = [...specs].map((spec) => {
      const cap = Math.max(0, capOf(spec) - (cancelled.get(spec) ?? 0));
      return { spec, tasks: bySpec.get(spec)?.length ?? 0, cap, workers: liveOf(spec) };
    });
    for (const [spec, more] of workersToStart(demands, ports.workers)) {
      const array = Math.min(more, ports.maxArraySize);
      const batch = { spec, name: randomBytes(4).toString('hex') };
      const request = {
        name: `mendloop-${spec}`,
        comment: jobComment(layout.home, run.id, WORKER_JOB, `${batch.name} ${spec}`),
        command: workerArgv({ folder, batch, idleMs: settings.idle, signMs: signMs(settings) }),
        cwd: layout.home,
        output: join(outputs, '%A_%a.out'),
        place: placeOf(settings, spec),
        array,
      };
      const waiting = (bySpec.get(spec) ?? []).map(({ task }) => task);
      const number = await slurm.submit(request).catch((error) => {
        throw isUnreachable(error) ? error : naming(waiting, error);
      });
      const since = clock.monotonic();
      for (let index = 0; index < array; index++)
        workers.set(workerId(`${number}_${index}`, batch.name), { spec, since });
    }
  }
}
