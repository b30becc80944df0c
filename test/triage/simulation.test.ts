import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WHY } from '../../src/triage/decide.ts';
import { fc, runs } from '../sweep.ts';
import { DAY, HOUR, situation } from './builders.ts';
import { type Ended, simulate, type World } from './simulation.ts';

const failed = (fingerprint: string, more: object = {}): Ended => ({
  ...{ how: 'failed', fingerprint, transient: false, external: false, timed_out: false, ...more },
});
const green: Ended = { how: 'green' };

const world = (more: Partial<World>): World => ({
  ...{ ends: [failed('f1')], executor: ['fix'], escalation: ['fix'], jumps: [60_000], runs: ['nothing'] },
  ...{ known_fixes: 0, limits: situation().limits, safe_mode: false, ai: true, ...more },
});

test('a fix that helps ends the run green', () => {
  assert.equal(simulate(world({ ends: [failed('f1'), green] })), ['green']);
});

test('a failure nothing helps against is given up in its first run, and the give_up stands until a reset', () => {
  assert.equal(simulate(world({ runs: ['nothing', 'nothing', 'reset'] })), ['give_up', 'give_up_stands', 'give_up']);
});

test('a hand-over leaves the stage alone until the case is closed', () => {
  const handed = world({ executor: ['refused'], escalation: ['hand_over'], runs: ['nothing', 'nothing', 'close'] });
  assert.equal(simulate(handed), ['open_case', 'open_case', 'open_case']);
});

test('a change undone in one run is all that a later run needs when what was in its way is gone', () => {
  const off = failed('off', { external: true });
  const ends = [failed('f1'), off, off, failed('f1'), green];
  assert.equal(simulate(world({ ends, executor: ['fix', 'down'], runs: ['nothing', 'nothing'] })), [
    'external',
    'green',
  ]);
});

test('a provider that is down spends nothing, however often it is asked', () => {
  const runs = Array.from({ length: 9 }, () => 'nothing' as const);
  const ends = [failed('f1')];
  assert.equal(
    simulate(world({ ends, executor: ['down'], runs })),
    runs.map(() => 'no_executor'),
  );
  const late = ['down', 'down', 'down', 'down', 'down', 'down', 'down', 'down', 'refused'] as const;
  assert.is(simulate(world({ ends, executor: late, escalation: ['down'], runs })).at(-1), 'no_executor');
});

test('a failure that only moves on is given up too: fixes are not stacked without end', () => {
  const ends = Array.from({ length: 400 }, (_, i) => failed(`f${i}`));
  assert.equal(simulate(world({ ends, runs: ['nothing', 'nothing'] })), ['give_up', 'give_up']);
});

const anyEnd: fc.Arbitrary<Ended> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('f1', 'f2', 'f3', 'f4', 'f5', 'f6').map((f) => failed(f)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('f1', 'f7'), fc.boolean(), fc.boolean(), fc.boolean())
      .map(([f, transient, external, timed_out]) => failed(f, { transient, external, timed_out })),
  },
  fc.constant(green),
  fc.constant<Ended>({ how: 'lost' }),
);

const list = <T>(...of: T[]) => fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 8 });

const anyWorld: fc.Arbitrary<World> = fc.record({
  ends: fc.array(anyEnd, { minLength: 1, maxLength: 25 }),
  executor: list<World['executor'][number]>('fix', 'fix', 'fix', 'refused', 'down'),
  escalation: list<World['escalation'][number]>('fix', 'fix', 'refused', 'hand_over', 'down'),
  jumps: list(60_000, HOUR, DAY, -HOUR, -3 * DAY),
  runs: list<World['runs'][number]>('nothing', 'nothing', 'nothing', 'reset', 'close'),
  known_fixes: fc.nat(2),
  limits: fc.record({
    ...{ executor_tries: fc.nat(3), escalation_calls: fc.nat(3), stage_attempts: fc.integer({ min: 1, max: 20 }) },
    ...{ day_tries: fc.nat(8), day_tokens: fc.nat(1500) },
  }),
  safe_mode: fc.boolean(),
  ai: fc.boolean(),
});

test('property: whatever fails, every run ends, and no cap of fingerprint, stage, run or day is passed', () => {
  fc.assert(
    fc.property(anyWorld, (any) => {
      for (const how of simulate(any)) {
        assert.ok(how === 'green' || how === 'lost' || how === 'give_up' || Object.hasOwn(WHY, how), how);
      }
    }),
    runs(500, 30000),
  );
});

test.run();
