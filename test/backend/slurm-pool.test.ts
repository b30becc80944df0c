// slurm-pool by what Slurm answers. The files are real, Slurm's answers are written here.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PoolCarrier } from '../../src/backend/pool.ts';
import { SlurmAttempts } from '../../src/backend/slurm-attempts.ts';
import { SlurmBackend } from '../../src/backend/slurm-backend.ts';
import { beginTask, writeResult } from '../../src/backend/task-file.ts';
import { mendError } from '../../src/errors.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import { watchSlurm } from '../../src/slurm/watch.ts';
import type { Task } from '../../src/stage/backend.ts';
import type { StageRun } from '../../src/stage/run.ts';
import { folder } from '../environment.ts';
import { eventually } from '../slurm/cluster.ts';

test('a pool whose workers cannot be asked is over only when nothing that they had begun lacks its result', async () => {
  const close = async (left: 'nothing begun' | 'a begun task' | 'a result') => {
    const layout = layoutOf(folder());
    mkdirSync(layout.jobs('r'), { recursive: true });
    let isSubmitted = false;
    const away = async () => {
      throw mendError('E_SLURM_UNREACHABLE', { program: 'squeue', words: 'away', next: '' });
    };
    const submit = async () => {
      isSubmitted = true;
      return '9';
    };
    const slurm: Partial<Slurm> = { submit, jobs: async () => [], cancel: away };
    const run = {
      ...{
        id: 'r',
        layout,
        clock: systemClock,
        lab: 'real',
        graceMs: 100,
        config: { map: { stages: {} }, loop: { logs: { max_mb: 200 } } },
      },
      ...{ tree: { head: 'c', gitDir: '/g', branch: 'b', links: [] }, journal: { append: () => {} } },
    } as unknown as StageRun;
    const settings = { specs: {}, grace: 60_000, stale: 60_000, idle: 1000 };
    const watch = watchSlurm(slurm as Slurm, systemClock, settings.stale);
    const attempts = new SlurmAttempts(run, { slurm: slurm as Slurm, watch, settings, startedAt: '' });
    const shared = { slurm: slurm as Slurm, watch, settings, attempts };
    const carrier = new PoolCarrier(run, { ...shared, workers: 1, requeues: 0, count: 0, maxArraySize: 1000 }, []);
    const backend = new SlurmBackend(run, attempts, carrier);
    const place = { run: 'r', stage: 'a', step: 'a', cell: {}, attempt: 1 };
    const task: Task = { ...place, commit: 'c', timeout_ms: 60_000, spec: 'default' };
    const stop = new AbortController();
    backend.attempt(task, stop.signal);
    await eventually('a worker is submitted', () => isSubmitted, 2000);
    const file = join(layout.jobs('r'), '1/job.json');
    if (left !== 'nothing begun') beginTask(file, 0);
    if (left === 'a result') writeResult(file, 0, { end: { kind: 'green' } });
    return backend.close().finally(() => stop.abort());
  };
  const ends = await Promise.all([close('nothing begun'), close('a begun task'), close('a result')]);
  assert.equal(ends, [true, false, true]);
});

test.run();
