import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { damageOf, openEvents, readEvents } from '../../src/journal/event-file.ts';
import { folder } from '../environment.ts';
import { fc, runs } from '../sweep.ts';

const fresh = () => join(folder(), 'runs/r/events.jsonl');

const event = (seq: number, text = `number ${seq}`): LoopEvent => ({
  v: 1,
  seq,
  time: '2026-01-01T00:00:00.000Z',
  run: 'r',
  type: 'notice',
  data: { text },
});
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => event(from + i));
const line = (of: LoopEvent) => `${JSON.stringify(of)}\n`;

/** A journal that holds the events 1 to `n`. */
function journalOf(n: number): string {
  const path = fresh();
  const { writer } = openEvents(path);
  writer.append(events(1, n));
  writer.close();
  return path;
}

test('a journal that does not exist holds nothing, and is made for its owner alone', () => {
  const path = fresh();
  assert.equal(readEvents(path), { events: [], end: 0, lastSeq: 0, badLines: [] });
  const { writer, events: found } = openEvents(path);
  writer.close();
  assert.equal([found, statSync(path).mode & 0o777], [[], 0o600]);
});

test('a batch is one append, there when append returns', () => {
  const path = fresh();
  const { writer } = openEvents(path);
  writer.append(events(1, 2));
  assert.is(readFileSync(path, 'utf8'), line(event(1)) + line(event(2)));
  writer.append([event(3, 'ü→\n\u2028')]);
  writer.close();
  assert.equal(readEvents(path).events, [...events(1, 2), event(3, 'ü→\n\u2028')]);
});

test('a torn last line is dropped, and the next event takes its place', () => {
  const path = journalOf(2);
  appendFileSync(path, line(event(3, 'ä'.repeat(50))).slice(0, -1));
  assert.equal(readEvents(path).events, events(1, 2));
  assert.equal(readEvents(path).badLines, []);
  const { writer, events: found, quarantined } = openEvents(path);
  assert.equal([found, quarantined], [events(1, 2), undefined]);
  writer.append([event(3)]);
  writer.close();
  assert.equal(readEvents(path).events, events(1, 3));
});

test('a bad line costs nothing but itself: the lines are named, a copy is kept once, and it goes on behind them', () => {
  const bad: [string, string][] = [
    ['no JSON', 'nonsense\n'],
    ['an empty line', '\n'],
    ['no event', '{"v":1}\n'],
    ['another version', line(event(3)).replace('"v":1', '"v":2')],
    ['an unknown type', line(event(3)).replace('notice', 'nonsense')],
    ['no data of its type', line(event(3)).replace('"text"', '"words"')],
    ['a number twice', line(event(2))],
    ['a number that rotted', line(event(9))],
    ['a type every object has', line(event(3)).replace('notice', 'toString')],
    ['the event of another run', line(event(3)).replace('"run":"r"', '"run":"s"')],
  ];
  for (const [what, text] of bad) {
    const path = journalOf(2);
    appendFileSync(path, `${text}${line(event(4))}${line(event(5))}`);
    const whole = readFileSync(path);
    const all = [...events(1, 2), ...events(4, 5)];
    const found = readEvents(path);
    assert.equal(
      found.events.map(({ seq }) => seq),
      [1, 2, 4, 5],
      what,
    );
    assert.equal([found.badLines.length, found.lastSeq], [1, 5], what);
    const damage =
      what === 'another version'
        ? 'has lines of a newer version of mendloop (3): they are left out, and stay as they are'
        : 'has unreadable lines (3): what they said is lost, all else is kept';
    assert.is(damageOf(found), damage, what);
    const { writer, quarantined } = openEvents(path);
    assert.ok(quarantined?.startsWith(`${path}.corrupt-`) && readFileSync(quarantined).equals(whole), what);
    writer.append([event(6)]);
    writer.close();
    const again = openEvents(path);
    again.writer.close();
    assert.is(again.quarantined, undefined, 'one copy is enough');
    assert.equal([again.events, again.end], [[...all, event(6)], statSync(path).size], what);
    assert.ok(readFileSync(path).subarray(0, whole.length).equals(whole), 'nothing of it was touched');
  }
});

test('a bad line at the end keeps its number: what comes next takes another', () => {
  const path = journalOf(2);
  appendFileSync(path, 'nonsense\nnonsense\n');
  assert.is(readEvents(path).lastSeq, 4);
});

test('a line that was taken out is told, and costs nothing but itself', () => {
  const path = journalOf(5);
  writeFileSync(path, [1, 2, 4, 5].map((seq) => line(event(seq))).join(''));
  const found = readEvents(path);
  assert.equal([found.events.map(({ seq }) => seq), found.lastSeq], [[1, 2, 4, 5], 5]);
  assert.is(damageOf(found), 'lacks lines (1): all else is kept');
  assert.is(damageOf(readEvents(journalOf(5))), undefined);
});

test('reading repairs nothing', () => {
  const path = journalOf(1);
  appendFileSync(path, 'nonsense\ntorn');
  const before = readFileSync(path);
  readEvents(path);
  assert.ok(readFileSync(path).equals(before));
  assert.equal(readdirSync(dirname(path)), ['events.jsonl']);
});

test('a journal that was refused once refuses from then on, so that nothing is written behind half a line', () => {
  const path = fresh();
  const { writer } = openEvents(path);
  writer.close();
  assert.throws(() => writer.append([event(1)]), /EBADF/);
  assert.throws(() => writer.append([event(1)]), /EBADF/);
  assert.is(readFileSync(path, 'utf8'), '');
});

test('property: whatever is done to its bytes, every line that was not touched is read, and more can be written behind', () => {
  const whole = readFileSync(journalOf(6));
  const ends = [...whole.keys()].filter((i) => whole[i] === 10);
  const change = fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), fc.nat(whole.length), (changes, cut) => {
      const path = fresh();
      openEvents(path).writer.close();
      const bytes = Buffer.from(whole);
      for (const [at, put] of changes) Buffer.from(put).copy(bytes, at);
      writeFileSync(path, bytes.subarray(0, cut));
      const sound = events(1, 6).filter((_, i) => {
        const [from, to] = [(ends[i - 1] ?? -1) + 1, ends[i] as number];
        return (
          to < cut &&
          bytes.subarray(Math.max(0, from - 1), to + 1).equals(whole.subarray(Math.max(0, from - 1), to + 1))
        );
      });
      const { writer, events: found, lastSeq } = openEvents(path);
      for (const one of sound)
        assert.ok(
          found.some((e) => JSON.stringify(e) === JSON.stringify(one)),
          `${one.seq}`,
        );
      assert.ok(
        found.every((e, i) => e.seq > (found[i - 1]?.seq ?? -Infinity)) && found.every((e) => e.seq <= lastSeq),
      );
      writer.append([event(lastSeq + 1)]);
      writer.close();
      const again = readEvents(path);
      assert.equal([again.events, again.end], [[...found, event(lastSeq + 1)], statSync(path).size]);
    }),
    runs(200, 5000),
  );
});

test.run();
