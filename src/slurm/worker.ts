// A worker of a pool: a job that claims tasks of its spec, one after the other, makes each, and leaves when there has been none for
// a while. A task that fails is a task that was made; only what the queue itself must never hold is reported as bad.
import { fail } from '../errors.ts';
import type { Clock } from '../io/clock.ts';
import { fileFacts } from '../io/files.ts';
import { openQueueFolder } from '../io/queue-folder.ts';
import { isEntry } from './pool-tasks.ts';

export interface WorkerOptions {
  readonly folder: string;
  readonly spec: string;
  /** By `workerId`. */
  readonly id: string;
  /** How long it stays without anything to do. */
  readonly idleMs: number;
  /** How often it shows a sign of life. */
  readonly signMs: number;
  readonly clock: Clock;
  /** Aborts when it must go: what it is at is stopped. */
  readonly signal: AbortSignal;
  /** The spec that an entry is for; undefined when it is no task. */
  specOf(text: string): string | undefined;
  /** Makes the task and leaves its result; false when another worker has begun it. Rejects when there is no result. */
  make(text: string, signal: AbortSignal): Promise<boolean>;
  /** Says what went wrong and is tried again. */
  warn(error: unknown): void;
}

const isFolder = (path: string): boolean => fileFacts(path)?.isFolder === true;

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * Works until there is nothing to do, the pool is gone, or the signal aborts. Rejects when a task left no result, for its worker has to
 * answer for that, and when its job was started before and had claimed something.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { spec, id, clock, signal, folder } = options;
  // Its controller has gone, and with it what there was to do.
  if (!isFolder(folder)) return;
  const queue = openQueueFolder(folder);
  // A controller of Slurm that was started anew may start a job twice, and ends what the first start had under way.
  const [begun] = queue.claimedBy(id);
  if (begun) fail('E_TASK_BEGUN', { file: begun });
  queue.join(id);
  let count = 0;
  let signed = clock.monotonic();
  const sign = (task?: string) => queue.sign(id, JSON.stringify({ id, spec, task, count: ++count }));
  /** A disk that is full for a while must not cost what is being made. */
  const signNow = (task?: string) => {
    if (clock.monotonic() - signed < options.signMs) return;
    signed = clock.monotonic();
    try {
      sign(task);
    } catch (error) {
      options.warn(error);
    }
  };
  sign();
  let [idleSince, pause] = [clock.monotonic(), SHORTEST_PAUSE_MS];
  while (!signal.aborted && isFolder(folder) && clock.monotonic() - idleSince < options.idleMs) {
    signNow();
    const entry = queue.claim(spec, id);
    if (entry) {
      const how = await work(entry.name, entry.text);
      // A worker that has to end leaves its claim: the controller knows why it was ended.
      if (signal.aborted) return;
      if (how === 'not mine') queue.forget({ name: entry.name, by: id });
      else queue.end(entry.name, id, how);
      [idleSince, pause] = [clock.monotonic(), SHORTEST_PAUSE_MS];
    } else {
      await clock.sleep(pause, signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
  if (isFolder(folder)) queue.leave(id);

  async function work(name: string, text: string | undefined): Promise<'made' | 'bad' | 'not mine'> {
    if (text === undefined || !isEntry(name, text) || options.specOf(text) !== spec) return 'bad';
    const stop = new AbortController();
    const over = new AbortController();
    const watch = async () => {
      for (; !over.signal.aborted; await clock.sleep(LONGEST_PAUSE_MS, over.signal)) {
        if (queue.isCancelled(name)) stop.abort();
        signNow(name);
      }
    };
    const making = options.make(text, AbortSignal.any([signal, stop.signal])).finally(() => over.abort());
    const [isMine] = await Promise.all([making, watch()]);
    return isMine ? 'made' : 'not mine';
  }
}
