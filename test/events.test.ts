// The table of events: what passes for one, and what does not.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENTS, type EventType, isEvent } from '../src/events.ts';
import { EXAMPLES, RUN } from './events.ts';
import { fc, runs } from './sweep.ts';

const TYPES = Object.keys(EVENTS) as EventType[];
const NOWHERE = { stage: undefined, step: undefined };
const AT = { run: NOWHERE, stage: { ...NOWHERE, stage: 'a' }, step: { ...NOWHERE, step: 'a[h=1]' } };

const event = (type: EventType, more: object = {}): Record<string, unknown> => ({
  v: 1,
  seq: 1,
  time: '2026-01-01T00:00:00.000Z',
  run: RUN,
  type,
  ...AT[EVENTS[type].place],
  data: EXAMPLES[type],
  ...more,
});
const withData = (type: EventType, more: object) => event(type, { data: { ...EXAMPLES[type], ...more } });

/** Whether a value comes back from a journal as it was. */
const survives = (value: unknown): boolean => {
  const read = JSON.parse(JSON.stringify(value));
  assert.equal(JSON.parse(JSON.stringify(read)), read);
  return isEvent(read);
};

test('every type has an example that passes, survives a journal, and says what it tells', () => {
  for (const type of TYPES) {
    assert.ok(isEvent(event(type)) && survives(event(type)), type);
    assert.match(EVENTS[type].about, /^[^\n]{15,100}$/, type);
  }
});

test('an event is refused without its place, with the data of no type, or with another envelope', () => {
  for (const type of TYPES) {
    const { place } = EVENTS[type];
    if (place !== 'run') assert.not(isEvent(event(type, { [place]: undefined })), `${type} without its ${place}`);
    for (const data of [undefined, null, [], 'x', 5]) assert.not(isEvent(event(type, { data })), type);
    const wrong: object[] = [
      ...[{ v: 2 }, { v: undefined }, { seq: 1.5 }, { seq: '1' }, { seq: Number.NaN }, { run: 7 }, { run: undefined }],
      ...[{ time: 5 }, { time: '2026-01-01' }, { time: '2026-13-41T00:00:00.000Z' }, { type: 'toString' }],
      ...[{ type: 'nonsense' }, { stage: 5 }, { step: null }, { attempt: '1' }, { attempt: 0.5 }, { status: 1 }],
    ];
    for (const change of wrong) assert.not(isEvent(event(type, change)), `${type} ${JSON.stringify(change)}`);
  }
  for (const value of [null, undefined, 1, 'notice', []]) assert.not(isEvent(value));
});

test('every member of the data counts: left out it is missed, and what is no text, number or list is seen', () => {
  for (const type of TYPES) {
    for (const [key, value] of Object.entries(EXAMPLES[type])) {
      const { [key as never]: _, ...rest } = EXAMPLES[type];
      assert.not(isEvent(event(type, { data: rest })), `${type} without ${key}`);
      const wrong = typeof value === 'object' && value !== null && !Array.isArray(value) ? [null, [], 'x'] : [{}, []];
      // A list that may be empty is no object, and the other way round.
      const others = Array.isArray(value) ? [{}, 'x', [5], null] : wrong;
      for (const other of others) assert.not(isEvent(withData(type, { [key]: other })), `${type} ${key} ${other}`);
    }
  }
});

test('numbers are those that can be counted with, and words are those of their list', () => {
  const refused: [EventType, object][] = [
    ['model.used', { tokens: -1 }],
    ['model.used', { tokens: 0.5 }],
    ['model.used', { tokens: Number.NaN }],
    ['model.used', { dollars: Number.POSITIVE_INFINITY }],
    ['step.retry', { pause_ms: -1 }],
    ['step.retry', { tier: 'executor' }],
    ['person.notified', { state: '' }],
    ['failure.decided', { tier: 'look' }],
    ['failure.seen', { class: 'nonsense' }],
    ['failure.seen', { first_seen: 'yesterday' }],
    ['failure.seen', { ended: { exit_code: '1', signal: null, timed_out: false } }],
    ['fix.judged', { outcome: 'applied' }],
    ['fix.prepared', { because: 'kept' }],
    ['trial.ended', { outcome: 'no_effect' }],
    ['fix.committed', { tier: 'wait' }],
    ['fix.committed', { note: { fix: 'x' } }],
    ['fix.committed', { paths: ['x', 5] }],
    ['attempt.ended', { exit_code: 0.5 }],
    ['step.done', { inputs: { command: 'c' } }],
    ['attempt.started', { leader: { pid: 7 } }],
  ];
  for (const [type, more] of refused) assert.not(isEvent(withData(type, more)), `${type} ${JSON.stringify(more)}`);
});

test('property: what passes for an event passes again when it was read from a journal', () => {
  const odd = fc.oneof(
    fc.constantFrom(undefined, null, Number.NaN, -0, 1e21, '', '__proto__', [], {}, true),
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.double(),
  );
  const place = fc.record(
    { stage: odd, step: odd, attempt: odd, status: odd, seq: odd, time: odd, run: odd },
    { requiredKeys: [] },
  );
  let passed = 0;
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), fc.nat(), odd, fc.option(place, { nil: {} }), (type, n, value, more) => {
      const keys = Object.keys(EXAMPLES[type]);
      const key = keys[n % Math.max(keys.length, 1)] ?? 'other';
      for (const candidate of [withData(type, { [key]: value }), event(type, more), event(type, { data: value })]) {
        if (!isEvent(candidate)) continue;
        passed += 1;
        assert.ok(survives(candidate), JSON.stringify(candidate));
      }
    }),
    runs(300, 50_000),
  );
  assert.ok(passed > 100, String(passed));
});

test.run();
