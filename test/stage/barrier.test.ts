// Writing the tree: alone, in order, and never kept from its turn.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBarrier } from '../../src/stage/barrier.ts';

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Numbers from 0 to 1 that `seed` decides (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('attempts run side by side', async () => {
  const { attempt } = openBarrier();
  let most = 0;
  let now = 0;
  const work = async () => {
    now += 1;
    most = Math.max(most, now);
    await pause(5);
    now -= 1;
  };
  await Promise.all([attempt(work), attempt(work), attempt(work)]);
  assert.is(most, 3);
});

test('a write waits for what runs and goes before what comes later', async () => {
  const { attempt, alone } = openBarrier();
  const order: string[] = [];
  const first = attempt(async () => {
    await pause(10);
    order.push('first');
  });
  const write = alone(async () => void order.push('write'));
  const second = attempt(async () => void order.push('second'));
  await Promise.all([first, write, second]);
  assert.equal(order, ['first', 'write', 'second']);
});

test('what throws lets the next one in, and is told to whoever asked', async () => {
  const { attempt, alone } = openBarrier();
  const fails = async (): Promise<never> => {
    throw new Error('no');
  };
  const ends = await Promise.allSettled([attempt(fails), alone(fails), alone(async () => 1), attempt(async () => 2)]);
  assert.equal(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    ['Error: no', 'Error: no', 1, 2],
  );
});

test('in any interleaving no write overlaps anything, writes keep their order, and all come to an end', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = random(seed);
    const { attempt, alone } = openBarrier();
    let running = 0;
    let writing = 0;
    const written: number[] = [];
    const wrong: string[] = [];
    const worker = async (id: number): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        if (next() < 0.3) await pause(next() * 2);
        await attempt(async () => {
          running += 1;
          if (writing > 0) wrong.push('an attempt began beside a write');
          await (next() < 0.5 ? pause(next() * 2) : undefined);
          if (writing > 0) wrong.push('a write began beside an attempt');
          running -= 1;
          if (next() < 0.1) throw new Error('failed');
        }).catch(() => {});
        if (next() < 0.5) {
          await alone(async () => {
            writing += 1;
            if (running > 0 || writing > 1) wrong.push('a write was not alone');
            await (next() < 0.5 ? pause(next()) : undefined);
            writing -= 1;
            written.push(id);
            if (next() < 0.2) throw new Error('refused');
          }).catch(() => {});
        }
      }
    };
    const all = Promise.all([0, 1, 2, 3, 4].map(worker)).then(() => 'ended');
    const late = new Promise((done) => setTimeout(() => done('stuck'), 5000).unref());
    assert.is(await Promise.race([all, late]), 'ended', `seed ${seed}`);
    assert.equal([wrong, running, writing], [[], 0, 0], `seed ${seed}`);
  }
});

test.run();
