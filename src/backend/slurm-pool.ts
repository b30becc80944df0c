// slurm-pool: attempts go into a queue in the run's folder, and workers that Slurm started claim them one after the other. What was
// put is in the journal first, so that a later start of the run follows it.
import { join, relative } from 'node:path';
import type { LoopConfig } from '../config/loop-config.ts';
import { MendError } from '../errors.ts';
import { type NewEvent, noticeEvent } from '../events.ts';
import { groupBy } from '../io/group-by.ts';
import { privateFolder } from '../io/store.ts';
import { haltFor, stopEnd } from '../plan/stage-end.ts';
import type { Slurm } from '../slurm/client.ts';
import { openPool } from '../slurm/pool.ts';
import type { PoolEnd, PoolTask } from '../slurm/pool-tasks.ts';
import type { Backend, Task, TaskEnd } from '../stage/backend.ts';
import type { StageRun } from '../stage/run.ts';
import { gatherer } from './gather.ts';
import { jobComment, placeOf, readComment, signMs } from './jobs.ts';
import { entryOf, poolFolder, workerArgv } from './pool-entry.ts';
import { endIn, endOf, hasBegun, jobWriter, type OpenTask, type Result, readResult } from './task-file.ts';

export const SLURM_POOL = 'slurm-pool';

export interface PoolPorts {
  readonly slurm: Slurm;
  readonly settings: LoopConfig['slurm'];
  /** The most workers at a time. */
  readonly workers: number;
  /** How often a task whose worker was lost before it began is put again. */
  readonly requeues: number;
  /** What an earlier process of this run put, and how many jobs the run had. */
  readonly earlier: readonly OpenTask[];
  readonly count: number;
}

/** An attempt that is put into the queue. */
interface Queued extends PoolTask<Result> {
  readonly task: Task;
  readonly job: string;
  readonly stop: AbortController;
  /** With those that its worker stopped. */
  readonly left: () => ReturnType<typeof readResult>;
}

interface Handed {
  readonly queued: Queued;
  readonly end: Promise<TaskEnd>;
}

type Asked = { task: Task; answer(handed: Handed | Promise<never>): void };

/** So many tasks wait at most: enough for workers to go on for a while, few enough to be held in memory and taken back at once. */
const QUEUE_LENGTH = 256;
const QUEUE_PER_WORKER = 4;
/** Workers are jobs of the run, of no step: its jobs have numbers from 1. */
const WORKER_JOB = '0';
/** What is gathered is one write. */
const GATHER_MS = 30;

