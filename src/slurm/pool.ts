// The controller of a pool: puts tasks into a shared folder, has Slurm start workers that claim them, and learns how each ended. A
// task is over when its own result says so; what a worker that was lost had claimed is put back, or told as lost. Nothing it does
// at each turn grows with the number of tasks that wait.
import { createHash } from 'node:crypto';
import type { Clock } from '../io/clock.ts';
import { type EndedEntry, openQueueFolder } from '../io/queue-folder.ts';
import { removeAll } from '../io/store.ts';
import { isUnreachable } from './client.ts';
import { type CrewOptions, type GoneWorker, openCrew } from './crew.ts';
import type { Loss } from './loss.ts';

export interface PoolTask {
  /** By `entryName`. */
  readonly name: string;
  readonly spec: string;
  /** What the worker is told. */
  readonly text: string;
  readonly attempt: number;
}

export type PoolEnd<R> =
  | { readonly result: R }
  /** `began`: it may have run. */
  | { readonly lost: Loss; readonly began: boolean }
  /** It was not begun, and will not be. */
  | { readonly returned: true }
  /** Its signal aborted, and it does not run any more. */
  | { readonly stopped: true }
  /** What must never happen: nobody can trust the queue any more. */
  | { readonly fatal: { readonly message: string; readonly next: string } };

export interface PoolOptions<R> extends CrewOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** What the task's own result says: undefined while there is none, `stopped` when its worker was told to go. */
  result(task: PoolTask): R | 'stopped' | 'broken' | undefined;
  /** Whether its attempt was begun by any worker. */
  hasBegun(task: PoolTask): boolean;
  /** How often a task that was not begun is put back when its worker was lost. */
  readonly requeues: number;
  /** How often the folder is looked at, and Slurm is asked. */
  readonly pollMs?: number;
  readonly askMs?: number;
}

export interface Pool<R> {
  /** What an earlier controller put, and nobody has run or taken back. */
  leftovers(): { name: string; text: string }[];
  /** Puts tasks, or follows those that are left over, each to its end. Rejects when the disk or Slurm refuses. */
  run(tasks: readonly PoolTask[], signals: readonly AbortSignal[]): Promise<PoolEnd<R>>[];
  /** Of what `isMeant` is true for, nothing that waits is begun any more: it is `returned`. What was begun goes on. */
  withdraw(isMeant?: (task: PoolTask) => boolean): void;
  /** Ends everything: no task waits, no worker lives, the folder is gone. Rejects when a worker may still live. */
  close(): Promise<void>;
}

interface OpenTask<R> {
  readonly task: PoolTask;
  readonly signal: AbortSignal;
  finish(end: PoolEnd<R>): void;
  fail(error: unknown): void;
  puts: number;
  /** When it was first seen to be over without a result, or missing everywhere, or was asked to stop. */
  resultless?: number;
  missing?: number | undefined;
  stopping?: number;
}

/** The name of a task's entry: with the hash of its text, by which a worker knows that it read what was written. */
export const entryName = (id: string, text: string): string => `${id}.${hashOf(text)}`;
/** Whether an entry holds what it held when it was named. */
export const isEntry = (name: string, text: string): boolean => name.endsWith(`.${hashOf(text)}`);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** So many workers of a spec may end in a row without having lived. */
const FAILED_STARTS = 3;
/** How long a task that was asked to stop is given, its processes' own grace included, before its worker is ended. */
const STOP_MS = 30_000;
const CLOSE_MS = 60_000;

