import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { openEvents, readEvents } from '../../src/journal/event-file.ts';
import { folder } from '../io/temporary.ts';
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
  assert.equal(readEvents(path), { events: [], goodBytes: 0 });
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
  assert.is(readEvents(path).corruptLine, undefined);
  const { writer, events: found, quarantined } = openEvents(path);
  assert.equal([found, quarantined], [events(1, 2), undefined]);
  writer.append([event(3)]);
  writer.close();
  assert.equal(readEvents(path).events, events(1, 3));
});

test('a bad line in the middle: what is before it is kept, and a copy of all of it', () => {
  const bad: [string, string][] = [
    ['no JSON', 'nonsense\n'],
    ['an empty line', '\n'],
    ['no event', '{"v":1}\n'],
    ['another version', line(event(3)).replace('"v":1', '"v":2')],
    ['an unknown type', line(event(3)).replace('notice', 'nonsense')],
    ['no data of its type', line(event(3)).replace('"text"', '"words"')],
    ['a number left out', line(event(4))],
    ['a number twice', line(event(2))],
    ['a type every object has', line(event(3)).replace('notice', 'toString')],
  ];
  for (const [what, text] of bad) {
    const path = journalOf(2);
    appendFileSync(path, `${text}${line(event(4))}`);
    const whole = readFileSync(path);
    assert.equal(readEvents(path).corruptLine, 3, what);
    const { writer, events: found, quarantined } = openEvents(path);
    assert.equal(found, events(1, 2), what);
    assert.ok(quarantined?.startsWith(`${path}.corrupt-`) && readFileSync(quarantined).equals(whole), what);
    writer.append([event(3)]);
    writer.close();
    assert.equal(readEvents(path), { events: events(1, 3), goodBytes: statSync(path).size }, what);
  }
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

test('property: whatever is done to its bytes, a journal opens, keeps a prefix, and can be written and read again', () => {
  const whole = readFileSync(journalOf(4));
  const change = fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), fc.nat(whole.length), (changes, cut) => {
      const path = fresh();
      openEvents(path).writer.close();
      const bytes = Buffer.from(whole);
      for (const [at, put] of changes) Buffer.from(put).copy(bytes, at);
      writeFileSync(path, bytes.subarray(0, cut));
      const { writer, events: found } = openEvents(path);
      assert.equal(
        found.map((e) => e.seq),
        found.map((_, i) => i + 1),
      );
      writer.append([event(found.length + 1)]);
      writer.close();
      const again = readEvents(path);
      assert.equal(again.events, [...found, event(found.length + 1)]);
      assert.equal([again.corruptLine, again.goodBytes], [undefined, statSync(path).size]);
    }),
    runs(100, 3000),
  );
});

test.run();