export function slurmPool(run: StageRun, { slurm, settings, workers, requeues, earlier, count }: PoolPorts): Backend {
  const { layout, clock, journal } = run;
  const folder = poolFolder(layout, run.id);
  const outputs = join(layout.jobs(run.id), 'workers');
  privateFolder(outputs);
  /** Step → its newest attempt, until its end is returned. */
  const open = new Map<string, Handed>();
  const write = jobWriter(run, SLURM_POOL, count);
  /** Attempts that are not seen to be over. */
  const unended = new Set<Queued>();
  const asked = gatherer<Asked>(clock, putAsked, GATHER_MS, 0);

  const pool = openPool<Result, Queued>({
    folder,
    slurm,
    clock,
    requeues,
    total: workers,
    askMs: Math.min(5_000, settings.grace),
    limits: { graceMs: settings.grace, staleMs: settings.stale },
    cap: (spec) => settings.specs[spec]?.workers ?? workers,
    comment: ({ spec, name }) => jobComment(layout.home, run.id, WORKER_JOB, `${name} ${spec}`),
    readComment(text) {
      const of = readComment(text, layout.home);
      const [, name, spec] = /^(\w+) (.+)$/s.exec(of?.label ?? '') ?? [];
      return of?.run === run.id && of.job === WORKER_JOB && name && spec ? { spec, name } : undefined;
    },
    worker: (batch) => ({
      name: `mendloop-${batch.spec}`,
      command: workerArgv({ folder, batch, idleMs: settings.idle, signMs: signMs(settings) }),
      cwd: layout.home,
      output: join(outputs, '%A_%a.out'),
      place: placeOf(settings, batch.spec),
    }),
  });
  if (earlier.length > 0) start(earlier.map(queuedTask));

  return {
    width: Math.max(QUEUE_LENGTH, QUEUE_PER_WORKER * workers),
    keepsTime: true,
    holds: (step) => open.has(step),
    hasBegun: (step) => open.get(step)?.queued.hasBegun() === true,

    async attempt(task, signal) {
      const queuedBefore = open.get(task.step);
      try {
        const isKnown = queuedBefore?.queued.task.attempt === task.attempt;
        const handOn = () => new Promise<Handed>((answer) => asked.add({ task, answer }));
        const { queued, end } = isKnown ? queuedBefore : await handOn();
        const abort = () => queued.stop.abort();
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort, { once: true });
        return await end.finally(() => signal.removeEventListener('abort', abort));
      } catch (error) {
        if (!(error instanceof MendError)) throw error;
        return { end: haltFor(error) };
      } finally {
        open.delete(task.step);
      }
    },

    hold: takeBack,

    async withdraw() {
      takeBack();
      await Promise.allSettled([...open.values()].map(({ end }) => end));
    },

    async close() {
      asked.take();
      const { jobs, isAway } = await pool.close();
      if (jobs.length === 0) return true;
      const why = isAway ? 'Slurm does not answer' : 'Slurm was asked to end them, and did not';
      const text = `${why}, so workers may still live: they leave by themselves, or by scancel ${jobs.join(' ')}`;
      journal.append(noticeEvent(text));
      return [...unended].every((task) => !task.hasBegun() || task.left() !== undefined);
    },
  };

  /** Puts what was asked for: intent, then the queue, each on disk before the next. */
  function putAsked(): void {
    const now = asked.take();
    if (now.length === 0) return;
    try {
      const tasks = now.map(({ task }) => task);
      const { job, file } = write(tasks);
      const handed = start(tasks.map((task, index) => queuedTask({ job, file, index, task })));
      now.forEach(({ answer }, at) => {
        answer(handed[at] as Handed);
      });
    } catch (error) {
      for (const { answer } of now) answer(Promise.reject(error));
    }
  }

  function queuedTask({ job, file, index, task }: Pick<OpenTask, 'job' | 'file' | 'index' | 'task'>): Queued {
    const stop = new AbortController();
    const left = () => readResult(file, index, task);
    return {
      ...entryOf(job, file, index, task),
      task,
      job,
      stop,
      left,
      signal: stop.signal,
      hasBegun: () => hasBegun(file, index),
      result() {
        const result = left();
        return isStopped(result) ? 'stopped' : result;
      },
    };
  }

  function start(all: readonly Queued[]): Handed[] {
    const ends = pool.run(all);
    return all.map((queued, at) => {
      unended.add(queued);
      const end = (ends[at] as Promise<PoolEnd<Result>>).then((how) => {
        if (!('fatal' in how)) unended.delete(queued);
        return taskEnd(queued, how);
      });
      // Whoever asks for it hears of it.
      end.catch(() => {});
      const handed = { queued, end };
      open.set(queued.task.step, handed);
      return handed;
    });
  }

  /** Takes back what has not begun, all or of one stage. */
  function takeBack(stage?: string): void {
    putAsked();
    const returned = pool.withdraw(({ task }) => stage === undefined || task.stage === stage);
    const events = [...groupBy(returned, ({ job }) => job)].map(([job, tasks]): NewEvent => {
      const steps = tasks.map(({ task }) => task.step);
      return { type: 'job.withdrawn', data: { job, steps, reason: NOT_NOW } };
    });
    journal.append(...events);
  }

  function taskEnd({ task, left: resultNow, signal }: Queued, end: PoolEnd<Result>): TaskEnd {
    if ('returned' in end) return { end: { kind: 'unbegun', message: NOT_NOW } };
    if ('fatal' in end) {
      const { message, next } = end.fatal;
      return { end: { kind: 'halted', message, context: { human: true, next } } };
    }
    if ('lost' in end) {
      const { message, ...loss } = end.lost;
      const output = `; workers' output: ${relative(layout.home, outputs)}`;
      return { end: { kind: 'lost', message: `${message}${output}`, loss: { ...loss, began: end.began } } };
    }
    const result = 'result' in end ? end.result : resultNow();
    if (result === undefined || result === 'broken') return { end: stopEnd(signal) };
    return endOf(result, task, run.tree.head);
  }
}

const NOT_NOW = 'it is not to begin now';

/** Ended because its worker had to end, not because its own time was over. */
const isStopped = (result: Result | 'broken' | undefined): boolean => endIn(result)?.kind === 'stopped';
