import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { openQueueFolder } from '../../src/io/queue-folder.ts';
import { entryName } from '../../src/slurm/pool-tasks.ts';
import { runWorker } from '../../src/slurm/worker.ts';
import { folder } from '../environment.ts';

test('a job that Slurm starts a second time leaves what its first start had claimed to the controller, and takes nothing', async () => {
  const at = join(folder(), 'pool');
  const queue = openQueueFolder(at);
  const entries = ['one', 'two'].map((text) => ({ name: entryName(text, text), text }));
  queue.put('default', entries);
  queue.join('7_0-batch');
  const claimed = queue.claim('default', '7_0-batch')?.name as string;
  const made: string[] = [];
  const second = runWorker({
    ...{ folder: at, spec: 'default', id: '7_0-batch', idleMs: 100, signMs: 100, clock: systemClock },
    signal: new AbortController().signal,
    specOf: () => 'default',
    async make(text) {
      made.push(text);
      return true;
    },
    warn() {},
  });
  const error = await second.then(() => undefined).catch((refused) => refused);
  assert.is(error?.code, 'E_TASK_BEGUN');
  assert.equal([made, queue.claimedBy('7_0-batch'), queue.listWaiting().length], [[], [claimed], 1]);
});

test.run();
