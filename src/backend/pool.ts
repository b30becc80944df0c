// slurm-pool: attempts go into a queue in the run's folder, and workers that Slurm started claim them one after the other. This has
// workers started as they are needed, ends those that do nothing, and puts again what was lost before it began.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { groupBy } from '../io/group-by.ts';
import { openQueueFolder, type QueueFolder } from '../io/queue-folder.ts';
import { privateFolder, removeAll } from '../io/store.ts';
import { haltFor, type StageEnd, thrownEnd } from '../plan/stage-end.ts';
import { isUnreachable, type Slurm } from '../slurm/client.ts';
import { type Job, phaseOf } from '../slurm/job.ts';
import type { Loss } from '../slurm/loss.ts';
import { whyUseless, workersToStart } from '../slurm/pool-plan.ts';
import type { SlurmView, SlurmWatch } from '../slurm/watch.ts';
import type { Task } from '../stage/backend.ts';
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

export class PoolCarrier implements Carrier {
  readonly width: number;
  readonly adopted: readonly Handed[];
  readonly #run: StageRun;
  readonly #ports: PoolPorts;
  readonly #folder: string;
  readonly #queue: QueueFolder;
  readonly #write: ReturnType<typeof jobWriter>;
  readonly #tasks = new Map<string, Handed & { puts: number; missingSince?: number | undefined }>();
  readonly #workers = new Map<string, Worker>();
  readonly #failedStarts = new Map<string, number>();
  /** Spec → how many of its workers a person cancelled: nothing is submitted in their place. */
  readonly #cancelled = new Map<string, number>();
  #turning: Promise<void> | undefined;
  #isClosed = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #auditedAt: number;

  /** Takes over what an earlier process of this run left. Throws MendError when others may write there, or the disk refuses. */
  constructor(run: StageRun, ports: PoolPorts, left: readonly OpenTask[]) {
    this.#run = run;
    this.#ports = ports;
    this.#folder = poolFolder(run.layout, run.id);
    this.#queue = openQueueFolder(this.#folder);
    this.#write = jobWriter(run, SLURM_POOL, ports.count);
    this.#auditedAt = run.clock.monotonic();
    this.width = Math.max(QUEUE_LENGTH, QUEUE_PER_WORKER * ports.workers);
    for (const path of [this.#folder, this.#outputs]) privateFolder(path);
    this.#queue.make();
    requirePrivate(run.layout.jobs(run.id));
    this.adopted = left.map(({ task, file, index, job, size, after }) =>
      this.#handOn({ task, file, index, job, size, after }),
    );
    // Its process may have died between the intent and the queue.
    const there = this.#queue.waiting();
    for (const one of this.adopted) if (!there.has(entryOf(one).name)) this.#put(one);
  }

  get #outputs(): string {
    return join(this.#run.layout.jobs(this.#run.id), 'workers');
  }

  isMeant = (job: Job): boolean => this.#batchOf(job) !== undefined;

  isAlive(): boolean {
    return [...this.#workers.values()].some((worker) => this.#isFresh(worker));
  }

  async submit(more: readonly Task[]): Promise<Handed[]> {
    const { job, file } = this.#write(more);
    const size = more.length;
    const handed = more.map((task, index) => this.#handOn({ task, file, index, job, size, after: [] }));
    for (const one of handed) this.#put(one);
    return handed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turning;
    // Workers whose folder is gone leave by themselves, also those that Slurm starts when it is back.
    removeAll(this.#folder);
  }

  #handOn(given: Omit<Handed, 'since'>): Handed {
    const handed = { ...given, since: this.#run.clock.monotonic(), puts: 1 };
    this.#tasks.set(entryOf(handed).name, handed);
    this.#turning ??= this.#turns().finally(() => {
      this.#turning = undefined;
    });
    return handed;
  }

  #put(handed: Handed): void {
    if (!hasBegun(handed.file, handed.index)) this.#queue.put(handed.task.spec, entryOf(handed));
  }

  async #turns(): Promise<void> {
    // What is asked for in the same moment is one array of workers.
    await Promise.resolve();
    for (; !this.#isClosed && this.#tasks.size > 0; await this.#run.clock.sleep(TURN_MS)) {
      try {
        this.#forgetEnded();
        await this.#turn(this.#run.clock.monotonic());
      } catch (error) {
        if (isUnreachable(error)) continue;
        const isForPerson = error instanceof MendError;
        this.#endUnbegun(() => true, isForPerson ? haltFor(error) : thrownEnd(error));
      }
    }
  }

  #forgetEnded(): void {
    for (const [name, task] of this.#tasks) {
      const isOver = task.withdrawn !== undefined || task.verdict !== undefined;
      if (isOver) this.#queue.remove(task.task.spec, name);
      if (isOver || readResult(task.file, task.index, task.task) !== undefined) this.#tasks.delete(name);
    }
  }

