// The pool on a real Slurm, with tasks that are scripts: what becomes of each when all goes well, and when a worker is lost.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { createSlurm } from '../../src/slurm/client.ts';
import { openPool, type Pool, type PoolOptions } from '../../src/slurm/pool.ts';
import { entryName, type PoolEnd, type PoolTask } from '../../src/slurm/pool-tasks.ts';
import { folder } from '../environment.ts';
import { program } from '../program.ts';
import { eventually, onSlurm, SLOW, sharedCluster } from './cluster.ts';

interface Result {
  code: number;
  worker: string;
  node: string;
}

interface Lab {
  at: string;
  pool: Pool<Result>;
  /** Another controller of the same folder, as after a crash of the first. */
  reopen(): Pool<Result>;
  task(name: string, script: string, spec?: string, signal?: AbortSignal): PoolTask<Result>;
}

const cluster = sharedCluster();

function openLab(more: Partial<PoolOptions> = {}): Lab {
  const at = folder();
  const open = (over: Partial<PoolOptions>) =>
    openPool<Result>({
      ...{ folder: join(at, 'pool'), slurm: createSlurm({ ...cluster?.env }), clock: systemClock },
      comment: ({ spec, name }) => `test ${at} ${spec} ${name}`,
      readComment(comment) {
        const [word, where, spec = '', name = ''] = comment.split(' ');
        return word === 'test' && where === at ? { spec, name } : undefined;
      },
      ...{
        limits: { graceMs: 2000 * SLOW, staleMs: 5000 * SLOW },
        total: 3,
        cap: () => 3,
        requeues: 2,
        pollMs: 50,
        askMs: 300,
      },
      worker: ({ spec, name }) => ({
        ...{ name: 'pool-worker', cwd: at, output: join(at, '%A_%a.out'), place: { options: ['--exclusive'] } },
        command: [process.execPath, ...program('pool-worker'), join(at, 'pool'), spec, name, String(1500 * SLOW)],
      }),
      ...more,
      ...over,
    });
  const pool = open({});
  const task = (name: string, script: string, spec = 'default', signal = new AbortController().signal) => {
    const [begun, result] = ['begun', 'result'].map((what) => join(at, `${name}.${what}`)) as [string, string];
    const text = JSON.stringify({ spec, script, begun, result });
    return {
      ...{ name: entryName(name, text), spec, text, attempt: 1, signal },
      hasBegun: () => existsSync(begun),
      result() {
        if (!existsSync(result)) return undefined;
        const left = readFileSync(result, 'utf8');
        return left.startsWith('{') || left === '"stopped"' ? JSON.parse(left) : 'broken';
      },
    };
  };
  return { at, pool, reopen: () => open({ clock: systemClock }), task };
}

const running = (at: string, name: string) => eventually(`${name} runs`, () => existsSync(join(at, `${name}.begun`)));
const codeOf = (end: PoolEnd<Result>): number | string =>
  'result' in end ? end.result.code : 'lost' in end ? `${end.lost.code} ${end.began}` : (Object.keys(end)[0] as string);
const theirs = (at: string) =>
  (cluster?.slurm('squeue', '--noheader', '--Format=JobArrayID:|,Comment:') ?? '')
    .split('\n')
    .filter((line) => line.includes(`test ${at} `));

onSlurm(
  'tasks of two specs are made by workers within the caps, who survive failures and leave when idle',
  async () => {
    const { at, pool, task } = openLab();
    const bad = pool.run([task('bad', 'exit 3')]);
    const good = pool.run(Array.from({ length: 8 }, (_, i) => task(`t${i}`, 'sleep 0.3')));
    const other = pool.run([task('other', `sleep 0.3; test "$(ls ${at}/pool/claimed | wc -l)" -le 3`, 'big')]);
    const ends = await Promise.all([...bad, ...good, ...other]);
    assert.equal(ends.map(codeOf), [3, ...Array(8).fill(0), 0]);
    const workers = new Set(ends.map((end) => ('result' in end ? `${end.result.node} ${end.result.worker}` : '')));
    assert.ok(workers.size <= 4, `one more than the cap, for a second spec: ${[...workers]}`);
    await eventually('idle workers leave', () => theirs(at).length === 0);
    assert.equal(readdirSync(join(at, 'pool/claimed')), []);
    assert.equal(readdirSync(join(at, 'pool/signs')), []);
    assert.equal((await Promise.all(pool.run([task('later', 'true')]))).map(codeOf), [0], 'and come again');
    await pool.close();
    assert.is(existsSync(join(at, 'pool')), false);
    assert.equal(theirs(at), []);
  },
);

