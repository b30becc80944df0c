// The whole way through the pool on a real Slurm: one cluster for all tests of this file.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextJob } from '../../src/backend/task-file.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { folder } from '../io/temporary.ts';
import { failuresIn, homelab, NOTE, ranSteps, run } from '../run/homelab.ts';
import { mendable, says, stageOn } from '../run/probe.ts';
import { noSlurm, startCluster } from '../slurm/cluster.ts';
import { cases } from '../sweep.ts';

const cluster = noSlurm ? undefined : startCluster({ nodes: 4, cpus: 4 });
const onSlurm = cluster ? test : test.skip;
const LOOP = { backend: 'slurm-pool', workers: 3, slurm: { grace: '2s', idle: '5s' } };
const ports = () => ({ env: { ...cluster?.env } });

onSlurm(
  'a graph of stages ends green by workers, each step run once, in the order of needs; nothing is left',
  async () => {
    const home = homelab(
      {
        a: { command: `${NOTE}; echo 1 > "$MENDLOOP_OUT/o"`, outputs: { o: 'o' } },
        m: { command: NOTE, needs: ['a'], matrix: { host: ['h1', 'h2', 'h3', 'h4', 'h5'] }, verify: ['true'] },
        z: { command: `${NOTE}; cat "$MENDLOOP_OUTPUTS/a/o"`, needs: ['m'] },
      },
      LOOP,
    );
    const { exit, events, stages } = await run(home, {}, ports());
    assert.is(exit, 0, JSON.stringify(events.at(-1)));
    const ran = ranSteps(home);
    assert.equal(ran.toSorted(), ['a', ...[1, 2, 3, 4, 5].map((n) => `m[host=h${n}]`), 'z']);
    assert.equal([ran[0], ran.at(-1)], ['a', 'z']);
    assert.equal(
      Object.values(stages.stages).map(({ status }) => status),
      ['green', 'green', 'green'],
    );
    assert.is(cluster?.slurm('squeue', '-h'), '');
    const jobs = join(home, 'ai/state/runs', events[0]?.run as string, 'jobs');
    assert.is(existsSync(join(jobs, 'pool')), false);
    assert.ok(readdirSync(join(jobs, 'workers')).length <= 3);
  },
);

onSlurm('one broken template on many hosts is one entry, one fix, and all of them green', async () => {
  const count = cases(6, 40);
  const hosts = Array.from({ length: count }, (_, at) => `h${at + 10}`);
  const stages = { a: { ...stageOn(), matrix: { host: hosts } } };
  const { home, probe, subjects } = mendable({ stages, loop: { ...LOOP, workers: 4 } });
  probe.answers(says('good'), { throw: 'a second question' });
  const ran = await run(home, {}, ports());
  assert.equal([ran.exit, probe.asked().length, subjects()], [0, 1, ['Mend a: Say good']]);
  const entries = failuresIn(home).map(({ times_seen, patches }) => [
    times_seen,
    patches.map(({ outcome }) => outcome),
  ]);
  assert.equal(entries, [[1, ['verified']]]);
  assert.equal(
    Object.values(ran.stages.stages.a?.cells ?? {}).map(({ status }) => status),
    Array(count).fill('green'),
  );
  assert.is(cluster?.slurm('squeue', '-h'), '');
});

test('a job never gets the number of one that the journal lost: its attempts would seem to have begun', () => {
  const layout = layoutOf(folder());
  assert.is(nextJob(layout, 'r1', 0), 1);
  for (const lost of ['1', '2']) mkdirSync(join(layout.jobs('r1'), lost), { recursive: true });
  assert.is(nextJob(layout, 'r1', 0), 3);
});

test.run();
