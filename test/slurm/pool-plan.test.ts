import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/slurm/job.ts';
import { type WorkerFacts, whyUseless, workersToStart } from '../../src/slurm/pool-plan.ts';

const demand = (spec: string, tasks: number, workers: number, cap: number) => ({ spec, tasks, workers, cap });
const starts = (...args: Parameters<typeof workersToStart>) => Object.fromEntries(workersToStart(...args));

test('a spec gets as many workers as it has tasks, within its cap and the total', () => {
  assert.equal(starts([demand('default', 3, 0, 10)], 10), { default: 3 });
  assert.equal(starts([demand('default', 30, 0, 4)], 10), { default: 4 });
  assert.equal(starts([demand('default', 30, 2, 40)], 10), { default: 8 });
  assert.equal(starts([demand('default', 30, 10, 40)], 10), {});
  assert.equal(starts([demand('default', 0, 0, 4)], 10), {});
  assert.equal(starts([demand('default', 5, 12, 40)], 10), {}, 'more than the cap, after it was made smaller');
});

test('specs share the total in turn, so that none waits for all tasks of another', () => {
  assert.equal(starts([demand('big', 1000, 0, 40), demand('small', 2, 0, 40)], 6), { big: 4, small: 2 });
  assert.equal(starts([demand('a', 9, 0, 40), demand('b', 9, 0, 40), demand('c', 9, 0, 1)], 5), { a: 2, b: 2, c: 1 });
  assert.equal(starts([demand('idle', 0, 3, 40), demand('b', 9, 0, 40)], 5), { b: 2 }, 'idle ones take their place');
});

const LIMITS = { graceMs: 30_000, staleMs: 900_000 };
const job = (state: string, reason = 'None'): Job => ({
  ...{ id: '7_0', state, reason, exitCode: 0, signal: 0, nodes: 'n1', comment: '' },
});
const facts = (more: Partial<WorkerFacts>): WorkerFacts => ({
  ...{ id: '7_0', job: job('RUNNING'), runningSince: 1000, endedSince: undefined, signChanged: 2000, isBusy: false },
  ...more,
});
const verdict = (more: Partial<WorkerFacts>, now: number): string | undefined =>
  whyUseless(facts(more), now, LIMITS)?.code;

test('a worker is stale by when its sign was last seen to change, whatever it says', () => {
  assert.is(verdict({}, 901_999), undefined);
  assert.is(verdict({}, 902_000), 'WORKER_STALE');
});

test('a worker that runs and never showed a sign cannot write where it should', () => {
  assert.is(verdict({ signChanged: undefined }, 30_999), undefined);
  assert.is(verdict({ signChanged: undefined }, 31_000), 'WORKER_SILENT');
  const waits = { job: job('PENDING', 'Resources'), runningSince: undefined, signChanged: undefined };
  assert.is(verdict(waits, 9_000_000), undefined, 'one that waits its turn may wait');
  assert.is(verdict({ ...waits, job: job('PENDING', 'PartitionConfig') }, 0), 'JOB_IMPOSSIBLE');
});

test.run();