onSlurm(
  'what waits is withdrawn, what runs is stopped when it is told to, and no worker outlives the pool',
  async () => {
    const { at, pool, task } = openLab({ total: 1 });
    const stop = new AbortController();
    const [first] = pool.run([task('first', 'sleep 60', 'default', stop.signal)]);
    await running(at, 'first');
    const [second] = pool.run([task('second', 'true')]);
    pool.withdraw();
    assert.is(codeOf(await (second as Promise<PoolEnd<Result>>)), 'returned');
    const [third] = pool.run([task('third', 'true', 'default', stop.signal)]);
    stop.abort();
    assert.equal(
      [await first, await third].map((end) => codeOf(end as PoolEnd<Result>)),
      ['stopped', 'stopped'],
    );
    assert.is(existsSync(join(at, 'third.begun')), false);
    const [fourth] = pool.run([task('fourth', 'sleep 60')]);
    await running(at, 'fourth');
    await pool.close();
    assert.equal(theirs(at), []);
    assert.is(await Promise.race([fourth, 'nobody tells']), 'nobody tells');
  },
);

onSlurm('a lost worker loses what it had begun, with what Slurm says of it, and nothing else', async () => {
  const { pool, task } = openLab({ total: 1 });
  const ends = await Promise.all(pool.run([task('killer', 'kill -9 $PPID'), task('innocent', 'true')]));
  assert.equal(ends.map(codeOf), ['JOB_KILLED true', 0]);
  await pool.close();
});

onSlurm('a second controller follows what the first put, its workers too, and takes what ended meanwhile', async () => {
  let isDead = false;
  const sleep = (ms: number, signal?: AbortSignal) =>
    isDead ? new Promise<void>(() => {}) : systemClock.sleep(ms, signal);
  const { at, pool, reopen, task } = openLab({ total: 1, clock: { ...systemClock, sleep } });
  const tasks = [task('slow', 'sleep 2; exit 4'), task('queued', 'exit 5')];
  void pool.run(tasks.slice(0, 1));
  await running(at, 'slow');
  void pool.run(tasks.slice(1));
  isDead = true;
  const workers = theirs(at);
  const second = reopen();
  const ends = await Promise.all(second.run([...tasks, task('new', 'exit 6')]));
  assert.equal(ends.map(codeOf), [4, 5, 6]);
  assert.equal([workers.length, theirs(at)], [1, workers]);
  await second.close();
});

onSlurm('an entry or a result that somebody damaged is fatal, and names all that can be known of it', async () => {
  const { at, pool, task } = openLab({ total: 1 });
  const [busy] = pool.run([task('busy', 'sleep 1')]);
  await running(at, 'busy');
  const [damaged] = pool.run([task('damaged', 'true')]);
  const segment = readdirSync(join(at, 'pool/queue/default')).sort().at(-1) as string;
  const entry = readdirSync(join(at, 'pool/queue/default', segment))[0] as string;
  writeFileSync(join(at, 'pool/queue/default', segment, entry), '{"spec":"default"');
  const rest = pool.run([task('garbage', 'true # leaves garbage'), task('nothing', 'true # leaves nothing')]);
  assert.is(codeOf((await busy) as PoolEnd<Result>), 0);
  const messages = (await Promise.all([damaged, ...rest])).map((end) =>
    end && 'fatal' in end ? end.fatal.message : '',
  );
  const whose = (one: PoolTask<Result>) =>
    `(${at}/pool: entry ${one.name.replace('.', ', hash ')}, spec default, worker `;
  assert.ok(messages[0]?.startsWith(`a task is not what was put into the queue ${whose(task('damaged', 'true'))}`));
  assert.ok(messages[1]?.startsWith('the result of a task cannot be read ('));
  assert.ok(messages[2]?.startsWith('a task was said to be over and left no result ('));
  for (const message of messages) assert.match(message, /, worker \d+_0-[0-9a-f]{8}, attempt 1\)$/);
  await pool.close();
});

onSlurm('a worker that shows no sign of life is ended, and another one takes its place', async () => {
  const starts = folder();
  const { at, pool, task } = openLab({
    total: 1,
    worker: ({ spec, name }) => ({
      ...{ name: 'pool-worker', cwd: at, output: join(at, '%A_%a.out'), place: { options: ['--exclusive'] } },
      command: [
        ...['sh', '-c', 'mkdir "$1/first" && exec sleep 60; shift; exec "$@"', 'sh', starts],
        ...[process.execPath, ...program('pool-worker'), join(at, 'pool'), spec, name, String(1500 * SLOW)],
      ],
    }),
  });
  const [end] = await Promise.all(pool.run([task('one', 'true')]));
  assert.is(codeOf(end as PoolEnd<Result>), 0);
  assert.ok(existsSync(join(starts, 'first')));
  await pool.close();
});

onSlurm('workers that cannot start are told with their reason, and not started for ever', async () => {
  const { at, pool, task } = openLab({
    worker: () => ({
      ...{ name: 'pool-worker', cwd: '/', output: '/nowhere/%j.out', place: { options: [] }, command: ['true'] },
    }),
  });
  const [end] = await Promise.all(pool.run([task('one', 'true')]));
  assert.is(codeOf(end as PoolEnd<Result>), 'JOB_LAUNCH false');
  assert.equal(theirs(at), []);
  await pool.close();
});

test.run();