  async #turn(now: number): Promise<void> {
    this.#refuseBad();
    // Of a new run there are none yet: they are started before Slurm is asked.
    if (this.adopted.length === 0 && this.#workers.size === 0) await this.#startWorkers();
    if (now - this.#askedAt >= Math.min(ASK_MS, this.#ports.settings.grace)) {
      this.#askedAt = now;
      await this.#lookAtWorkers(await this.#ports.watch.look(ASK_MS / 2), now);
    }
    if (now - this.#auditedAt >= this.#ports.settings.grace) {
      this.#auditedAt = now;
      this.#queue.make();
      this.#putMissing(this.#queue.waiting(), now);
    }
    if (!this.#isClosed) await this.#startWorkers();
  }

  /** What the queue must never hold means that something else writes there. */
  #refuseBad(): void {
    const [entry, worker] = this.#queue.bad()[0] ?? [];
    if (entry === undefined) return;
    const task = this.#tasks.get(entry)?.task;
    const [whose = '', hash] = entry.split('.');
    const facts = `entry ${whose}, hash ${hash}, spec ${task?.spec ?? '?'}, worker ${worker}, attempt ${task?.attempt ?? '?'}`;
    const message = `a task is not what was put into the queue (${this.#folder}: ${facts})`;
    this.#queue.remove(task?.spec ?? '', entry);
    const next = 'find out what else writes there, then: mendloop';
    this.#endUnbegun(() => true, { kind: 'halted', message, context: { human: true, next } });
  }

  /** Entries that are in no folder: their worker was lost before it began them, or somebody removed them. */
  #putMissing(waiting: ReadonlySet<string>, now: number): void {
    for (const [name, task] of this.#tasks) {
      const isMissing = !waiting.has(name) && !hasBegun(task.file, task.index);
      task.missingSince = isMissing ? (task.missingSince ?? now) : undefined;
      if (task.missingSince === undefined || now - task.missingSince < this.#ports.settings.grace) continue;
      task.missingSince = undefined;
      if (task.puts > this.#ports.requeues) this.#endUnbegun((one) => one === task, VANISHED);
      else this.#put(task);
      task.puts += 1;
    }
  }

  /** What has not begun never does, and ends like this. */
  #endUnbegun(isMeant: (task: Handed) => boolean, end: StageEnd): void {
    const { takenBack } = this.#ports.attempts.withdraw(
      [...this.#tasks.values()].filter(isMeant),
      end.kind === 'green' ? '' : end.message,
    );
    for (const task of takenBack) task.verdict = end;
  }

  #batchOf({ comment }: Job): Batch | undefined {
    const of = readComment(comment, this.#run.layout.home);
    const [, name, spec] = /^(\w+) (.+)$/s.exec(of?.label ?? '') ?? [];
    return of?.run === this.#run.id && of.job === WORKER_JOB && name && spec ? { spec, name } : undefined;
  }

