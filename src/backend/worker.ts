// A worker of a pool: a job that claims tasks of its spec, one after the other, makes each, and leaves when there has been none for
// a while. A task that fails is a task that was made; only what the queue itself must never hold is reported as bad.
import { dirname, join } from 'node:path';
import { fail, MendError } from '../errors.ts';
import { packageVersion } from '../io/package.ts';
import { openQueueFolder } from '../io/queue-folder.ts';
import type { RunPorts } from '../stage/run.ts';
import { makeAttempt } from './make-attempt.ts';
import { readEntry, type WorkerSettings } from './pool-entry.ts';
import { requirePrivate } from './task-file.ts';

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Works until there is nothing to do, the pool is gone, or the signal aborts. Rejects when a task left no result, for its worker has to
 * answer for that, when others may write into the folder, and when the pool is of another version. `id`: by `workerId`.
 */
export async function runWorker(settings: WorkerSettings, id: string, ports: RunPorts): Promise<void> {
  const { batch, folder, idleMs, signMs, version } = settings;
  const { clock, signal } = ports;
  const queue = openQueueFolder(folder);
  // Its controller has gone, and with it what there was to do.
  if (!queue.isThere()) return;
  if (version !== packageVersion()) fail('E_WORKER_VERSION', { here: packageVersion(), there: version });
  requirePrivate(dirname(folder));
  let count = 0;
  const sign = () => {
    // A disk that is full for a while must not cost what is being made.
    try {
      if (queue.isThere()) queue.sign(id, String(++count));
    } catch (error) {
      console.error(String(error));
    }
  };
  sign();
  const signs = setInterval(sign, signMs);
  try {
    let [idleSince, pause] = [clock.monotonic(), SHORTEST_PAUSE_MS];
    while (!signal.aborted && queue.isThere() && clock.monotonic() - idleSince < idleMs) {
      const claimed = queue.claim(batch.spec, id);
      if (claimed) {
        await work(claimed);
        [idleSince, pause] = [clock.monotonic(), SHORTEST_PAUSE_MS];
      } else {
        await clock.sleep(pause, signal);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
    queue.leave(id);
  } finally {
    clearInterval(signs);
  }

  async function work(claimed: { name: string; text: string | undefined }): Promise<void> {
    const entry = readEntry(claimed, batch.spec);
    if (!entry) return queue.end(claimed.name, id, true);
    const file = join(dirname(folder), entry.job, 'job.json');
    await makeAttempt(file, entry.index, ports, signMs, id).catch((error) => {
      // Another worker has begun it, or it was withdrawn.
      if (!(error instanceof MendError) || error.code !== 'E_TASK_BEGUN') throw error;
    });
    if (queue.isThere()) queue.end(claimed.name, id);
  }
}
