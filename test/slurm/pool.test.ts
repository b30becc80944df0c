// A pool by what Slurm answers; the folder is real, Slurm's answers are written here.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mendError } from '../../src/errors.ts';
import { systemClock } from '../../src/io/clock.ts';
import { openQueueFolder, type QueueFolder } from '../../src/io/queue-folder.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import { workerId } from '../../src/slurm/crew.ts';
import type { Job } from '../../src/slurm/job.ts';
import { openPool } from '../../src/slurm/pool.ts';
import { entryName, type PoolTask } from '../../src/slurm/pool-tasks.ts';
import { folder } from '../environment.ts';
import { eventually } from './cluster.ts';

/** A pool, and a Slurm in which workers of this pool wait for ever, and those of an earlier one are what `answer` says. */
function openLab(prepare: (queue: QueueFolder) => void = () => {}) {
  const at = join(folder(), 'pool');
  const queue = openQueueFolder(at);
  prepare(queue);
  const shared = { reason: 'None', exitCode: 0, signal: 0, nodes: '' };
  let earlier: Job[] = [];
  let waiting: Job[] = [];
  const slurm: Partial<Slurm> = {
    async submit({ comment, array = 0 }) {
      waiting = Array.from({ length: array }, (_, index) => ({
        ...shared,
        id: `9_${index}`,
        state: 'PENDING',
        comment,
      }));
      return '9';
    },
    jobs: async () => [...earlier, ...waiting],
    async cancel(isMeant) {
      const meant = waiting.filter(isMeant);
      waiting = waiting.filter((job) => !isMeant(job));
      return meant;
    },
  };
  const pool = openPool<string>({
    ...{ folder: at, slurm: slurm as Slurm, clock: systemClock, requeues: 2, total: 4, cap: () => 4 },
    ...{ limits: { graceMs: 100, staleMs: 60_000 }, pollMs: 5, askMs: 10 },
    comment: ({ spec, name }) => `${spec} ${name}`,
    readComment(comment) {
      const [spec, name] = comment.split(' ');
      return spec && name ? { spec, name } : undefined;
    },
    worker: () => ({ name: 'worker', command: [], cwd: at, output: '', place: { options: [] } }),
  });
  const answer = (state: string, ...ids: string[]) => {
    earlier = ids.map((id) => ({ ...shared, id, state, nodes: 'n1', comment: 'default batch' }));
  };
  return { pool, queue, answer, slurm };
}

const task = (name: string, more: Partial<PoolTask<string>> = {}): PoolTask<string> => ({
  ...{ name: entryName(name, name), text: name, spec: 'default', attempt: 1, signal: new AbortController().signal },
  ...{ result: () => undefined, hasBegun: () => false },
  ...more,
});

test('a pool that finds all its earlier tasks over goes on with later ones', async () => {
  const { pool, queue } = openLab();
  // Its last controller took the entry out of the folder, and died before anybody heard of the end.
  const [over] = pool.run([task('over', { hasBegun: () => true, result: () => 'made' })]);
  assert.equal(await over, { result: 'made' });
  let made: string | undefined;
  const later = task('later', { result: () => made });
  const [end] = pool.run([later]);
  queue.join('w');
  assert.is(queue.claim('default', 'w')?.name, later.name);
  made = 'made too';
  queue.end(later.name, 'w', 'made');
  let ended: unknown;
  end?.then((value) => (ended = value));
  await eventually('the later task ends', () => ended !== undefined, 2000);
  assert.equal(ended, { result: 'made too' });
  await pool.close();
});

test('workers of an earlier controller that leave while this one starts are no workers that could not start', async () => {
  const { pool, answer } = openLab();
  const ids = ['7_0', '7_1', '7_2'];
  answer('RUNNING', ...ids);
  const [end] = pool.run([task('waits')]);
  let ended: unknown;
  end?.then((value) => (ended = value));
  await systemClock.sleep(50);
  answer('COMPLETED', ...ids);
  await systemClock.sleep(200);
  assert.is(ended, undefined, 'another worker makes it');
  await pool.close();
});

test('what a worker has claimed stays its own while it shows signs, also when Slurm tells that its job is over', async () => {
  const id = workerId('7_0', 'batch');
  const claimed = task('claimed', { hasBegun: () => true });
  const { pool, queue, answer } = openLab((folder) => {
    folder.join(id);
    folder.put('default', [claimed]);
    folder.claim('default', id);
  });
  answer('RUNNING', '7_0');
  const [end] = pool.run([claimed]);
  let ended: unknown;
  end?.then((value) => (ended = value));
  // Slurm started it a second time, which ended at once; the first goes on.
  answer('FAILED', '7_0');
  for (let count = 1; count < 20; count++) {
    await systemClock.sleep(20);
    queue.sign(id, String(count));
  }
  assert.is(ended, undefined);
  await eventually('it is lost when the signs end', () => ended !== undefined, 5000);
  assert.is((ended as { lost?: { code: string } }).lost?.code, 'JOB_NO_RESULT');
  await pool.close();
});

test('a pool that closes while Slurm is away says soon which workers may live on', async () => {
  const { pool, answer, slurm } = openLab();
  answer('RUNNING', '7_0', '7_1');
  pool.run([task('waits')]);
  await systemClock.sleep(50);
  const away = async () => {
    throw mendError('E_SLURM_UNREACHABLE', { program: 'squeue', words: 'away', next: '' });
  };
  Object.assign(slurm, { jobs: away, cancel: away });
  const began = Date.now();
  assert.equal(await pool.close(), { jobs: ['7_0', '7_1'], isAway: true });
  assert.ok(Date.now() - began < 10_000);
});

test.run();