  #isFresh({ signChanged }: Worker): boolean {
    return signChanged !== undefined && this.#run.clock.monotonic() - signChanged < this.#ports.settings.stale;
  }

  /** What became of them, by Slurm and by their signs; those of an earlier process are recognised by their comments. */
  async #lookAtWorkers({ at, jobs }: SlurmView, now: number): Promise<void> {
    const listed = new Map<string, Job>();
    for (const job of jobs.values()) {
      const batch = this.#batchOf(job);
      if (!batch) continue;
      const id = workerId(job.id, batch.name);
      listed.set(id, job);
      if (phaseOf(job) !== 'ended' && !this.#workers.has(id)) this.#workers.set(id, { spec: batch.spec, since: at });
    }
    const useless: string[] = [];
    for (const [id, worker] of this.#workers) {
      const sign = this.#queue.signOf(id);
      if (sign !== undefined && sign !== worker.sign) Object.assign(worker, { sign, signChanged: now });
      worker.isGone ||= sign === undefined && worker.sign !== undefined;
      const job = listed.get(id);
      // One that was submitted after Slurm was asked is not one that it forgot.
      if (job ? phaseOf(job) === 'ended' : worker.since < at) {
        if (job || !this.#isFresh(worker)) await this.#workerEnded(id, worker, job);
        continue;
      }
      if (!job) continue;
      if (phaseOf(job) === 'running') worker.runningSince ??= now;
      const loss = worker.isGone
        ? undefined
        : whyUseless({ ...worker, job }, now, {
            graceMs: this.#ports.settings.grace,
            staleMs: this.#ports.settings.stale,
          });
      if (!loss) continue;
      worker.useless = loss;
      this.#ports.attempts.explain(job.id, loss);
      useless.push(id);
    }
    if (useless.length > 0)
      await this.#ports.slurm.cancel((job) => useless.includes(workerId(job.id, this.#batchOf(job)?.name ?? '')));
  }

  /** One that never lived says that others would not either; what it had begun is told by those who follow that. */
  async #workerEnded(id: string, worker: Worker, job: Job | undefined): Promise<void> {
    const { spec, useless, sign, since, runningSince } = worker;
    const { attempts } = this.#ports;
    const [number = ''] = id.split('-');
    this.#workers.delete(id);
    this.#queue.leave(id);
    const seen = useless ?? attempts.lossFor(number, job, undefined, since);
    const hasLived = sign !== undefined || runningSince !== undefined;
    const loss = hasLived ? seen : await attempts.whyNotStarted(seen, number);
    const isByPerson = useless === undefined && loss.code === 'JOB_CANCELLED';
    if (isByPerson) this.#cancelled.set(spec, (this.#cancelled.get(spec) ?? 0) + 1);
    const failures = sign === undefined ? (this.#failedStarts.get(spec) ?? 0) + 1 : 0;
    const isHopeless = sign === undefined && (!loss.transient || failures >= FAILED_STARTS);
    this.#failedStarts.set(spec, isHopeless ? 0 : failures);
    const isLast = isByPerson && (this.#cancelled.get(spec) ?? 0) >= this.#capOf(spec) && !this.#liveOf(spec);
    if (!isHopeless && !isLast) return;
    const { message, ...facts } = loss;
    this.#endUnbegun(({ task }) => task.spec === spec, { kind: 'lost', message, loss: { ...facts, began: false } });
  }

  #capOf(spec: string): number {
    return this.#ports.settings.specs[spec]?.workers ?? this.#ports.workers;
  }
  #liveOf(spec: string): number {
    return [...this.#workers.values()].filter((worker) => worker.spec === spec && !worker.isGone).length;
  }

  async #startWorkers(): Promise<void> {
    // What a lost worker has begun is waited for, and nobody else can make it.
    const isWork = ({ maker }: Handed) => maker === undefined || this.#workers.has(maker);
    const bySpec = groupBy([...this.#tasks.values()].filter(isWork), ({ task }) => task.spec);
    const specs = new Set([...bySpec.keys(), ...[...this.#workers.values()].map(({ spec }) => spec)]);
    const demands = [...specs].map((spec) => {
      const cap = Math.max(0, this.#capOf(spec) - (this.#cancelled.get(spec) ?? 0));
      return { spec, tasks: bySpec.get(spec)?.length ?? 0, cap, workers: this.#liveOf(spec) };
    });
    for (const [spec, more] of workersToStart(demands, this.#ports.workers)) {
      const array = Math.min(more, this.#ports.maxArraySize);
      const batch = { spec, name: randomBytes(4).toString('hex') };
      const request = {
        name: `mendloop-${spec}`,
        comment: jobComment(this.#run.layout.home, this.#run.id, WORKER_JOB, `${batch.name} ${spec}`),
        command: workerArgv({
          folder: this.#folder,
          batch,
          idleMs: this.#ports.settings.idle,
          signMs: signMs(this.#ports.settings),
        }),
        cwd: this.#run.layout.home,
        output: join(this.#outputs, '%A_%a.out'),
        place: placeOf(this.#ports.settings, spec),
        array,
      };
      const waiting = (bySpec.get(spec) ?? []).map(({ task }) => task);
      const number = await this.#ports.slurm.submit(request).catch((error) => {
        throw isUnreachable(error) ? error : naming(waiting, error);
      });
      const since = this.#run.clock.monotonic();
      for (let index = 0; index < array; index++)
        this.#workers.set(workerId(`${number}_${index}`, batch.name), { spec, since });
    }
  }
}
