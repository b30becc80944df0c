import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../src/io/clock.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import type { Job } from '../../src/slurm/job.ts';
import { endJobs } from '../../src/slurm/watch.ts';

test('jobs that do not end are looked at soon, then every second, cancelled again every five, and told after 55', async () => {
  const job: Job = { id: '7', state: 'RUNNING', reason: 'None', exitCode: 0, signal: 0, nodes: 'n1', comment: '' };
  let now = 0;
  const looks: number[] = [];
  const cancels: number[] = [];
  const clock: Partial<Clock> = {
    monotonic: () => now,
    async sleep(ms) {
      now += ms;
    },
  };
  const slurm: Partial<Slurm> = {
    async jobs() {
      looks.push(now);
      return [job];
    },
    async cancel() {
      cancels.push(now);
      return [job];
    },
  };
  assert.equal(await endJobs(slurm as Slurm, () => true, { clock: clock as Clock }), [job]);
  assert.equal(cancels.slice(0, 3), [0, 5400, 10_400]);
  assert.equal(looks.slice(0, 5), [200, 600, 1400, 2400, 3400]);
  assert.is(now, 55_400);
});

test.run();
