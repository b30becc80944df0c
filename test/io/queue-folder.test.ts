import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openQueueFolder } from '../../src/io/queue-folder.ts';
import { folder } from '../environment.ts';
import { cases, fc, runs } from '../sweep.ts';

const entries = (count: number, prefix = 'e') =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}-${at}`, text: `text of ${prefix}-${at}` }));

test('each entry is claimed once, by whoever comes first, with its text', () => {
  const at = folder();
  const count = cases(300, 3000);
  openQueueFolder(at).put('default', entries(count));
  const claimers = ['a', 'b', 'c'].map((by) => ({ by, queue: openQueueFolder(at) }));
  for (const { by, queue } of claimers) queue.join(by);
  const seen: string[] = [];
  for (let left = claimers.length; left > 0; ) {
    left = 0;
    for (const { by, queue } of claimers) {
      const claimed = queue.claim('default', by);
      if (!claimed) continue;
      left += 1;
      seen.push(claimed.name);
      assert.is(claimed.text, `text of ${claimed.name}`);
    }
  }
  assert.is(seen.length, count);
  assert.is(new Set(seen).size, count);
  assert.equal(readdirSync(join(at, 'queue/default')), [], 'empty segments are gone');
});

test('who has lost its place in the folder claims nothing any more, and nothing is lost by that', () => {
  const queue = openQueueFolder(folder());
  queue.put('default', entries(1));
  queue.join('w');
  queue.leave('w');
  assert.is(queue.claim('default', 'w'), undefined);
  queue.join('w');
  assert.is(queue.claim('default', 'w')?.name, 'e-0');
});

test('a line has its own entries, whatever its name is, and the older ones go first', () => {
  const queue = openQueueFolder(folder());
  queue.join('w');
  queue.put('gpu/../big', entries(70, 'old'));
  queue.put('gpu/../big', entries(1, 'new'));
  queue.put('other', entries(1, 'other'));
  const order = Array.from({ length: 71 }, () => queue.claim('gpu/../big', 'w')?.name);
  assert.is(order.at(-1), 'new-0');
  assert.is(queue.claim('gpu/../big', 'w'), undefined);
  assert.is(queue.claim('other', 'w')?.name, 'other-0');
});

test('an entry is taken back or claimed, never both', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (turns) => {
      const at = folder();
      const [owner, worker] = [openQueueFolder(at), openQueueFolder(at)];
      worker.join('w');
      const names = entries(turns.length).map(({ name }) => name);
      owner.put('default', entries(turns.length));
      const claimed = new Set<string>();
      const back = new Set<string>();
      turns.forEach((isClaim, turn) => {
        const name = names[turn] as string;
        const got = isClaim ? worker.claim('default', 'w')?.name : undefined;
        if (got) claimed.add(got);
        if (!isClaim && owner.takeBack(name)) back.add(name);
      });
      assert.equal(
        names.filter((name) => claimed.has(name) && back.has(name)),
        [],
      );
      assert.is(owner.listWaiting().length, names.length - claimed.size - back.size);
    }),
    runs(10, 300),
  );
});

test('what is over is told until it is forgotten, with who claimed it', () => {
  const queue = openQueueFolder(folder());
  queue.join('12_3');
  queue.put('default', entries(2));
  for (const how of ['made', 'bad'] as const) queue.end(queue.claim('default', '12_3')?.name as string, '12_3', how);
  assert.equal(
    queue
      .ended()
      .map(({ by, how }) => `${by} ${how}`)
      .sort(),
    ['12_3 bad', '12_3 made'],
  );
  assert.equal(queue.claimedBy('12_3'), []);
  for (const entry of queue.ended()) queue.forget(entry);
  assert.equal(queue.ended(), []);
});

test('an earlier owner’s entries are found with their lines, and can be taken back', () => {
  const at = folder();
  const first = openQueueFolder(at);
  first.put('default', entries(2));
  first.put('big one', entries(1, 'b'));
  const second = openQueueFolder(at);
  const there = second.listWaiting();
  assert.equal(there.map(({ key, name }) => `${key}: ${name}`).sort(), [
    'big one: b-0',
    'default: e-0',
    'default: e-1',
  ]);
  assert.ok(there.every(({ name, read }) => read() === `text of ${name}` && second.takeBack(name)));
  assert.equal(second.listWaiting(), []);
  second.put('default', entries(1, 'later'));
  second.join('w');
  assert.is(second.claim('default', 'w')?.name, 'later-0');
});

test('signs are replaced as a whole, and gone when their owner leaves', () => {
  const queue = openQueueFolder(folder());
  queue.join('w');
  queue.sign('w', 'one');
  queue.sign('w', 'two');
  assert.equal([...queue.signs()], [['w', 'two']]);
  queue.leave('w');
  assert.equal([...queue.signs()], []);
  assert.equal(queue.claimers(), []);
});

test('what cannot be written is an error with its path, and no part of it is in the queue', () => {
  const at = folder();
  const queue = openQueueFolder(at);
  rmSync(join(at, 'drafts'), { recursive: true });
  writeFileSync(join(at, 'drafts'), '');
  assert.throws(
    () => queue.put('default', entries(2)),
    (error: Error) => error.message.includes(join(at, 'drafts')),
  );
  assert.equal(queue.listWaiting(), []);
  rmSync(join(at, 'drafts'));
  mkdirSync(join(at, 'drafts'));
  queue.put('default', entries(2));
  assert.is(queue.listWaiting().length, 2);
  assert.ok(existsSync(join(at, 'queue/default')));
});

test.run();
