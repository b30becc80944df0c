// The tasks of a pool until each has ended, and which worker has which. The queue's folder is read here; what became of workers
// is passed in. The cost of a turn does not grow with the number of waiting tasks.
import { createHash } from 'node:crypto';
import { groupBy } from '../io/group-by.ts';
import type { EndedEntry, QueueFolder } from '../io/queue-folder.ts';
import type { GoneWorker } from './crew.ts';
import type { Loss } from './loss.ts';

/** What a worker gets to know of a task: a file of the queue. */
export interface PoolEntry {
  /** By `entryName`. */
  readonly name: string;
  readonly spec: string;
  readonly text: string;
  readonly attempt: number;
}

export interface PoolTask<R> extends PoolEntry {
  /** Aborts when it is not wanted any more. */
  readonly signal: AbortSignal;
  /** What its own result says: undefined while there is none, `stopped` when its worker had to end. */
  result(): R | 'stopped' | 'broken' | undefined;
  /** Whether its attempt was begun by any worker. */
  hasBegun(): boolean;
}

export type PoolEnd<R> =
  | { readonly result: R }
  /** `began`: it may have run. */
  | { readonly lost: Loss; readonly began: boolean }
  /** It was not begun, and will not be. */
  | { readonly returned: true }
  /** Its signal aborted, and it does not run any more. */
  | { readonly stopped: true }
  /** Must never happen: the queue cannot be trusted any more. */
  | { readonly fatal: { readonly message: string; readonly next: string } };

interface OpenTask<R, T> {
  readonly task: T;
  finish(end: PoolEnd<R>): void;
  fail(error: unknown): void;
  puts: number;
  /** When it was first seen to be over without a result, or missing everywhere, or was asked to stop. */
  endedSince?: number;
  missingSince?: number | undefined;
  stopSince?: number;
}

/** The name of a task's entry: with the hash of its text, by which a worker knows that it read what was written. */
export const entryName = (id: string, text: string): string => `${id}.${hashOf(text)}`;
/** Whether an entry holds what it held when it was named. */
export const isEntry = (name: string, text: string): boolean => name.endsWith(`.${hashOf(text)}`);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** How long a task that was asked to stop is given, its processes' own grace included, before its worker is ended. */
const STOP_MS = 30_000;

const VANISHED: Loss = {
  code: 'TASK_VANISHED',
  message: 'its entry is nowhere in the queue any more',
  next: 'find out what else writes below ai/state/runs, and whether every node sees the same filesystem',
  transient: true,
};

export interface TaskLimits {
  readonly folder: string;
  /** How long a file may be seen late. */
  readonly graceMs: number;
  /** How often a task that was not begun is put back when its worker was lost. */
  readonly requeues: number;
}

