import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { listRuns, newRunId } from '../../src/journal/runs.ts';
import { folder, write } from '../environment.ts';
import { fc } from '../sweep.ts';

const AT = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const ID = 'abcdef12-0000-4000-8000-000000000000';

test('a run is named by its time in UTC and the start of its execution id', () => {
  assert.is(newRunId(AT, ID, []), '20260131-235959-abcd');
});

test('a name is later than every other, also within one second, and when the clock was set back', () => {
  assert.is(newRunId(AT, ID, ['20260131-235959-ffff']), '20260201-000000-abcd');
  assert.is(newRunId(AT - 86_400_000, ID, ['20260131-235958-0000']), '20260131-235959-abcd');
  assert.is(newRunId(AT, ID, ['20251231-000000-ffff']), '20260131-235959-abcd');
});

test('property: names never go backwards, whatever the clock does', () => {
  const times = fc.array(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), { minLength: 1, maxLength: 20 });
  const ids = fc.stringMatching(/^[0-9a-f]{4}$/);
  fc.assert(
    fc.property(times, fc.array(ids, { minLength: 20, maxLength: 20 }), (clock, starts) => {
      const names: string[] = [];
      for (const [i, now] of clock.entries()) names.push(newRunId(now, starts[i] ?? '0000', names));
      assert.equal([...names].sort(), names);
      assert.is(new Set(names).size, names.length);
      for (const name of names) assert.match(name, /^\d{8}-\d{6}-[0-9a-f]{4}$/);
    }),
  );
});

test('runs are folders with the name of one, oldest first; anything else is none', () => {
  const home = folder();
  const layout = layoutOf(home);
  assert.equal(listRuns(layout), []);
  write(home, {
    'ai/state/runs/20260102-000000-aaaa/events.jsonl': '',
    'ai/state/runs/20260101-000000-bbbb/events.jsonl': '',
    'ai/state/runs/20260103-000000-cccc/other': '',
    'ai/state/runs/notes/events.jsonl': '',
    'ai/state/runs/.DS_Store': '',
  });
  assert.equal(listRuns(layout), ['20260101-000000-bbbb', '20260102-000000-aaaa', '20260103-000000-cccc']);
});

test.run();