export function openPool<R>(options: PoolOptions<R>): Pool<R> {
  const { slurm, clock, limits, pollMs = 200, askMs = 5_000 } = options;
  const queue = openQueueFolder(options.folder);
  const crew = openCrew(queue, options);
  const open = new Map<string, OpenTask<R>>();
  /** How many tasks of each spec are open. */
  const counts = new Map<string, number>();
  const aborted = new Set<OpenTask<R>>();
  const failedStarts = new Map<string, number>();
  const leftovers = new Map<string, string>();
  const stop = new AbortController();
  let wake = new AbortController();
  let loop: Promise<void> | undefined;
  let asking: Promise<void> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let auditedAt = Number.NEGATIVE_INFINITY;
  let awaySince: number | undefined;
  for (const { name, read } of queue.listWaiting()) findLeftover(name, read());
  for (const by of queue.claimers()) {
    for (const name of queue.claimedBy(by)) findLeftover(name, queue.readClaimed(by, name));
  }
  for (const entry of queue.ended()) findLeftover(entry.name, queue.readEnded(entry));

  /** One that a power loss emptied is taken out: whoever wants it puts it anew. */
  function findLeftover(name: string, text: string | undefined): void {
    if (text !== undefined && isEntry(name, text)) leftovers.set(name, text);
    else queue.takeBack(name);
  }

  function finish({ task: { name, spec }, finish: tell }: OpenTask<R>, end: PoolEnd<R>): void {
    if (!open.delete(name)) return;
    const left = (counts.get(spec) ?? 1) - 1;
    if (left > 0) counts.set(spec, left);
    else counts.delete(spec);
    tell(end);
  }

  function protocolFailure(one: OpenTask<R>, what: string, by: string): void {
    const { name, spec, attempt } = one.task;
    const dot = name.lastIndexOf('.');
    const whose = `entry ${name.slice(0, dot)}, hash ${name.slice(dot + 1)}, spec ${spec}, worker ${by}, attempt ${attempt}`;
    const next = 'find out what else writes there, then: mendloop';
    finish(one, { fatal: { message: `${what} (${options.folder}: ${whose})`, next } });
  }

  /** Takes what has ended. The folder holds what nobody has taken yet, and nothing else. */
  function collect(now: number): void {
    for (const entry of queue.ended()) {
      const one = open.get(entry.name);
      if (one) collectOne(one, entry, now);
      else if (!leftovers.has(entry.name)) queue.forget(entry);
    }
  }

  function collectOne(one: OpenTask<R>, entry: EndedEntry, now: number): void {
    const result = entry.how === 'made' ? options.result(one.task) : 'broken';
    one.resultless ??= now;
    if (result === undefined && now - one.resultless < limits.graceMs) return;
    queue.forget(entry);
    if (entry.how === 'bad') protocolFailure(one, 'a task is not what was put into the queue', entry.by);
    else if (result === undefined) protocolFailure(one, 'a task was said to be over and left no result', entry.by);
    else if (result === 'broken') protocolFailure(one, 'the result of a task cannot be read', entry.by);
    else if (result === 'stopped') finish(one, { stopped: true });
    else finish(one, { result });
  }

  function afterWorker({ id, spec, loss, started, stuck }: GoneWorker): void {
    for (const name of queue.claimedBy(id)) {
      const one = open.get(name);
      if (one && stuck) {
        const next = `end it yourself: scancel ${id}\nthen: mendloop`;
        finish(one, { fatal: { message: `worker ${id} was cancelled and does not end`, next } });
      } else if (one)
        putBackOrLose(one, { ...loss, transient: loss.transient || MAY_END_OTHERWISE.includes(loss.code) }, id);
      if (!leftovers.has(name)) queue.forget({ name, by: id });
    }
    queue.leave(id);
    const failures = started ? 0 : (failedStarts.get(spec) ?? 0) + 1;
    failedStarts.set(spec, failures);
    // One that ended well lived, if only while nobody looked.
    const isOdd = loss.transient || loss.code === 'JOB_NO_RESULT';
    if (started || (isOdd && failures < FAILED_STARTS)) return;
    failedStarts.delete(spec);
    for (const one of [...open.values()]) {
      if (one.task.spec === spec && queue.takeBack(one.task.name)) finish(one, { lost: loss, began: false });
    }
  }

  /** Nobody works on it any more: it was made, a part of it may have been, or it had not begun. */
  function putBackOrLose(one: OpenTask<R>, loss: Loss, by: string): void {
    const result = options.result(one.task);
    const began = options.hasBegun(one.task);
    if (result === 'broken') protocolFailure(one, 'the result of a task cannot be read', by);
    else if (result !== undefined && result !== 'stopped') finish(one, { result });
    else if (one.signal.aborted) finish(one, { stopped: true });
    else if (began || one.puts > options.requeues) finish(one, { lost: loss, began });
    else {
      one.puts += 1;
      queue.put(one.task.spec, [one.task]);
    }
  }

  /** Tasks that somebody wants stopped are taken back, or asked to stop. */
  function stopAborted(now: number): void {
    for (const one of aborted) {
      const { name } = one.task;
      if (!open.has(name)) aborted.delete(one);
      if (!open.has(name) || one.stopping !== undefined) continue;
      one.stopping = now;
      if (queue.takeBack(name)) finish(one, { stopped: true });
      else queue.cancel(name);
    }
  }

  /** The workers of tasks that were asked to stop and did not. */
  const deaf = (now: number): string[] => {
    const isLate = ({ stopping = now }: OpenTask<R>) => now - stopping > STOP_MS;
    const names = new Set([...aborted].filter(isLate).map(({ task }) => task.name));
    return names.size === 0 ? [] : queue.claimers().filter((by) => queue.claimedBy(by).some((name) => names.has(name)));
  };

  /**
   * Looks for tasks that are nowhere: somebody removed them, or two machines see different folders. Reads the folders in the order
   * in which tasks go through them, so that one on its way is in the next.
   */
  function audit(now: number): void {
    const there = new Set(queue.listWaiting().map(({ name }) => name));
    for (const by of queue.claimers()) {
      for (const name of queue.claimedBy(by)) {
        there.add(name);
        const one = open.get(name);
        if (one) crew.add(by, one.task.spec, now);
      }
    }
    for (const { name } of queue.ended()) there.add(name);
    for (const one of [...open.values()]) {
      const isThere = there.has(one.task.name);
      const since = isThere ? undefined : (one.missing ?? now);
      const isLost = since !== undefined && now - since >= limits.graceMs;
      one.missing = isLost ? undefined : since;
      if (isLost) putBackOrLose(one, VANISHED, 'unknown');
    }
  }

  function lookAtFolder(now: number): void {
    collect(now);
    crew.readSigns(now);
    stopAborted(now);
    if (now - auditedAt < limits.graceMs) return;
    audit(now);
    auditedAt = now;
  }

  async function askSlurm(now: number): Promise<void> {
    try {
      if (now - askedAt >= askMs) {
        await crew.ask(now);
        askedAt = now;
        await slurm.cancel(deaf(now));
        for (const gone of await crew.judge(now)) afterWorker(gone);
      }
      await crew.start(counts, now);
      awaySince = undefined;
    } catch (error) {
      // Workers go on without Slurm's controller; only when nothing shows life any more is it waited for in vain.
      awaySince ??= now;
      if (!isUnreachable(error) || (now - awaySince >= limits.staleMs && crew.isQuiet(now))) throw error;
    }
  }

  function failAll(error: unknown): void {
    for (const one of open.values()) {
      queue.takeBack(one.task.name);
      one.fail(error);
    }
    open.clear();
    counts.clear();
  }

  async function turns(): Promise<void> {
    while (!stop.signal.aborted && open.size > 0) {
      const now = clock.monotonic();
      try {
        lookAtFolder(now);
      } catch (error) {
        failAll(error);
      }
      // Beside it, for Slurm may be silent for long while results come in.
      asking ??= askSlurm(now)
        .catch(failAll)
        .finally(() => {
          asking = undefined;
        });
      wake = new AbortController();
      await clock.sleep(pollMs, AbortSignal.any([stop.signal, wake.signal]));
    }
    loop = undefined;
  }

  /** Cancels them until none lives; those that still do at that time. Rejects when Slurm is away all the time. */
  async function endWorkers(until: number): Promise<string[]> {
    for (;;) {
      try {
        await crew.ask(clock.monotonic());
        const live = crew.live();
        if (live.length === 0 || clock.monotonic() > until) return live;
        await slurm.cancel(live);
      } catch (error) {
        if (!isUnreachable(error) || clock.monotonic() > until) throw error;
      }
      await clock.sleep(pollMs);
    }
  }

  return {
    leftovers: () => [...leftovers].map(([name, text]) => ({ name, text })),

    run(tasks, signals) {
      const fresh = tasks.filter(({ name }) => !leftovers.delete(name));
      for (const spec of new Set(fresh.map((task) => task.spec))) {
        queue.put(
          spec,
          fresh.filter((task) => task.spec === spec),
        );
      }
      const ends = tasks.map((task, at) => {
        const signal = signals[at] as AbortSignal;
        counts.set(task.spec, (counts.get(task.spec) ?? 0) + 1);
        return new Promise<PoolEnd<R>>((finish, fail) => {
          const one = { task, signal, finish, fail, puts: 1 };
          open.set(task.name, one);
          const abort = () => {
            aborted.add(one);
            wake.abort();
          };
          if (signal.aborted) abort();
          else signal.addEventListener('abort', abort, { once: true });
        });
      });
      wake.abort();
      loop ??= turns();
      return ends;
    },

    withdraw(isMeant = () => true) {
      for (const one of [...open.values()].filter(({ task }) => isMeant(task))) {
        if (queue.takeBack(one.task.name)) finish(one, { returned: true });
      }
    },

    async close() {
      stop.abort();
      await loop;
      await asking;
      const until = clock.monotonic() + CLOSE_MS;
      // Workers whose folder is gone leave by themselves, also those that Slurm starts when it is back.
      const live = await endWorkers(until).finally(() => removeAll(options.folder));
      if (live.length > 0) throw new Error(`workers ${live.join(', ')} were cancelled and do not end`);
    },
  };
}

/** What ended a worker that had done others' tasks before: with another worker the next may well be made. */
const MAY_END_OTHERWISE = ['JOB_TIMEOUT', 'JOB_NO_RESULT'];

const VANISHED: Loss = {
  code: 'TASK_VANISHED',
  message: 'its entry is nowhere in the queue any more',
  next: 'find out what else writes in ai/state/pool, and whether every node sees the same filesystem',
  transient: true,
};