export function openTasks<R, T extends PoolTask<R>>(queue: QueueFolder, { folder, graceMs, requeues }: TaskLimits) {
  type Open = OpenTask<R, T>;
  const open = new Map<string, Open>();
  /** How many tasks of each spec are open. */
  const counts = new Map<string, number>();
  const aborted = new Set<Open>();
  /** Put by an earlier controller, and not asked for since. */
  const leftovers = new Set<string>();
  for (const { name, read } of queue.listWaiting()) {
    // One that a power loss emptied is removed; `add` puts it again.
    if (isEntry(name, read() ?? '')) leftovers.add(name);
    else queue.takeBack(name);
  }
  for (const name of [...queue.claimers().flatMap(queue.claimedBy), ...queue.ended().map(({ name }) => name)]) {
    leftovers.add(name);
  }

  return {
    counts,
    isEmpty: () => open.size === 0,
    add,
    collect,
    stopAborted,
    workersToEnd,
    audit,
    afterWorker,
    giveUp,
    withdraw,
    failAll,
  };

  /** Puts tasks, or follows those that an earlier controller put; `wake` hears when one is not wanted any more. */
  function add(tasks: readonly T[], wake: () => void): Promise<PoolEnd<R>>[] {
    const isThere = new Set(tasks.filter(({ name }) => leftovers.delete(name)));
    const isOver = new Set(tasks.filter((task) => !isThere.has(task) && task.hasBegun()));
    const fresh = tasks.filter((task) => !isThere.has(task) && !isOver.has(task));
    for (const [spec, some] of groupBy(fresh, ({ spec }) => spec)) queue.put(spec, some);
    return tasks.map((task) => {
      counts.set(task.spec, (counts.get(task.spec) ?? 0) + 1);
      return new Promise<PoolEnd<R>>((finish, fail) => {
        const opened: Open = { task, finish, fail, puts: 1 };
        open.set(task.name, opened);
        if (isOver.has(task)) putBackOrLose(opened, VANISHED, 'unknown');
        const abort = () => {
          aborted.add(opened);
          wake();
        };
        if (task.signal.aborted) abort();
        else task.signal.addEventListener('abort', abort, { once: true });
      });
    });
  }

  function finish({ task: { name, spec }, finish: tell }: Open, end: PoolEnd<R>): void {
    if (!open.delete(name)) return;
    const left = (counts.get(spec) ?? 1) - 1;
    if (left > 0) counts.set(spec, left);
    else counts.delete(spec);
    tell(end);
  }

  function protocolFailure(opened: Open, what: string, by: string): void {
    const { name, spec, attempt } = opened.task;
    const dot = name.lastIndexOf('.');
    const whose = `entry ${name.slice(0, dot)}, hash ${name.slice(dot + 1)}, spec ${spec}, worker ${by}, attempt ${attempt}`;
    const next = 'find out what else writes there, then: mendloop';
    finish(opened, { fatal: { message: `${what} (${folder}: ${whose})`, next } });
  }

  /** Takes what has ended out of the folder, so that it only holds what is new. */
  function collect(now: number): void {
    for (const entry of queue.ended()) {
      const opened = open.get(entry.name);
      if (opened) collectOne(opened, entry, now);
      else if (!leftovers.has(entry.name)) queue.forget(entry);
    }
  }

  function collectOne(opened: Open, entry: EndedEntry, now: number): void {
    const result = entry.how === 'made' ? opened.task.result() : 'broken';
    opened.endedSince ??= now;
    if (result === undefined && now - opened.endedSince < graceMs) return;
    queue.forget(entry);
    if (entry.how === 'bad') protocolFailure(opened, 'a task is not what was put into the queue', entry.by);
    else if (result === undefined) protocolFailure(opened, 'a task was said to be over and left no result', entry.by);
    else if (result === 'broken') protocolFailure(opened, 'the result of a task cannot be read', entry.by);
    else if (result === 'stopped') finish(opened, { stopped: true });
    else finish(opened, { result });
  }

  /** What a worker that is over had claimed. */
  function afterWorker({ id, jobId, loss, stuck }: GoneWorker): void {
    for (const name of queue.claimedBy(id)) {
      const opened = open.get(name);
      if (opened && stuck) {
        const next = `end it yourself: scancel ${jobId}\nthen: mendloop`;
        finish(opened, { fatal: { message: `worker ${jobId} was cancelled and does not end`, next } });
      } else if (opened) putBackOrLose(opened, loss, id);
      if (!leftovers.has(name)) queue.forget({ name, by: id });
    }
    queue.leave(id);
  }

  /** No worker will claim the waiting tasks of a spec. */
  function giveUp(spec: string, loss: Loss): void {
    for (const opened of [...open.values()]) {
      if (opened.task.spec === spec && queue.takeBack(opened.task.name)) finish(opened, { lost: loss, began: false });
    }
  }

  /** Its worker is gone: the task has a result, was begun, or had not begun. */
  function putBackOrLose(opened: Open, loss: Loss, by: string): void {
    const result = opened.task.result();
    const began = opened.task.hasBegun();
    if (result === 'broken') protocolFailure(opened, 'the result of a task cannot be read', by);
    else if (result !== undefined && result !== 'stopped') finish(opened, { result });
    else if (opened.task.signal.aborted) finish(opened, { stopped: true });
    else if (began || opened.puts > requeues) finish(opened, { lost: loss, began });
    else {
      opened.puts += 1;
      queue.put(opened.task.spec, [opened.task]);
    }
  }

  /** Takes aborted tasks back, or asks their workers to stop them. */
  function stopAborted(now: number): void {
    for (const opened of aborted) {
      const { name } = opened.task;
      if (!open.has(name)) aborted.delete(opened);
      if (!open.has(name) || opened.stopSince !== undefined) continue;
      opened.stopSince = now;
      if (queue.takeBack(name)) finish(opened, { stopped: true });
      else queue.cancel(name);
    }
  }

  /** The workers of tasks that were asked to stop and did not. */
  function workersToEnd(now: number): string[] {
    const isLate = ({ stopSince = now }: Open) => now - stopSince > STOP_MS;
    const names = new Set([...aborted].filter(isLate).map(({ task }) => task.name));
    return names.size === 0 ? [] : queue.claimers().filter((by) => queue.claimedBy(by).some((name) => names.has(name)));
  }

  /**
   * Looks for tasks that are in no folder: removed, or two machines see different folders. Reads the folders in the order in which
   * tasks pass through them, so that none is missed on its way. Returns the workers that have claimed something, and its spec.
   */
  function audit(now: number): Map<string, string> {
    const claimers = new Map<string, string>();
    const names = new Set(queue.listWaiting().map(({ name }) => name));
    for (const by of queue.claimers()) {
      for (const name of queue.claimedBy(by)) {
        names.add(name);
        const spec = open.get(name)?.task.spec;
        if (spec !== undefined) claimers.set(by, spec);
      }
    }
    for (const { name } of queue.ended()) names.add(name);
    for (const opened of [...open.values()]) {
      const since = names.has(opened.task.name) ? undefined : (opened.missingSince ?? now);
      const isLost = since !== undefined && now - since >= graceMs;
      opened.missingSince = isLost ? undefined : since;
      if (isLost) putBackOrLose(opened, VANISHED, 'unknown');
    }
    return claimers;
  }

  function withdraw(isMeant: (task: T) => boolean): T[] {
    const waiting = [...open.values()].filter(({ task }) => isMeant(task) && queue.takeBack(task.name));
    for (const opened of waiting) finish(opened, { returned: true });
    return waiting.map(({ task }) => task);
  }

  function failAll(error: unknown): void {
    for (const opened of open.values()) {
      queue.takeBack(opened.task.name);
      opened.fail(error);
    }
    open.clear();
    counts.clear();
  }
}
